"""A raw H4 client with nothing but Python's own library: a stand-in for a gateway on unix:PATH, tcp:HOST:PORT or tty:PATH.

It knows just enough HCI to scan, advertise, connect and speak ATT, so that a rig can be proved without the product.
"""
import os
import select
import socket
import struct
import termios
import time
import tty
import uuid

LENGTH_WIDTH = {2: 2, 4: 1, 5: 2}


class Timeout(Exception):
    pass


def bdaddr(text):
    return bytes.fromhex(text.replace(':', ''))[::-1]


class H4:
    def __init__(self, spec):
        kind, _, rest = spec.partition(':')
        self.socket = None
        if kind == 'unix':
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(rest)
        elif kind == 'tcp':
            host, _, port = rest.rpartition(':')
            self.socket = socket.create_connection((host, int(port)), 5)
        elif kind != 'tty':
            raise ValueError(spec)
        self.fd = self.socket.fileno() if self.socket else os.open(rest, os.O_RDWR | os.O_NOCTTY)
        if not self.socket:
            tty.setraw(self.fd)
            attributes = termios.tcgetattr(self.fd)
            attributes[2] |= termios.CLOCAL | termios.CREAD | termios.CS8 | termios.CRTSCTS
            attributes[4] = attributes[5] = termios.B115200
            termios.tcsetattr(self.fd, termios.TCSAFLUSH, attributes)
        self.buffer, self.queue = bytearray(), []

    def close(self):
        if self.socket:
            self.socket.close()
        elif self.fd is not None:
            os.close(self.fd)
        self.fd = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- packets ---------------------------------------------------------------------------------------------------------

    def _packet(self):
        if not self.buffer:
            return None
        width = LENGTH_WIDTH.get(self.buffer[0])
        if width is None:
            raise ValueError(f'lost H4 sync: {bytes(self.buffer[:16]).hex()}')
        at = 2 if self.buffer[0] == 4 else 3
        if len(self.buffer) < at + width:
            return None
        whole = at + width + int.from_bytes(self.buffer[at:at + width], 'little')
        if len(self.buffer) < whole:
            return None
        packet = bytes(self.buffer[:whole])
        del self.buffer[:whole]
        return packet

    def receive(self, timeout=5.0):
        until = time.monotonic() + timeout
        while True:
            packet = self._packet()
            if packet:
                return packet
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise Timeout(f'nothing for {timeout:.1f} s')
            data = os.read(self.fd, 65536)
            if not data:
                raise EOFError('the controller closed the line')
            self.buffer += data

    def wait(self, match, timeout=5.0):
        """The first packet, kept or new, for which match() is true; the others are kept."""
        for index, packet in enumerate(self.queue):
            if match(packet):
                return self.queue.pop(index)
        until = time.monotonic() + timeout
        while True:
            packet = self.receive(max(0.0, until - time.monotonic()))
            if match(packet):
                return packet
            self.queue.append(packet)

    def write(self, data):
        os.write(self.fd, data)

    def command(self, opcode, parameters=b'', timeout=5.0):
        """The return parameters of Command Complete, or the status of Command Status as one octet."""
        self.write(struct.pack('<BHB', 1, opcode, len(parameters)) + parameters)
        code = struct.pack('<H', opcode)
        packet = self.wait(lambda p: p[:2] == b'\x04\x0e' and p[4:6] == code or p[:2] == b'\x04\x0f' and p[5:7] == code, timeout)
        return packet[6:] if packet[1] == 0x0e else packet[3:4]

    def le_event(self, code, timeout=5.0):
        return self.wait(lambda p: p[:2] == b'\x04\x3e' and p[3] == code, timeout)[4:]

    # -- scanning --------------------------------------------------------------------------------------------------------

    def bring_up(self, address='E1:00:00:00:00:01'):
        """Reset, all events, a random address; each command's status."""
        return [self.command(0x0c03)[0], self.command(0x0c01, b'\xff' * 7 + b'\x3f')[0],
                self.command(0x2001, b'\xff\x1f' + bytes(6))[0], self.command(0x2005, bdaddr(address))[0]]

    def scan(self, on=True, extended=False, active=False, duplicates_filter=False):
        statuses = []
        if on:
            parameters = (struct.pack('<BBBBHH', 1, 0, 1, active, 0x10, 0x10) if extended else
                          struct.pack('<BHHBB', active, 0x10, 0x10, 1, 0))
            statuses.append(self.command(0x2041 if extended else 0x200b, parameters)[0])
        enable = bytes([on, duplicates_filter]) + (bytes(4) if extended else b'')
        return statuses + [self.command(0x2042 if extended else 0x200c, enable)[0]]

    def collect(self, seconds):
        """Reports heard: (extended, type, address, data, rssi)."""
        until, out = time.monotonic() + seconds, []
        while (left := until - time.monotonic()) > 0:
            try:
                packet = self.wait(lambda p: p[:2] == b'\x04\x3e' and p[3] in (2, 13), left)
            except Timeout:
                break
            out += reports(packet)
        return out

    # -- connections -----------------------------------------------------------------------------------------------------

    def advertise(self, data, kind=0, interval=0xa0):
        """Legacy advertising from the random address; statuses."""
        return [self.command(0x2006, struct.pack('<HHBBB6sBB', interval, interval, kind, 1, 0, bytes(6), 7, 0))[0],
                self.command(0x2008, bytes([len(data)]) + data.ljust(31, b'\0'))[0], self.command(0x200a, b'\1')[0]]

    def connect(self, address, address_type=1, timeout=3.0, extended=False):
        """The connection's handle, by LE (Extended) Create Connection from the random address."""
        peer, timing = bytes([address_type]) + bdaddr(address), (0x18, 0x28, 0, 500, 0, 0)
        if extended:
            status = self.command(0x2043, b'\0\1' + peer + b'\1' + struct.pack('<8H', 0x60, 0x30, *timing))
        else:
            status = self.command(0x200d, struct.pack('<HHB', 0x60, 0x30, 0) + peer + b'\1' + struct.pack('<6H', *timing))
        if status[0]:
            raise ConnectionError(f'status {status[0]:02x}')
        return self.connected(timeout)

    def connected(self, timeout=5.0):
        """The handle of the next connection that is made, by us or to us; legacy or enhanced event."""
        packet = self.wait(lambda p: p[:2] == b'\x04\x3e' and p[3] in (1, 10), timeout)
        if packet[4]:
            raise ConnectionError(f'status {packet[4]:02x}')
        return packet[5] | packet[6] << 8

    def disconnect(self, handle):
        self.command(0x0406, struct.pack('<HB', handle, 0x13))
        return self.wait(lambda p: p[:2] == b'\x04\x05', 3)[6]

    def send_att(self, handle, pdu, size=27):
        whole = struct.pack('<HH', len(pdu), 4) + pdu
        for at in range(0, len(whole), size):
            part = whole[at:at + size]
            self.write(struct.pack('<BHH', 2, handle | (0x1000 if at else 0), len(part)) + part)

    def receive_att(self, handle, timeout=5.0):
        data = b''
        while True:
            packet = self.wait(lambda p: p[0] == 2 and (p[1] | p[2] << 8) & 0xfff == handle, timeout)
            data = packet[5:] if packet[2] >> 4 & 3 != 1 else data + packet[5:]
            if len(data) >= 4 and len(data) >= 4 + int.from_bytes(data[:2], 'little'):
                if data[2:4] == b'\x04\0':
                    return data[4:]
                data = b''

    def att(self, handle, pdu, timeout=5.0):
        self.send_att(handle, pdu)
        return self.receive_att(handle, timeout)

    def services(self, handle):
        """Primary services as (first, last, uuid text), by Read By Group Type until the error that ends it."""
        found, start = [], 1
        while start:
            answer = self.att(handle, struct.pack('<BHHH', 0x10, start, 0xffff, 0x2800))
            if answer[0] == 1:
                break
            for at in range(2, len(answer), answer[1]):
                first, last = struct.unpack_from('<HH', answer, at)
                name = answer[at + 4:at + answer[1]][::-1]
                found.append((first, last, str(uuid.UUID(bytes=name)).upper() if len(name) == 16 else name.hex().upper()))
            start = last + 1 & 0xffff
        return found


def address_text(octets):
    return ':'.join(f'{b:02X}' for b in octets[::-1])


def reports(packet):
    """(extended, type, address, data, rssi) of every report in an advertising report event."""
    event, out, at = packet[4:], [], 1
    for _ in range(event[0]):
        if packet[3] == 2:
            count = event[at + 8]
            out.append((False, event[at], address_text(event[at + 2:at + 8]), event[at + 9:at + 9 + count],
                        struct.unpack_from('b', event, at + 9 + count)[0]))
            at += 10 + count
        else:
            count = event[at + 23]
            out.append((True, event[at] | event[at + 1] << 8, address_text(event[at + 3:at + 9]),
                        event[at + 24:at + 24 + count], struct.unpack_from('b', event, at + 13)[0]))
            at += 24 + count
    return out
