"""What every rig needs of the system: free ports, processes that never outlive the test, waiting with an end."""
import contextlib
import ctypes
import os
import pathlib
import random
import signal
import socket
import subprocess
import time

_libc = ctypes.CDLL(None)
_reserved = []


def die_with_parent():
    """Between fork and exec: the kernel ends the child when the thread that started it ends, however it ends."""
    _libc.prctl(1, signal.SIGKILL)


def free_port():
    """A free loopback port, ours while this process lives. It lies below those that the kernel gives to connections: they would take it
    from a server that starts slowly."""
    below = int(pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').read_text().split()[0])
    while True:
        port = random.randrange(10_000, below)
        # The name is gone with the process, however it ends.
        name = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError), socket.socket() as probe:
            name.bind(f'\0forecourt-test-port-{port}')
            probe.bind(('127.0.0.1', port))
            _reserved.append(name)
            return port
        name.close()


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
    """A process of ours, its output in a file; stopped by its pid, never by its name. `with Program(…) as it:` starts and stops it."""

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

    def pause(self):
        """It hangs: connections stay, nothing is answered."""
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def stop(self, seconds=5):
        """SIGTERM, and SIGKILL if it does not listen. A paused process is woken first."""
        if self.running:
            self.resume()
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self):
        """In an instant: peers see their connections reset, nothing more is saved."""
        if self.running:
            self.process.kill()
            self.process.wait()

    def said(self):
        with open(self.output, errors='replace') as out:
            return out.read()

    def told(self, part, seconds=10, times=1):
        """Waits until it has printed that."""
        wait_until(lambda: self.said().count(part) >= times, seconds, f'"{part}" among: {self.said()[-3000:]}')

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()


class Server(Program):
    """A program that has started once serves() is true."""

    name, patience = 'the server', 5

    def launch(self):
        super().start()

    def ready(self, seconds=None):
        def up():
            if not self.running:
                raise RuntimeError(f'{self.name} ended: {self.said()[-3000:]}')
            return self.serves()
        wait_until(up, seconds or self.patience, f'{self.name} is up')

    def start(self):
        self.launch()
        self.ready()
