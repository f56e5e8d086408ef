"""Do the tests notice? Builds a copy of the work tree with many plausible mistakes, each behind a switch; then makes one at a time, and
runs the tests that come by it until one fails.

  python3 Tests/Gates/mutate --change [COMMIT]         every kind of mistake on each line that differs from COMMIT (default: main)
  python3 Tests/Gates/mutate --seed N --count N [PART…] a sample of Sources, or of parts of it: Core/Triggers Host
  python3 Tests/Gates/mutate --list [PART…]            the mistakes it could make
  python3 Tests/Gates/mutate --check                   its own test, and whether every mark in equivalent.txt still fits

A mistake that nothing notices is a survivor: write the test, or, if no test could tell, mark it in equivalent.txt with the reason. The copy
and what is compiled stay below build/mutate, so a second run starts soon. A run that was stopped goes on where it was with --resume;
--again tries once more what survived, and nothing else. With --scripts what survives the suites also meets the scripts in Python that watch
its room; with --quick the few that need a build of their own, minutes each, are left out.
"""
import argparse
import itertools
import pathlib
import signal
import sys
import time
import zlib

import checking
import draw
import kinds
import selftest
import selftest_outside
import tree
import trial

ROOT = pathlib.Path(__file__).resolve().parents[3]
# So many mistakes share a build.
AT_ONCE = 300


def main():
    options = argparse.ArgumentParser(prog='mutate', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('parts', nargs='*', metavar='PART')
    options.add_argument('--change', nargs='?', const='main', metavar='COMMIT')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--count', type=int, default=100)
    options.add_argument('--list', action='store_true')
    options.add_argument('--check', action='store_true')
    options.add_argument('--resume', action='store_true')
    options.add_argument('--again', action='store_true')
    options.add_argument('--scripts', action='store_true')
    options.add_argument('--quick', action='store_true')
    chosen = options.parse_args()
    try:
        marked = draw.equivalents(ROOT)
    except draw.Stale as error:
        sys.exit(f'mutate: {error}')
    if chosen.check:
        return checking.run()
    if chosen.list:
        for path in draw.sources(ROOT, chosen.parts):
            for one in kinds.mutants(path, (ROOT / path).read_text()):
                print(f'{path}:{one.line}: {one.words}{"  (equivalent)" if one in marked else ""}')
        return 0
    if chosen.change:
        mistakes = draw.of_change(ROOT, draw.changed(ROOT, chosen.change), marked)
        return try_all(mistakes, None, Records(f'change-{chosen.change}', chosen.resume, chosen.again), marked, chosen)
    mistakes = draw.sample(ROOT, draw.sources(ROOT, chosen.parts), chosen.seed, marked)
    name = '-'.join(['seed', str(chosen.seed), *chosen.parts])
    return try_all(mistakes, chosen.count, Records(name, chosen.resume, chosen.again), marked, chosen)


def try_all(mistakes, count, records, marked, chosen):
    """Tries so many that compile, and prints what came of each. 1 when something survived."""
    copy = tree.Copy(ROOT)
    tried, skipped, waiting = [], 0, records.offered(mistakes, marked)
    while portion := list(itertools.islice(waiting, AT_ONCE if count is None else (count - len(tried)) * 3 // 2)):
        unknown = [one for one in portion if records.of(one) is None]
        copy.renew(but={one.path for one in unknown})
        batch = trial.Batch(copy, unknown, records.add, chosen.quick)
        for one in portion:
            start = time.monotonic()
            outcome = records.of(one)
            if outcome is None:
                outcome = batch.verdict(one)
                records.add(one, outcome)
            if outcome in (trial.NOT_COMPILED, trial.LEFT_OUT):
                skipped += 1
                continue
            tried.append((one, outcome))
            print(f'{"noticed " if outcome else "SURVIVED"} {one.path}:{one.line}: {one.words}', flush=True)
            print(f'         {outcome or "no test fails"} ({time.monotonic() - start:.0f} s)', flush=True)
            if len(tried) == count:
                break
        if chosen.scripts:
            survivors = [one for one, outcome in tried if not outcome and one in batch.numbers]
            scripted = batch.noticed_by_scripts(survivors)
            for one, name in scripted.items():
                records.add(one, name)
                print(f'noticed  {one.path}:{one.line}: {one.words}\n         {name}', flush=True)
            tried = [(one, outcome or scripted.get(one, '')) for one, outcome in tried]
    return report(tried, skipped)


def report(tried, skipped):
    rooms = {}
    for one, outcome in tried:
        parts = pathlib.PurePath(one.path).parts
        room = '/'.join(parts[1:-1]) or parts[1]
        rooms.setdefault(room, []).append(bool(outcome))
    print()
    for room in sorted(rooms):
        print(f'{room:28} {sum(rooms[room]):4} of {len(rooms[room]):4}')
    noticed = sum(bool(outcome) for _, outcome in tried)
    scripted = sum(outcome.startswith('Tests/') for _, outcome in tried)
    share = f', {100 * noticed / len(tried):.0f} %' if tried else ''
    print(f'{noticed} of {len(tried)} mistakes were noticed{share}, {scripted} of them by scripts alone; '
          f'{skipped} did not compile or were left out')
    survivors = [one for one, outcome in tried if not outcome]
    for one in survivors:
        line = (ROOT / one.path).read_text().split('\n')[one.line - 1].strip()
        print(f'\n{one.path} {one.words}\n{line}')
    return 1 if survivors else 0


class Records:
    """What came of each mistake, kept so that a stopped run can go on, and survivors can be tried again."""

    def __init__(self, name, resumes, again):
        folder = ROOT / 'build' / 'mutate'
        folder.mkdir(parents=True, exist_ok=True)
        name = name.replace('/', '.')
        # Many parts make a name that no disk takes.
        self.path = folder / f'{name if len(name) < 200 else name[:180] + format(zlib.crc32(name.encode()), "08x")}.txt'
        self.known, self.survived = {}, set() if again else None
        if (resumes or again) and self.path.is_file():
            self.known = dict(line.split('\t') for line in self.path.read_text().splitlines())
        if again:
            self.survived = {key for key, outcome in self.known.items() if not outcome}
            self.known = {key: outcome for key, outcome in self.known.items() if outcome}
        self.file = self.path.open('a' if resumes or again else 'w')

    def offered(self, mistakes, marked):
        """These mistakes; or, again, those that were tried before and still stand where they stood."""
        if self.survived is None:
            return iter(mistakes)
        keys = [key for key, outcome in self.known.items() if outcome not in (trial.NOT_COMPILED, trial.LEFT_OUT)] + sorted(self.survived)
        files = {key.split(' ')[0] for key in keys} & set(draw.sources(ROOT, []))
        found = {self.key(one): one for path in files for one in kinds.mutants(path, (ROOT / path).read_text()) if one not in marked}
        return (found[key] for key in keys if key in found)

    def of(self, one):
        return self.known.get(self.key(one))

    def add(self, one, outcome):
        self.file.write(f'{self.key(one)}\t{" ".join(outcome.split())}\n')
        self.file.flush()

    def key(self, one):
        return f'{one.path} {one.line} {one.start} {one.words} {" ".join(one.new.split())}'


# Stopped, it still puts right what it changed, and no compiler outlives it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
sys.exit(main())
