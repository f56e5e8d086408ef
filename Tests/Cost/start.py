#!/usr/bin/env python3
"""How soon the product listens: start.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the
rigs' venv; --check fails above what is promised.

From the beginning of the process to the command that switches scanning on, at a controller that answers at once (Bumble on a unix
socket): the median of twenty starts.
"""
import statistics
import sys
import tempfile
import time

from measured import EVERYTHING, UNKNOWN, gateway, option
from rig import Air, free_port, wait_until

checks = option('--check')
MOST_MS = 50
SCAN_ENABLE = '2042'


def main():
    with tempfile.TemporaryDirectory() as folder, Air() as air:
        # Nobody listens at the port: the broker is down all the time.
        program, starts = gateway(folder, air.lines['p0'], free_port(), EVERYTHING + UNKNOWN), []
        for _ in range(20):
            before, began = len(air.log(what='command', opcode=SCAN_ENABLE)), time.monotonic_ns()
            program.start()
            wait_until(lambda: air.report()['scanning'], 10, f'it scans: {program.said()}')
            # Scanning is first switched off, then on.
            starts.append((air.log(what='command', opcode=SCAN_ENABLE)[before + 1]['t_ns'] - began) / 1e6)
            program.stop()
        print(f'start to scanning requested: median {statistics.median(starts):.1f} ms, worst {max(starts):.1f} ms')
    if checks and statistics.median(starts) > MOST_MS: sys.exit(f'not kept: {MOST_MS} ms')


main()
