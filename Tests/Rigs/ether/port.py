"""One controller's H4 line: a tcp or unix server, a pty, or a serial device; its log, and everything that can go wrong on it."""
import asyncio
import contextlib
import os
import pty
import random
import socket
import termios
import tty

from bumble.hci import HCI_Packet

LENGTH_WIDTH = {1: 1, 2: 2, 5: 2}  # packet type: octets of its length field, which begins at octet 3
BACKLOG = 1 << 20  # octets waiting for a slow reader; beyond, whole packets are lost, as in a controller


def speed(baud):
    return getattr(termios, f'B{baud}', termios.B115200)


class Port:
    """Faults are plain attributes and a list of refusals: a test sets them while it runs (control.py)."""

    def __init__(self, name, spec, controller, log):
        self.name, self.spec, self.controller, self.log = name, spec, controller, log
        self.commands = {}  # opcode -> how often
        self.opens = self.lost_packets = self.sent_octets = self.mistakes = 0
        self.hang = False  # commands and ACL are swallowed
        self.mute = False  # nothing at all comes out
        self.delay_s, self.refusals, self.swallowed = 0.0, {}, set()
        self.split, self.cut, self.rng = 0, 0, random.Random(name)
        self.server = self.fd = self.slave = self.link = self.peer = None
        self.waiting, self.buffer = bytearray(), bytearray()
        self.changed = asyncio.Event()
        controller.host = self

    @property
    def open(self):
        """Somebody may be listening: a client is connected, or the line is a tty."""
        return self.fd is not None

    def record(self, what, **more):
        self.log({'port': self.name, 'what': what, **more})
        self.changed.set()

    # -- the line --------------------------------------------------------------------------------------------------------

    async def start(self):
        kind, _, rest = self.spec.partition(':')
        if kind in ('tcp', 'unix'):
            await self._serve(kind, rest)
        elif kind == 'pty':
            self.fd, self.slave = pty.openpty()  # our own hold on the slave: a client may come and go
            tty.setraw(self.slave)
            self.link = rest
            with contextlib.suppress(FileNotFoundError):
                os.unlink(rest)
            os.symlink(os.ttyname(self.slave), rest)
            self._attach()
        elif kind == 'serial':
            path, _, baud = rest.partition('@')
            self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            tty.setraw(self.fd)
            attributes = termios.tcgetattr(self.fd)
            attributes[4] = attributes[5] = speed(baud or 115200)
            termios.tcsetattr(self.fd, termios.TCSANOW, attributes)
            self._attach()
        else:
            raise ValueError(f'a transport is tcp:HOST:PORT, unix:PATH, pty:LINK or serial:TTY@BAUD, not "{self.spec}"')

    async def _serve(self, kind, rest):
        if kind == 'unix':
            with contextlib.suppress(FileNotFoundError):
                os.unlink(rest)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(rest)
        else:
            host, _, number = rest.rpartition(':')
            listener = socket.create_server((host, int(number)))
            self.spec = f'tcp:{host}:{listener.getsockname()[1]}'  # 0 was asked for: say which it became
        listener.listen(4)
        listener.setblocking(False)
        self.server = listener
        asyncio.get_running_loop().add_reader(listener.fileno(), self._accept)

    def _accept(self):
        try:
            peer, _ = self.server.accept()
        except BlockingIOError:
            return
        self._detach('replaced')  # a new client takes the line over, as a reopened tty does
        peer.setblocking(False)
        if peer.family == socket.AF_INET:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer, self.fd = peer, peer.fileno()
        self._attach()

    def _attach(self):
        os.set_blocking(self.fd, False)
        self.opens += 1
        self.record('open')
        asyncio.get_running_loop().add_reader(self.fd, self._readable)

    def _detach(self, why):
        if self.fd is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.fd)
        loop.remove_writer(self.fd)
        if self.peer:
            self.peer.close()
        else:
            os.close(self.fd)
        self.fd = self.peer = None
        self.waiting.clear()
        self.buffer.clear()
        self.record('closed', why=why)

    def drop(self):
        """The adapter is pulled out: the line ends, nobody can come back until start() is called again."""
        self._detach('dropped')
        if self.server:
            asyncio.get_running_loop().remove_reader(self.server.fileno())
            self.server.close()
            self.server = None
            if self.spec.startswith('unix:'):
                os.unlink(self.spec[5:])
        if self.slave is not None:
            os.close(self.slave)
            os.unlink(self.link)
            self.slave = self.link = None

    # -- from the gateway ------------------------------------------------------------------------------------------------

    def _readable(self):
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return
        except OSError as error:
            data = b''
            self.record('read failed', error=str(error))
        if not data:
            self._detach('by peer')
            return
        self.buffer += data
        while self.buffer:
            width = LENGTH_WIDTH.get(self.buffer[0])
            if width is None:
                self.record('nonsense', hex=bytes(self.buffer[:16]).hex())
                del self.buffer[0]
                continue
            whole = 3 + width + int.from_bytes(self.buffer[3:3 + width], 'little')
            if len(self.buffer) < 3 + width or len(self.buffer) < whole:
                return
            packet = bytes(self.buffer[:whole])
            del self.buffer[:whole]
            self._packet(packet)

    def _packet(self, packet):
        if packet[0] == 1:
            opcode = packet[1] | packet[2] << 8
            self.commands[opcode] = self.commands.get(opcode, 0) + 1
            self.record('command', opcode=f'{opcode:04x}', hex=packet[4:].hex())
            if self.hang or opcode in self.swallowed:
                return
            if opcode in self.refusals:
                self.controller.complete(opcode, bytes([self.refusals[opcode]]))
                return
        else:
            self.record('acl' if packet[0] == 2 else 'iso', hex=packet[1:].hex())
            if self.hang:
                return
        if self.delay_s:
            asyncio.get_running_loop().call_later(self.delay_s, self._obey, packet)
        else:
            self._obey(packet)

    def _obey(self, packet):
        try:
            HCI_Packet.from_bytes(packet)
        except Exception as error:  # a malformed command gets the answer that a controller gives
            self.record('malformed', error=str(error), hex=packet.hex())
            if packet[0] == 1:
                self.controller.complete(packet[1] | packet[2] << 8, b'\x12')
            return
        try:
            self.controller.on_packet(packet)
        except Exception as error:  # ours or Bumble's mistake must not pass for a controller that hangs
            self.mistakes += 1
            self.record('mistake', error=repr(error), hex=packet.hex())
            if packet[0] == 1:
                self.controller.complete(packet[1] | packet[2] << 8, b'\x1f')

    # -- to the gateway --------------------------------------------------------------------------------------------------

    def on_packet(self, packet):
        """A packet of the controller (Bumble's name for a sink's entry)."""
        if not self.mute:
            self.send(packet)

    def send(self, data):
        """Octets, whole or not at all: what finds no room is lost and counted."""
        if self.fd is None:
            return
        if len(self.waiting) > BACKLOG:
            self.lost_packets += 1
            return
        if self.cut:  # the line loses the end of one packet
            data, self.cut = data[:-self.cut], 0
        self.sent_octets += len(data)
        if self.split and len(data) > 1:  # in pieces, so that packets arrive cut anywhere
            at = 0
            while at < len(data):
                step = self.rng.randint(1, self.split)
                self._write(data[at:at + step])
                at += step
        else:
            self._write(data)

    def _write(self, data):
        if not self.waiting:
            try:
                data = data[os.write(self.fd, data):]
            except BlockingIOError:
                pass
            except OSError:
                return
            if not data:
                return
            asyncio.get_running_loop().add_writer(self.fd, self._flush)
        self.waiting += data

    def _flush(self):
        try:
            del self.waiting[:os.write(self.fd, self.waiting)]
        except BlockingIOError:
            return
        except OSError:
            self.waiting.clear()
        if not self.waiting:
            asyncio.get_running_loop().remove_writer(self.fd)

    def report(self):
        """What a test asserts about the gateway on this line."""
        c = self.controller
        return {'spec': self.spec, 'open': self.open, 'opens': self.opens, 'scanning': c.le_scan_enable,
                'extended_scan': c.extended_scan, 'active_scan': c.le_scan_type == 1, 'family': c.family,
                'duplicates_filter': c.filter_duplicates, 'scan_s': round(c.scan_seconds, 3), 'advertising': c.is_advertising,
                'connections': len(c.le_connections), 'connecting': c.pending_le_connection is not None,
                'commands': {f'{k:04x}': v for k, v in sorted(self.commands.items())}, **c.counts,
                'mistakes': self.mistakes, 'lost_packets': self.lost_packets, 'sent_octets': self.sent_octets}
