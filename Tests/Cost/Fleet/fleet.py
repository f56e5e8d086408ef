#!/usr/bin/env python3
"""Many gateways at one broker; README.md says what is measured and what was seen.

    $(Tests/Rigs/venv.sh) Tests/Cost/Fleet/fleet.py mosquitto|rabbit [--gateways 200] [--devices 50] [--rounds 1] [--seed 1]

Every gateway is a process of the product (build/amd64/forecourt, or --program) that hears its own capture of a forecourt of eight pumps.
Fails where an event is lost or comes twice, somebody fires twice, or more than the promises allow goes to the wrong pump or is missed.
"""
import argparse
import collections
import contextlib
import datetime
import json
import os
import pathlib
import sys
import tempfile
import time

from figures import Meter, tally
from forecourts import PUMPS, ROOT, Site
from mosquitto import Mosquitto
from rig import Rabbit, Subscriber, wait_until

# The scenario takes two minutes; silence after it lets everybody leave.
LENGTH_S, REST_S = 120, 40
# Of a site's time: all eight drivers are about; and nobody is.
BUSY, IDLE = (30, 70), (LENGTH_S + 20, LENGTH_S + REST_S)
# Real gateways have a disk each. Two hundred that sync on one wait for it, and nothing else would be measured.
MEMORY = '/dev/shm'


def words():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('broker', choices=['mosquitto', 'rabbit'])
    parser.add_argument('--gateways', type=int, default=200)
    parser.add_argument('--devices', type=int, default=50)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--apart', type=float, default=5, help='seconds from the beginning of one site to that of the next')
    parser.add_argument('--unknown', default='ignore', choices=['publish', 'hash', 'ignore'], help='privacy.unknown, of bystanders')
    parser.add_argument('--program', default=ROOT / 'build' / 'amd64' / 'forecourt', type=pathlib.Path)
    return parser.parse_args()


@contextlib.contextmanager
def broker(name):
    """Its processes' ids, its ports, the version of MQTT that it speaks."""
    if name == 'mosquitto':
        with Mosquitto(config='sys_interval 1') as one:
            yield [one.pid], [one.port], 5
    else:
        with Rabbit(nodes=3) as cluster:
            yield [node.pid for node in cluster.nodes], [node.port for node in cluster.nodes], 4


def prefer(pids):
    """A broker has a machine of its own, elsewhere: here its threads, and our eyes, come before the gateways where the system allows it."""
    with contextlib.suppress(PermissionError):
        for task in [int(task.name) for pid in pids for task in pathlib.Path(f'/proc/{pid}/task').iterdir()]: os.setpriority(os.PRIO_PROCESS, task, -10)


def play(sites, apart):
    """All sites begin, one after another: no two busy moments are the same, as with real ones."""
    starters = []
    for site in sites:
        reader, writer = os.pipe()
        for gateway in site.gateways: gateway.launch(reader)
        os.close(reader)
        starters.append(writer)
    for site, starter in zip(sites, starters):
        site.begun, site.epoch = time.monotonic(), time.time()
        os.close(starter)
        time.sleep(apart)
    while time.monotonic() < sites[-1].begun + LENGTH_S + REST_S:
        time.sleep(1)
        for site in sites:
            for gateway in site.gateways:
                if gateway.process.poll() is not None: raise SystemExit(f'{site.name}/{gateway.name} ended: {(gateway.folder / "words").read_text()[-500:]}')


def judge(sites, stored, messages):
    """The outcomes of all sites together, and of the events: stored, received, lost, doubled."""
    by_site, named = collections.defaultdict(list), {site.name: site for site in sites}
    received, undecided, late = collections.Counter(), 0, []
    for message in messages:
        levels = message.topic.split('/')
        event = json.loads(message.payload)
        received[f'{levels[1]}/{levels[2]}/{event["event_id"]}'] += 1
        if levels[3] != 'trigger': continue
        undecided += event['event'] == 'undecided'
        if event['event'] != 'fire': continue
        site, at = named[levels[1]], datetime.datetime.fromisoformat(event['at']).timestamp()
        by_site[site].append((f'driver-{int(event["id"].rsplit(":", 1)[1]) - 10}', levels[4], at - site.epoch))
        late.append(message.at - site.begun - (at - site.epoch))
    total = collections.Counter(undecided=undecided)
    waits = []
    for site in sites:
        outcome, waited = site.truth.judge(by_site[site])
        waits += waited
        total.update(outcome)
    total.update(stored=len(stored), lost=len(stored - set(received)), doubled=sum(received.values()) - len(received),
                 unstored=len(set(received) - stored))
    return total, sorted(waits), sorted(late)


def refusals(messages):
    """What the gateways refused or dropped by their own count, the newest word of each."""
    newest = {message.topic: json.loads(message.payload) for message in messages if message.topic.endswith('/telemetry')}
    names = ('dropped_packets', 'dropped_messages', 'dropped_requests', 'dropped_publications', 'refused_requests', 'refused_claims')
    memory = sorted(figures['memory_bytes'] / 1e6 for figures in newest.values())
    processor = sum(figures['cpu_s'] / figures['uptime_s'] for figures in newest.values()) / max(len(newest), 1)
    return {name: sum(figures[name] for figures in newest.values()) for name in names}, memory[-1] if memory else 0, processor


def play_round(options, seed, folder):
    with broker(options.broker) as (pids, ports, version):
        # A site's gateways at one node: RabbitMQ keeps what is retained, and so who is there, on the node where it was said.
        sites = [Site(number, folder, options.program, ports[number % len(ports)], options.devices, seed * 1000 + number, version, options.unknown)
                 for number in range(max(1, options.gateways // PUMPS))]
        prefer([os.getpid(), *pids])
        topics = '+/+/+/trigger/+', '+/+/+/region/+/event', '+/+/+/telemetry'
        with Subscriber(ports[0], *topics, version=version) as events, Subscriber(ports[-1], f'+/{sites[0].name}/#', version=version, qos=0) as one:
            eyes = {each.client.socket().getsockname()[1] for each in (events, one)}
            with Meter(pids, ports, eyes) as meter:
                try:
                    play(sites, options.apart)
                finally:
                    for gateway in [g for s in sites for g in s.gateways]: gateway.stop()
                    for gateway in [g for s in sites for g in s.gateways]: gateway.wait()
            stored = {f'{s.name}/{g.name}/{event["payload"]["event_id"]}' for s in sites for g in s.gateways for event in g.stored()}
            with contextlib.suppress(TimeoutError):
                wait_until(lambda: sum(m.qos == 1 for m in events.messages) >= len(stored), 60, 'the broker has said what it has')
            time.sleep(2)
            heard = list(events.messages)
        outcome, waits, late = judge(sites, stored, [m for m in heard if not m.topic.endswith('/telemetry')])
        seen = [tally(one.messages, sites[0].begun + start, sites[0].begun + end) for start, end in (BUSY, IDLE)]
        return outcome, waits, late, meter, seen, refusals(heard), len(sites) * PUMPS


def report(options, outcome, waits, late, meter, seen, gateways, refused, most, processor):
    part = lambda all, share: f'{all[min(int(share * len(all)), len(all) - 1)]:.2f}' if all else '-'  # noqa: E731
    print(f'{options.broker}, {gateways} gateways, {options.devices} devices')
    print(f'  {outcome["visits"]} visits: {outcome["served"]} served, {outcome["early"]} early, {outcome["missed"]} missed, {outcome["wrong"]} wrong, {outcome["elsewhere"]} '
          f'elsewhere, {outcome["twice"]} twice, {outcome["undecided"]} undecided; standing to fire: median {part(waits, 0.5)} s, '
          f'p95 {part(waits, 0.95)} s; fire to subscriber: median {part(late, 0.5)} s, p95 {part(late, 0.95)} s')
    print(f'  {outcome["stored"]} events stored, {outcome["lost"]} lost, {outcome["doubled"]} doubled; '
          + ', '.join(f'{name} {count}' for name, count in refused.items() if count))
    took, gave = meter.whole()
    print(f'  a visit: {took / outcome["visits"] / 1e3:.0f} kB to the broker from all gateways of its site, {gave / outcome["visits"] / 1e3:.0f} kB to them; '
          f'a gateway takes at most {most:.1f} MB, {100 * processor:.2f} % of a processor')
    for when, kinds in zip(('with eight drivers', 'with nobody'), seen):
        everything = sum(size for _, size in kinds.values())
        print(f'  a gateway {when} says {sum(count for count, _ in kinds.values()) / PUMPS:.2f} messages/s, {everything / PUMPS:.0f} bytes/s: '
              + ', '.join(f'{name} {count / PUMPS:.2f} ({100 * size / everything:.0f} %)' for name, (count, size) in
                          sorted(kinds.items(), key=lambda item: -item[1][1])))
    load = meter.busiest()
    print(f'  broker at its busiest: {load["took"] / 1e3:.0f} kB/s in, {load["gave"] / 1e3:.0f} kB/s out, {100 * load["broker"]:.0f} % of a processor, '
          f'{load["memory"]:.0f} MB; the machine was {100 * load["machine"]:.0f} % busy', flush=True)


def wrongs(outcome):
    """The promises of the proving ground, with as much as one visit of luck where there are few."""
    visits = outcome['visits']
    return [what for what, holds in (
        ('an event is lost', not outcome['lost']), ('an event came twice', not outcome['doubled']), ('an event nobody stored', not outcome['unstored']),
        ('somebody fired twice', not outcome['twice']), ('wrong pump', outcome['wrong'] + outcome['elsewhere'] <= visits / 1000),
        ('missed', outcome['missed'] <= max(1, visits / 200)), ('early', outcome['early'] <= max(1, visits / 50))) if not holds]


def main():
    options, failed = words(), []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            outcome, waits, late, meter, seen, (refused, most, processor), gateways = play_round(options, options.seed + number, pathlib.Path(folder))
        report(options, outcome, waits, late, meter, seen, gateways, refused, most, processor)
        failed += wrongs(outcome)
    if failed: sys.exit('; '.join(failed))


main()
