"""Connections and transmit power on the air: Bumble's phone and central against a raw H4 client in the gateway's place."""
import concurrent.futures as futures
import struct
import time
import uuid

from checks.air import IRK, ear
from ether.adverts import STATIC_SERVICE
from h4 import H4, Timeout, bdaddr
from rig import Air

INSTALLATION = 'BBBBBBBB-BBBB-BBBB-BBBB-BBCC8337CA80'


def phone():
    """The identify conversation with Bumble's GATT: MTU, services, the id, RSSI; random and public; cancel; a new address."""
    took = []
    with Air() as air:
        for words in ({}, {'address': 'C4:64:E3:77:00:01', 'address_type': 'public'}, {'background': True, 'real': True, 'irk': IRK}):
            place = air.say('phone', id='phone', rssi=-48, **words)['address']
            with ear(air) as client:
                kind = 0 if words.get('address_type') == 'public' else 1
                client.command(0x200d, struct.pack('<HHBB6sBHHHHHH', 96, 48, 0, 1, bdaddr('C0:00:00:00:00:99'), 1, 24, 40, 0, 500, 0, 0))
                assert client.command(0x200e) == b'\0' and client.le_event(10, 1)[0] == 2, 'cancel, then its event'
                began = time.monotonic()
                handle = client.connect(place, kind)
                assert client.att(handle, b'\x02\xb9\0')[0] == 3
                found = client.services(handle)
                took.append(time.monotonic() - began)
                assert {STATIC_SERVICE, INSTALLATION} <= {s[2] for s in found}, found
                assert len(found) == (9 if words.get('real') else 4)
                assert struct.unpack('b', client.command(0x1405, struct.pack('<H', handle))[3:])[0] == -48
                assert client.disconnect(handle) == 0x16
    return f'connect to last service {max(took) * 1000:.0f} ms'


def spoiled():
    """A peer that goes astray at a step does so, and only there."""
    with Air() as air:
        place = air.say('phone', id='phone')['address']
        for deed, sign in (('silence', None), ('garbage', True), ('lie', True), ('error', True), ('slow', True), ('disconnect', 0x13)):
            air.say('set', id='phone', fault={'at': 'discover', 'do': deed, 'seconds': 0.2})
            air.say('fault', connecting_stops_scan=deed == 'slow')
            with ear(air) as client:
                handle = client.connect(place)
                assert air.report()['scanning'] == (deed != 'slow'), 'a scan that a connection stopped'
                assert client.att(handle, b'\x02\xb9\0')[0] == 3, deed
                client.send_att(handle, struct.pack('<BHHH', 0x10, 1, 0xffff, 0x2800))
                try:
                    packet = client.wait(lambda p: p[0] == 2 or p[:2] == b'\x04\x05', 0.5)
                except Timeout:
                    packet = None
                assert (packet is None) == (sign is None), deed
                if deed == 'disconnect':
                    assert packet[1] == 5 and packet[6] == 0x13
                client.command(0x0c03)
        return '6 deeds'


def serve(client, handle, until):
    """An ATT server by hand, as small as the conversation allows: what a gateway's peripheral answers."""
    groups = [(1, 3, STATIC_SERVICE), (4, 6, INSTALLATION)]
    while time.monotonic() < until:
        try:
            request = client.receive_att(handle, 1)
        except Timeout:
            return
        code, answer = request[0], None
        if code == 0x02:
            answer = b'\x03\x17\0'
        elif code == 0x10:
            start = int.from_bytes(request[1:3], 'little')
            group = next((g for g in groups if g[0] >= start), None)
            answer = group and b'\x11\x14' + struct.pack('<HH', *group[:2]) + uuid.UUID(group[2]).bytes[::-1]
        elif code == 0x06 and int.from_bytes(request[1:3], 'little') <= 1:
            answer = b'\x07' + struct.pack('<HH', 1, 3)
        client.send_att(handle, answer or bytes([1, code]) + request[1:3] + b'\x0a')


def central():
    """Bumble's central finds who advertises the service, connects, exchanges MTU, discovers; raw PDUs; a stalled visit."""
    with Air() as air:
        with futures.ThreadPoolExecutor(1) as pool, H4(air.h4['p0']) as client:
            client.bring_up()
            for words in ({}, {'raw': ['10010000ff0028', '52ffff00']}, {'stall_s': 0.3}):
                data = b'\x02\x01\x06\x11\x07' + bytes.fromhex(STATIC_SERVICE.replace('-', ''))[::-1]
                assert not any(client.advertise(data))
                visit = pool.submit(air.say, 'central', rssi=-40, answer_s=0.3, **words)
                handle = client.connected()
                serve(client, handle, time.monotonic() + 3)
                result = visit.result(10)
                if not words:
                    assert result['mtu'] == 23 and result['found_by_value'] == [1], result
                    assert [s['uuid'].upper() for s in result['services']] == [STATIC_SERVICE, INSTALLATION], result
                elif 'raw' in words:
                    assert len(result['answers']) == 2 and result['answers'][0], result
                else:
                    assert result['dropped_s'] is None
        return f'visit {result["seconds"]} s'


def pair():
    """Two gateways on one air find and ask each other: legacy to legacy, extended to extended, old to new; the scan goes on."""
    data = b'\x02\x01\x06\x11\x07' + bytes.fromhex(STATIC_SERVICE.replace('-', ''))[::-1]
    for kinds in ('p0:legacy=unix', 'p1:legacy=unix'), ('p0=unix', 'p1=unix'), ('p0:legacy=unix', 'p1=unix'):
        with Air(*kinds) as air, H4(air.h4['p0']) as told, H4(air.h4['p1']) as asks:
            assert not any(told.bring_up('E1:00:00:00:00:01') + asks.bring_up('E2:00:00:00:00:02'))
            extended, old = 'legacy' not in kinds[1], 'legacy' in kinds[0]
            if old:
                assert not any(told.advertise(data) + told.scan())
            else:
                assert not any(advertise_set(told, 'E1:00:00:00:00:01', data) + told.scan(extended=True))
            assert not any(asks.scan(extended=extended))
            assert 'E1:00:00:00:00:01' in {r[2] for r in asks.collect(0.4)}
            handle = asks.connect('E1:00:00:00:00:01', extended=extended)
            there = told.connected()
            asks.send_att(handle, b'\x0a\1\0' + bytes(60))  # longer than one ACL packet, both ways
            assert told.receive_att(there) == b'\x0a\1\0' + bytes(60)
            told.send_att(there, b'\x0b' + bytes(range(100)))
            assert asks.receive_att(handle) == b'\x0b' + bytes(range(100))
            assert asks.disconnect(handle) == 0x16 and told.wait(lambda p: p[:2] == b'\x04\x05', 1)[6] == 0x13
            assert all(port['scanning'] and not port['mixed'] for port in air.say('report')['ports'].values())


def advertise_set(client, address, data, handle=0):
    """A connectable set of legacy PDUs by extended commands; statuses."""
    parameters = bytes([handle]) + b'\x13\0' + b'\xa0\0\0' * 2 + bytes([7, 1, 0]) + bytes(6) + bytes([0, 127, 1, 0, 1, 0, 0])
    return [client.command(0x2036, parameters)[0], client.command(0x2035, bytes([handle]) + bdaddr(address))[0],
            client.command(0x2037, bytes([handle, 3, 1, len(data)]) + data)[0],
            client.command(0x2039, bytes([1, 1, handle, 0, 0, 0]))[0]]


def power():
    """The three ways to a transmit power, and the level that follows it."""
    with Air('p0=unix', 'ear=unix', options=('--vendor', 'zephyr')) as air, H4(air.h4['p0']) as client:
        client.bring_up()
        parameters = bytes([0]) + b'\x10\0' + b'\xa0\0\0' * 2 + bytes([7, 1, 0]) + bytes(6) + bytes([0, 20, 1, 0, 1, 3, 0])
        assert client.command(0x2036, parameters) == b'\0\x08', 'the controller chose its most'
        assert client.command(0xfc0e, b'\0\0\0\xf8') == b'\0\0\0\0\xf8'
        client.command(0x2035, b'\0' + bdaddr('E3:00:00:00:00:03'))
        client.command(0x2037, b'\0\3\1\x03\x02\x01\x06')
        assert client.command(0x2039, b'\1\1\0\0\0\0') == b'\0'
        with ear(air, 'ear', extended=True) as other:
            assert {r[4] for r in other.collect(0.4)} == {-67 + 8}
    with Air('p0=unix', options=('--vendor', 'broadcom', '--legacy')) as air, H4(air.h4['p0']) as client:
        assert client.command(0xfc26, b'\xfe\0\xf4') == b'\0' and client.command(0x2007) == b'\0\xf4'


CHECKS = {f'air-{f.__name__}': f for f in (phone, spoiled, central, pair, power)}
