#!/usr/bin/env python3
"""traced.py PROGRAM AIR TRACE [--top]: instructions a report, and divisions in software for a hundred, from qemu's trace of the bench that
hears this air: of the second half of its packets, from entry to entry of `Gateway.receive`."""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

DIVISIONS = re.compile(r'__(aeabi_u?ldivmod|u?divdi3|u?moddi3|u?divmoddi4|u?divti3|u?modti3)$')


ENTRY = re.compile(r'\$e4Core7GatewayV7receive_5radio2at')


def heard(air):
    """How many reports each packet holds."""
    data, at, packets = pathlib.Path(air).read_bytes(), 0, []
    while at < len(data):
        packets.append(data[at + 4])
        at += 3 + data[at + 2]
    return packets


def blocks(path, entry, first, last):
    """How often each block ran, from one packet until before another, and its instructions. A block is told once, then each of its runs:
    IN: main
    0x0021c814:  d10543ff  sub      sp, sp, #0x150
    Trace 0: 0x7f01ac103940 [0000000001009331/000000000021c814/00000001/00000200] main"""
    runs, sizes, packet, block = collections.Counter(), {}, 0, None
    with open(path, 'rb') as trace:
        for line in trace:
            if line.startswith(b'Trace'):
                start = int(line.split(b'/', 2)[1], 16)
                if start == entry: packet += 1
                if first < packet <= last: runs[start] += 1
            elif line.startswith(b'IN:'):
                block = None
            elif line.startswith(b'0x'):
                if block is None:
                    block = int(line[:line.index(b':')], 16)
                    sizes[block] = 0
                sizes[block] += 1
    return {start: (count, sizes[start]) for start, count in runs.items()}


def symbols(program):
    lines = [line.split() for line in subprocess.run(['nm', program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
    return sorted((int(line[0], 16) & ~1, line[2]) for line in lines if len(line) == 3 and line[1] in 'tTwW' and not re.fullmatch(r'\$[atdx](\..*)?', line[2]))


def main():
    program, air, trace = sys.argv[1:4]
    known, packets = symbols(program), heard(air)
    starts = [start for start, _ in known]
    entry = next(start for start, name in known if ENTRY.match(name))
    first, last = len(packets) // 2, len(packets) - 1
    reports = sum(packets[first:last])
    ran = blocks(trace, entry, first, last)
    if '--top' in sys.argv:
        by_name = collections.Counter()
        for address, (count, size) in ran.items():
            place = bisect.bisect(starts, address) - 1
            by_name[known[place][1] if 0 <= place and address < starts[-1] + 65_536 else 'libraries'] += count * size
        for name, count in by_name.most_common(25): print(f'{count / reports:8.1f}  {name}', file=sys.stderr)
    divisions = sum(ran[start][0] for start, name in known if start in ran and DIVISIONS.match(name))
    print(round(sum(count * size for count, size in ran.values()) / reports), -(-100 * divisions // reports))


main()
