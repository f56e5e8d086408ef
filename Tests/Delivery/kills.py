"""Kills: of the courier, of the broker, of the line between them, and between any two system calls of a store.

    $(Tests/Rigs/venv.sh) Tests/Delivery/kills.py [--kills N] [--seed N] [--stride N]

Every event that the courier said was on the disk must reach the subscriber; it may come again, but only as the same event.
"""
import argparse
import contextlib
import json
import pathlib
import random
import select
import shutil
import socket
import struct
import tempfile
import threading
import time

from courier import Courier
from rig import Mosquitto, Subscriber, free_port, wait_until


class Line:
    """A TCP line to the broker that can be cut in the middle of anything."""

    def __init__(self, to):
        self.to, self.pairs, self.open = to, [], True
        self.door = socket.create_server(('127.0.0.1', 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            near = self.door.accept()[0]
            try:
                assert self.open
                far = socket.create_connection(('127.0.0.1', self.to), 1)
            except (OSError, AssertionError):
                self._reset(near)
                continue
            self.pairs.append((near, far))
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near, far):
        with contextlib.suppress(OSError, ValueError):
            while True:
                for ready in select.select([near, far], [], [])[0]:
                    data = ready.recv(1 << random.randrange(4, 14))
                    if not data:
                        raise OSError
                    (far if ready is near else near).sendall(data)
        for end in (near, far):
            self._reset(end)

    @staticmethod
    def _reset(end):
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            end.close()

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        self.pairs.clear()


def number_of(message):
    return json.loads(message.payload)['number']


def numbers(seen):
    return [number_of(m) for m in list(seen.messages) if '/trigger/' in m.topic]


def check(seen, promised, pushed):
    """Compares what the subscriber received with what was promised."""
    first, ids = [], {}
    for message in seen:
        event = json.loads(message.payload)
        number = event['number']
        if number in ids:
            assert ids[number] == message.payload, ('an event changed', ids[number], message.payload)
        else:
            ids[number] = message.payload
            first.append(number)
    assert len({json.loads(p)['event_id'] for p in ids.values()}) == len(ids), 'an id was given twice'
    missing = promised - set(first)
    assert not missing, f'{len(missing)} stored events were lost: {sorted(missing)[:10]}'
    assert set(first) <= pushed, 'events that nobody made'
    assert first == sorted(first), 'events overtook each other'
    return len(first), len(seen) - len(first)


def kills(count, seed):
    folder = pathlib.Path(tempfile.mkdtemp(prefix='kills-'))
    dice, next_number, promised, pushed, heard = random.Random(seed), 1, set(), set(), []
    done = {'courier': 0, 'line': 0, 'broker': 0}
    port = free_port()
    # Unbounded, so that the broker's own queues, which die with it, hold nothing back.
    broker = Mosquitto(port=port, config='max_inflight_messages 0\nmax_queued_messages 0')
    line = Line(port)
    begun = time.monotonic()
    with broker:
        seen = Subscriber(port, 'forecourt/#', qos=0)
        seen.__enter__()
        courier, mine = Courier(port=line.port, outbox=folder / 'o', keepalive=5), []

        def account():
            """The events that this courier has promised: they are stored in the order they came."""
            promised.update(mine[:courier.stored])

        while sum(done.values()) < count:
            batch = dice.randrange(1, 40)
            courier.say(f'events {next_number} {next_number + batch - 1}')
            mine += range(next_number, next_number + batch)
            pushed.update(mine[-batch:])
            next_number += batch
            time.sleep(dice.choice((0, 0.001, 0.003, 0.01, 0.03, 0.06)) * dice.random() * 2)
            what = dice.choices(('courier', 'line', 'broker'), (10, 5, 1))[0]
            done[what] += 1
            if what == 'line':
                line.cut()
            if what == 'broker':
                line.open = False
                broker.kill()
                line.cut()
                # It has then read all that the broker had written.
                wait_until(lambda: not seen.client.is_connected(), 10, 'the subscriber is cut off')
                broker.start()
                seen.__exit__()
                heard += [m for m in seen.messages if '/trigger/' in m.topic]
                seen = Subscriber(port, 'forecourt/#', qos=0)
                seen.__enter__()
                line.open = True
            if what == 'courier' or (courier.process.poll() is not None):
                courier.kill()
                account()
                courier, mine = Courier(port=line.port, outbox=folder / 'o', keepalive=5), []
                time.sleep(dice.choice((0, 0.01, 0.05, 0.1)) * dice.random())
        courier.until(lambda f: f['online'] and f['waiting'] == 0 and f['stored'] == len(mine), 90, 'all delivered in the end')
        account()
        assert courier.stop() < 2
        assert not any('set aside' in words for words in courier.words)
        wait_until(lambda: promised <= {*numbers(seen), *map(number_of, heard)}, 10, 'all that was promised')
        seen.__exit__()
        heard += [m for m in seen.messages if '/trigger/' in m.topic]
    total, again = check(heard, promised, pushed)
    shutil.rmtree(folder)
    print(f'ok   kills: seed {seed}, {done["courier"]} of the courier, {done["line"]} of the line, {done["broker"]} of the broker; '
          f'{len(pushed)} events, {len(promised)} promised, {total} delivered, {again} again with the same id; '
          f'{time.monotonic() - begun:.0f} s', flush=True)


# Every system call that a store, its opening or its closing makes.
CALLS = 'fcntl,pwrite64,pread64,fdatasync,fsync,ftruncate,openat,close,unlink,mmap,munmap,flock,fallocate,lseek,newfstatat,fstat'


def between_calls(stride):
    """A power cut, as far as a process can play one: the courier dies at its Nth system call, for every N."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix='calls-'))
    begun, died, at = time.monotonic(), 0, 0
    with Courier(port=1, outbox=folder / 'before') as courier:
        courier.say('events 1 40')
        courier.wait('stored 40')
        courier.kill()
    with Mosquitto() as broker, Subscriber(broker.watch, 'forecourt/#') as seen:
        while True:
            at += stride
            for suffix in ('', '-wal', '-shm'):
                shutil.copy(folder / f'before{suffix}', folder / f'o{suffix}')
            strace = ['strace', '-f', '-o', folder / 'trace', '-e', f'trace={CALLS}', '-e', f'inject={CALLS}:signal=KILL:when={at}']
            courier = Courier(under=strace, port=1, outbox=folder / 'o')
            with contextlib.suppress(OSError, TimeoutError):
                for first in (101, 104, 107):
                    courier.say(f'events {first} {first + 2}')
                    courier.wait(f'stored {first - 98}', 0.3)
            # On a slow machine it may still be storing; then it ends with what it has.
            with contextlib.suppress(OSError):
                courier.process.stdin.close()
            courier.process.wait(10)
            for reader in courier.readers:
                reader.join(5)
            promised = set(range(1, 41)) | set(range(101, 101 + courier.stored))
            seen.messages.clear()
            with Courier(port=broker.port, outbox=folder / 'o') as after:
                figures = after.until(lambda f: f['online'] and f['waiting'] == 0, 10)
                assert not figures['troubles'], after.words
                wait_until(lambda: promised <= set(numbers(seen)), 5, f'all of the events after a kill at call {at}')
                after.stop()
            check([m for m in seen.messages if '/trigger/' in m.topic], promised, set(range(1, 41)) | set(range(101, 110)))
            if 'ended' in ' '.join(courier.lines):
                break
            died += 1
    shutil.rmtree(folder)
    print(f'ok   between_calls: killed at {died} places up to call {at}; {time.monotonic() - begun:.0f} s', flush=True)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--kills', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--stride', type=int, default=7, help='1: every system call; more: every so many')
    words = parser.parse_args()
    kills(words.kills, words.seed)
    between_calls(words.stride)
    print('2 passed, 0 failed')
