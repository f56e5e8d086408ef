"""What this tool promises of other programs, without them: how it asks the compiler, and which scripts meet a mistake."""
import contextlib
import io
import json
import pathlib
import tempfile

import ahead
import scripts
import tree
from checking import check, equal

PATHS = {1: 'Sources/Host/Broker/A.swift', 2: 'Sources/Host/Broker/B.swift', 3: 'Sources/Core/Devices/C.swift'}


@check
def the_compiler_is_asked_as_it_was_asked_to_build():
    words = ['swiftc', '-module-name', 'Core', '-emit-module-path', '/m', '-c', '@/sources', '-I', '/modules', '-O', '-j2', '-g', '-Xcc',
             '-g', '-DX', '-output-file-map', '/map', '-package-name', 'tree']
    with tempfile.TemporaryDirectory() as folder:
        copy = tree.Copy(pathlib.Path(folder), pathlib.Path(folder) / 'build' / 'copy')
        equal(ahead._words(copy, 'Core'), [])
        assert ahead.ask(copy, 'Core'), 'nothing is known, nothing is wrong'
        plan = copy.place.parent / 'built' / 'debug.yaml'
        plan.parent.mkdir(parents=True)
        plan.write_text(f'  args: {json.dumps(words, separators=(",", ":"))}\n')
        equal(ahead._words(copy, 'Host'), [])
        equal(ahead._words(copy, 'Core'), [
            'swiftc', '-module-name', 'Core', '-I', str(copy.place.parent / 'ahead'), '-I', '/modules', '-Xcc', '-g', '-DX',
            '-package-name', 'tree'])


@check
def nothing_that_a_command_started_outlives_it():
    # In its group, in a group or a session of its own, without its environment, and deaf to all but SIGKILL.
    started = ('sleep 61.25 & set -m; sleep 61.25 & setsid sleep 61.25 & env -i sleep 61.25 & '
               'setsid sh -c "trap : TERM HUP INT; while :; do sleep 61.25; done" &')
    for last, seconds, wanted in [('exec sleep 61.25', 60, (1, 'begun\n')), ('sleep 61.25', 1, (None, ''))]:
        with tempfile.TemporaryDirectory() as folder:
            outcome = tree.run(['bash', '-c', f'{started} sleep 0.3; echo begun; {last}'], folder, seconds, pathlib.Path(folder) / 'log',
                               lambda line: line == 'begun\n' and seconds == 60)
            equal(outcome, wanted)
        left = [place for place in pathlib.Path('/proc').glob('[0-9]*/cmdline') if _command(place) == ['sleep', '61.25']]
        equal(left, [])


def _command(place):
    try:
        return place.read_text().split('\0')[:-1]
    except OSError:
        return []


class _Scripts(scripts.Scripts):
    """Those that run nothing. `reached` by script, `failing` with how often in a row each number fails."""

    def __init__(self, reached, failing):
        self.reaching, self.failing, self.ran, self.seconds, self.reached = reached, dict(failing), [], {}, {}

    def _page(self, name, number):
        return number

    def _passes(self, name, page, seconds):
        self.ran.append((name, page))
        if page == 0:
            return name in self.reaching
        self.failing[page] = self.failing.get(page, 0) - 1
        return self.failing[page] < 0


def asked(reached, failing, paths=PATHS):
    """What each mistake comes to, and which scripts ran with it."""
    known = scripts.tree.reached
    scripts.tree.reached = lambda page: {1, 2}
    try:
        some = _Scripts(reached, failing)
        with contextlib.redirect_stdout(io.StringIO()):
            noticed = some.noticed(paths)
        return noticed, sorted(run for run in some.ran if run[1])
    finally:
        scripts.tree.reached = known


@check
def a_script_notices_what_it_watches_and_comes_by_and_only_twice_in_a_row():
    name = 'Robustness/incoming.py'
    equal(asked({name}, {1: 2, 2: 1}), ({1: f'Tests/{name}', 2: '', 3: ''}, [(name, 1)] * 2 + [(name, 2)] * 2))
    equal(asked({name}, {}, {4: PATHS[1], 5: PATHS[3]}), ({4: '', 5: ''}, []))
    equal(asked(set(), {1: 2}), ({1: '', 2: '', 3: ''}, []))
    outcome, ran = asked({name, 'Robustness/security.py', 'Delivery/publish.py'}, {})
    equal((outcome, len(ran)), ({1: '', 2: '', 3: ''}, 2 * scripts.MOST))


@check
def every_script_is_there_and_watches_rooms():
    root = pathlib.Path(__file__).resolve().parents[3]
    for name, rooms in scripts.SCRIPTS.items():
        assert (root / 'Tests' / name).is_file(), name
        for room in rooms.split():
            assert (root / 'Sources' / room).is_dir(), f'{name}: {room}'
