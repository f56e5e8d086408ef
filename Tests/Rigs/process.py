"""What every rig needs of the system: free ports, processes that never outlive the test, waiting with an end."""
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time

_libc = ctypes.CDLL(None)


def die_with_parent():
    """Between fork and exec: the kernel ends the child when the thread that started it ends, however it ends."""
    _libc.prctl(1, signal.SIGKILL)


def free_port():
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wait_until(test, seconds, what):
    """The first true value of test()."""
    until = time.monotonic() + seconds
    while True:
        value = test()
        if value:
            return value
        if time.monotonic() > until:
            raise TimeoutError(f'{what}: not within {seconds} s')
        time.sleep(0.01)


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', port), 0.5):
        return True
    return False


class Program:
    """A process of ours, its output in a file; stopped by its pid, never by its name."""

    def __init__(self, args, output, env=None, cwd=None):
        self.args, self.output, self.env, self.cwd, self.process = [str(a) for a in args], str(output), env, cwd, None

    def start(self):
        with open(self.output, 'ab') as out:
            self.process = subprocess.Popen(self.args, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.cwd,
                                            env={**os.environ, **(self.env or {})}, preexec_fn=die_with_parent)

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, seconds=5):
        """Asks, and ends what does not listen. A paused process is woken first."""
        if self.running:
            self.signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self):
        if self.running:
            self.process.kill()
            self.process.wait()

    def said(self):
        with open(self.output, errors='replace') as out:
            return out.read()
