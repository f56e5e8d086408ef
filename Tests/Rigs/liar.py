"""A broker that says what a test wants it to say, where a real one cannot be made to: MQTT 3.1.1 and 5, one client at a time."""
import contextlib
import socket
import struct
import threading


def length(count):
    """A variable byte integer. MQTT 5, 1.5.5."""
    out = bytearray()
    while True:
        count, digit = divmod(count, 128)
        out.append(digit | 0x80 if count else digit)
        if not count:
            return bytes(out)


class Liar:
    """with Liar(puback=lambda topic, payload: 0x97, after=lambda filter: b'raw bytes') as liar: …

    `puback` gives the reason of each PUBACK (MQTT 5), None for no answer; `after`, what follows the SUBACK of a filter; `published` has
    (topic, payload, retain) of all that came, `filters` all that was subscribed to, `connections` how often somebody came."""

    def __init__(self, puback=lambda topic, payload: 0, after=lambda filter: b''):
        self.puback, self.after, self.published, self.filters, self.connections = puback, after, [], [], 0

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                near = self.door.accept()[0]
                self.connections += 1
                threading.Thread(target=self._talk, args=(near,), daemon=True).start()

    def _talk(self, near):
        with contextlib.suppress(OSError, EOFError), near, near.makefile('rb') as words:
            version = 5
            while True:
                kind = self._take(words, 1)[0]
                count, shift = 0, 0
                while True:
                    digit = self._take(words, 1)[0]
                    count |= (digit & 0x7F) << shift
                    shift += 7
                    if digit < 0x80:
                        break
                body = self._take(words, count)
                if kind >> 4 == 1:
                    version = body[6]
                    near.sendall(b'\x20\x03\x00\x00\x00' if version == 5 else b'\x20\x02\x00\x00')
                elif kind >> 4 == 3:
                    self._published(near, version, kind, body)
                elif kind >> 4 == 8:
                    start = 2 + (1 + body[2] if version == 5 else 0)
                    size = struct.unpack('>H', body[start:start + 2])[0]
                    name = body[start + 2:start + 2 + size].decode()
                    self.filters.append(name)
                    near.sendall((b'\x90\x04' + body[:2] + b'\x00\x01' if version == 5 else b'\x90\x03' + body[:2] + b'\x01') + self.after(name))
                elif kind >> 4 == 12:
                    near.sendall(b'\xd0\x00')
                elif kind >> 4 == 14:
                    return

    def _published(self, near, version, kind, body):
        size = struct.unpack('>H', body[:2])[0]
        topic, rest = body[2:2 + size].decode(), body[2 + size:]
        quality = kind >> 1 & 3
        identifier, rest = (rest[:2], rest[2:]) if quality else (b'', rest)
        # Ours are short: one byte of length.
        payload = rest[1 + rest[0]:] if version == 5 else rest
        self.published.append((topic, payload, bool(kind & 1)))
        reason = self.puback(topic, payload)
        if quality and reason is not None:
            near.sendall(b'\x40\x03' + identifier + bytes([reason]) if version == 5 else b'\x40\x02' + identifier)

    @staticmethod
    def _take(words, count):
        data = words.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def __enter__(self):
        self.door = socket.create_server(('127.0.0.1', 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.door.close()
