"""Scripted advertisers: what they say (AD structures by kind), how strongly (levels over time), from which address."""
import asyncio
import random
import struct
import time
import uuid

from bumble import crypto, hci

from ether.medium import CONNECTABLE, PHY_1M, PHY_CODED, PLAIN, SCANNABLE, Advert

STATIC_SERVICE = '2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6'


def structure(kind, payload):
    return bytes([len(payload) + 1, kind]) + payload


def flags(value=6):
    return structure(0x01, bytes([value]))


def manufacturer(company, payload):
    return structure(0xff, struct.pack('<H', company) + payload)


def services(*names):
    """Complete lists of 16-bit and 128-bit service UUIDs."""
    out = b''
    for kind, size in ((0x03, 4), (0x07, 36)):
        found = [n for n in names if len(n) == size or size == 36 and len(n) == 32]
        payload = b''.join((bytes.fromhex(n) if size == 4 else uuid.UUID(n).bytes)[::-1] for n in found)
        out += structure(kind, payload) if found else b''
    return out


def overflow_position(name):
    """The bit of Apple's overflow area that a service UUID sets: a CRC-8 of polynomial 9, its low 7 bits turned by 7."""
    crc = 0
    for byte in (uuid.UUID(name) if len(name) > 4 else uuid.UUID(f'0000{name}-0000-1000-8000-00805F9B34FB')).bytes:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 9 if crc & 0x80 else crc << 1) & 0xff
    return crc & 0x7f ^ 7


def overflow(*positions):
    mask = bytearray(16)
    for position in positions:
        mask[position // 8] |= 0x80 >> position % 8
    return manufacturer(0x4c, b'\x01' + bytes(mask))


def eddystone(payload):
    return flags() + services('FEAA') + structure(0x16, b'\xaa\xfe' + payload)


def payload(words):
    """The advertising data that a request's words describe; its `kind` says which other words count."""
    kind = words.get('kind', 'raw')
    power = words.get('measured', -59) & 255
    if kind == 'raw':
        return bytes.fromhex(words.get('data', ''))
    if kind == 'ibeacon':
        return flags() + manufacturer(0x4c, b'\x02\x15' + uuid.UUID(words.get('uuid', STATIC_SERVICE)).bytes +
                                      struct.pack('>HHB', words.get('major', 1), words.get('minor', 1), power))
    if kind == 'altbeacon':
        return flags() + manufacturer(words.get('company', 0x118), b'\xbe\xac' + bytes.fromhex(words['beacon']) + bytes([power, 0]))
    if kind == 'eddystone-uid':
        return eddystone(bytes([0x00, power]) + bytes.fromhex(words['namespace'] + words['instance']) + b'\0\0')
    if kind == 'eddystone-url':
        return eddystone(bytes([0x10, power]) + bytes.fromhex(words['url_hex']))
    if kind == 'eddystone-tlm':
        return eddystone(struct.pack('>BBHHII', 0x20, 0, words.get('battery_mv', 3000), words.get('temperature', 0x1480),
                                     words.get('count', 0), words.get('uptime_ds', 0)))
    if kind == 'eddystone-eid':
        return eddystone(bytes([0x30, power]) + bytes.fromhex(words['eid']))
    if kind == 'overflow':
        positions = words.get('positions') or [overflow_position(name) for name in words.get('services', [STATIC_SERVICE])]
        return flags(0x1a) + overflow(*positions)
    if kind == 'service':
        return flags() + services(*words.get('services', [STATIC_SERVICE]))
    if kind == 'name':
        return flags() + structure(0x09, words['name'].encode())
    raise ValueError(f'no such kind of advert: {kind}')


def level(words, at, index, rng):
    """A level (dBm) by its words: a number, a list told in turn, a ramp, or a mean with a deviation."""
    if isinstance(words, list):
        return words[index % len(words)]
    if not isinstance(words, dict):
        return words
    if 'mean' in words:
        return rng.gauss(words['mean'], words.get('deviation', 0))
    if 'seconds' in words:
        return words['from'] + (words['to'] - words['from']) * min(1.0, at / words['seconds'])
    return {name: level(inner, at, index, rng) for name, inner in words.items()}  # by controller


def resolvable(irk):
    """A resolvable private address; the key as the specification writes it, most significant octet first."""
    prand = bytearray(random.getrandbits(8) for _ in range(3))
    prand[0] = prand[0] & 0x3f | 0x40
    hash_ = crypto.e(bytes.fromhex(irk)[::-1], bytes(prand[::-1]) + bytes(13))[:3]
    return hci.Address(bytes(hash_) + bytes(prand[::-1]), hci.Address.RANDOM_DEVICE_ADDRESS)


def address(words):
    text = words.get('address')
    if text is None:
        text = ':'.join(f'{b:02X}' for b in random.Random(words['id']).randbytes(6))
        text = f'{int(text[:2], 16) | 0xc0:02X}{text[2:]}'
    kind = hci.Address.PUBLIC_DEVICE_ADDRESS if words.get('address_type') == 'public' else hci.Address.RANDOM_DEVICE_ADDRESS
    return hci.Address(text, kind)


class Advertiser:
    """One device without a host: it sends at its interval plus the 0–10 ms that the specification asks for, by its own seed."""

    def __init__(self, medium, words):
        self.medium, self.words = medium, dict(words)
        self.rng = random.Random(words.get('seed', words['id']))
        self.address = resolvable(words['irk']) if 'irk' in words else address(words)
        self.sent, self.started, self.turned = 0, time.monotonic(), time.monotonic()
        self.task = asyncio.get_running_loop().create_task(self.run())

    def advert(self):
        words = self.words
        response = words.get('scan_response')
        kind = (CONNECTABLE if words.get('connectable') or words.get('kind') == 'overflow' else
                SCANNABLE if response is not None or words.get('scannable') else PLAIN)
        return Advert(self.address, payload({**words, 'count': self.sent}), kind,
                      level(words.get('rssi', -67), time.monotonic() - self.started, self.sent, self.rng),
                      payload(response) if response is not None else b'', extended=words.get('extended', False),
                      phy=PHY_CODED if words.get('coded') else PHY_1M, sid=words.get('sid', 0), truncated=words.get('truncated', False),
                      tx_power=words.get('tx_power', 127))

    async def run(self):
        due = time.monotonic()
        while self.sent < self.words.get('count', 1 << 62):
            rotate = self.words.get('rotate_s')
            if rotate and time.monotonic() - self.turned >= rotate:
                self.address = resolvable(self.words['irk']) if 'irk' in self.words else hci.Address.generate_private_address()
                self.turned = time.monotonic()
            if self.rng.random() >= self.words.get('loss', 0):
                self.medium.broadcast(self.advert())
            self.sent += 1
            due += self.words.get('interval_ms', 100) / 1000 + self.rng.uniform(0, self.words.get('jitter_ms', 10)) / 1000
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def change(self, words):
        if 'rssi' in words:
            self.started = time.monotonic()
        self.words.update(words)

    def stop(self):
        self.task.cancel()
