#!/usr/bin/env python3
"""Whole programs at 1,000 adverts a second: scanners.py VENV [PROGRAM]; VENV has Tests/Cost/requirements.txt. Runs in the rigs' venv.

In the same minute: our gateway and the bare loops of wake.py on the controller's own line (feed.c), bleak and TheengsGateway on a bus on
which bluez.py tells the same number of adverts as bluetoothd does. What bluetoothd would take is nobody's; the bus's own share is printed.
"""
import pathlib
import subprocess
import tempfile
import time

from feeder import Feed, compiled
from measured import HERE, gateway, taken, words
from mosquitto import Mosquitto
from process import die_with_parent
from rig import Program, wait_until

VENV = pathlib.Path(words.pop(0))
RATE, SETTLE, SECONDS = 1_000, 5, 20
BUS = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={path}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
'''


class Bus:
    """A bus of its own, an org.bluez on it, and one program that listens there."""

    def __init__(self, folder, name, *command):
        self.path, self.env = f'{folder}/{name}.bus', {'DBUS_SYSTEM_BUS_ADDRESS': f'unix:path={folder}/{name}.bus'}
        pathlib.Path(f'{self.path}.conf').write_text(BUS.format(path=self.path))
        self.daemon = Program(['dbus-daemon', '--nofork', f'--config-file={self.path}.conf'], f'{self.path}.words')
        self.bluez = Program([VENV / 'bin' / 'python', HERE / 'bluez.py', RATE, SETTLE + SECONDS + 5], f'{folder}/{name}.bluez', env=self.env)
        self.program = Program(command, f'{folder}/{name}.words', env=self.env)

    def __enter__(self):
        self.daemon.start()
        wait_until(lambda: pathlib.Path(self.path).exists(), 5, 'the bus is there')
        self.bluez.start()
        time.sleep(1)
        self.program.start()
        return self

    def __exit__(self, *_):
        for each in (self.program, self.bluez, self.daemon): each.stop()


def main():
    with tempfile.TemporaryDirectory() as folder, Mosquitto() as broker:
        compiled(folder)
        feed = Feed(folder)
        theengs = [VENV / 'bin' / 'TheengsGateway', '-H', '127.0.0.1', '-P', broker.port, '-sd', 3600, '-tb', 1, '-D', 0]
        with gateway(folder, f'unix:{feed.path}', broker.port) as ours, \
                Bus(folder, 'bleak', VENV / 'bin' / 'python', HERE / 'bleak_scanner.py') as bleak, Bus(folder, 'theengs', *theengs) as rival:
            loops = {how: subprocess.Popen([f'{folder}/loop', feed.path, 'stream', how], stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
                     for how in ('one', 'gather')}
            ours.told('connected to the broker')
            time.sleep(1)
            pids = {'a loop in C that gathers for 10 ms': loops['gather'].pid, 'a loop in C, one by one': loops['one'].pid, 'forecourt': ours.pid,
                    'bleak, counting': bleak.program.pid, 'its bus': bleak.daemon.pid, 'TheengsGateway': rival.program.pid, 'its bus ': rival.daemon.pid}
            feed.process.stdin.write(f'{RATE} {SETTLE + SECONDS + 2} 50\n')
            feed.process.stdin.flush()
            time.sleep(SETTLE)
            before, began = {name: taken(pid)[0] for name, pid in pids.items()}, time.monotonic()
            time.sleep(SECONDS)
            passed = time.monotonic() - began
            shares = {name: (taken(pid)[0] - before[name]) / passed for name, pid in pids.items()}
            heard = [int(line) for line in bleak.program.said().split() if line.isdigit()]
            print(f'(bleak heard {(heard[-1] - heard[-3]) / 10:.0f} a second)' if len(heard) > 2 else bleak.program.said()[-500:])
            if not rival.program.running: print(rival.program.said()[-800:])
    print(f'{"at 1,000 adverts a second":38}{"of a core":>9}{"forecourts":>16}')
    for name, share in shares.items(): print(f'{name:38}{100 * share:7.2f} %{share / shares["forecourt"]:15.1f}×')


main()
