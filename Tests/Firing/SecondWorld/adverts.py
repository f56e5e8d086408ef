"""When a phone advertises, and the capture of what a radio hears."""
import struct

import numpy as np

UUID = bytes.fromhex('2f234454cf6d4a0fadf2f4911ba9ffa6')
# Of twenty phones so many advertise like this. Apple's guideline for accessories recommends 1022.5 ms, and 152.5, whose double is 305.
HABITS = ['100ms'] * 7 + ['250ms'] * 5 + ['1s'] * 4 + ['burst'] * 4
# What btsnoop counts its microseconds from, and a moment in 2025.
EPOCH = 0x00DCDDB30F2F8000 + 1_750_000_000_000_000


def times(rng, seconds, habit):
    if habit == 'burst': return bursts(rng, seconds)
    interval = {'100ms': 0.1, '250ms': 0.25, '1s': 1.0}[habit]
    if habit == '1s' and rng.random() < 0.5: interval = 1.0225
    return regular(rng, interval, rng.uniform(0, interval), seconds)


def regular(rng, interval, begin, end):
    """Each advert comes up to 10 ms late, as the standard demands (Core 6.0, Vol 6, Part B, 4.4.2.2.1)."""
    count = int((end - begin) / interval * 1.2) + 10
    at = begin + np.cumsum(interval + rng.uniform(0, 0.01, count))
    return at[at < end]


def bursts(rng, seconds):
    """A phone that has other things to do: now every 305 ms, now every 1022.5 ms, and silent for 3 to 12 s about once a minute."""
    now, parts = 0, []
    while now < seconds:
        draw, lasts = rng.random(), rng.exponential(20) + 3
        if draw < 0.45:
            parts.append(regular(rng, 0.305, now, min(now + lasts, seconds)))
        elif draw < 0.85:
            parts.append(regular(rng, 1.0225, now, min(now + lasts, seconds)))
        else:
            lasts = rng.uniform(3, 12)
        now += lasts
    return np.concatenate(parts)


def payload(measured_dbm):
    """An iBeacon that states its power, or an app that advertises its service and states none."""
    if measured_dbm is None: return bytes([2, 1, 6, 17, 7]) + UUID[::-1]
    return bytes([2, 1, 6, 26, 0xff, 0x4c, 0, 2, 21]) + UUID + struct.pack('>HHb', 7, 1, measured_dbm)


def report(address, rssi, data, connectable=False):
    """The controller's event: LE Advertising Report (Core 6.0, Vol 4, Part E, 7.7.65.2)."""
    body = bytes([2, 1, 0 if connectable else 3, 1]) + address + bytes([len(data)]) + data + struct.pack('b', rssi)
    return bytes([4, 0x3e, len(body)]) + body


def others(rng, seconds):
    """Eight phones that every radio hears. The first is there at zero, so the captures of all radios begin at one moment."""
    for index in range(8):
        address = bytes(rng.integers(0, 256, 5).tolist()) + b'\xc5'
        level = rng.uniform(-90, -60)
        now = rng.uniform(0, 1) if index else 0.0
        while now < seconds:
            if now == 0 or rng.random() < 0.8:
                yield now, report(address, round(level + rng.normal(0, 3)), bytes([2, 1, 6, 3, 3, 0x12, 0x18]))
            now += 1 + rng.uniform(0, 0.01)


def write(path, records):
    with open(path, 'wb') as file:
        file.write(b'btsnoop\0' + struct.pack('>II', 1, 1002))
        for at, packet in sorted(records, key=lambda record: record[0]):
            file.write(struct.pack('>IIIIq', len(packet), len(packet), 3, 0, EPOCH + round(at * 1e6)) + packet)
