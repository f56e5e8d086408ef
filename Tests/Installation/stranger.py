#!/usr/bin/env python3
"""What a stranger does on a clean Debian 12 or 13, from the package to the first fire: stranger.py [CASE…], as root. Runs in the rigs' venv.

Each command is one that the one before has printed. deploy/build.sh has made this machine's binary; the virtual air is the radio.
"""
import re
import shutil
import subprocess

import cases
from cases import case
from product import ROOT, Air, wait_until
from rig import Mosquitto, Subscriber
from terminal import Terminal, Then

UUID = '2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'
ENTER = ('unshare --mount --pid --fork sh -c \'mount -t proc proc {0}/proc && cd {0} && exec chroot {0} env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin '
         'TERM=screen HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PS1="stranger> " sh -i\'')


def script(*words):
    return subprocess.run([ROOT / words[0], *words[1:]], check=True, capture_output=True, text=True).stdout.strip()


class Stranger:
    """Types only what was printed, and counts."""

    def __init__(self, terminal, tree):
        self.terminal, self.commands = terminal, []
        terminal.enter(ENTER.format(tree))
        terminal.shows('stranger>')

    def text(self):
        return '\n'.join(self.terminal.screen())

    def run(self, command, *, printed=True):
        if printed:
            assert command in self.text(), f'nobody has printed "{command}": {self.text()}'
        self.commands.append(command)
        # The tree has no sudo, and nobody but root.
        self.terminal.enter('clear; ' + command.removeprefix('sudo '))

    def answer(self, question, line='', seconds=15):
        wait_until(lambda: self.last().startswith(question), seconds, Then(lambda: f'"{question}" last on {self.terminal.screen()}'))
        self.terminal.enter(line)

    def last(self):
        return ([row.strip() for row in self.terminal.screen() if row.strip()] or [''])[-1]


def first_fire(folder, release):
    tree = folder / 'tree'
    tree.mkdir()
    subprocess.run(['tar', '-C', tree, '--exclude=./dev/*', '-xf', script('Tests/Installation/tree.sh', release)], check=True)
    subprocess.run(['mknod', '-m', '666', tree / 'dev/null', 'c', '1', '3'], check=True)
    arch = subprocess.run(['dpkg', '--print-architecture'], capture_output=True, text=True, check=True).stdout.strip()
    script('deploy/debian/pack.sh', 'deb', arch, folder)
    package = next(folder.glob('*.deb'))
    shutil.copy(package, tree / 'forecourt.deb')
    with Air(f'p0=unix:{tree}/run/air') as air, Mosquitto() as broker, Terminal(folder, 110, 60) as terminal, \
            Subscriber(broker.watch, 'forecourt/#') as seen:
        air.say('advertise', id='van', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi=-38, measured=-59)
        stranger = Stranger(terminal, tree)
        stranger.run('apt install -y ./forecourt.deb', printed=False)
        terminal.shows('Next: sudo forecourt setup', 60)
        stranger.run('sudo forecourt setup')
        for question, line in (
                ('Replace it', ''), ('radio [', 'unix:/run/air'), ('purpose:', 'Opens the gate for our vans'), ('name [', ''), ('site [', ''),
                ('broker [', f'127.0.0.1:{broker.port}'), ('Enter listens', ''), ('Which number? Enter', ''), ('Which of these? Enter', ''),
                ('call [', 'van 7'), ('trigger [', 'gate'), ('distance [', ''), ('group [', ''), ('Enter, a number or q:', '')):
            stranger.answer(question, line, 30)
        terminal.shows('Now take it', 30)
        air.say('silence', id='van')
        air.say('advertise', id='back', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi={'from': -92, 'to': -52, 'seconds': 6}, measured=-59)
        terminal.shows('It works.', 60)
        assert len(stranger.commands) == 2, stranger.commands
        # From here on it is real: the service, and what everybody may watch.
        wait_until(lambda: stranger.last() == 'stranger>', 10, Then(stranger.text))
        start = re.search(r'systemctl enable --now forecourt', stranger.text())
        watch = re.search(r"mosquitto_sub .*'forecourt/#'", stranger.text())
        assert start and watch and str(broker.port) in watch[0], stranger.text()
        air.say('silence', id='back')
        # A tree has no systemd: what the unit runs.
        unit = (tree / 'lib/systemd/system/forecourt.service').read_text()
        stranger.run(re.search(r'^ExecStart=(.*)', unit, re.M)[1], printed=False)
        seen.wait(lambda m: m.topic == 'forecourt/site/gateway/status' and b'"state":"online"' in bytes(m.payload), 20)
        air.say('advertise', id='again', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi={'from': -92, 'to': -52, 'seconds': 6}, measured=-59)
        fire = seen.wait(lambda m: m.topic == 'forecourt/site/gateway/trigger/gate' and b'"event":"fire"' in bytes(m.payload), 60)
        assert b'"name":"van 7"' in bytes(fire.payload) and b'simulated' not in bytes(fire.payload), fire
        assert len(stranger.commands) <= 5, stranger.commands
        terminal.key('C-c')
        wait_until(lambda: stranger.last().endswith('stranger>'), 10, Then(stranger.text))


@case
def bookworm(folder):
    """Debian 12: two commands to the first fire, four to the first message"""
    first_fire(folder, 'bookworm')


@case
def trixie(folder):
    """Debian 13: the same"""
    first_fire(folder, 'trixie')


if __name__ == '__main__':
    cases.main()
