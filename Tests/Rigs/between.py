"""Stands on a line and hands on what two ends say to each other: sees it, adds to it, cuts it."""
import socket
import time


def unix(path):
    end = socket.socket(socket.AF_UNIX)
    end.connect(path)
    return end


class Between:
    """`listener` is where the product calls, `connect` gives the far end. One call at a time: a new one replaces the last."""

    def __init__(self, listener, connect):
        self.listener, self.connect, self.product, self.far, self.closed_until = listener, connect, None, None, 0.0
        listener.listen()

    def sockets(self):
        return [self.listener] + [end for end in (self.product, self.far) if end]

    def take(self, ready):
        """What the product said just now, handed on."""
        if ready is self.listener:
            self.cut()
            self.product = self.listener.accept()[0]
            if time.monotonic() < self.closed_until: return self.cut()
            self.far = self.connect()
            return b''
        try:
            said = ready.recv(65_536)
            if said: (self.far if ready is self.product else self.product).sendall(said)
        except OSError:
            said = b''
        if not said: return self.cut()
        return said if ready is self.product else b''

    def add(self, said):
        """To the product, in the far end's voice; not when the line is cut."""
        try:
            if self.product: self.product.sendall(said)
        except OSError:
            self.cut()

    def cut(self, seconds=0.0):
        """Hangs up; who calls within the time is hung up on, too."""
        for end in (self.product, self.far):
            if end: end.close()
        self.product = self.far = None
        if seconds: self.closed_until = time.monotonic() + seconds
        return b''
