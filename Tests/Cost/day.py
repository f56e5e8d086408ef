#!/usr/bin/env python3
"""A working day at a busy forecourt, at full speed: day.py [HOURS] [SEED] [PROGRAM]; eight hours, seed 1, build/amd64/forecourt unless named.

Four pumps, each with its radio, sixty drivers who come again every 58 minutes, fifty people with phones around: `simulate` makes what the radios
hear, `replay` plays it. In the end: memory and descriptors of the replay are what they were after two hours, no event's number is left out, every
fire has its arm before and its leave behind it, and what fired is what the truth says: right pump, nobody missed, nobody twice.
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / 'Fleet'))

from forecourts import BEACON, ROOT, Truth  # noqa: E402

words = sys.argv[1:] + [8, 1, ROOT / 'build' / 'amd64' / 'forecourt'][len(sys.argv) - 1:]
HOURS, dice, PROGRAM = float(words[0]), random.Random(int(words[1])), words[2]
PUMPS, DRIVERS, AGAIN_S, APART_S = 4, 60, 3500, 57
HOUR_US = 3_600_000_000


def scenario():
    lines = [f'duration_s = {HOURS * 3600:.0f}', '[bystanders]', 'count = 50', 'corner_m = [-6, 13]', 'opposite_m = [30, 30]',
             'shortest_interval_ms = 500', 'longest_interval_ms = 2000']
    for pump in range(1, PUMPS + 1):
        for kind in ('gateway', 'pump'): lines += [f'[[{kind}]]', f'name = "pump-{pump}"', f'at_m = [{pump * 8 - 8}, 0]']
    for driver in range(DRIVERS):
        begins, steps = driver * APART_S, []
        while HOURS * 3600 - begins - len(steps) // 8 * AGAIN_S > 300 and len(steps) < 64:
            x, stands = (dice.randrange(PUMPS)) * 8, dice.uniform(20, 120)
            # There and back 60 m away at 4 to 6 m/s, 4 s and 5 s in the car; and out of hearing until the next time.
            rest = AGAIN_S - stands - 50
            steps += [f'{{ drive_m = [{x}, 3], speed_mps = {dice.uniform(4, 6):.2f} }}', f'{{ sit_s = {dice.uniform(2, 8):.1f} }}',
                      f'{{ walk_m = [{x}, 0.9], speed_mps = 1.2 }}', f'{{ stand_s = {stands:.0f}, facing = "pump-{x // 8 + 1}" }}',
                      f'{{ walk_m = [{x}, 3], speed_mps = 1.2 }}', '{ sit_s = 5 }', '{ drive_m = [150, 3], speed_mps = 5 }', f'{{ sit_s = {rest:.0f} }}']
        if steps: lines += ['[[traveller]]', f'name = "driver-{driver}"', 'from_m = [-120, 3]', f'start_s = {begins}', 'begins = "car"', 'steps = [', *(s + ',' for s in steps), ']',
                            '[[phone]]', f'name = "driver-{driver}"', f'on = "driver-{driver}"', f'identity = "{BEACON}:7:{10 + driver}"', 'carried = "hand"']
    return '\n'.join(lines) + '\n'


def config():
    # The tables are full after an hour of changing addresses, and whoever comes takes somebody's place.
    lines = ['gateway.purpose = "Works all day."', 'gateway.devices = 256', '[[calibration.device]]', f'match = "{BEACON}:*"', 'measured_power_dbm = -59',
             '[[region]]', 'name = "forecourt"', f'match = "{BEACON}:*"']
    for pump in range(1, PUMPS + 1):
        lines += ['[[radio]]', f'name = "radio-{pump}"', f'adapter = "hci{pump}"', '[[trigger]]', f'name = "pump-{pump}"', f'match = "{BEACON}:*"', 'group = "pumps"',
                  f'radio = "radio-{pump}"']
    return '\n'.join(lines) + '\n'


def state(pid):
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return int(re.search(r'VmRSS:\s+(\d+)', status)[1]) / 1024, len(list(pathlib.Path(f'/proc/{pid}/fd').iterdir()))


def replay(folder):
    """Its events, how often it said anything, and (memory, descriptors) at every full half hour of the day."""
    captures = [folder / f'air.pump-{pump}.btsnoop' for pump in range(1, PUMPS + 1)]
    player = subprocess.Popen([PROGRAM, 'replay', '--config', folder / 'config.toml', *captures], stdout=subprocess.PIPE, text=True)
    events, states, count = [], [], 0
    for line in player.stdout:
        count += 1
        message = json.loads(line)
        if message['t_us'] >= HOUR_US / 2 * (len(states) + 1): states.append(state(player.pid))
        if 'event_id' in message['payload']: events.append((message['t_us'] / 1e6, message['topic'], message['payload']))
    if player.wait(): sys.exit(f'replay ended with {player.returncode}')
    return events, count, states


def sequences(events):
    """What is wrong with the order of a driver's events at a pump: arm, fire, leave and again; undecided changes nothing, and who arms may not fire."""
    told, wrong = collections.defaultdict(list), []
    for _, topic, event in events:
        if '/trigger/' in topic and event['event'] != 'undecided': told[event['trigger'], event['id']].append(event['event'])
    for who, story in told.items():
        if not re.fullmatch('(arm |arm fire leave )*(arm fire )?', ' '.join(story) + ' '): wrong.append((who, story))
        if story[-1] == 'fire': wrong.append((who, 'never left'))
    return wrong


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'site.toml').write_text(scenario())
        (folder / 'config.toml').write_text(config())
        begun = time.monotonic()
        subprocess.run([PROGRAM, 'simulate', folder / 'site.toml', '--seed', words[1] if len(sys.argv) > 2 else '1', '--out', folder / 'air.btsnoop',
                        '--truth', folder / 'truth.jsonl'], check=True)
        made = time.monotonic()
        size = sum(path.stat().st_size for path in folder.glob('*.btsnoop')) / 1e6
        events, count, states = replay(folder)
        took = time.monotonic() - made
        with open(folder / 'truth.jsonl') as file: truth = Truth(file)
    fires = [(f'driver-{int(event["id"].rsplit(":", 1)[1]) - 10}', event['trigger'], at) for at, _, event in events if event['event'] == 'fire']
    seen, waits = truth.judge(fires)
    numbers = [int(event['event_id'].rsplit('-', 1)[1]) for _, _, event in events]
    kinds = collections.Counter(event['event'] for _, _, event in events)
    waits.sort()
    print(f'{HOURS:g} hours made in {made - begun:.0f} s, {size:.0f} MB; played in {took:.0f} s, {HOURS * 3600 / took:.0f} times as fast as they go by')
    print(f'{count} messages, events: ' + ', '.join(f'{name} {number}' for name, number in kinds.most_common()))
    print(', '.join(f'{name} {number}' for name, number in seen.items()) + f'; standing to fire: median {waits[len(waits) // 2]:.1f} s, '
          f'p95 {waits[int(len(waits) * 0.95)]:.1f} s')
    print('MB and descriptors every half hour: ' + ', '.join(f'{megabytes:.2f}/{descriptors}' for megabytes, descriptors in states))
    full = states[min(3, len(states) - 1)]
    wrong = [what for what, holds in (
        ('memory grows', states[-1][0] < full[0] + 0.1), ('a descriptor is leaked', states[-1][1] <= full[1]),
        ('an event is lost', numbers == list(range(numbers[0], numbers[0] + len(numbers)))), (sequences(events)[:3], not sequences(events)),
        ('wrong pump', seen['wrong'] + seen['elsewhere'] <= seen['visits'] / 1000), ('early', seen['early'] <= seen['visits'] / 50), ('twice', not seen['twice']), ('an anomaly', not kinds['anomaly']),
        ('missed', seen['missed'] <= max(1, seen['visits'] / 200))) if not holds]
    if wrong: sys.exit('; '.join(map(str, wrong)))


main()
