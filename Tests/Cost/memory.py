#!/usr/bin/env python3
"""What memory it takes: memory.py [--check] [PROGRAM], build/amd64/forecourt unless named. Runs in the rigs' venv; --check fails above what
is promised.

Resident (VmRSS: our own pages, and those of the program and its libraries that are mapped, which others may share) a second after the
start without a broker, with 4,096 devices, with the largest table full, and connected with TLS; and the most that three commands took.
"""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from feeder import Feed, compiled
from measured import EVERYTHING, HERE, UNKNOWN, gateway, option, product
from mosquitto import Mosquitto
from rig import free_port

sys.path.insert(0, str(HERE / 'Fleet'))
from forecourts import BEACON, SCENARIO  # noqa: E402

checks = option('--check')
MOST_MB = {'start': 7.5, '4,096 devices': 9.8, '65,536 devices': 45, 'TLS': 11.5, 'check': 10.5, 'scan': 8, 'replay --report of an hour': 12}


def memory(pid, what='VmRSS'):
    """In all, and how much of it is nobody else's and on no disk."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return [int(re.search(rf'{name}:\s+(\d+) kB', status)[1]) / 1024 for name in (what, 'RssAnon')]


class Machine:
    def __init__(self, folder):
        self.folder, self.seen = folder, {}

    def note(self, what, pid, kind='VmRSS'):
        # At rest: an attempt to connect maps pages that it gives back when it ends, later on a busy machine.
        readings = [memory(pid, kind)]
        while kind == 'VmRSS' and len(readings) < 16:
            time.sleep(0.2)
            readings.append(memory(pid, kind))
        all, own = min(readings)
        self.seen[what] = all
        print(f'{what:28}{all:6.1f} MB, {own:5.1f} of it our own; {MOST_MB[what]} promised', flush=True)

    @contextlib.contextmanager
    def gateway(self, devices=4_096, port=None, tls=''):
        feed = Feed(self.folder)
        with gateway(self.folder, f'unix:{feed.path}', port or free_port(), EVERYTHING + UNKNOWN, devices=devices, mqtt=tls) as program:
            time.sleep(1)
            yield program, feed
        feed.close()

    def peak(self, what, *command):
        """Every command ends with a pause, in which what it took at most is read."""
        out = subprocess.Popen(['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=exit_group', '-e', 'inject=exit_group:delay_enter=1000000', product(),
                                *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        child = pathlib.Path(f'/proc/{out.pid}/task/{out.pid}/children').read_text().split()[0]
        while out.poll() is None:
            with contextlib.suppress(FileNotFoundError, TypeError):
                self.latest = memory(child, 'VmHWM')
            time.sleep(0.05)
        self.seen[what] = self.latest[0]
        print(f'{what:28}{self.latest[0]:6.1f} MB at most; {MOST_MB[what]} promised', flush=True)


def hour(folder):
    """An hour at eight pumps, with fifty people around."""
    text = SCENARIO.read_text()
    scenario = pathlib.Path(folder) / 'hour.toml'
    scenario.write_text(re.sub(r'duration_s = \d+', 'duration_s = 3600', text) + '''
[bystanders]
count = 50
corner_m = [-6, 13]
opposite_m = [30, 30]
shortest_interval_ms = 500
longest_interval_ms = 2000
''')
    subprocess.run([product(), 'simulate', scenario, '--out', f'{folder}/hour.btsnoop'], check=True, stdout=subprocess.DEVNULL)
    config = pathlib.Path(folder) / 'hour-config.toml'
    config.write_text(f'gateway.purpose = "Replays."\n[[radio]]\nname = "r"\nadapter = "hci0"\n[[region]]\nname = "all"\nmatch = "{BEACON}:*"\n'
                      f'[[trigger]]\nname = "pump-1"\nmatch = "{BEACON}:*"\n')
    return config, next(pathlib.Path(folder).glob('hour*.btsnoop'))


def main():
    with tempfile.TemporaryDirectory() as folder:
        compiled(folder)
        machine = Machine(folder)
        with machine.gateway() as (program, feed):
            machine.note('start', program.pid)
            feed.feed(2_000, 4, 4_096)
            time.sleep(1)
            machine.note('4,096 devices', program.pid)
        with machine.gateway(65_536) as (program, feed):
            feed.feed(10_000, 14, 65_536)
            time.sleep(1)
            machine.note('65,536 devices', program.pid)
        with Mosquitto(tls='server') as broker:
            with machine.gateway(port=broker.port, tls=f'host = "localhost"\ntls_ca = "{broker.certificates}/ca.pem"') as (program, _):
                program.told('connected to the broker')
                time.sleep(1)
                machine.note('TLS', program.pid)
            config = pathlib.Path(folder) / 'config.toml'
            feed = Feed(folder)
            machine.peak('check', 'check', '--config', config)
            machine.peak('scan', 'scan', '--config', config, '--json', '--seconds', '3')
            feed.close()
        config, capture = hour(folder)
        machine.peak('replay --report of an hour', 'replay', capture, '--config', config, '--report', f'{folder}/hour.html')
    if checks and (short := [f'{what}: {got:.1f} MB' for what, got in machine.seen.items() if got > MOST_MB[what]]):
        sys.exit('not kept: ' + '; '.join(short))


main()
