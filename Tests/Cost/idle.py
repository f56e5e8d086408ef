#!/usr/bin/env python3
"""What the whole gateway takes of a core while nobody advertises: idle.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the rigs' venv;
--check fails above what is promised.

A gateway with a region and a broker (mosquitto) at a controller (Bumble, on a unix socket): a minute in which nobody advertises, once its
supervisor has stopped enabling the scan anew. Counted by the kernel: the time all its threads ran, and how often each of them slept and was
woken. Time is longer where others use the machine; wake-ups are not more. wake.py has what adverts cost.
"""
import sys
import tempfile
import time

from measured import gateway, option, taken
from mosquitto import Mosquitto
from rig import Air

checks = option('--check')
SETTLED, IDLE = 150, 60
# Percent of a core; wake-ups a second of all threads, which only timers may cause.
MOST_IDLE, MOST_WAKES = 0.03, 3


def measured(pid):
    """Percent of a core, and wake-ups a second by thread."""
    before, began = taken(pid), time.monotonic()
    time.sleep(IDLE)
    after, seconds = taken(pid), time.monotonic() - began
    return 100 * (after[0] - before[0]) / seconds, {name: (count - before[1].get(name, 0)) / seconds for name, count in after[1].items()}


def main():
    with tempfile.TemporaryDirectory() as folder, Air(seconds=1200) as air, Mosquitto() as broker:
        with gateway(folder, air.lines['p0'], broker.port) as program:
            air.wait('scanning')
            time.sleep(SETTLED)
            idle, wakes = measured(program.pid)
        each = ', '.join(f'{name.split("/")[0]} {rate:.1f}' for name, rate in wakes.items())
        print(f'nobody advertises: {idle:.3f} % of a core, {sum(wakes.values()):.1f} wake-ups a second ({each})')
    if checks and (idle > MOST_IDLE or sum(wakes.values()) > MOST_WAKES):
        sys.exit(f'not kept: {MOST_IDLE} % and {MOST_WAKES} wake-ups a second')


if __name__ == '__main__':
    main()
