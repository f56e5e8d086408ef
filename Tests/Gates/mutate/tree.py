"""A copy of the work tree below build/mutate, in which mistakes are made, compiled and tested. The work tree itself is only read."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

DOORS = 'CLinux CBluetooth CMosquitto CSQLite CCrypto CJSON CTOML'
# What a room's own tests need, so that no more is compiled for them; and their filter.
OWN = {
    'Core': ('Core Seeds CoreTests', r'^CoreTests\.'),
    'Host': (f'{DOORS} Core Simulation Host Seeds HostTests', r'^HostTests\.'),
    'Simulation': (f'{DOORS} Core Simulation Host SimulationTests', r'^SimulationTests\.'),
    'forecourt': (f'{DOORS} Core Simulation Host forecourt CommandTests', r'^CommandTests\.'),
}
ALL = ' '.join(dict.fromkeys(' '.join(targets for targets, _ in OWN.values()).split()))
COMPILE_SECONDS, TEST_SECONDS = 900, 600


class Copy:
    def __init__(self, root, place=None):
        self.root = root
        self.place = place or root / 'build' / 'mutate' / 'tree'
        self.place.mkdir(parents=True, exist_ok=True)

    def renew(self):
        """Takes over what has changed in the work tree, committed or not; what is unchanged keeps its date, so it is not compiled again."""
        command = ['git', '-C', str(self.root), 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
        names = [name for name in subprocess.run(command, capture_output=True, check=True, text=True).stdout.split('\0') if name]
        wanted = {name for name in names if (self.root / name).is_file()}
        for name in wanted:
            content, copy = (self.root / name).read_bytes(), self.place / name
            if name == 'Package.swift':
                # A dropped use leaves unused names behind: here warnings are no errors.
                content = content.replace(b'.treatAllWarnings(as: .error), ', b'').replace(b', .treatAllWarnings(as: .error)', b'')
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                shutil.copymode(self.root / name, copy)
        for path in (self.place / 'Sources', self.place / 'Tests'):
            for file in path.rglob('*'):
                if file.is_file() and str(file.relative_to(self.place)) not in wanted and '__pycache__' not in file.parts:
                    file.unlink()

    @contextlib.contextmanager
    def with_mistake(self, one):
        """The copy with this mistake; whatever happens, without it afterwards."""
        path = self.place / one.path
        whole = path.read_bytes()
        try:
            path.write_bytes(one.applied(whole.decode()).encode())
            yield
        finally:
            path.write_bytes(whole)


class Tests:
    """The tests that may notice, in the order in which they are tried: the room's own, then all others."""

    def __init__(self, copy):
        self.copy = copy

    def stages(self, path):
        room = pathlib.PurePath(path).parts[1]
        if room in OWN:
            targets, own = OWN[room]
            others = '|'.join(name for _, name in OWN.values() if name != own)
            return [(room, targets, own), ('all', ALL, others)]
        return [('all', ALL, '|'.join(name for _, name in OWN.values()))]

    def compiles(self, stage):
        name, targets, _ = stage
        command = ['swift', 'build', '--build-tests', '--scratch-path', f'../{name}']
        code, _ = self._run(command, targets, COMPILE_SECONDS, lambda line: False)
        return code == 0

    def notices(self, stage):
        """Which test fails first; '' when none does."""
        name, targets, chosen = stage
        command = ['swift', 'test', '--skip-build', '--disable-xctest', '--scratch-path', f'../{name}', '--filter', chosen]
        passed = []

        def failed(line):
            if 'Test run with' in line and ' passed' in line:
                passed.append(line)
            return line.startswith('✘ Test ') and 'Test run' not in line

        code, line = self._run(command, targets, TEST_SECONDS, failed)
        if line:
            return line.removeprefix('✘ Test ').split(' recorded ')[0].split(' failed after')[0].strip()
        if code is None:
            return f'no end within {TEST_SECONDS} s'
        return '' if code == 0 and passed else 'a crash'

    def _run(self, command, targets, seconds, is_enough):
        """The exit code, None after the time is over; and the line that was enough to stop."""
        environment = dict(os.environ, ONLY_TARGETS=targets, SWIFT_BACKTRACE='enable=no', NO_COLOR='1')
        log = (self.copy.place.parent / 'log.txt').open('w')
        with log, subprocess.Popen(
            ['nice', *command], cwd=self.copy.place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors='replace', start_new_session=True,
        ) as process:
            alarm = _Alarm(seconds, process)
            try:
                for line in process.stdout:
                    log.write(line)
                    if is_enough(line):
                        return 1, line
                code = process.wait()
                return (None if alarm.rang else code), ''
            finally:
                alarm.stop()
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


class _Alarm:
    """Ends a process group that takes too long."""

    def __init__(self, seconds, process):
        import threading
        self.rang = False
        self.process = process
        self.timer = threading.Timer(seconds, self._ring)
        self.timer.start()

    def _ring(self):
        self.rang = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def stop(self):
        self.timer.cancel()


def verdict(tests, one):
    """'not compiled', the test that notices, or '' when none does."""
    for stage in tests.stages(one.path):
        if not tests.compiles(stage):
            return 'not compiled'
        if name := tests.notices(stage):
            return name
    return ''


def seconds_since(start):
    return f'{time.monotonic() - start:.0f} s'
