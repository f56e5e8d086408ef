#!/usr/bin/env python3
"""`forecourt scan` on a real terminal (tmux) with an air around it: scan.py [CASE…]. Runs in the rigs' venv.

$FORECOURT names the program: .build/debug/forecourt unless it says otherwise.
"""
import json
import os
import re
import shlex
import signal

import cases
from cases import case
from product import FORECOURT, Air, wait_until
from rig import run
from terminal import Terminal, Then

UUID = '2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'
LEVELS = {1: -50, 2: -80, 3: -62}
CONFIG = f'''gateway.purpose = "testing"
[[trigger]]
name = "pump-1"
match = "ibeacon:{UUID}:*"
'''


def command(air, folder, *options):
    (folder / 'config.toml').write_text(CONFIG)
    return shlex.join([FORECOURT, 'scan', '--config', str(folder / 'config.toml'), '--radio', air.lines['p0'], *map(str, options)])


def people(air):
    for minor, level in LEVELS.items():
        air.say('advertise', id=f'tag{minor}', kind='ibeacon', uuid=UUID, major=7, minor=minor, rssi=level, measured=-59)


def order(terminal):
    """The minors from the top down."""
    return [int(line.split()[0].rsplit(':', 1)[1]) for line in terminal.screen() if line.startswith('ibeacon:')]


def ordered(terminal, wanted):
    wait_until(lambda: order(terminal) == wanted, 10, Then(lambda: f'{wanted} on {terminal.screen()}'))


@case
def table(folder):
    """every device with its figures, sorted by keys, and where the trigger stands"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        terminal.enter(command(air, folder))
        ordered(terminal, [1, 3, 2])
        terminal.shows('pump-1 ')
        line = next(line for line in terminal.screen() if ':7:1 ' in line)
        assert 'immediate' in line and '-50' in line and '▇' in line, line
        for key, wanted in ('i', [1, 2, 3]), ('i', [3, 2, 1]), ('a', [1, 3, 2]), ('a', [2, 3, 1]), ('d', [1, 3, 2]):
            terminal.type(key)
            ordered(terminal, wanted)
        terminal.type(' ')
        air.say('silence', id='tag1')
        air.say('advertise', id='late', kind='ibeacon', uuid=UUID, major=7, minor=9, rssi=-55)
        terminal.shows('held')
        assert order(terminal) == [1, 3, 2], terminal.screen()
        terminal.type(' ')
        wait_until(lambda: 9 in order(terminal), 10, Then(lambda: terminal.screen()))
        terminal.type('q')
        terminal.shows('ready>')


@case
def matched(folder):
    """m shows only the devices that the configuration looks for"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        air.say('advertise', id='other', kind='name', name='stranger', rssi=-40)
        terminal.enter(command(air, folder))
        terminal.shows('name:stranger@')
        terminal.type('m')
        wait_until(lambda: not any('stranger' in line for line in terminal.screen()), 5, Then(lambda: terminal.screen()))
        ordered(terminal, [1, 3, 2])
        terminal.type('q')


@case
def resized(folder):
    """the table fits whatever the terminal's size becomes"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        for number in range(40):
            air.say('advertise', id=f'tag{number}', kind='ibeacon', uuid=UUID, major=7, minor=number, rssi=-60, interval_ms=300)
        terminal.enter(command(air, folder))
        terminal.shows('q quit')
        for columns, rows in (60, 10), (200, 45), (30, 5), (150, 24):
            terminal.tmux('resize-window', '-x', columns, '-y', rows)

            def fits():
                screen = terminal.screen()
                return len(screen) == rows and screen[0].startswith('forecourt scan') and screen[1].startswith('identity') \
                    and len(order_or_rows(screen)) == min(40, rows - 3) and '40 devices' in screen[rows - 1]
            wait_until(fits, 10, Then(lambda: f'{columns}x{rows}: {terminal.screen()}'))
        terminal.type('j' * 40)
        terminal.shows('22–40 of 40 devices')
        terminal.type('q')


@case
def narrow(folder):
    """at 80 and at 60 columns the ids differ where they differ, and levels and triggers are there; the selected one's id is whole"""
    with Air('p0=unix') as air, Terminal(folder, 80) as terminal:
        people(air)
        terminal.enter(command(air, folder))
        for columns in 80, 60:
            terminal.tmux('resize-window', '-x', columns, '-y', 24)

            def fits():
                head, rows = terminal.screen()[1], order_or_rows(terminal.screen())
                return len(head) <= columns and 'levels' in head and 'triggers' in head and 'dBm' in head and order(terminal) == [1, 3, 2] \
                    and any('▇' in row and '-50' in row and 'pump-1 ' in row and len(row) <= columns for row in rows)
            wait_until(fits, 10, Then(lambda: f'{columns}: {terminal.screen()}'))
        whole = f'ibeacon:{UUID}:7:'
        for key, minor in ('Down', 1), ('Down', 3), ('Down', 2), ('Down', 2), ('Up', 3):
            terminal.key(key)
            terminal.shows(f'{whole}{minor}')
            wait_until(lambda: sum('◂' in line for line in terminal.screen()) == 1, 5, Then(lambda: terminal.screen()))
        terminal.type('q')


@case
def unconfigured(folder):
    """without any configuration, and with one that keeps the radios off, --radio shows who is here"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        terminal.enter(f'cd {shlex.quote(str(folder))}; unset FORECOURT_CONFIG')
        for words in 'there is no configuration yet', 'keeps the gateway\'s radios off':
            terminal.enter(shlex.join([FORECOURT, 'scan', '--radio', air.lines['p0']]))
            ordered(terminal, [1, 3, 2])
            terminal.shows('nothing is published')
            terminal.type('q')
            terminal.shows(words)
            (folder / 'config.toml').write_text(CONFIG.replace('[[trigger]]', 'gateway.authorization = "denied"\n[[trigger]]'))


def order_or_rows(screen):
    return [line for line in screen[2:] if line.startswith('ibea')]


@case
def restored(folder):
    """however it ends, the terminal is as before: a key, the time, signals, crashes"""
    ends = {'q': lambda t: t.type('q'), 'Ctrl-C': lambda t: t.key('C-c'), 'Ctrl-\\': lambda t: t.key('C-\\'), '--seconds': lambda t: None}
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS:
        ends[number.name] = lambda t, number=number: os.kill(t.child(), number)
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        before = terminal.state()
        for name, end in ends.items():
            terminal.enter('clear')
            terminal.enter(command(air, folder, '--seconds', 2 if name == '--seconds' else 60) + '; echo "ended $?"')
            terminal.shows('q quit')
            during = terminal.state()
            assert during[0] == '1' and during[1] == '0' and during[3] != before[3], (name, during)
            end(terminal)
            # The shell's prompt may stand before it.
            wait_until(lambda: re.search(r'ended (\d+)', '\n'.join(terminal.screen())), 10, Then(lambda: terminal.screen()))
            assert terminal.state() == before, (name, before, terminal.state())
            assert not any('q quit' in line for line in terminal.screen()), terminal.screen()
            wanted = 0 if name in ('q', 'Ctrl-C', '--seconds', 'SIGTERM', 'SIGINT') else None
            code = int(re.search(r'ended (\d+)', '\n'.join(terminal.screen()))[1])
            assert code == wanted or wanted is None and code >= 128, (name, code)


@case
def stopped(folder):
    """Ctrl-Z gives the terminal back, and fg takes it again"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        before = terminal.state()
        terminal.enter(command(air, folder))
        ordered(terminal, [1, 3, 2])
        terminal.key('C-z')
        terminal.shows('ready>')
        wait_until(lambda: terminal.state() == before, 5, Then(lambda: (before, terminal.state())))
        terminal.enter('fg')
        ordered(terminal, [1, 3, 2])
        terminal.type('q')
        terminal.shows('ready>')
        assert terminal.state() == before


@case
def lines(folder):
    """JSON lines where there is no terminal, or with --json"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        told = run(*shlex.split(command(air, folder, '--seconds', 4)))
        assert told.returncode == 0 and '\x1b' not in told.stdout, told
        heard = [json.loads(line) for line in told.stdout.splitlines()]
        last = {int(line['id'].rsplit(':', 1)[1]): line for line in heard}
        assert set(last) == set(LEVELS) and len(heard) >= 9, heard
        for minor, level in LEVELS.items():
            assert last[minor]['v'] == 1 and abs(last[minor]['average'] - level) < 1 and last[minor]['matched'], last[minor]
            assert last[minor]['low_m'] < last[minor]['distance_m'] < last[minor]['high_m'] and 5 < last[minor]['rate_hz'] < 12
        assert last[1]['zone'] == 'immediate' and last[1]['triggers'][0]['name'] == 'pump-1', last[1]
        terminal.enter(command(air, folder, '--seconds', 3, '--json'))
        terminal.shows('"id":"ibeacon:')


@case
def hostile(folder):
    """a name from the air that would clear the screen is a name with question marks"""
    with Air('p0=unix') as air, Terminal(folder) as terminal:
        people(air)
        name = b'a\x1b[2J\x1b[31mb\xe2\x80\xaec'
        air.say('advertise', id='evil', kind='raw', data=(bytes([len(name) + 1, 9]) + name).hex(), rssi=-45)
        terminal.enter(command(air, folder))
        terminal.shows('name:a?[2J?[31mb?c@')
        assert terminal.screen()[0].startswith('forecourt scan'), terminal.screen()
        terminal.type('q')


@case
def absent(folder):
    """without a radio the error stays on the terminal, and the exit code is 69"""
    with Terminal(folder) as terminal:
        (folder / 'config.toml').write_text(CONFIG)
        terminal.enter(shlex.join([FORECOURT, 'scan', '--config', str(folder / 'config.toml'), '--radio', 'h4:/dev/none']) + '; echo "ended $?"')
        terminal.shows('ended 69')
        terminal.shows('forecourt: h4:/dev/none@1000000: cannot be opened: No such file or directory')


if __name__ == '__main__':
    cases.main()
