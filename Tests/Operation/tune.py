#!/usr/bin/env python3
"""`check` against brokers, `calibrate` with a live radio, and the report in a browser: tune.py [CASE…]. Runs in the rigs' venv.

$FORECOURT names the program: .build/debug/forecourt unless it says otherwise. The browser is chromium; its pictures of the reports stay in
build/report.png and build/report-two.png.
"""
import json
import os
import pty
import re
import shutil
import socket
import struct
import subprocess
import time
import zlib

import cases
from cases import case
from product import FORECOURT, ROOT, Air, wait_until
from process import die_with_parent
from rig import Mosquitto, run

UUID = '2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'
TAG = f'ibeacon:{UUID}:7:1'


def examined(folder, port, mqtt='', adapter='simulate:site.toml'):
    """What `check --json` says: its exit code, and each subject's state and words."""
    shutil.copy(ROOT / 'Tests/Firing/Scenarios/first-visit.toml', folder / 'site.toml')
    (folder / 'config.toml').write_text(
        f'gateway.purpose = "testing"\noutbox.path = "outbox.db"\n[[radio]]\nname = "left"\nadapter = "{adapter}"\n'
        f'[mqtt]\nhost = "127.0.0.1"\nport = {port}\n{mqtt}')
    told = run(FORECOURT, 'check', '--json', '--config', folder / 'config.toml')
    assert not told.stderr, told
    found = json.loads(told.stdout)
    assert found['ok'] == (told.returncode == 0), told
    return told.returncode, {each['subject']: (each['state'], each['message']) for each in found['machine']}


@case
def brokers(folder):
    """a broker that accepts; a wrong password; an access list that forbids; no broker; a silent one"""
    with Mosquitto() as broker:
        code, found = examined(folder, broker.port)
        assert code == 0 and found['broker'][0] == 'ok' and 'we may write below forecourt/site/gateway' in found['broker'][1], found
        assert found['outbox'][0] == 'ok' and found['disk'][0] == 'ok' and found['radio left'][0] == 'warning', found
        code, found = examined(folder, broker.port, 'version = 4\n')
        assert code == 0 and found['broker'][0] == 'ok', found
    code, found = examined(folder, broker.port)
    assert code == 69 and 'Connection refused' in found['broker'][1], found
    with socket.create_server(('127.0.0.1', 0)) as mute:
        began = time.monotonic()
        code, found = examined(folder, mute.getsockname()[1])
        assert code == 69 and 'does not answer within 6 s' in found['broker'][1] and time.monotonic() - began < 10, found


@case
def forgetful(folder):
    """a broker without retained messages, which refuses the gateway's will: in MQTT 5 it says so, in 3.1.1 it ends the connection"""
    with Mosquitto(config='retain_available false') as broker:
        # Not a rehearsal, which retains nothing.
        for version in 5, 4:
            _, found = examined(folder, broker.port, f'version = {version}\n', 'unix:nobody')
            assert found['broker'][0] == 'error' and 'this broker keeps no retained messages, and the gateway needs them' in found['broker'][1], found


@case
def other_port(folder):
    """a port at which TLS is spoken, with and without an answer of MQTT 3.1.1: the causes are named"""
    with Mosquitto(tls='server') as broker:
        for version in 5, 4:
            code, found = examined(folder, broker.port, f'version = {version}\n')
            assert code == 69 and ': it may want TLS there: set tls_ca; or this is a port for websockets or AMQP' in found['broker'][1], found
            assert '.:' not in found['broker'][1], found


@case
def refused(folder):
    """a wrong password, and an access list that allows reading only: 77, and the line that the list lacks"""
    with Mosquitto(acl='topic read #\n') as broker:
        code, found = examined(folder, broker.port)
        assert code == 77 and 'must allow write forecourt/site/gateway/#' in found['broker'][1], found
    with Mosquitto(users={'island': 'right'}) as broker:
        code, found = examined(folder, broker.port)
        assert code == 77 and 'the broker refuses us' in found['broker'][1], found


@case
def adapters(folder):
    """a line that opens, which may be a recording's, and one without a controller"""
    with Mosquitto() as broker, Air('p0=tcp') as air:
        code, found = examined(folder, broker.port, adapter=air.lines['p0'])
        assert code == 0 and found['radio left'][0] == 'warning' and 'can be opened; a recording' in found['radio left'][1], found
    with Mosquitto() as broker:
        code, found = examined(folder, broker.port, adapter=air.lines['p0'])
        assert code == 69 and 'nobody answers there' in found['radio left'][1], found


@case
def live(folder):
    """a walk with a live radio: a prompt for each place, Enter starts it; each place has the levels of its own seconds"""
    (folder / 'config.toml').write_text('gateway.purpose = "testing"\n')
    with Air('p0=unix') as air:
        air.say('advertise', id='tag', kind='ibeacon', uuid=UUID, major=7, minor=1, rssi=-60, interval_ms=50)
        command = [FORECOURT, 'calibrate', 'walk', '--id', TAG, '--config', str(folder / 'config.toml'), '--radio', air.lines['p0'],
                   '--seconds', '5', '--place', '1', '--place', '4', '--place', '16']
        with open(folder / 'words', 'w') as words:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, text=True,
                                       preexec_fn=die_with_parent)
        try:
            for place, level in enumerate((-60, -72, -84), 1):
                wait_until(lambda: f'Place {place} of 3' in (folder / 'words').read_text(), 15, 'a prompt')
                air.say('set', id='tag', rssi=level)
                time.sleep(0.5)
                process.stdin.write('\n')
                process.stdin.flush()
            out, _ = process.communicate(timeout=20)
        finally:
            process.kill()
        words = (folder / 'words').read_text()
        assert process.returncode == 0, words
        assert '1 m: 9' in words or '1 m: 10' in words, words
        assert 'path_loss_exponent = 1.99' in out and 'measured_power_dbm = -60' in out, out
        assert out.startswith('# forecourt calibrate, 20'), out


def pixels(png):
    """The different colours of a picture, by how many of its bytes differ from those before: enough to see that something is drawn."""
    data = png.read_bytes()
    assert data[:8] == b'\x89PNG\r\n\x1a\n', data[:8]
    width, height = struct.unpack('>II', data[16:24])
    at, packed = 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b'IDAT' else b''
        at += 12 + length
    return width, height, len(set(zlib.decompress(packed)))


@case
def report(folder):
    """the page in a real browser: drawn, light and dark, without a message on the console"""
    browser = shutil.which('chromium')
    assert browser, 'chromium is missing: deploy/packages.sh browser'
    (folder / 'config.toml').write_text(f'gateway.purpose = "testing"\n[[trigger]]\nname = "pump-1"\nmatch = "ibeacon:{UUID}:*"\n')
    capture, page = folder / 'visit.btsnoop', folder / 'report.html'
    assert run(FORECOURT, 'simulate', ROOT / 'Tests/Firing/Scenarios/first-visit.toml', '--out', capture).returncode == 0
    assert run(FORECOURT, 'replay', capture, '--report', page, '--config', folder / 'config.toml').returncode == 0
    picture = ROOT / 'build' / 'report.png'
    picture.parent.mkdir(exist_ok=True)
    told = run(browser, '--headless=new', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', f'--user-data-dir={folder}/browser',
               '--hide-scrollbars', '--window-size=1100,1300', f'--screenshot={picture}', page.as_uri())
    assert told.returncode == 0 and 'CONSOLE' not in told.stderr, told.stderr
    width, height, colours = pixels(picture)
    assert (width, height) == (1100, 1300) and colours > 100, (width, height, colours)
    (folder / 'slow.toml').write_text((folder / 'config.toml').read_text() + 'dwell_s = 4\n')
    two = ['--config', folder / 'config.toml', '--config', folder / 'slow.toml']
    assert run(FORECOURT, 'replay', capture, '--report', folder / 'two.html', *two).returncode == 0
    told = run(browser, '--headless=new', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', f'--user-data-dir={folder}/browser',
               '--hide-scrollbars', '--window-size=1900,1300', f'--screenshot={picture.with_stem("report-two")}', (folder / 'two.html').as_uri())
    assert told.returncode == 0 and 'CONSOLE' not in told.stderr, told.stderr
    assert pixels(picture.with_stem('report-two'))[:2] == (1900, 1300)
    drawn = run(browser, '--headless=new', '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}/browser', '--dump-dom', page.as_uri())
    assert drawn.stdout.count('h0M') > 500 and 'pump-1: fire' in drawn.stdout, drawn.stdout[:400]


def on_terminal(*command):
    """A command whose standard error is a terminal: its exit code, and all that was drawn."""
    master, slave = pty.openpty()
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                               preexec_fn=die_with_parent)
    os.close(slave)
    drawn = b''
    try:
        while piece := os.read(master, 65536):
            drawn += piece
    except OSError:
        pass  # everybody has closed it
    finally:
        os.close(master)
    return process.wait(10), drawn.decode()


@case
def waiting(folder):
    """waiting for a broker, a device or the end of a recording shows a progress line, which is cleared in the end"""
    with socket.create_server(('127.0.0.1', 0)) as mute:
        (folder / 'config.toml').write_text(f'gateway.purpose = "testing"\nmqtt.port = {mute.getsockname()[1]}\noutbox.path = "outbox.db"\n')
        code, drawn = on_terminal(FORECOURT, 'check', '--config', folder / 'config.toml', '--json')
        assert code == 69 and '\r3 s …' in drawn and drawn.endswith('\r'), drawn
    with Air('p0=unix') as air:
        radio = ['--config', folder / 'config.toml', '--radio', air.lines['p0']]
        code, drawn = on_terminal(FORECOURT, 'capture', folder / 'out.btsnoop', '--seconds', 4, *radio)
        assert code == 0 and '[####' in drawn and re.search(r' 9\d %', drawn), drawn
        assert drawn.endswith('packets\r\n') and f'\r{folder}/out.btsnoop: ' in drawn, drawn
        code, drawn = on_terminal(FORECOURT, 'identify', '4a:00:c1:7e:55:02', '--seconds', 4, *radio)
        assert code == 1 and '[####' in drawn and drawn.endswith('does not accept connections\r\n'), drawn


if __name__ == '__main__':
    cases.main()
