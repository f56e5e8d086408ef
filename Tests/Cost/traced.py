#!/usr/bin/env python3
"""traced.py PROGRAM FEW MANY REPORTS [--top]: instructions a report, and divisions in software for a hundred, from two traces of
qemu's (a count and an address a line), of which the longer has so many reports more. What both do at the start cancels out."""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

DIVISIONS = re.compile(r'__(aeabi_u?ldivmod|u?divdi3|u?moddi3|u?divmoddi4|u?divti3|u?modti3)$')


def counts(path):
    return collections.Counter({int(address, 16): int(count) for count, address in (line.split() for line in pathlib.Path(path).read_text().splitlines())})


def symbols(program):
    lines = [line.split() for line in subprocess.run(['nm', program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
    return sorted((int(line[0], 16) & ~1, line[2]) for line in lines if len(line) == 3 and line[1] in 'tTwW' and not re.fullmatch(r'\$[atdx](\..*)?', line[2]))


def main():
    program, few, many, reports = sys.argv[1:5]
    spent = counts(many)
    spent.subtract(counts(few))
    known = symbols(program)
    starts = [start for start, _ in known]
    if '--top' in sys.argv:
        by_name = collections.Counter()
        for address, count in spent.items():
            place = bisect.bisect(starts, address) - 1
            by_name[known[place][1] if 0 <= place and address < starts[-1] + 65_536 else 'libraries'] += count
        for name, count in by_name.most_common(25): print(f'{count / int(reports):8.1f}  {name}', file=sys.stderr)
    divisions = sum(spent[start] for start, name in known if DIVISIONS.match(name))
    print(round(sum(spent.values()) / int(reports)), -(-100 * divisions // int(reports)))


main()
