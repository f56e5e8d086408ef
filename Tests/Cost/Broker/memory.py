#!/usr/bin/env python3
"""What the gateway takes of memory with 4,096 devices tracked and no broker for an hour. --check fails above the promise of 12 MB.

    $(Tests/Rigs/venv.sh) Tests/Cost/Broker/memory.py      $FORECOURT names the program: build/amd64/forecourt (deploy/build.sh amd64)

The hour is told quickly: as many events as a busy forecourt has in one, a thousand a second, while nobody takes them. Then a broker comes.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]

from rig import Air, Mosquitto, Program, Subscriber, free_port, wait_until

FORECOURT = os.environ.get('FORECOURT', str(ROOT / 'build' / 'amd64' / 'forecourt'))
CONFIG = '''gateway.purpose = "Measures memory."
[[radio]]
name = "hci0"
adapter = "{adapter}"
[[region]]
name = "yard"
match = "ibeacon:*"
exit_s = 1
[[trigger]]
name = "pump"
match = "ibeacon:*"
[mqtt]
host = "127.0.0.1"
port = {port}
[outbox]
path = "{folder}/outbox.db"
[publish]
telemetry_s = 1
metrics_file = "{folder}/metrics.prom"
'''
PROMISE_KB = 12 * 1024


def memory(pid, what):
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return int(status.split(f'{what}:')[1].split()[0])


def figures(folder):
    """The gateway's own, as Prometheus would read them."""
    try:
        lines = (folder / 'metrics.prom').read_text().splitlines()
    except FileNotFoundError:
        return {}
    return {line.split('{')[0].removeprefix('forecourt_'): float(line.rsplit(' ', 1)[1]) for line in lines if not line.startswith('#')}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=int, default=60)
    parser.add_argument('--rate', type=int, default=2500)
    parser.add_argument('--check', action='store_true')
    words = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as name, Air() as air:
        folder = pathlib.Path(name)
        (folder / 'config.toml').write_text(CONFIG.format(adapter=air.lines['p0'], port=port, folder=folder))
        gateway = Program([FORECOURT, 'run', '--config', folder / 'config.toml'], folder / 'said')
        gateway.start()
        try:
            air.wait('scanning', timeout=20)
            rows = [('as it starts', memory(gateway.pid, 'VmRSS'))]
            air.say('flood', rate=words.rate, seconds=words.seconds, carry='fixed', devices=4096)
            air.wait('flood', timeout=words.seconds * 2 + 30)
            time.sleep(3)
            seen = figures(folder)
            rows.append((f'{seen["devices"]:.0f} devices, {seen["outbox_waiting"]:.0f} events wait', memory(gateway.pid, 'VmRSS')))
            assert seen['devices'] == 4096 and seen['outbox_waiting'] >= 10_000, seen
            with Mosquitto(port=port, config='max_queued_messages 0'), Subscriber(port, 'forecourt/#', qos=0) as ears:
                begun = time.monotonic()
                wait_until(lambda: figures(folder)['outbox_waiting'] == 0, 180, f'the backlog drains: {seen}')
                took, heard, events = time.monotonic() - begun, -1, []
                # The broker still gives its subscriber what it has.
                while heard < len(events):
                    heard = len(events)
                    time.sleep(2)
                    events = [json.loads(m.payload) for m in ears.messages if m.topic.endswith(('/event', '/trigger/pump'))]
                numbers = [int(e['event_id'].rsplit('-', 1)[1]) for e in events]
                assert numbers == sorted(numbers) and len(set(numbers)) == len(numbers), 'in order, each once'
                rows.append((f'{len(events)} of them delivered in order, {took:.0f} s after the broker came', memory(gateway.pid, 'VmRSS')))
            peak = memory(gateway.pid, 'VmHWM')
            rows.append(('at most', peak))
        except Exception:
            print(gateway.said(), file=sys.stderr)
            raise
        finally:
            gateway.stop()
    for what, kilobytes in rows:
        print(f'{kilobytes:7,} kB  {what}')
    if words.check and peak > PROMISE_KB:
        sys.exit(f'above the promised {PROMISE_KB:,} kB')


if __name__ == '__main__':
    main()
