#!/usr/bin/env python3
"""A long run with faults: soak.py [MINUTES] [RATE] [SEED] [PROGRAM]; an hour, 1,000 adverts a second, seed 1, build/amd64/forecourt unless
named. Runs in the rigs' venv.

Strangers advertise all the time, and now and then a device that a region wants comes for a second. By seed, one minute in two, the radio's
line or the broker's is cut, for up to ten seconds, or the outbox's disk is full, for up to a minute. In the end: memory and descriptors are what they were after the first five minutes, the
broker's subscriber has every event of the outbox once, and every device that came while the radio listened is among them.
"""
import collections
import json
import pathlib
import random
import re
import select
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

from between import Between, unix
from disk import Disk
from mosquitto import Mosquitto
from rig import Air, Program, Subscriber

words = sys.argv[1:] + [60, 1_000, 1, ROOT / 'build' / 'amd64' / 'forecourt'][len(sys.argv) - 1:]
MINUTES, RATE, PROGRAM = float(words[0]), int(words[1]), words[3]
dice = random.Random(int(words[2]))
# Every so many seconds somebody comes; a visit ends after this silence.
EACH, GONE = 20, 5
CONFIG = '''[gateway]
purpose = "Soaks."
[[radio]]
name = "r"
adapter = "unix:{folder}/controller"
[[region]]
name = "door"
match = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:*"
exit_s = {gone}
[privacy]
unknown = "publish"
[mqtt]
port = {port}
[outbox]
path = "{folder}/disk/outbox.db"
'''


def stranger():
    return bytes([4, 0x3E, 12, 2, 1, 3, 1]) + dice.randbytes(5) + bytes([0xC0, 0, dice.randrange(170, 220)])


def visitor(number):
    beacon = bytes.fromhex('0201061aff4c000215') + bytes.fromhex('2f234454cf6d4a0fadf2f4911ba9ffa6') + number.to_bytes(4, 'big') + b'\xC5'
    return bytes([4, 0x3E, 12 + len(beacon), 2, 1, 3, 1]) + number.to_bytes(5, 'big') + bytes([0xC1, len(beacon)]) + beacon + b'\xC4'


def state(pid):
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    used = sum(int(field) for field in pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[11:13]) / 100
    return int(re.search(r'VmRSS:\s+(\d+)', status)[1]) / 1024, len(list(pathlib.Path(f'/proc/{pid}/fd').iterdir())), used


class Faults:
    def __init__(self, begun, radio, line, disk):
        self.next, self.seen, self.relief = begun + 30, [], 0.0
        self.radio, self.line, self.disk = radio, line, disk

    def strike(self, now):
        if self.relief and now > self.relief: self.relieve()
        if now < self.next: return
        self.next = now + dice.uniform(60, 180)
        which, seconds = dice.choice(['radio', 'broker', 'disk'] if self.disk else ['radio', 'broker']), dice.uniform(0.1, 10)
        if which == 'radio': self.radio.cut(seconds)
        if which == 'broker': self.line.cut(seconds)
        if which == 'disk':
            seconds *= 5
            self.disk.fill()
            self.relief = now + seconds
        self.seen.append((which, now, now + seconds))

    def relieve(self):
        if self.relief: self.disk.relieve()
        self.relief = 0.0

    def spare(self, moment):
        """Whether the radio was there around that moment: a cut line is called again within five seconds."""
        return not any(which == 'radio' and start - 3 < moment < end + 8 for which, start, end in self.seen)


def soak(program, radio, line, disk):
    begun = time.monotonic()
    faults, sent, came, heard, first, minute = Faults(begun, radio, line, disk), 0, [], collections.Counter(), None, 0
    while (now := time.monotonic()) < begun + MINUTES * 60:
        while sent < (now - begun - 2) * RATE:
            visits = int((now - begun) // EACH)
            if visits > len(came): came.append(now)
            if came and now < came[-1] + 1 and sent % (RATE // 10) == 0:
                radio.add(visitor(len(came)))
                heard[len(came)] += 1
            else:
                radio.add(stranger())
            sent += 1
        if now < begun + MINUTES * 60 - 60: faults.strike(now)
        else: faults.relieve()
        for ready in select.select(radio.sockets() + line.sockets(), [], [], 0.002)[0]:
            if ready in radio.sockets(): radio.take(ready)
            elif ready in line.sockets(): line.take(ready)
        if now > begun + 60 * (minute + 1):
            minute += 1
            seen = state(program.pid)
            # A line may just be cut: the most descriptors of these minutes are what is usual.
            if minute <= min(5, int(MINUTES / 2)): first = seen[0], max(seen[1], first[1] if first else 0)
            print(f'{minute:3} min: {seen[0]:.2f} MB, {seen[1]} descriptors, {seen[2]:.1f} s of a processor, {len(faults.seen)} faults', flush=True)
    # Where the machine had no time for this script, nobody spoke.
    noticed = {number: moment - begun for number, moment in enumerate(came, 1) if heard[number] >= 3 and faults.spare(moment)}
    return sent, noticed, [(which, start - begun, end - begun) for which, start, end in faults.seen], first


def main():
    with tempfile.TemporaryDirectory() as folder, Air(seconds=MINUTES * 60 + 120) as air, Mosquitto() as broker, \
            Subscriber(broker.port, '+/+/+/region/+/event') as subscriber, Disk(f'{folder}/disk', '16m') as disk:
        if not disk: print('(the disk will not be full: mounting a small one needs root)')
        near, far = socket.socket(socket.AF_UNIX), socket.create_server(('127.0.0.1', 0))
        near.bind(f'{folder}/controller')
        radio = Between(near, lambda: unix(air.lines['p0'].removeprefix('unix:')))
        line = Between(far, lambda: socket.create_connection(('127.0.0.1', broker.port)))
        config = pathlib.Path(folder) / 'config.toml'
        config.write_text(CONFIG.format(folder=folder, port=far.getsockname()[1], gone=GONE))
        program = Program([PROGRAM, 'run', '--config', config], f'{folder}/words')
        program.start()
        sent, spared, faults, first = soak(program, radio, line, disk)
        last = state(program.pid)
        program.stop()
        stored = subprocess.run([PROGRAM, 'events', '--config', config, '--json', '--last', '100000'], stdout=subprocess.PIPE, text=True, check=True)
        stored = [json.loads(text) for text in stored.stdout.splitlines()]
        said = pathlib.Path(f'{folder}/words').read_text()
    ids = [event['payload']['event_id'] for event in stored]
    got = [json.loads(message.payload)['event_id'] for message in subscriber.messages]
    seen = ' '.join(message.payload.decode() for message in subscriber.messages)
    missing = [(number, spared[number]) for number in spared if f':{number >> 16}:{number & 0xFFFF}"' not in seen]
    struck = ', '.join(f'{count} {which}' for which, count in collections.Counter(fault[0] for fault in faults).items())
    print(f'{sent} adverts, faults: {struck or "none"}; {len(ids)} events stored, {len(set(got))} received ({len(got) - len(set(got))} of them '
          f'twice); {first[0]:.2f} MB and {first[1]} descriptors, in the end {last[0]:.2f} and {last[1]}')
    wrong = [what for what, holds in (
        ('an event is lost', set(got) >= set(ids)), ('somebody was not noticed', not missing), ('memory grows', first and last[0] < first[0] + 1),
        ('a descriptor is leaked', first and last[1] <= first[1])) if not holds]
    if wrong: sys.exit('; '.join(wrong) + f'\nlost: {sorted(set(ids) - set(got))[:5]}, unnoticed: {missing[:5]}, faults: {faults}\n{said[-2000:]}')


main()
