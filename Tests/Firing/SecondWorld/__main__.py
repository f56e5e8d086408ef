"""Our gateways in somebody else's world. Tests/Gates/second-world.sh starts it, and its head names the options."""
import argparse
import pathlib
import sys
import tempfile

import numpy as np

from judge import judge
from product import FORECOURT
from rows import BOUNDS, ROWS, WORDS
from scenarios import SCENARIOS
from trial import Trial, replay

WIDTHS = {'of': 4, 'served': 6, 'missed': 6, 'wrong': 5, 'twice': 5, 'early': 5, 'median': 7, 'p95': 7}
HEAD = f'{"scenario":16} {"pumps":5} {"power":8} ' + ' '.join(f'{word:>{width}}' for word, width in WIDTHS.items())


def main():
    options = argparse.ArgumentParser(prog='second-world.sh', add_help=False)
    options.add_argument('words', nargs='*')
    options.add_argument('--trigger', action='append', default=[])
    chosen = options.parse_args()
    more = ''.join(line + '\n' for line in chosen.trigger)
    match chosen.words:
        case []:
            return within_bounds(more)
        case [count, 'even' | 'odd' as parity, *names] if count.isdigit() and set(names) <= set(SCENARIOS):
            return print_table(int(count), parity, names, more)
        case ['one', scenario, metres, 'measured' | 'unknown' as power, seed, folder] if scenario in SCENARIOS:
            return show(Trial(scenario, int(seed), int(metres), power == 'measured'), pathlib.Path(folder), more)
    print(f'second-world.sh: its head names the options; the scenarios are {", ".join(SCENARIOS)}', file=sys.stderr)
    return 64


class Tally:
    """What became of the seeds of one row."""

    def __init__(self, row, seeds, more):
        self.row = row
        self.verdicts = {seed: verdict(row, seed, more) for seed in seeds}

    def seeds(self, word):
        return [seed for seed, verdict in self.verdicts.items() if getattr(verdict, word)]

    def __str__(self):
        figures = {word: len(self.seeds(word)) for word in ('served', *WORDS)}
        if not self.seeds('visits'): figures = {'wrong': figures['wrong']}
        waits = [verdict.seconds for verdict in self.verdicts.values() if verdict.served]
        if waits: figures.update(median=f'{np.median(waits):.1f} s', p95=f'{np.percentile(waits, 95):.1f} s')
        figures['of'] = len(self.verdicts)
        cells = [f'{figures.get(word, ""):>{width}}' for word, width in WIDTHS.items()]
        return ' '.join([str(self.row), *cells]).rstrip()


def verdict(row, seed, more):
    trial = Trial(row.scenario, seed, row.pumps_m, row.is_measured)
    with tempfile.TemporaryDirectory(prefix='second-world-') as folder:
        fires = replay(FORECOURT, *trial.write(pathlib.Path(folder), more))
    return judge(trial.story, row.pumps_m, fires)


def seeds(count, parity):
    first = 1 if parity == 'odd' else 2
    return range(first, first + 2 * count, 2)


def print_table(count, parity, names, more):
    print(HEAD)
    for row in ROWS:
        if not names or row.scenario in names: print(Tally(row, seeds(count, parity), more), flush=True)
    return 0


def within_bounds(more):
    """1 when more went wrong than rows.py allows."""
    exceeded = []
    print(HEAD)
    for row, bound in BOUNDS.items():
        tally = Tally(row, seeds(bound.count, 'odd'), more)
        print(tally, flush=True)
        for word in WORDS:
            found, most = tally.seeds(word), getattr(bound, word)
            if len(found) > most:
                exceeded.append(f'{" ".join(str(row).split())}: {word} {len(found)} of {bound.count}, at most {most} are allowed; seeds {found}')
    for line in exceeded:
        print(f'second-world.sh: {line}', file=sys.stderr)
    return 1 if exceeded else 0


def show(trial, folder, more):
    """One run, whose captures and configuration stay in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    captures, config = trial.write(folder, more)
    print(f'advertises: {trial.habit}; carried: {trial.story.person.carries}; power at 1 m: {trial.power_dbm:.1f} dBm')
    for stay in trial.story.stays:
        print(f'stands at {trial.story.pump} from {stay.begin:.1f} s to {stay.end:.1f} s')
    for at, pump in replay(FORECOURT, captures, config):
        print(f'fire at {pump} after {at:.1f} s')
    print('forecourt replay', *captures, '--config', config)
    return 0


sys.exit(main())
