#!/usr/bin/env python3
"""What the whole gateway takes of a core while nobody advertises: idle.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the rigs' venv;
--check fails above what is promised.

A gateway with a region and a broker (mosquitto) at a controller (Bumble, on a unix socket): a minute in which nobody advertises, once its
supervisor has stopped enabling the scan anew. Counted by the kernel: the time all its threads ran, and how often each of them slept and was
woken. Time is longer where others use the machine; wake-ups are not more. wake.py has what adverts cost.
"""
import os
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

from mosquitto import Mosquitto
from rig import Air, Program

words = sys.argv[1:]
checks = '--check' in words and not words.remove('--check')
PROGRAM = words[0] if words else ROOT / 'build' / 'amd64' / 'forecourt'
SETTLED, IDLE = 150, 60
# Percent of a core; wake-ups a second of all threads, which only timers may cause.
MOST_IDLE, MOST_WAKES = 0.2, 3
CONFIG = '''[gateway]
purpose = "Measures what it takes."
[[radio]]
name = "r"
adapter = "{line}"
[[region]]
name = "all"
match = "*"
[mqtt]
port = {port}
[outbox]
path = "{folder}/outbox.db"
'''


def taken(pid):
    """Seconds on a core, and voluntary switches by thread."""
    threads = {}
    for task in pathlib.Path(f'/proc/{pid}/task').iterdir():
        switches = re.search(r'^voluntary_ctxt_switches:\s+(\d+)', (task / 'status').read_text(), re.M)[1]
        threads[f'{(task / "comm").read_text().strip()}/{task.name}'] = int(switches)
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), threads


def measured(pid, span):
    """While span() lasts: percent of a core, and wake-ups a second by thread."""
    before, began = taken(pid), time.monotonic()
    span()
    after, seconds = taken(pid), time.monotonic() - began
    wakes = {name: (count - before[1].get(name, 0)) / seconds for name, count in after[1].items()}
    return 100 * (after[0] - before[0]) / seconds, wakes


def print_share(what, share, wakes):
    each = ', '.join(f'{name.split("/")[0]} {rate:.1f}' for name, rate in wakes.items())
    print(f'{what}: {share:.2f} % of a core, {sum(wakes.values()):.1f} wake-ups a second ({each})', flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder, Air(seconds=1200) as air, Mosquitto() as broker:
        config = pathlib.Path(folder) / 'config.toml'
        config.write_text(CONFIG.format(line=air.lines['p0'], port=broker.port, folder=folder))
        program = Program([PROGRAM, 'run', '--config', config], f'{folder}/words')
        program.start()
        air.wait('scanning')
        time.sleep(SETTLED)
        idle, wakes = measured(program.pid, lambda: time.sleep(IDLE))
        print_share('nobody advertises', idle, wakes)
        program.stop()
    if checks and (idle > MOST_IDLE or sum(wakes.values()) > MOST_WAKES):
        sys.exit(f'not kept: {MOST_IDLE} % and {MOST_WAKES} wake-ups a second')


if __name__ == '__main__':
    main()
