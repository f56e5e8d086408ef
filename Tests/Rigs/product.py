"""The product under test: where it lies, and the product listening to an air, with what it recorded."""
import contextlib
import os
import pathlib
import signal
import struct
import tempfile
import time

from rig import Air, Program, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORECOURT = os.environ.get('FORECOURT', str(ROOT / '.build' / 'debug' / 'forecourt'))
CONFIG = ROOT / 'Tests' / 'Rigs' / 'radio.toml'


class Capture:
    """`forecourt capture` on one adapter, its words and its file."""

    def __init__(self, adapter, *options, under=()):
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / 'out.btsnoop'
        self.program = Program([*under, FORECOURT, 'capture', self.file, '--config', CONFIG, '--radio', adapter, *options],
                               pathlib.Path(self.folder.name) / 'words')

    def __enter__(self):
        self.program.start()
        return self

    def __exit__(self, *_):
        self.program.stop()
        self.folder.cleanup()

    def words(self):
        return self.program.said()

    def told(self, part, seconds=10):
        wait_until(lambda: part in self.words(), seconds, f'"{part}" among: {self.words()}')

    def end(self, seconds=5):
        """Its exit status after SIGTERM, and the packets of its file."""
        self.program.signal(signal.SIGTERM)
        self.program.process.wait(seconds)
        return self.program.process.returncode, packets(self.file)


def packets(path):
    """(microseconds, flags, packet) of a btsnoop file."""
    data = pathlib.Path(path).read_bytes()
    assert data[:16] == b'btsnoop\0' + struct.pack('>II', 1, 1002), data[:16]
    at, out = 16, []
    while at < len(data):
        length, included, flags, _, stamp = struct.unpack_from('>IIIIq', data, at)
        assert length == included, (length, included)
        out.append((stamp, flags, data[at + 24:at + 24 + length]))
        at += 24 + length
    return out


def listens(air, name, seconds, capture, since=None):
    """Scanning, and heard: how long it took, from now or since then."""
    since = since or time.monotonic()
    before = air.report(name)['reports']

    def hears():
        report = air.report(name)
        return report['scanning'] and report['reports'] > before
    wait_until(hears, since + seconds - time.monotonic(), f'{name} listens; {capture.words()}')
    return time.monotonic() - since


@contextlib.contextmanager
def listening(line='unix', **options):
    """An air with a few people, and the product listening to it."""
    with listening_on(line, **options) as (air, captures):
        yield air, captures['p0']


@contextlib.contextmanager
def listening_on(*lines, **options):
    """The same on several lines, each with a product of its own: {name: Capture}."""
    with Air(*(f'p{index}={line}' for index, line in enumerate(lines)), **options) as air, contextlib.ExitStack() as stack:
        for number in range(6):
            air.say('advertise', id=f'tag{number}', kind='ibeacon', minor=number, interval_ms=200)
        captures = {name: stack.enter_context(Capture(line)) for name, line in air.lines.items()}
        for name, capture in captures.items():
            air.wait('scanning', port=name)
            listens(air, name, 2, capture)
        yield air, captures
        for name in captures:
            report = air.report(name)
            assert report['mixed'] == 0 and report['duplicates_filter_asked'] == 0 and report['mistakes'] == 0, report


def configured(folder, lines):
    """A config with these radios."""
    config = pathlib.Path(folder) / 'config.toml'
    config.write_text('gateway.purpose = "testing"\n' + ''.join(
        f'[[radio]]\nname = "{name}"\nadapter = "{line}"\n' for name, line in lines.items()))
    return config
