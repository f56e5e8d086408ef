"""A batch of mistakes: one build for all that can stand behind switches, then for each the tests that come by it, the nearest first."""
import dataclasses
import pathlib
import re
import shutil
import sys
import time

import ahead
import scripts
import switches
import tree

NOT_COMPILED = 'not compiled'
LEFT_OUT = 'left out'
_ERROR = re.compile(r'^(/.*?):(\d+):\d+: error: ', re.MULTILINE)
# Quick suites share a process.
_QUICK_SECONDS = 3


@dataclasses.dataclass
class Suite:
    name: str
    seconds: float
    reached: set


class Batch:
    def __init__(self, copy, mistakes, record=lambda one, outcome: None, is_quick=False):
        """`record` is told at once what does not compile: a run that is stopped need not ask the compiler again. A quick one leaves out
        what needs a build of its own."""
        self.copy, self.record, self.is_quick = copy, record, is_quick
        self.mistakes = dict(enumerate(mistakes, 1))
        self.numbers = {one: number for number, one in self.mistakes.items()}
        self.alone, self.broken, self.suites = set(), set(), None

    def verdict(self, one):
        """NOT_COMPILED, what notices the mistake, or '' when nothing does."""
        if self.suites is None:
            self._prepare()
        number = self.numbers[one]
        if number in self.broken:
            return NOT_COMPILED
        if number not in self.alone:
            self.copy.choose(number)
            return self._outcome(one.path, [suite for suite in self.suites if number in suite.reached], self.products)
        if self.is_quick:
            return LEFT_OUT
        self.copy.choose(0)
        with self.copy.with_mistake(one):
            return self._outcome(one.path, self.suites, self.copy.products) if self.copy.compile() else NOT_COMPILED

    def noticed_by_scripts(self, survivors):
        """By mistake, which script notices what no suite does; without those that had a build of their own."""
        behind = {self.numbers[one]: one for one in survivors if self.numbers[one] not in self.alone}
        if not behind:
            return {}
        found = scripts.Scripts(self.copy, self.products).noticed({number: one.path for number, one in behind.items()})
        return {behind[number]: name for number, name in found.items() if name}

    def _prepare(self):
        self._build()
        self.products = self.copy.place.parent / 'switched'
        self.products.mkdir(exist_ok=True)
        for name in ('forecourtPackageTests.xctest', 'forecourt', 'courier-rig'):
            shutil.copy2(self.copy.products / name, self.products / name)
        self._require_clean()
        behind = len(self.mistakes) - len(self.broken) - len(self.alone)
        reached = set().union(*(suite.reached for suite in self.suites))
        print(f'{behind} mistakes behind switches, {len(reached)} of them reached by tests; {len(self.alone)} compiled alone; '
              f'{len(self.broken)} do not compile', flush=True)

    def _build(self):
        """Builds with all that compile: what the compiler complains about is taken out, and it is asked again."""
        start = time.monotonic()
        for module in ahead.MODULES:
            self._ask_ahead(module)
        print(f'{len(self.broken) + len(self.alone)} taken out ahead, after {time.monotonic() - start:.0f} s', flush=True)
        while True:
            files = self._write()
            start = time.monotonic()
            if self.copy.compile():
                return print(f'built in {time.monotonic() - start:.0f} s', flush=True)
            before = len(self.broken) + len(self.alone)
            self.judge(files, self.copy.log.read_text())
            found = len(self.broken) + len(self.alone) - before
            if not found:
                sys.exit('mutate: the tree does not compile; build/mutate/log.txt says why')
            print(f'{found} taken out after {time.monotonic() - start:.0f} s', flush=True)

    def _ask_ahead(self, module):
        found = True
        while found:
            files = self._write()
            before = len(self.broken) + len(self.alone)
            if not ahead.ask(self.copy, module):
                self.judge(files, self.copy.log.read_text())
            found = len(self.broken) + len(self.alone) > before

    def _write(self):
        """The copy with all mistakes that are left behind switches, and by path what stands where."""
        files = {}
        for path in {one.path for one in self.mistakes.values()}:
            mistakes = {number: one for number, one in self.mistakes.items() if one.path == path and number not in self.alone | self.broken}
            files[path] = switches.Switched(path, (self.copy.root / path).read_text(), mistakes)
            self.alone |= files[path].left
            self.copy.write(path, files[path].text.encode())
        return files

    def judge(self, files, log):
        """Takes out what the compiler complains about: a mistake's own text does not compile; where the complaint is about what stands
        around several, or about the file, each gets a build of its own."""
        for name, line in set(_ERROR.findall(log)):
            path = str(pathlib.Path(name).relative_to(self.copy.place)) if name.startswith(str(self.copy.place)) else ''
            if path not in files:
                continue
            number, group = files[path].guilty(int(line))
            if number is not None:
                self.broken.add(number)
                self.record(self.mistakes[number], NOT_COMPILED)
            else:
                here = {number for number, one in self.mistakes.items() if one.path == path and number not in self.broken}
                self.alone |= set(group) or here
        self.alone -= self.broken

    def _require_clean(self):
        """Each suite by itself, without a mistake: it passes, and says which mistakes it comes by and how long it takes."""
        listed = self.copy.place.parent / 'suites.txt'
        tree.run([self._program(self.products), '--testing-library', 'swift-testing', '--list-tests'], self.copy.place, 60, listed)
        self.suites = []
        for name in sorted({line.split('/')[0] for line in listed.read_text().splitlines() if '/' in line}):
            for attempt in (1, 2):
                self.copy.choose(0)
                start = time.monotonic()
                outcome = self.fails(f'^{name}/', 600, self.products)
                if not outcome:
                    break
                print(f'without any mistake, at attempt {attempt}, this fails: {outcome} of {name}', flush=True)
            else:
                sys.exit('mutate: the tests do not pass')
            self.suites.append(Suite(name, time.monotonic() - start, self.copy.reached()))

    def _outcome(self, path, suites, products):
        for stage in stages(path, suites):
            limit = 30 + 3 * sum(suite.seconds for suite in stage)
            if outcome := self.fails('|'.join(f'^{suite.name}/' for suite in stage), limit, products):
                return f'{outcome} ({", ".join(suite.name for suite in stage)})' if len(stage) < 3 else outcome
        return ''

    def _program(self, products):
        return str(products / 'forecourtPackageTests.xctest')

    def fails(self, chosen, seconds, products):
        """Which test fails first; '' when none does."""
        passed = []

        def failed(line):
            if 'Test run with' in line and ' passed' in line:
                passed.append(line)
            return line.startswith('✘ Test ') and 'Test run' not in line

        command = [self._program(products), '--testing-library', 'swift-testing', '--filter', chosen]
        code, line = tree.run(command, self.copy.place, seconds, self.copy.log, failed)
        if line:
            return line.removeprefix('✘ Test ').split(' recorded ')[0].split(' failed after')[0].strip()
        if code is None:
            return f'no end within {seconds:.0f} s'
        return '' if code == 0 and passed else f'a crash ({code})'


def stages(path, suites):
    """The suites in the order in which they are tried: by name near to the file, then the quick ones, then the slow ones."""
    def words(text):
        return {word.rstrip('s').lower() for word in re.findall(r'[A-Z]+(?![a-z])|[A-Z][a-z]+', text)} - {'test'}

    file = pathlib.PurePath(path)
    own = f'{file.parts[1].replace("forecourt", "Command")}Tests.'

    def distance(suite):
        shared = words(suite.name.split('.')[1])
        near = 2 * len(shared & words(file.stem)) + len(shared & words(file.parent.name))
        return -near, not suite.name.startswith(own), suite.seconds

    order = sorted(suites, key=distance)
    near = [suite for suite in order if distance(suite)[0] < 0][:3]
    rest = [suite for suite in order if suite not in near]
    quick = [suite for suite in rest if suite.seconds < _QUICK_SECONDS]
    slow = [suite for suite in rest if suite.seconds >= _QUICK_SECONDS]
    return [stage for stage in (near, quick, *([suite] for suite in slow)) if stage]
