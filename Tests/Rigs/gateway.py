"""One gateway with a radio, a region, a trigger and a broker: the product, running, and its commands."""
import contextlib
import json
import signal
import time

from product import FORECOURT
from rig import Air, Mosquitto, Program, Subscriber, run

BASE = 'forecourt/yard/island-1'
CONFIG = '''[gateway]
purpose = "Tests a gateway."
site = "yard"
name = "island-1"
authorization = "{authorization}"
[[radio]]
name = "left"
adapter = "{adapter}"
[[region]]
name = "forecourt"
match = "ibeacon:*"
exit_s = 2
[[trigger]]
name = "pump-3"
match = "ibeacon:*"
{trigger}[mqtt]
host = "127.0.0.1"
port = {port}
keepalive_s = 5
{mqtt}
[outbox]
path = "{folder}/state/outbox.db"
[command]
enabled = true
[home_assistant]
discovery = {discovery}
{more}
'''


class Gateway(Program):
    """with Gateway(folder, port=…) as gateway: the product, running."""

    def __init__(self, folder, env=None, **words):
        self.folder, self.words = folder, {'folder': folder, 'authorization': 'always', 'trigger': '', 'mqtt': '', 'discovery': 'false', 'more': '', **words}
        (folder / 'state').mkdir(exist_ok=True)
        self.config = folder / 'config.toml'
        self.write()
        super().__init__([FORECOURT, 'run', '--config', self.config], folder / 'said', env)

    def write(self, **words):
        self.words.update(words)
        self.config.write_text(CONFIG.format(**self.words))

    def stored(self):
        """The history, as the program itself tells it."""
        told = run(FORECOURT, 'events', '--json', '--last', '50', '--config', self.config)
        return [json.loads(line) for line in told.stdout.splitlines()]

    def end(self):
        """SIGTERM; how long it took."""
        begun = time.monotonic()
        self.signal(signal.SIGTERM)
        assert self.process.wait(10) == 0, self.said()
        return time.monotonic() - begun


def ask(seen, name, payload='', seconds=5.0):
    """A command's reply."""
    before = len(seen.messages)
    seen.publish(f'{BASE}/command/{name}', payload)
    return json.loads(seen.wait(lambda m: m.topic == f'{BASE}/reply/{name}', seconds, after=before).payload)


def status(seen, test, seconds=8.0, after=0):
    """The first status that passes."""
    return json.loads(seen.wait(lambda m: m.topic == f'{BASE}/status' and m.payload and test(json.loads(m.payload)), seconds, after).payload)


@contextlib.contextmanager
def yard(folder, tags=2, **words):
    """An air with beacons, a broker, a subscriber, and the gateway between them."""
    with Air() as air, Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        for number in range(tags):
            air.say('advertise', id=f'tag{number}', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=number,
                    interval_ms=50, rssi=-66)
        with Gateway(folder, adapter=air.lines['p0'], port=broker.port, **words) as gateway:
            status(seen, lambda s: s['state'] == 'online' and s['radios'][0]['state'] == 'scanning')
            yield air, broker, seen, gateway


TAG = 'ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:0'
