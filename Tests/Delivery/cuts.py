"""The connection cut at every byte of the CONNECT exchange and the first messages: the courier must notice at once and lose nothing.

    $(Tests/Rigs/venv.sh) Tests/Delivery/cuts.py [NAME…]
"""
import concurrent.futures
import contextlib
import itertools
import os
import select
import socket
import struct
import threading
import time

from cases import case, main
from courier import Courier
from rig import Mosquitto, Subscriber, wait_until

STRIDE = int(os.environ.get('CUT_STRIDE', '1'))


class Line:
    """A TCP line to a broker. Its first connection is cut when so many bytes have passed `up` (to the broker) or `down`: by a reset, by an
    end, or by silence. Until `mend` no connection gets through after that."""

    def __init__(self, to, direction, count, how):
        self.to, self.direction, self.left, self.how = to, direction, count, how
        self.is_cut, self.is_mended, self.held = threading.Event(), threading.Event(), []
        self.door = socket.create_server(('127.0.0.1', 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def mend(self):
        self.is_mended.set()

    def close(self):
        self.door.close()
        for end in self.held:
            end.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            for number in itertools.count():
                near = self.door.accept()[0]
                if number and not self.is_mended.is_set():
                    self._reset(near)
                    continue
                threading.Thread(target=self._carry, args=(near, number == 0), daemon=True).start()

    def _carry(self, near, is_first):
        far = socket.create_connection(('127.0.0.1', self.to))
        with contextlib.suppress(OSError):
            while not (is_first and self.left == 0):
                for ready in select.select([near, far], [], [])[0]:
                    is_counted = is_first and (ready is near) == (self.direction == 'up')
                    data = ready.recv(self.left if is_counted else 65536)
                    if not data:
                        raise OSError
                    (far if ready is near else near).sendall(data)
                    if is_counted:
                        self.left -= len(data)
                        if not self.left:
                            break
        if is_first and self.how == 'silence' and self.left == 0:
            self.held += [near, far]
        else:
            self._reset(far)
            if self.how == 'end':
                near.close()
            else:
                self._reset(near)
        if is_first:
            self.is_cut.set()

    @staticmethod
    def _reset(end):
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            end.close()


def cut(broker, folder, direction, count, how):
    """One courier, one cut; says whether that many bytes passed."""
    name = f'{direction}-{count}-{how}'
    line = Line(broker.port, direction, count, how)
    patience = 14 if how == 'silence' else 2
    try:
        with Courier(port=line.port, outbox=folder / name, name=name, commands=1, claims=1, keepalive=5) as courier:
            courier.say('events 1 4')
            courier.say('state door {}')
            courier.wait('stored 4')
            if not line.is_cut.wait(1.5):
                return False
            # A connection lost before CONNACK counts as failed, a later one as offline: one of them, and soon.
            courier.until(lambda f: f['online'] == 0 and f['connections'] + f['failed'] >= 1, patience, f'{name}: the loss is noticed')
            line.mend()
            courier.until(lambda f: f['online'] and f['delivered'] == 4 and f['waiting'] == 0, 20, f'{name}: all is well again')
            # And it stays up: nothing is left over from the connection before.
            mark = courier.figures
            courier.say('events 5 6')
            figures = courier.until(lambda f: f['delivered'] == 6, 3, f'{name}: what comes later')
            assert figures['connections'] == mark['connections'], (name, mark, figures)
            return True
    finally:
        line.close()


def each(folder, cuts):
    """Many at a time: they mostly wait for timers."""
    with Mosquitto() as broker, Subscriber(broker.watch, 'forecourt/#') as seen:
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            made = list(pool.map(lambda words: (words, cut(broker, folder, *words)), cuts))
        for (direction, count, how), happened in made:
            if not happened:
                continue
            def mine(part):
                return {m.payload for m in seen.messages if m.topic.startswith(f'forecourt/site/{direction}-{count}-{how}/{part}')}
            # What is acknowledged may still be on its way to the subscriber.
            wait_until(lambda: len(mine('trigger')) >= 6 and mine('region/door'), 5, f'all of {direction}-{count}-{how}: {mine("")}')
            assert len(mine('trigger')) == 6, (direction, count, how, mine('trigger'))
        happened = [words for words, happened in made if happened]
        print(f'  {len(happened)} cuts of {len(made)} tried, up to {max(c for d, c, _ in happened if d == "up")} bytes up')
        return happened


@case
def at_every_byte(folder):
    """In the broker's direction: CONNACK, three SUBACKs, the first acknowledgements; in ours likewise."""
    down = [('down', count, how) for count in range(1, 49, STRIDE) for how in ('reset', 'end')]
    up = [('up', count, how) for count in range(1, 1100, 25 * STRIDE) for how in ('reset', 'end')]
    assert len(each(folder, down + up)) > 80 / STRIDE


@case
def in_silence(folder):
    """Nothing is cut but nothing comes: the CONNACK timeout or keepalive ends the connection."""
    assert len(each(folder, [('down', count, 'silence') for count in (1, 4, 8, 11, 14, 17, 24, 30)] + [('up', 300, 'silence')])) > 5


@case
def under_a_flood(folder):
    """A connection that accepts no more bytes and is then reset, with much to send: that is noticed at once, not at the next keepalive."""
    with Mosquitto() as broker:
        for attempt in range(4):
            line = Line(broker.port, 'up', 200_000, 'silence')
            try:
                with Courier(port=line.port, outbox=folder / f'o{attempt}', keepalive=60) as courier:
                    courier.online()
                    courier.say('flood 3')
                    assert line.is_cut.wait(10)
                    time.sleep(0.3 + attempt * 0.1)
                    for end in line.held:
                        line._reset(end)
                    begun = time.monotonic()
                    courier.told('no connection to the broker', 3)
                    assert time.monotonic() - begun < 1
                    courier.wait('flooded', 20)
                    line.mend()
                    courier.until(lambda f: f['online'], 5, 'it comes back')
            finally:
                line.close()


@case
def without_acknowledgements(folder):
    """A broker that answers pings but acknowledges nothing: the courier does not wait for ever."""
    with socket.create_server(('127.0.0.1', 0)) as door:
        greeted = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    near = door.accept()[0]
                    greeted.append(near)
                    threading.Thread(target=answer, args=(near,), daemon=True).start()

        def answer(near):
            with contextlib.suppress(OSError):
                near.recv(4096)
                near.sendall(b'\x20\x03\x00\x00\x00')
                while data := near.recv(65536):
                    if data.endswith(b'\xc0\x00'):
                        near.sendall(b'\xd0\x00')
        threading.Thread(target=serve, daemon=True).start()
        with Courier(port=door.getsockname()[1], outbox=folder / 'o', keepalive=5) as courier:
            courier.online()
            courier.say('events 1 3')
            courier.wait('stored 3')
            assert 'acknowledge' in courier.told('no connection to the broker', 40)
            wait_until(lambda: len(greeted) >= 2, 10, 'it calls again')


if __name__ == '__main__':
    main()
