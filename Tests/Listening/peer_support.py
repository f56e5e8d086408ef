"""What the checks of peer.py stand on: a gateway that asks or answers, at an air, its messages and its words."""
import contextlib
import json
import pathlib
import tempfile

from product import FORECOURT
from rig import Air, Program, wait_until

STATIC = '2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'


class Gateway:
    """`forecourt run --print` with one radio (or several) and whatever else its config has."""

    def __init__(self, lines, extra='', name='gateway', options=('--print',)):
        self.folder = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.folder.name)
        config = self.place / 'config.toml'
        radios = ''.join(f'[[radio]]\nname = "{n}"\nadapter = "{line}"\n' for n, line in lines.items())
        config.write_text(f'[gateway]\nname = "{name}"\npurpose = "testing"\n[privacy]\nunknown = "publish"\n[publish]\ninterval_s = 1\n'
                          f'[log]\nlevel = "debug"\n{radios}{extra}')
        self.program = Program([FORECOURT, 'run', *options, '--config', config], self.place / 'words')

    def __enter__(self):
        self.program.start()
        return self

    def __exit__(self, *_):
        self.program.stop()
        self.folder.cleanup()

    def words(self):
        return self.program.said()

    def messages(self):
        return [json.loads(line) for line in self.words().splitlines() if line.startswith('{"t_us"') and line.endswith('}')]

    def told(self, part, seconds=10):
        return wait_until(lambda: part in self.words(), seconds, f'"{part}" among: {self.words()[-3000:]}')

    def topic(self, part, seconds=10):
        """The first message whose topic has that part."""
        def find():
            return next((m for m in self.messages() if part in m['topic']), None)
        return wait_until(find, seconds, f'{part}; {self.words()[-3000:]}')


def asks(hold=False, serve=False):
    flags = ''.join(f'{name} = true\n' for name, on in (('hold', hold), ('serve', serve)) if on)
    return f'[peer]\nidentify = true\n{flags}'


@contextlib.contextmanager
def asking(*lines, legacy=False, options=(), **words):
    """An air, and a gateway that asks, scanning."""
    with Air(*(lines or ['p0=unix']), legacy=legacy, options=options) as air:
        with Gateway(air.lines, asks(**words)) as gateway:
            air.wait('scanning')
            yield air, gateway
            whole(air)


def whole(air):
    """Nothing was asked of its controllers that must not be, and the rig made no mistake."""
    for port in air.say('report')['ports'].values():
        assert port['mixed'] == 0 and port['duplicates_filter_asked'] == 0 and port['mistakes'] == 0, port
