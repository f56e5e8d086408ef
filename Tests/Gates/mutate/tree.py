"""A copy of the work tree below build/mutate, in which mistakes are made, compiled and tested. The work tree itself is only read."""
import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

# What is compiled: the product, and the tests that run within it.
TARGETS = 'CMutant CLinux CBluetooth CMosquitto CSQLite CCrypto CJSON CTOML Core Host Simulation forecourt Seeds ' \
    'courier-rig CoreTests HostTests SimulationTests CommandTests'
COMPILE_SECONDS = 1800
MOST_MISTAKES = 4000
PAGE_VARIABLE = 'MUTANT_PAGE'
# All that a command starts inherits it, and is known by it.
RUN_VARIABLE = 'MUTANT_RUN'
_runs = itertools.count(1)
# The switch of every process, whoever starts it: a page of a file that says which mistake is made and learns which are reached.
SWITCH = '''
#include "CMutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char nowhere[%(bytes)d];
static volatile unsigned char *page = nowhere;
static int chosen;
__attribute__((constructor(101))) static void open_page(void) {
  const char *other = getenv("%(variable)s");
  int file = open(other ? other : "%(path)s", O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *found = mmap(0, %(bytes)d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (found == MAP_FAILED) return;
  page = found;
  chosen = page[0] | page[1] << 8;
}
_Bool mutant_is(int number) {
  if (!page[number + 2]) page[number + 2] = 1;
  return number == chosen;
}
'''


class Copy:
    def __init__(self, root, place=None):
        self.root = root
        self.place = place or root / 'build' / 'mutate' / 'tree'
        self.place.mkdir(parents=True, exist_ok=True)
        self.page = self.place.parent / 'switch'

    def renew(self, but=()):
        """Takes over what has changed in the work tree, committed or not; what is unchanged keeps its date, so it is not compiled again.
        The caller writes those of `but` itself."""
        command = ['git', '-C', str(self.root), 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
        names = [name for name in subprocess.run(command, capture_output=True, check=True, text=True).stdout.split('\0') if name]
        wanted = {name for name in names if (self.root / name).is_file()}
        for name in wanted.difference(but):
            content = (self.root / name).read_bytes()
            self.write(name, _with_switches(content.decode()).encode() if name == 'Package.swift' else content)
            shutil.copymode(self.root / name, self.place / name)
        path = str(self.page).replace('\\', '\\\\').replace('"', '\\"')
        switch = {'mutant.c': SWITCH % {'path': path, 'variable': PAGE_VARIABLE, 'bytes': MOST_MISTAKES + 2},
                  'include/CMutant.h': '#include <stdbool.h>\n_Bool mutant_is(int number);\n'}
        for name, text in switch.items():
            self.write(f'Sources/CMutant/{name}', text.encode())
        wanted.update(f'Sources/CMutant/{name}' for name in switch)
        for path in (self.place / 'Sources', self.place / 'Tests'):
            for file in path.rglob('*'):
                if file.is_file() and str(file.relative_to(self.place)) not in wanted and '__pycache__' not in file.parts:
                    file.unlink()

    def write(self, name, content):
        """Writes a file of the copy, if it is another."""
        path = self.place / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @contextlib.contextmanager
    def with_mistake(self, one):
        """The copy with this mistake alone in its file; whatever happens, without it afterwards."""
        path = self.place / one.path
        before = path.read_bytes()
        try:
            path.write_bytes(one.applied((self.root / one.path).read_text()).encode())
            yield
        finally:
            path.write_bytes(before)

    def choose(self, number):
        """Which mistake the tests make from now on; 0 for none. Forgets what was reached."""
        choose(self.page, number)

    def reached(self):
        """The mistakes that a test came by since."""
        return reached(self.page)

    def compile(self):
        """Whether it compiles; what the compiler said stands in log.txt."""
        command = ['swift', 'build', '--build-tests', '--scratch-path', '../built']
        return run(command, self.place, COMPILE_SECONDS, self.log)[0] == 0

    @property
    def log(self):
        return self.place.parent / 'log.txt'

    @property
    def products(self):
        return self.place.parent / 'built' / 'debug'


def choose(page, number):
    # Whole and in place: a process that still has it would die of a page that is gone.
    with page.open('r+b' if page.is_file() else 'wb') as file:
        file.write(bytes([number & 0xFF, number >> 8]) + bytes(MOST_MISTAKES))


def reached(page):
    return {number for number, byte in enumerate(page.read_bytes()[2:]) if byte}


def _with_switches(package):
    """A dropped use leaves unused names behind: here warnings are no errors. All of the product can ask which mistake it makes."""
    package = package.replace('.treatAllWarnings(as: .error), ', '').replace(', .treatAllWarnings(as: .error)', '')
    for old, new in [('name: "Core", exclude', 'name: "Core", dependencies: ["CMutant"], exclude'),
                     ('let doors: [Target] = [', 'let doors: [Target] = [\n  door("CMutant"),')]:
        package = package.replace(old, new)
    return package


def run(command, folder, seconds, log, is_enough=lambda line: False, environment={}):
    """The exit code, None after the time is over; and the line that was enough to stop. Nothing that it started outlives it."""
    mark = f'{os.getpid()}-{next(_runs)}'
    environment = {**os.environ, RUN_VARIABLE: mark, 'ONLY_TARGETS': TARGETS, 'SWIFT_BACKTRACE': 'enable=no', 'NO_COLOR': '1', **environment}
    with log.open('w') as log, subprocess.Popen(
        ['nice', *command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors='replace', start_new_session=True,
    ) as process:
        alarm = _Alarm(seconds, process.pid, mark)
        try:
            for line in process.stdout:
                log.write(line)
                if is_enough(line):
                    return 1, line
            code = process.wait()
            return (None if alarm.rang else code), ''
        finally:
            alarm.stop()
            _kill(process.pid, mark)


def _kill(leader, mark):
    """Kills what a command has started, until nothing is left of it: a mistake may loop, and hear nothing."""
    for _ in range(500):
        if not (left := _alive(leader, mark)):
            return
        for number in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.01)


def _alive(leader, mark):
    """Whoever is of its session, has its mark, or descends from those: some begin a session of their own, some get no environment."""
    parents, found = {}, set()
    for place in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            state, parent, _, session = place.joinpath('stat').read_text().rpartition(')')[2].split()[:4]
            if state in 'ZX':
                continue
            parents[int(place.name)] = int(parent)
            if int(session) == leader or f'{RUN_VARIABLE}={mark}' in place.joinpath('environ').read_text(errors='replace').split('\0'):
                found.add(int(place.name))
        except OSError:
            continue
    while grown := {number for number, parent in parents.items() if parent in found} - found:
        found |= grown
    return found


class _Alarm:
    """Ends a command that takes too long, and what it has started."""

    def __init__(self, seconds, leader, mark):
        self.rang = False
        self.command = leader, mark
        self.timer = threading.Timer(seconds, self._ring)
        self.timer.start()

    def _ring(self):
        self.rang = True
        _kill(*self.command)

    def stop(self):
        self.timer.cancel()
