#!/usr/bin/env python3
"""How soon the product listens, and what memory it takes: start.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the
rigs' venv; --check fails above what is promised.

From the beginning of the process to the command that switches scanning on, at a controller that answers at once (Bumble on a unix
socket): the median of twenty starts. Resident memory (VmRSS: our own pages, and those of the program and its libraries that are mapped,
which others may share) a second after the start, and with the default table of 4,096 devices full.
"""
import pathlib
import re
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

from rig import Air, Program, free_port, wait_until

words = sys.argv[1:]
checks = '--check' in words and not words.remove('--check')
PROGRAM = words[0] if words else ROOT / 'build' / 'amd64' / 'forecourt'
# Milliseconds; megabytes at the start; megabytes with 4,096 devices.
PROMISES = 50, 8, 12
SCAN_ENABLE = '2042'
# Nobody listens at the port: the broker is down all the time.
CONFIG = '''[gateway]
purpose = "Measures a start."
[[radio]]
name = "r"
adapter = "{adapter}"
[[region]]
name = "all"
match = "*"
[privacy]
unknown = "publish"
[mqtt]
port = {port}
[outbox]
path = "{folder}/outbox.db"
'''


def resident(pid):
    """In all, and how much of it is nobody else's and on no disk."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return [int(re.search(rf'{what}:\s+(\d+) kB', status)[1]) / 1024 for what in ('VmRSS', 'RssAnon')]


def main():
    with tempfile.TemporaryDirectory() as folder, Air() as air:
        config = pathlib.Path(folder) / 'config.toml'
        config.write_text(CONFIG.format(adapter=air.lines['p0'], port=free_port(), folder=folder))
        program = Program([PROGRAM, 'run', '--config', config], f'{folder}/words')
        starts = []
        for _ in range(20):
            before, began = len(air.log(what='command', opcode=SCAN_ENABLE)), time.monotonic_ns()
            program.start()
            wait_until(lambda: air.report()['scanning'], 10, f'it scans: {program.said()}')
            # Scanning is first switched off, then on.
            starts.append((air.log(what='command', opcode=SCAN_ENABLE)[before + 1]['t_ns'] - began) / 1e6)
            program.stop()
        print(f'start to scanning requested: median {statistics.median(starts):.1f} ms, worst {max(starts):.1f} ms')
        program.start()
        time.sleep(1)
        small, own = resident(program.pid)
        print(f'resident at start: {small:.1f} MB, {own:.1f} of it our own')
        air.say('flood', rate=2000, seconds=10, carry='count')
        air.wait('flood', timeout=30)
        time.sleep(1)
        full, own = resident(program.pid)
        print(f'resident after 20,000 adverts of as many devices: {full:.1f} MB, {own:.1f} of it our own')
        program.stop()
    seen = statistics.median(starts), small, full
    if checks and any(figure > promise for figure, promise in zip(seen, PROMISES)):
        sys.exit(f'not kept: {seen} of {PROMISES}')


main()
