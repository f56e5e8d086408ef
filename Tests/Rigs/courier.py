"""The courier rig as a child: lines in, lines out, killed and started at will. See Tests/Delivery/CourierRig/main.swift."""
import json
import os
import subprocess
import threading
import time

from process import die_with_parent
from product import ROOT

RIG = os.environ.get('COURIER_RIG', str(ROOT / '.build' / 'debug' / 'courier-rig'))


class Courier:
    """with Courier(port=…, outbox=…) as courier: courier.say('events 1 5'); courier.wait('stored 5')"""

    def __init__(self, under=(), **settings):
        words = [f'{key}={value}' for key, value in settings.items()]
        self.process = subprocess.Popen([*under, RIG, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, bufsize=1, preexec_fn=die_with_parent)
        self.lines, self.words, self.fresh = [], [], threading.Condition()
        self.readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.words))]
        for reader in self.readers:
            reader.start()

    def _read(self, pipe, into):
        for line in pipe:
            with self.fresh:
                into.append(line.strip())
                self.fresh.notify_all()

    def say(self, line):
        self.process.stdin.write(line + '\n')

    def wait(self, start, seconds=10.0, after=0, among=None):
        """The first line that begins so."""
        among, until = self.lines if among is None else among, time.monotonic() + seconds
        with self.fresh:
            while True:
                for line in among[after:]:
                    if line.startswith(start):
                        return line
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f'no "{start}" in {seconds} s; said: {among[-5:]} {self.words[-5:]}')
                self.fresh.wait(left)

    def told(self, part, seconds=10.0):
        """The first line on stderr with `part` in it."""
        until = time.monotonic() + seconds
        with self.fresh:
            while True:
                for line in self.words:
                    if part in line:
                        return line
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f'nothing about "{part}" in {seconds} s; said: {self.words}')
                self.fresh.wait(left)

    def online(self, seconds=10.0):
        self.told('connected to the broker', seconds)
        return self

    @property
    def figures(self):
        seen = len(self.lines)
        self.say('figures')
        return json.loads(self.wait('figures ', after=seen)[8:])

    def until(self, test, seconds=10.0, what='the figures'):
        """The first figures that pass."""
        end = time.monotonic() + seconds
        while True:
            figures = self.figures
            if test(figures):
                return figures
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not within {seconds} s: {figures}; {self.words}")
            time.sleep(0.05)

    @property
    def stored(self):
        """How many events it has said are on the disk."""
        return max([int(line.split()[1]) for line in self.lines if line.startswith('stored ')], default=0)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join(5)

    def stop(self):
        """In order; how long it took."""
        self.say('stop')
        self.process.stdin.close()
        self.process.wait(10)
        for reader in self.readers:
            reader.join(5)
        return float(self.wait('ended ').split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
