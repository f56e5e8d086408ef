#!/usr/bin/env python3
"""How long a packet takes from the radio to the broker: latency.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the
rigs' venv; --check fails above what is promised.

This script stands on both of the product's lines: between it and a controller (Bumble, on a unix socket), where it slips in 40 adverts a
second and then 1,000, each of a new address; and between it and a broker (mosquitto), where it sees the proximity message of each address go by. What is
measured contains this script's own waking up, twice.
"""
import re
import select
import socket
import sys
import tempfile
import time

from between import Between, unix
from measured import UNKNOWN, gateway, option
from mosquitto import Mosquitto
from rig import Air

checks = option('--check')
SECONDS = 20
# Milliseconds at p99 by adverts a second: few are read at once, many together.
MOST_MS = {40: 2, 1_000: 15}


def advert(number):
    address = number.to_bytes(4, 'little') + b'\x00\xC0'
    return bytes([4, 0x3E, 12, 2, 1, 3, 1]) + address + bytes([0, 0xC4]), address[::-1].hex(':').encode()


def main():
    short = []
    with tempfile.TemporaryDirectory() as folder, Air() as air, Mosquitto() as broker:
        near, far = socket.socket(socket.AF_UNIX), socket.create_server(('127.0.0.1', 0))
        near.bind(f'{folder}/controller')
        radio = Between(near, lambda: unix(air.lines['p0'].removeprefix('unix:')))
        line = Between(far, lambda: socket.create_connection(('127.0.0.1', broker.port)))
        with gateway(folder, f'unix:{folder}/controller', far.getsockname()[1], UNKNOWN):
            seen = {rate: measure(radio, line, rate, which << 24) for which, rate in enumerate(MOST_MS)}
    for rate, (sent, took) in seen.items():
        p50, p99 = (took[int(len(took) * part)] * 1e3 for part in (0.5, 0.99))
        print(f'{len(took)} of {sent} adverts at {rate} a second seen on their way to the broker: p50 {p50:.2f} ms, p99 {p99:.2f} ms')
        if p99 > MOST_MS[rate] or len(took) < sent: short.append(f'all of them, and {MOST_MS[rate]} ms at p99, at {rate} a second')
    if checks and short: sys.exit('not kept: ' + '; '.join(short))


def measure(radio, line, rate, first):
    """How many were sent, and the seconds that each took."""
    count, sent, took, tail = 0, {}, [], b''
    start = time.monotonic() + 2
    while (now := time.monotonic()) < start + SECONDS + 1:
        due = min(int((now - start) * rate), rate * SECONDS) if now > start else 0
        while count < due:
            packet, address = advert(first + count)
            sent[address] = time.monotonic()
            count += 1
            radio.add(packet)
        for ready in select.select(radio.sockets() + line.sockets(), [], [], 0.0005)[0]:
            between = radio if ready in radio.sockets() else line
            said = between.take(ready)
            if between is radio or not said: continue
            moment, tail = time.monotonic(), tail + said
            for match in re.finditer(rb'"id":"address:([0-9a-f:]{17})"', tail):
                if (since := sent.pop(match[1], None)): took.append(moment - since)
            tail = tail[-40:] if not tail.endswith(b'}') else b''
    return count, sorted(took)


main()
