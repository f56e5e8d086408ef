"""Many reports a second at an even pace, straight onto a port's line, each telling its number or the time of its making.

`carry` says what tells one report from the next:
  fixed      `devices` iBeacons in turn, always the same
  count      the number, as major:minor of an iBeacon (every report a new identity)
  clock      CLOCK_MONOTONIC in microseconds (48 bits), as the instance of an Eddystone-UID of NAMESPACE
"""
import asyncio
import ctypes
import os
import struct
import time
import uuid

from bumble import hci

from ether.medium import EXTENDED_TYPE, PLAIN, extended_report, legacy_reports
from ether.adverts import payload

FLOOD_UUID = 'F10D0000-0000-4000-8000-000000000000'
NAMESPACE = '0f0e0d0c0b0a09080706'
libc = ctypes.CDLL(None, use_errno=True)


class Ticks:
    """A timerfd: asyncio's own timers are good to a millisecond only."""

    def __init__(self, seconds, callback):
        self.fd = libc.timerfd_create(1, os.O_NONBLOCK | os.O_CLOEXEC)
        whole, nano = divmod(int(seconds * 1e9), 1_000_000_000)
        libc.timerfd_settime(self.fd, 0, struct.pack('qqqq', whole, nano, whole, nano), None)
        self.callback = callback
        asyncio.get_running_loop().add_reader(self.fd, self._tick)

    def _tick(self):
        os.read(self.fd, 8)
        self.callback()

    def stop(self):
        asyncio.get_running_loop().remove_reader(self.fd)
        os.close(self.fd)


class Flood:
    def __init__(self, ports, words):
        self.ports, self.words = ports, words
        self.rate, self.batch = words.get('rate', 1000), words.get('batch', 1)
        self.total = int(self.rate * words.get('seconds', 1))
        self.per_event = min(words.get('per_event', 1), 5)  # more legacy reports do not fit one HCI event
        self.devices, self.carry = words.get('devices', 16), words.get('carry', 'fixed')
        self.addresses = [hci.Address(f'F1:0D:{i >> 24 & 255:02X}:{i >> 16 & 255:02X}:{i >> 8 & 255:02X}:{i & 255:02X}')
                          for i in range(self.devices)]
        self.fixed = [payload({'kind': 'ibeacon', 'uuid': FLOOD_UUID, 'major': 1 + (i >> 16), 'minor': i & 0xffff})
                      for i in range(self.devices)]
        self.stamps = open(words['stamps'], 'w') if 'stamps' in words else None
        self.sent, self.late, self.done = 0, [], asyncio.Event()
        self.began = time.monotonic()
        self.ticks = Ticks(self.batch / self.rate, self.tick)

    def data(self, number, now_ns):
        if self.carry == 'count':
            return self.fixed[0][:9] + uuid.UUID(FLOOD_UUID).bytes + struct.pack('>IB', number & 0xffffffff, 0xc5)
        if self.carry == 'clock':
            return payload({'kind': 'eddystone-uid', 'namespace': NAMESPACE, 'instance': f'{now_ns // 1000 & (1 << 48) - 1:012x}'})
        return self.fixed[number % self.devices]

    def level(self, number):
        words = self.words.get('rssi', -60)
        return words[number % len(words)] if isinstance(words, list) else words

    def tick(self):
        """Everything that is due by now: a late wake-up catches up, so the rate holds over the whole flood."""
        now = time.monotonic()
        due = min(self.total, int((now - self.began) * self.rate / self.batch) * self.batch)
        if due > self.sent:
            self.late.append(now - self.began - (self.sent + self.batch) / self.rate)
        while self.sent < due:
            many = min(due - self.sent, max(self.batch, self.per_event))
            self.emit(range(self.sent, self.sent + many))
            self.sent += many
        if self.sent >= self.total:
            self.finish()

    def emit(self, numbers):
        now_ns, reports = time.monotonic_ns(), []
        for index, number in enumerate(numbers):
            address, rssi = self.addresses[number % self.devices], self.level(number)
            reports.append((address, PLAIN, self.data(number, now_ns + 1000 * index), rssi))
            if self.stamps:
                self.stamps.write(f'{number} {now_ns} {str(address)[:17]} {rssi}\n')
        for port in self.ports:
            controller = port.controller
            if not controller.le_scan_enable or controller.deaf or port.mute:
                continue
            if controller.extended_scan:
                event = b''.join(extended_report(a, EXTENDED_TYPE[k], d, r) for a, k, d, r in reports)
            else:
                event = b''.join(legacy_reports(reports[i:i + self.per_event]) for i in range(0, len(reports), self.per_event))
            controller.counts['reports'] += len(reports)
            port.send(event)

    def finish(self):
        if not self.done.is_set():
            self.ticks.stop()
            if self.stamps:
                self.stamps.close()
            self.took = time.monotonic() - self.began
            self.done.set()

    def report(self):
        late = sorted(self.late) or [0.0]
        return {'sent': self.sent, 'took_s': round(getattr(self, 'took', time.monotonic() - self.began), 4),
                'late_us': {'p50': round(late[len(late) // 2] * 1e6), 'p99': round(late[len(late) * 99 // 100] * 1e6),
                            'most': round(late[-1] * 1e6)}}
