#!/usr/bin/env python3
"""What a packet costs by waking up: wake.py [--count] [PROGRAM], build/amd64/forecourt unless named. Runs in the rigs' venv.

The gateway and two bare loops in C hear the same adverts at the same time from the same feeder (feed.c), on a stream (unix:) and on an
adapter's packet socket (adapter-shim.c); loop.c reads one by one, or gathers for 10 ms. Fails when a bound is not kept. --count asserts
what no other load changes: sleeps and system calls a packet, at 1,000 a second on either line.
"""
import collections
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time

from feeder import Feed, compiled
from measured import EVERYTHING, gateway, option, taken
from mosquitto import Mosquitto
from rig import Subscriber, wait_until

counts = option('--count')
SETTLE, SECONDS = 2, 5 if counts else 20
# By adverts a second: times what the loop takes that reads one by one; for each packet, sleeps of all threads and system calls.
MOST = {1_000: (1.5, 0.25, 0.75), 5_000: (3, 0.05, 0.2)}


def spent(pids):
    """By name: seconds on a core, and sleeps, of all threads."""
    return {name: (seconds, sum(sleeps.values())) for name, (seconds, sleeps) in ((name, taken(pid)) for name, pid in pids.items())}


def measure(feed, pids, rate):
    """By name: the share of a core, and sleeps a packet; and how many packets the gateway's line refused."""
    feed.feed(rate, SETTLE)
    before, began = spent(pids), time.monotonic()
    sent, refused = feed.feed(rate, SECONDS)
    after, passed = spent(pids), time.monotonic() - began
    return {name: ((after[name][0] - before[name][0]) / passed, (after[name][1] - before[name][1]) / sent) for name in pids}, refused


@contextlib.contextmanager
def listening(folder, kind, path, *before):
    with Mosquitto() as broker, Subscriber(broker.port, '+/+/+/telemetry') as subscriber:
        adapter, env = f'unix:{path}', {}
        if kind == 'packets': adapter, env = 'hci0', {'LD_PRELOAD': f'{folder}/adapter-shim', 'ADAPTER': str(path)}
        with gateway(folder, adapter, broker.port, EVERYTHING + '[publish]\ntelemetry_s = 5\n', before, env) as program:
            program.told('connected to the broker')
            time.sleep(1)
            yield program, subscriber


def compare(folder, kind, rates):
    short, feed = [], Feed(folder, kind)
    with listening(folder, kind, feed.path) as (program, subscriber):
        loops = {} if counts else {how: subprocess.Popen([f'{folder}/loop', feed.path, kind, how], stdout=subprocess.PIPE) for how in ('one', 'gather')}
        # The feeder takes callers before it feeds.
        time.sleep(1)
        for rate in rates:
            seen, refused = measure(feed, {'gateway': program.pid, **{how: loop.pid for how, loop in loops.items()}}, rate)
            for name, (share, sleeps) in seen.items():
                print(f'{kind:8}{rate:6}/s  {name:8}{100 * share:6.2f} % of a core{sleeps:8.3f} sleeps a packet', flush=True)
            times, most, _ = MOST[rate]
            ended = [how for how, loop in loops.items() if loop.poll() is not None]
            if ended: short.append(f'{kind}, {rate}/s: the loops ended: {ended}')
            if refused: short.append(f'{kind}, {rate}/s: {refused} packets refused')
            if seen['gateway'][1] > most: short.append(f'{kind}, {rate}/s: {seen["gateway"][1]:.3f} sleeps a packet, {most} allowed')
            if loops:
                ratio = seen['gateway'][0] / (seen['one'][0] or 1)
                print(f'{kind:8}{rate:6}/s  {ratio:.2f} of the loop that reads one by one', flush=True)
                if ratio > times: short.append(f'{kind}, {rate}/s: {ratio:.2f} of the loop that reads one by one, {times} allowed')
        before = len(subscriber.messages)
        wait_until(lambda: len(subscriber.messages) > before, 15, 'telemetry')
        dropped = json.loads(subscriber.messages[-1].payload)['dropped_packets']
        if dropped: short.append(f'{kind}: {dropped} packets dropped')
    feed.close()
    return short


def count_calls(folder, kind, rate):
    """System calls a packet, by name."""
    feed, trace = Feed(folder, kind), f'{folder}/{kind}.strace'
    with listening(folder, kind, feed.path, 'strace', '-D', '-f', '-ttt', '-o', trace):
        feed.feed(rate, SETTLE)
        start = time.time()
        sent, refused = feed.feed(rate, SECONDS)
        end = time.time()
    feed.close()
    calls = collections.Counter()
    for line in open(trace):
        found = re.match(r'\d+ +([\d.]+) (\w+)\(', line)
        if found and start <= float(found[1]) < end: calls[found[2]] += 1
    share = sum(calls.values()) / sent
    print(f'{kind:8}{rate:6}/s  {share:.2f} system calls a packet: ' + ', '.join(f'{name} {many / sent:.2f}' for name, many in calls.most_common(9)))
    return [f'{kind}, {rate}/s: {share:.2f} system calls a packet, {MOST[rate][2]} allowed'] if share > MOST[rate][2] else []


def main():
    short = []
    with tempfile.TemporaryDirectory() as folder:
        compiled(folder)
        for kind in ('stream', 'packets'):
            short += compare(folder, kind, [1_000] if counts else MOST)
            short += count_calls(folder, kind, 1_000)
    if short: sys.exit('not kept: ' + '; '.join(short))


main()
