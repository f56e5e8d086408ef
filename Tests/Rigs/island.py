"""Gateways of one island on one air: they hear the same phone, each as much weaker as its configuration says."""
import contextlib
import json
import secrets
import time

from product import FORECOURT
from rig import Air, Mosquitto, Program, Subscriber, run, wait_until

CONFIG = '''[gateway]
purpose = "Tests the gateways of a site."
site = "{site}"
name = "{name}"
[[radio]]
name = "pump"
adapter = "{adapter}"
receive_offset_db = {weaker_db}
{radio}
[[trigger]]
name = "{name}"
match = "ibeacon:*"
group = "pumps"
refractory_s = 1
{trigger}
[mqtt]
host = "{host}"
port = {port}
{mqtt}
[outbox]
path = "{folder}/outbox.db"
[command]
enabled = true
[publish]
telemetry_s = 1
{more}
'''


class Gateway(Program):
    """with Gateway(folder, 'island-1', adapter=…, port=…) as gateway: the product, running."""

    def __init__(self, folder, name, **words):
        self.name, self.folder = name, folder / name
        self.folder.mkdir(exist_ok=True)
        self.words = {'site': 'site', 'name': name, 'weaker_db': 0, 'radio': '', 'trigger': '', 'host': 'localhost', 'mqtt': '', 'more': '', 'folder': self.folder, **words}
        self.config = self.folder / 'config.toml'
        self.write()
        super().__init__([FORECOURT, 'run', '--config', self.config], self.folder / 'said')

    @property
    def base(self):
        return f'forecourt/{self.words["site"]}/{self.name}'

    def write(self, **words):
        self.words.update(words)
        self.config.write_text(CONFIG.format(**self.words))

    def check(self):
        """What `check` says of the neighbours, and its exit status."""
        told = run(FORECOURT, 'check', '--config', self.config)
        return next((line for line in told.stdout.splitlines() if line.startswith('neighbours')), ''), told.returncode

    def status(self, seen, test, seconds=15, after=0):
        """Its first status from message `after` on that passes the test."""
        def mine(m):
            return m.topic == f'{self.base}/status' and m.payload
        try:
            return json.loads(seen.wait(lambda m: mine(m) and test(json.loads(m.payload)), seconds, after).payload)
        except TimeoutError as none:
            said = [m.payload for m in seen.messages[after:] if mine(m)][-5:]
            raise TimeoutError(f'{self.name} has no such status after {seconds} s; its last were {said}') from none

    def ask(self, seen, name, words):
        before = len(seen.messages)
        seen.publish(f'{self.base}/command/{name}', json.dumps(words))
        return json.loads(seen.wait(lambda m: m.topic == f'{self.base}/reply/{name}', 5, before).payload)


def site_key(folder, name='key'):
    path = folder / name
    path.write_text(secrets.token_hex(32) + '\n')
    path.chmod(0o600)
    return path


def acquainted(seen, gateways, seconds=20, after=0):
    """All hear one another, by what they say from message `after` on."""
    def are(s):
        # This machine's disk may be slow for a moment, and the gateway says so.
        return (s['state'] == 'online' or 'the disk' in (s['reason'] or '')) and s.get('site', {}).get('heard') == len(gateways) - 1
    for gateway in gateways:
        gateway.status(seen, are, seconds, after)


def arrives(air, number, at_dbm=-50, **at_lines):
    """A driver comes to the island from afar and stays; `p1=-46`: other than elsewhere at this line."""
    def coming(level):
        return {'from': -92, 'to': level, 'seconds': 3}
    air.say('advertise', id=f'driver-{number}', kind='ibeacon', minor=number, interval_ms=100,
            rssi={'*': coming(at_dbm), **{line: coming(level) for line, level in at_lines.items()}})


def leaves(air, number):
    air.say('silence', id=f'driver-{number}')


def told(seen, number, *names):
    """Who said what of this driver: [(gateway, event)]."""
    events = [(m.topic.split('/')[2], json.loads(m.payload)) for m in seen.messages if '/trigger/' in m.topic and m.topic.count('/') == 4]
    return [(who, e['event']) for who, e in events if e.get('id', '').endswith(f':{number}') and e['event'] in (names or ('fire',))]


def fires(seen, number, seconds=12):
    wait_until(lambda: told(seen, number), seconds, f'somebody fires for driver {number}: {told(seen, number, "arm", "fire", "undecided")}')


def served_once(air, seen, number, by, seconds=12):
    """A driver comes: this gateway fires, and nobody else does."""
    arrives(air, number)
    fires(seen, number, seconds)
    # The other would have fired at the same moment, or as soon as it is sure.
    time.sleep(2.5)
    assert told(seen, number) == [(by, 'fire')], told(seen, number)
    leaves(air, number)


def not_served(air, seen, number, seconds=10):
    """A driver comes: somebody says why nobody fires."""
    arrives(air, number)
    wait_until(lambda: told(seen, number, 'undecided'), seconds, f'somebody is undecided about driver {number}')
    assert not told(seen, number), told(seen, number)
    leaves(air, number)


@contextlib.contextmanager
def island(folder, count=2, broker=None, **words):
    """An air, a broker open to all, a subscriber, and gateways; the first hears the driver best."""
    with Air(*(f'p{n}=unix' for n in range(count))) as air, (broker or Mosquitto()) as broker, Subscriber(broker.watch, '#') as seen, \
            contextlib.ExitStack() as stack:
        gateways = [Gateway(folder, f'island-{n + 1}', adapter=air.lines[f'p{n}'], port=broker.port, weaker_db=min(8 * n, 40), **words)
                    for n in range(count)]
        for gateway in gateways:
            stack.enter_context(gateway)
        yield air, broker, seen, gateways
