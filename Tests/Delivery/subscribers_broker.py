"""What pump.py and anomalies.py say of a broker that does not let them hear anything; and MQTT 3.1.1: subscribers_broker.py."""
import contextlib
import pathlib
import socket
import sys
import threading

from cases import case, main
from rig import Mosquitto, Program, Subscriber, wait_until
from subscribers import FOLDER, a_fire, keys, signed
from terminal import Then

TOPIC = 'forecourt/yard/island-1/trigger/pump-3'


class Curt:
    """A broker that answers each packet with the bytes given for its kind, and ends the line at any other."""

    def __init__(self, answers):
        self.answers, self.door = answers, socket.create_server(('127.0.0.1', 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._answer, args=self.door.accept()[:1], daemon=True).start()

    def _answer(self, near):
        with contextlib.suppress(OSError), near:
            while (said := near.recv(4096)) and said[0] in self.answers:
                near.sendall(self.answers[said[0]](said))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.door.close()


def started(folder, port, *words):
    """pump.py and anomalies.py at this broker."""
    (folder / 'sites.json').write_text('{}')
    both = []
    for name, *files in (('pump.py', folder / 'public.pem', folder / f'seen{port}.db'), ('anomalies.py', folder / 'sites.json')):
        both.append(Program([sys.executable, FOLDER / name, '127.0.0.1', port, *files, *words], folder / f'{name}-{port}'))
        both[-1].start()
    return both


def both_say(words, folder, port, *options):
    for program in started(folder, port, *options):
        wait_until(lambda: words in program.said(), 10, Then(lambda: f'"{words}" in "{program.said()}"'))
        program.stop()


@case
def both_versions(folder):
    """In MQTT 5 and in 3.1.1 both listen, the broker keeps pump.py's session while it is away, and an end of the line is told."""
    key = keys(folder)
    for version in '5', '4':
        with Mosquitto() as broker, Subscriber(broker.port, '#') as seen:
            pump, watcher = started(folder, broker.port, '--version', version)
            said = Then(lambda: pump.said() + watcher.said())
            wait_until(lambda: 'waiting for' in pump.said() and 'watching' in watcher.said(), 10, said)
            assert {'5': ' as pump (p5, c0', '4': ' as pump (p2, c0'}[version] in pathlib.Path(broker.output).read_text(), version
            pump.stop()
            seen.publish(TOPIC, signed(key, a_fire(TOPIC)))
            pump.start()
            wait_until(lambda: 'open pump-3' in pump.said(), 10, Then(pump.said))
            broker.stop()
            for program in pump, watcher:
                for words in 'the line to the broker ended', 'does not answer':
                    wait_until(lambda: words in program.said(), 10, Then(program.said))
                program.stop()


@case
def refusals(folder):
    """A login, a version or a topic that the broker refuses, and a broker that ends the line without a word, stand on stderr."""
    keys(folder)
    for version in '5', '4':
        with Mosquitto(users={'somebody': 'else'}) as broker:
            both_say('the broker refuses us: Not authorized', folder, broker.port, '--version', version)
    with Curt({0x10: lambda _: b'\x20\2\0\1'}) as broker:
        both_say('the broker refuses us: Unsupported protocol version; try --version 4', folder, broker.port)
    with Curt({0x10: lambda _: b'\x20\2\0\0', 0x82: lambda said: b'\x90\3' + said[2:4] + b'\x80'}) as broker:
        both_say('the broker refuses forecourt/+/+/trigger/+: Unspecified error', folder, broker.port, '--version', '4')
    # As RabbitMQ 3.10 does where somebody speaks MQTT 5.
    with Curt({}) as broker:
        both_say('the broker ends the line without an answer; trying again. If it does not speak MQTT 5: --version 4', folder, broker.port)


if __name__ == '__main__':
    main()
