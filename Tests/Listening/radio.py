#!/usr/bin/env python3
"""The product's radios against independent controllers: radio.py [NAME or beginning of names…]; --list. Runs in the rigs' venv.

$FORECOURT names the program: .build/debug/forecourt unless it says otherwise.
"""
import os
import pathlib
import re
import signal
import tempfile
import time

import radio_faults
from product import CONFIG, FORECOURT, Capture, configured, listening, packets
from checklist import run_checks
from rig import Air, Btvirt, Program, run, wait_until

BRING_UP = ['0c03', '1001', '1009', '1002', '2003', '2002', '0c01', '2001']


# -- Bring-up ----------------------------------------------------------------------------------------------------------------


def lines():
    """unix, tcp, pty, extended and legacy: each command once, none refused; an active scan without a duplicate filter; every advert recorded"""
    times = []
    for line in 'unix', 'tcp', 'pty':
        for legacy in False, True:
            with listening(line, legacy=legacy) as (air, capture):
                time.sleep(0.5)
                code, recorded = capture.end()
                wait_until(lambda: not air.report()['scanning'], 2, 'a controller stops scanning')
                report, log = air.report(), air.log(what='command')
                scan = ['200c', '200b', '200c'] if legacy else ['2042', '2041', '2042']
                assert [e['opcode'] for e in log] == BRING_UP + scan + scan[:1], log
                assert code == 0 and report['disallowed'] == 0 and report['unknown'] == 0, report
                heard = sum(p[4] for _, _, p in recorded if p[:2] == b'\x04\x3e')
                assert heard == report['reports'] > 10, (heard, report['reports'])
                assert [p[1:3][::-1].hex() for _, _, p in recorded if p[0] == 1] == [e['opcode'] for e in log][:-1]
                assert all(b[0] >= a[0] for a, b in zip(recorded, recorded[1:])), 'time went back'
                times.append((log[len(BRING_UP) + 2]['t_ns'] - air.log(what='open')[0]['t_ns']) / 1e6)
    return f'open to scanning {min(times):.1f} to {max(times):.1f} ms'


def several():
    """four radios at once, each with its own thread and file"""
    with Air('a=unix', 'b=tcp', 'c=pty', 'd:legacy=unix') as air, tempfile.TemporaryDirectory() as folder:
        program = Program([FORECOURT, 'capture', f'{folder}/out.btsnoop', '--config', configured(folder, air.lines), '--seconds', 8],
                          pathlib.Path(folder) / 'words')
        program.start()
        for name in air.lines:
            air.wait('scanning', port=name)
        # Over before the end, so that none is under way then.
        air.say('advertise', id='tag', kind='ibeacon', count=20)
        assert program.process.wait(20) == 0, program.said()
        for name in air.lines:
            recorded = packets(f'{folder}/out.{name}.btsnoop')
            assert sum(1 for _, _, p in recorded if p[:2] == b'\x04\x3e') == air.report(name)['reports'] == 20, name


def readable():
    """tshark reads the recording, and finds nothing wrong with it"""
    with listening() as (air, capture):
        time.sleep(0.5)
        capture.end()
        told = run('tshark', '-r', capture.file, '-T', 'fields', '-e', '_ws.malformed', '-e', 'frame.protocols')
        assert told.returncode == 0, told
        frames = told.stdout.splitlines()
        assert len(frames) == len(packets(capture.file)) and not any(f.split('\t')[0] for f in frames), frames
        return f'{len(frames)} packets'


def btvirt():
    """BlueZ's controller, which knows no extended scanning: one report for each enabling of an advertiser"""
    from h4 import H4
    with Btvirt() as other, Capture(other.le) as capture, H4(other.le) as advertiser:
        capture.told('listening')
        advertiser.bring_up()
        for _ in range(5):
            advertiser.advertise(b'\x02\x01\x06', kind=3)
            advertiser.command(0x200a, b'\0')
        time.sleep(0.3)
        _, recorded = capture.end()
        commands = [p[1:3][::-1].hex() for _, _, p in recorded if p[0] == 1]
        reports = [p for _, _, p in recorded if p[:2] == b'\x04\x3e']
        assert commands == BRING_UP + ['200c', '200b', '200c'] and len(reports) >= 5, (commands, len(reports))


# -- What cannot work ----------------------------------------------------------------------------------------------------------


def exits():
    """no Bluetooth: 69; no permission: 77; no controller: 69; each with one sentence that says what to do"""
    def told(adapter, *under):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            result = run(*under, FORECOURT, 'capture', f'{folder}/x.btsnoop', '--config', CONFIG, '--radio', adapter, '--seconds', 5)
            words = [line for line in result.stderr.splitlines() if line.startswith('forecourt: ')]
            assert len(words) == 1, result
            return result.returncode, words[0]
    if not os.path.exists('/sys/class/bluetooth'):
        code, words = told('hci0')
        assert code == 69 and 'this kernel has no Bluetooth (AF_BLUETOOTH)' in words, (code, words)
    code, words = told('tcp:127.0.0.1:1')
    assert code == 69 and 'Connection refused' in words, (code, words)
    code, words = told('h4:/dev/ttyNONE@115200')
    assert code == 69 and 'No such file' in words, (code, words)
    if os.geteuid() == 0:
        with Air('pty') as air:
            tty = os.path.realpath(air.lines['p0'][3:].split('@')[0])
            os.chmod(tty, 0o600)
            code, words = told(f'h4:{tty}@115200', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')
            assert code == 77 and 'usermod -aG dialout' in words, (code, words)


# -- What is not allowed ---------------------------------------------------------------------------------------------------------


def permission():
    """authorization denied: nothing is opened; a reload that allows it opens and scans, one that forbids it closes; capture refuses"""
    def allow(word):
        config.write_text(f'[gateway]\npurpose = "testing"\nauthorization = "{word}"\n[[radio]]\nname = "r"\nadapter = "{air.lines["p0"]}"\n')
    with Air() as air, tempfile.TemporaryDirectory() as folder:
        air.say('advertise', id='tag', kind='ibeacon')
        config = pathlib.Path(folder) / 'config.toml'
        allow('denied')
        told = run(FORECOURT, 'capture', f'{folder}/x.btsnoop', '--config', config, '--seconds', 5)
        assert told.returncode == 77 and 'the radios stay off' in told.stderr, told
        program = Program([FORECOURT, 'run', '--print', '--config', config], pathlib.Path(folder) / 'words')
        program.start()
        try:
            wait_until(lambda: '"state":"off"' in program.said(), 5, 'it says so')
            assert not air.log(what='open'), air.log()
            for word, scans in ('always', True), ('when-in-use', False), ('always', True), ('denied', False):
                allow(word)
                program.signal(signal.SIGHUP)
                wait_until(lambda: air.report()['scanning'] == scans, 5, word)
            wait_until(lambda: len(air.log(what='closed')) == len(air.log(what='open')) == 2, 5, 'the line is let go')
        finally:
            program.stop()


# -- What it costs -------------------------------------------------------------------------------------------------------------


def ticks(pid):
    """CPU seconds of a process, its threads among them, and the wake-ups of each thread."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    wakes = 0
    for thread in pathlib.Path(f'/proc/{pid}/task').iterdir():
        wakes += int(re.search(r'^voluntary_ctxt_switches:\s+(\d+)', (thread / 'status').read_text(), re.M)[1])
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), wakes


def idle():
    """nothing advertises: next to no CPU, no wake-ups but timers"""
    with Air() as air, Capture(air.lines['p0']) as capture:
        air.wait('scanning')
        capture.told('listening')
        time.sleep(1)
        before, began = ticks(capture.program.pid), time.monotonic()
        time.sleep(20)
        after, span = ticks(capture.program.pid), time.monotonic() - began
        share, wakes = (after[0] - before[0]) / span, (after[1] - before[1]) / span
        # Before the first advert scanning is enabled again every four seconds, for two minutes, with six commands each time.
        assert share < 0.002 and wakes < 6, (share, wakes)
        return f'{share:.3%} of a core, {wakes:.1f} wake-ups a second'


def busy():
    """1,000 adverts a second, one at a time: under 3 % of a core, all of them heard"""
    with Air() as air, Capture(air.lines['p0']) as capture:
        air.wait('scanning')
        before, began = ticks(capture.program.pid), time.monotonic()
        air.say('flood', rate=1000, seconds=20, carry='clock')
        air.wait('flood', timeout=40)
        after, span = ticks(capture.program.pid), time.monotonic() - began
        time.sleep(1)
        _, recorded = capture.end()
        heard = [p for _, _, p in recorded if p[:2] == b'\x04\x3e']
        share = (after[0] - before[0]) / span
        assert len(heard) == 20000, len(heard)
        return f'{share:.2%} of a core'


CHECKS = {f.__name__: f for f in (lines, several, readable, btvirt, *radio_faults.CHECKS, exits, permission, idle, busy)}


if __name__ == '__main__':
    run_checks(CHECKS)
