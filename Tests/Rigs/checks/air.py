"""The air, seen by a raw H4 client in the gateway's place."""
import json
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from h4 import H4, Timeout, bdaddr, reports
from rig import HERE, Air, Program, wait_until

IRK = 'ec0234a357c8ad05341010a60a397d9b'


def ear(air, name='p0', extended=False, active=True):
    client = H4(air.h4[name])
    statuses = client.bring_up() + client.scan(extended=extended, active=active)
    assert not any(statuses), statuses
    return client


def lines():
    """tcp, unix and pty, legacy and extended: one advert at another level on each, lists told in turn."""
    with Air('tcp', 'old:legacy=unix', 'uart=pty') as air:
        air.say('advertise', id='tag', kind='ibeacon', rssi={'p0': -50, 'old': [-70, -75], '*': -90})
        for name, extended, levels in (('p0', True, {-50}), ('old', False, {-70, -75}), ('uart', True, {-90})):
            with ear(air, name, extended) as client:
                heard = client.collect(0.5)
                assert {r[4] for r in heard} == levels and {r[0] for r in heard} == {extended}, heard[:3]
        return f'{len(heard)} reports in 0.5 s on a pty'


def serial():
    """Bumble on a real tty's end (socat's pty pair), the client's termios on the other."""
    with tempfile.TemporaryDirectory() as folder:
        pair = Program(['socat', f'pty,raw,echo=0,link={folder}/controller', f'pty,raw,echo=0,link={folder}/host'], f'{folder}/log')
        pair.start()
        try:
            wait_until(lambda: (pathlib.Path(folder) / 'host').exists(), 5, 'socat')
            with Air(f'serial:{folder}/controller@115200') as air, H4(f'tty:{folder}/host') as client:
                air.say('advertise', id='tag', kind='ibeacon')
                assert not any(client.bring_up() + client.scan(extended=True)) and len(client.collect(0.5)) >= 3
        finally:
            pair.kill()


def kinds():
    """Every kind of advert, with scan responses only where they are asked for, and long extended data in fragments."""
    people = {
        'i': {'kind': 'ibeacon', 'major': 7, 'minor': 9}, 'a': {'kind': 'altbeacon', 'beacon': '00' * 16 + '00010002'},
        'u': {'kind': 'eddystone-uid', 'namespace': '00112233445566778899', 'instance': 'aabbccddeeff'},
        't': {'kind': 'eddystone-tlm'}, 'e': {'kind': 'eddystone-eid', 'eid': '0011223344556677'},
        'w': {'kind': 'eddystone-url', 'url_hex': '0266666607'}, 'o': {'kind': 'overflow'}, 's': {'kind': 'service'},
        'n': {'kind': 'raw', 'data': '020106', 'scan_response': {'kind': 'name', 'name': 'Bus 7'}},
        'x': {'kind': 'raw', 'data': 'ab' * 500, 'extended': True}, 'c': {'kind': 'raw', 'data': 'cd', 'extended': True, 'coded': True}}
    with Air() as air:
        places = {air.say('advertise', id=name, interval_ms=50, **words)['address']: name for name, words in people.items()}
        with ear(air, extended=True) as client:
            heard = {}
            for _, kind, address, data, _ in client.collect(0.4):
                heard.setdefault(places[address], {})[kind] = data
        assert set(heard) == set(people) - {'c'}, set(people) - set(heard)  # coded: this scan is on 1M only
        assert heard['n'].get(0x1a, b'')[5:] == b'Bus 7' and heard['i'][0x10][9:11] == b'\x2f\x23'
        assert heard['o'][0x13][3:] == bytes.fromhex('14ff4c0001') + bytes(10) + b'\x08' + bytes(5), heard['o'][0x13].hex()
        assert len(heard['x'][0x20]) == 229 and len(heard['x'][0]) == 500 - 2 * 229
        with ear(air, extended=True, active=False) as client:
            assert not any(kind & 8 for _, kind, *_ in client.collect(0.3)), 'a scan response to a passive scan'
        return f'{len(heard)} kinds'


def rules():
    """What real controllers refuse: mixed families, an address while scanning, extended commands on an old one; masks; duplicates."""
    with Air('p0=unix', 'old:legacy=unix') as air:
        with H4(air.h4['p0']) as client:
            client.command(0x0c03)
            client.scan(extended=True)
            air.say('advertise', id='tag', kind='ibeacon', interval_ms=20)
            assert not client.collect(0.2), 'reports in spite of the event masks that Reset leaves'
            client.command(0x0c01, b'\xff' * 7 + b'\x3f')
            client.command(0x2001, b'\xff\x1f' + bytes(6))
            assert len(client.collect(0.3)) >= 2
            assert client.command(0x200b, struct.pack('<BHHBB', 0, 16, 16, 0, 0)) == b'\x0c', 'legacy after extended'
            assert client.command(0x2005, bdaddr('C0:00:00:00:00:01')) == b'\x0c', 'an address while scanning'
            client.scan(False, extended=True)
            client.collect(0.1)
            client.scan(extended=True, duplicates_filter=True)
            assert len(client.collect(0.3)) == 1, 'a filter that filters'
            assert client.command(0xfc99) == b'\x01' and client.command(0x0c03) == b'\0'
        with H4(air.h4['old']) as client:
            assert client.command(0x2042, bytes(6)) == b'\x01', 'an extended command on a 4.2 controller'
        report = air.report('p0')
        assert (report['mixed'], report['duplicates_filter_asked'], report['resets']) == (1, 1, 2), report
        assert len(air.log(what='command', opcode='2042', port='p0')) == 3


def addresses():
    """Resolvable addresses change in time and resolve with the key in the specification's order."""
    with Air() as air:
        air.say('advertise', id='phone', kind='overflow', irk=IRK, rotate_s=0.3, interval_ms=50)
        with ear(air) as client:
            seen = {r[2] for r in client.collect(1.2)}
    assert len(seen) >= 3, seen
    aes = Cipher(algorithms.AES(bytes.fromhex(IRK)), modes.ECB()).encryptor()
    for text in seen:
        raw = bytes.fromhex(text.replace(':', ''))
        assert raw[0] >> 6 == 1 and aes.update(bytes(13) + raw[:3])[-3:] == raw[3:], text
    return f'{len(seen)} addresses'


def faults():
    """Hang, deafness, refusals, garbage, hardware error, pieces, hang-up, and an adapter pulled out and back: each as told."""
    with Air('tcp') as air:
        air.say('advertise', id='tag', kind='ibeacon', interval_ms=20)
        client = ear(air)
        air.say('fault', hang=True)
        assert unanswered(client, 0x0c03), 'an answer from a hung controller'
        assert client.collect(0.2), 'what hangs goes on reporting'
        air.say('fault', mute=True)
        client.collect(0.1)
        assert not client.collect(0.3), 'reports from a mute line'
        air.say('fault', clear=True)
        air.say('fault', deaf='enable')
        client.collect(0.1)
        assert not client.collect(0.3) and not any(client.scan(False))
        assert not any(client.scan(True)) and client.collect(0.3)
        air.say('fault', refuse={'200c': 12})
        assert client.scan(False) == [12]
        air.say('fault', clear=True)
        air.say('fault', split=3)
        assert len(client.collect(0.3)) >= 2
        air.say('fault', split=0)
        air.say('inject', hardware_error=0x42)
        assert client.wait(lambda p: p[:2] == b'\x04\x10', 1)[3] == 0x42
        began = time.monotonic()
        air.say('fault', delay_s=0.2, swallow=['2002'])
        assert client.command(0x2003)[0] == 0 and time.monotonic() - began > 0.2, 'an answer that came late'
        assert unanswered(client, 0x2002)
        air.say('fault', clear=True)
        for harm in {'garbage': 50, 'seed': 7}, {'cut': 9}:
            air.say('inject' if 'garbage' in harm else 'fault', **harm)
            assert lost(client), harm
            client.close()
            client = ear(air)
        air.say('drop', for_s=0.3)
        try:
            while client.receive(1):
                pass
        except (EOFError, ConnectionError, ValueError):
            client.close()
        began = time.monotonic()
        client = wait_until(lambda: connected(air), 2, 'the adapter is back')
        took = time.monotonic() - began
        assert not air.report()['scanning'], 'a fresh controller scans'
        assert not any(client.bring_up() + client.scan()) and client.collect(0.2)
        client.close()
        return f'back after {took:.2f} s'


def unanswered(client, opcode):
    try:
        client.command(opcode, timeout=0.4)
    except Timeout:
        return True
    return False


def lost(client):
    """Whether the client can no longer tell where a packet begins."""
    try:
        client.collect(1)
    except (ValueError, IndexError, struct.error):
        return True
    return False


def connected(air):
    try:
        return H4(air.h4['p0'])
    except OSError:
        return None


def flood():
    """2,000 reports a second for 3 s, evenly; every report arrives, its time stamp tells the way it took; then as fast as it goes."""
    with Air() as air:
        with ear(air) as client:
            air.say('flood', rate=2000, seconds=3, carry='clock')
            ways, until = [], time.monotonic() + 10
            while len(ways) < 6000 and time.monotonic() < until:
                packet = client.receive(1)
                if packet[1] == 0x3e:
                    now = time.monotonic_ns() // 1000 & (1 << 48) - 1
                    ways.append(now - int.from_bytes(packet[14:][-9:-3], 'big'))
            pace = air.wait('flood', timeout=15)
            ways.sort()
            assert len(ways) == pace['sent'] == 6000 and pace['took_s'] > 2.99, (len(ways), pace)  # never ahead of its pace
            assert ways[0] > 0, 'heard before it was made'
            air.say('flood', rate=20000, seconds=1, carry='count', per_event=5, batch=20)
            heard, until = [], time.monotonic() + 15
            while len(heard) < 20000 and time.monotonic() < until:
                heard += reports(client.wait(lambda p: p[1] == 0x3e, 1))
            numbers = [int.from_bytes(r[3][25:29], 'big') for r in heard]
            assert numbers == list(range(20000)), 'lost or out of order'
            fast = air.wait('flood', timeout=15)
    return (f"2,000/s: late p50 {pace['late_us']['p50']} p99 {pace['late_us']['p99']} µs, way p50 {ways[3000]} p99 {ways[5940]} µs; "
            f"20,000/s in {fast['took_s']} s")


def ends():
    """Requests at start and on a socket; the air ends with its control, and by itself when its time is up; nothing stays behind."""
    with tempfile.TemporaryDirectory() as folder:
        place = f'{folder}/control'
        say = json.dumps({'do': 'advertise', 'id': 'tag', 'kind': 'ibeacon'})
        program = Program([sys.executable, HERE / 'air.py', '--control', f'unix:{place}', '--say', say, 'tcp:127.0.0.1:0'], f'{folder}/out')
        program.start()
        wait_until(lambda: pathlib.Path(place).exists(), 5, 'the control socket')
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(place)
            control.sendall(b'{"do": "who"}\n{"do": "dance"}\n')
            with control.makefile() as answers:
                first, second = json.loads(answers.readline()), json.loads(answers.readline())
            assert list(first['people']) == ['tag'] and second == {'ok': False, 'error': 'ValueError: no such verb: dance'}
        program.stop()
        assert program.process.returncode == 0 and 'ready' in program.said()
    air = Air('unix', 'pty')
    place = pathlib.Path(air.h4['p0'][5:])
    air.process.stdin.close()
    assert air.process.wait(3) == 0 and not place.exists()
    air.__exit__()
    began = time.monotonic()
    with Air('unix', seconds=0.5) as air:
        try:
            assert air.process.wait(3) == 0
        except subprocess.TimeoutExpired:
            raise AssertionError('it stayed') from None
    return f'{time.monotonic() - began:.1f} s of 0.5'


CHECKS = {f'air-{f.__name__}': f for f in (lines, serial, kinds, rules, addresses, faults, flood, ends)}
