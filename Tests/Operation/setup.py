#!/usr/bin/env python3
"""`forecourt setup` on a real terminal (tmux), with an air and a broker around it: setup.py [CASE…]. Runs in the rigs' venv.

$FORECOURT names the program: .build/debug/forecourt unless it says otherwise.
"""
import os
import shlex
import signal

import cases
from cases import case
from product import FORECOURT, Air, wait_until
from rig import Mosquitto, free_port, run
from terminal import Terminal, Then

UUID = '2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'
ANNA = f'ibeacon:{UUID}:7:1'


def people(air):
    """One in the hand at the antenna, one across the room, and a phone that changes its address."""
    air.say('advertise', id='anna', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi=-38, measured=-59)
    air.say('advertise', id='other', kind='ibeacon', uuid=UUID, major=7, minor=2, rssi=-75, measured=-59)


class Setup:
    """The program on a terminal, and what a person types into it."""

    def __init__(self, terminal, folder, *options):
        self.terminal, self.file = terminal, folder / 'config.toml'
        terminal.enter(shlex.join([FORECOURT, 'setup', '--config', str(self.file), *map(str, options)]) + '; echo "ended $?"')

    def answer(self, question, line='', seconds=10):
        """Waits until the last line is this question, then types."""
        wait_until(lambda: ([row for row in self.terminal.screen() if row.strip()] or [''])[-1].strip().startswith(question), seconds,
                   Then(lambda: f'"{question}" last on {self.terminal.screen()}'))
        self.terminal.enter(line)

    def ended(self, code, seconds=10):
        self.terminal.shows(f'ended {code}', seconds)

    def nothing(self):
        assert not [name.name for name in self.file.parent.iterdir() if name.name.startswith('config')], list(self.file.parent.iterdir())


@case
def visit(folder):
    """from nothing to the first fire: every question, one answer taken back, the device by its level, the broker tried, check, a fire"""
    with Air('p0=unix') as air, Mosquitto() as broker, Terminal(folder, 100, 60) as terminal:
        people(air)
        setup = Setup(terminal, folder, '--seconds', 60)
        setup.answer('radio [hci0]:', 'hci77x')
        terminal.shows('radio adapter ("hci77x") must be')
        setup.answer('radio [hci0]:', air.lines['p0'])
        terminal.shows('can be opened')
        setup.answer('purpose:')
        terminal.shows('purpose must not be empty')
        setup.answer('purpose:', 'Opens the "door" for Anna')
        setup.answer('name [gateway]:', 'dor-1')
        setup.answer('site [site]:', '<')
        setup.answer('name [dor-1]:', 'door-1')
        setup.answer('site [site]:')
        setup.answer('broker [localhost]:', f'127.0.0.1:{free_port()}')
        terminal.shows('no broker runs here')
        setup.answer('Run "', 'n')
        setup.answer('Keep this answer', 'n')
        setup.answer('broker', f'localhost:{broker.port}')
        setup.answer('Enter listens', '')
        setup.answer('Which number? Enter takes 1', '', 20)
        terminal.shows('1 is much nearer than all others')
        setup.answer('Which of these? Enter takes 1', '1')
        setup.answer('call [none]:', 'Anna')
        setup.answer('trigger [door-1]:', 'door')
        setup.answer('distance [1.5]:', 'two')
        terminal.shows('write a number of metres')
        setup.answer('distance [1.5]:', '2')
        setup.answer('group [none]:', 'a/b')
        terminal.shows('group ("a/b") must not contain')
        setup.answer('group [none]:', 'doors')
        setup.nothing()
        setup.answer('Enter, a number or q:', '4')
        setup.answer('site [site]:', 'museum')
        setup.answer('Enter, a number or q:')
        terminal.shows('is written', 20)
        terminal.shows('Now take it', 20)
        text = setup.file.read_text()
        for part in ('purpose = "Opens the \\"door\\" for Anna"', 'name = "door-1"', 'site = "museum"', f'match = "{ANNA}"', 'fire_m = 2',
                     'group = "doors"', 'name = "Anna"', f'port = {broker.port}', '# Whom it is for: this beacon'):
            assert part in text, (part, text)
        assert not list(folder.glob('config*.part')) and not list(folder.glob('config*.new'))
        air.say('silence', id='anna')
        air.say('advertise', id='anna2', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi={'from': -92, 'to': -52, 'seconds': 6}, measured=-59)
        terminal.shows('It works.', 60)
        assert any('"event":"fire"' in line for line in terminal.screen()), terminal.screen()
        terminal.shows(f"mosquitto_sub -h localhost -p {broker.port} -v -t 'forecourt/#'")
        setup.ended(0)
        told = run(FORECOURT, 'check', '--lint', '--config', setup.file)
        assert told.returncode == 0 and not told.stderr, told


@case
def mended(folder):
    """what one command mends it runs when told, and then looks again"""
    port = free_port()
    (folder / 'bin').mkdir()
    (folder / 'mosquitto.conf').write_text(f'listener {port} 127.0.0.1\nallow_anonymous true\nuser root\npid_file {folder}/pid\n')
    for name, line in {'sudo': 'exec "$@"', 'systemctl': f'echo "$@" >{folder}/asked; mosquitto -d -c {folder}/mosquitto.conf; sleep 1'}.items():
        (folder / 'bin' / name).write_text(f'#!/bin/sh\n{line}\n')
        (folder / 'bin' / name).chmod(0o755)
    with Air('p0=unix') as air, Terminal(folder, 100, 60) as terminal:
        terminal.enter(f'PATH={folder}/bin:$PATH:/usr/sbin')
        setup = Setup(terminal, folder, '--radio', air.lines['p0'], '--purpose', 'x', '--name', 'a', '--site', 'b', '--match', ANNA)
        setup.answer('broker [localhost]:', f'127.0.0.1:{port}')
        wait_until(lambda: any('systemctl enable --now mosquitto"?' in row for row in terminal.screen()), 10, Then(terminal.screen))
        setup.answer('Run "')
        try:
            terminal.shows('we may write below forecourt/b/a')
            assert (folder / 'asked').read_text() == 'enable --now mosquitto\n'
            terminal.shows('call [none]:')
            terminal.key('C-c')
            setup.ended(1)
        finally:
            if (folder / 'pid').exists():
                os.kill(int((folder / 'pid').read_text()), signal.SIGTERM)


@case
def login(folder):
    """a broker that wants a name gets one; the password is not shown, and stands in a file of its own"""
    with Air('p0=unix') as air, Mosquitto(users={'gate': 'open sesame'}) as broker, Terminal(folder, 100, 60) as terminal:
        setup = Setup(terminal, folder, '--radio', air.lines['p0'], '--purpose', 'x', '--name', 'a', '--site', 'b', '--match', ANNA,
                      '--seconds', 0)
        setup.answer('broker [localhost]:', f'localhost:{broker.port}')
        setup.answer('User name', 'gate')
        setup.answer('Password', 'abracadabra')
        setup.answer('User name', 'gate')
        setup.answer('Password', 'open sesame')
        for question in 'call [', 'trigger [', 'distance [', 'group [', 'Enter, a number or q:':
            setup.answer(question)
        terminal.shows('connected without TLS', 20)
        wait_until(lambda: any(row.startswith('ended ') for row in terminal.screen()), 20, Then(terminal.screen))
        assert not any('sesame' in row or 'abracadabra' in row for row in terminal.screen()), terminal.screen()
        assert 'username = "gate"\npassword_file = "mqtt.password"' in setup.file.read_text()
        secret = folder / 'mqtt.password'
        assert secret.read_text() == 'open sesame\n' and secret.stat().st_mode & 0o777 == 0o640
        terminal.enter('echo shown')
        terminal.shows('shown')


@case
def nothing_lasting(folder):
    """a phone that changes its address is shown, and why no selector would know it tomorrow; one that keeps it can be had"""
    with Air('p0=unix') as air, Terminal(folder, 100, 60) as terminal:
        air.say('advertise', id='phone', kind='raw', data='020106', address='4a:00:c1:7e:55:02', address_type='random', rssi=-35)
        setup = Setup(terminal, folder, '--radio', air.lines['p0'], '--purpose', 'x', '--broker', f'localhost:{free_port()}')
        for question in 'name [', 'site [':
            setup.answer(question)
        setup.answer('Enter listens', '')
        setup.answer('Which number? Enter takes 1', '', 20)
        terminal.shows('will be the same tomorrow')
        terminal.key('C-c')
        setup.ended(1)
        setup.nothing()


@case
def killed(folder):
    """killed at any question, it leaves nothing; a file that is there is kept until the end, and then beside the new one"""
    with Air('p0=unix') as air, Terminal(folder, 100, 60) as terminal:
        options = '--radio', air.lines['p0'], '--broker', f'localhost:{free_port()}', '--match', ANNA, '--seconds', 0
        for end in signal.SIGKILL, signal.SIGTERM, None:
            setup = Setup(terminal, folder, *options)
            setup.answer('purpose:', 'Kills')
            setup.answer('name [gateway]:', 'a')
            terminal.shows('site [site]:')
            if end:
                os.kill(terminal.child(), end)
            else:
                terminal.key('C-d')
            terminal.shows('ended')
            setup.nothing()
            terminal.enter('clear')
        setup.file.write_text('gateway.purpose = "mine"\ngateway.authorization = "denied"\n')
        setup = Setup(terminal, folder, *options)
        terminal.shows('it keeps the radios off, as shipped')
        setup.answer('Replace it', 'n')
        setup.ended(1)
        assert 'mine' in setup.file.read_text()
        terminal.enter('clear')
        setup = Setup(terminal, folder, *options)
        setup.answer('Replace it')
        setup.answer('purpose:', 'Replaces')
        for question in 'name [', 'site [', 'call [', 'trigger [', 'distance [', 'group [':
            setup.answer(question)
        assert 'mine' in setup.file.read_text()
        setup.answer('Enter, a number or q:')
        setup.ended(0, 20)
        assert 'Replaces' in setup.file.read_text() and 'mine' in (folder / 'config.toml.old').read_text()


if __name__ == '__main__':
    cases.main()
