"""The brokers, each seen through clients that nobody here wrote: paho and mosquitto_sub."""
import ssl
import time

from mosquitto import program
from rig import Btvirt, Mosquitto, Rabbit, Subscriber, run
from h4 import H4, Timeout, reports

import struct


def mosquitto():
    """Plain: MQTT 5 and 3.1.1, retained, mosquitto_sub; hung, killed and back on the same port."""
    with Mosquitto() as broker:
        began = time.monotonic()
        with Subscriber(broker.port, 'a/#') as five, Subscriber(broker.port, 'a/#', version=4) as old:
            five.publish('a/b', b'hello', retain=True)
            for seen in five, old:
                assert seen.wait(lambda m: m.payload == b'hello', 2).topic == 'a/b'
        took = time.monotonic() - began
        told = run(program('mosquitto_sub'), '-p', broker.port, '-t', 'a/b', '-C', 1, '-W', 3)
        assert told.stdout == 'hello\n', told
        broker.pause()
        hung = run(program('mosquitto_sub'), '-p', broker.port, '-t', 'a/b', '-C', 1, '-W', 1)
        assert hung.returncode not in (0, 1), 'answered while it hangs'
        broker.resume()
        broker.kill()
        assert run(program('mosquitto_sub'), '-p', broker.port, '-t', 'a/b', '-C', 1, '-W', 3).returncode == 1
        broker.start()
        with Subscriber(broker.port, 'a/#') as five:
            five.publish('a/c', b'again')
            five.wait(lambda m: m.payload == b'again', 2)
            assert len(five.messages) == 1, 'without persistence nothing is remembered'
        return f'two clients served in {took * 1000:.0f} ms'


def persistence():
    """Retained messages survive an orderly restart when persistence is on."""
    with Mosquitto(persistence=True) as broker:
        with Subscriber(broker.port) as client:
            client.publish('a', b'kept', retain=True)
        broker.restart()
        with Subscriber(broker.port, 'a') as client:
            assert client.wait(lambda m: m.retain, 2).payload == b'kept'


def passwords():
    """A wrong password is refused, the ACL keeps a gateway to its own topics, the watching port sees all."""
    acl = 'user gateway-1\ntopic write site/gateway-1/#\ntopic read site/+/claim\n'
    with Mosquitto(users={'gateway-1': 'right', 'gateway-2': 'right'}, acl=acl) as broker, Subscriber(broker.watch) as eyes:
        for words in {'username': 'gateway-1', 'password': 'wrong'}, {}:
            try:
                with Subscriber(broker.port, **words):
                    raise AssertionError(f'let in: {words}')
            except ConnectionError:
                pass
        with Subscriber(broker.port, 'site/+/claim', username='gateway-1', password='right') as client:
            client.publish('site/gateway-2/x', b'forbidden')
            client.publish('site/gateway-1/x', b'allowed')
            eyes.wait(lambda m: m.payload == b'allowed', 2)
            assert [m.payload for m in eyes.messages] == [b'allowed'], eyes.messages


def tls():
    """The right certificate is accepted; wrong authority, wrong name, expired, not yet valid: each is refused by a client that looks."""
    told = []
    reasons = {'server': None, 'wrong-name': 'mismatch', 'expired': 'expired', 'future': 'not yet valid', 'other': 'verify failed'}
    for shown, reason in reasons.items():
        with Mosquitto(tls=shown) as broker:
            try:
                with Subscriber(broker.port, tls=broker.certificates) as client:
                    assert reason is None, f'{shown} was accepted'
                    client.publish('a', b'x')
                    client.wait(lambda m: m.payload == b'x', 2)
            except ssl.SSLCertVerificationError as error:
                assert reason and reason in str(error), (shown, error)
                told.append(shown)
            if shown == 'server':
                try:
                    with Subscriber(broker.port, tls=broker.certificates, authority='other-ca'):
                        raise AssertionError('another authority was accepted')
                except ssl.SSLCertVerificationError:
                    pass
    return f'refused: {", ".join(told)}'


def client_certificates():
    """A client without, with an expired or with a stranger's certificate stays outside; the CN is the user's name for the ACL."""
    acl = 'pattern write site/%u/#\n'
    with Mosquitto(tls='server', client_certificates=True, acl=acl) as broker, Subscriber(broker.watch) as eyes:
        for certificate in None, 'client-expired', 'client-other':
            try:
                with Subscriber(broker.port, tls=broker.certificates, certificate=certificate):
                    raise AssertionError(f'let in with {certificate}')
            except (ssl.SSLError, ConnectionError, OSError):
                pass
        with Subscriber(broker.port, tls=broker.certificates, certificate='client') as client:
            client.publish('site/gateway-2/x', b'forbidden')
            client.publish('site/gateway-1/x', b'allowed')
        eyes.wait(lambda m: m.payload == b'allowed', 2)
        assert len(eyes.messages) == 1


def rabbit():
    """One node: MQTT 3.1.1 through its plugin, QoS 1, refused without the password."""
    with Rabbit(users={'gateway': 'right'}) as broker:
        try:
            with Subscriber(broker.port, version=4):
                raise AssertionError('anonymous was let in')
        except ConnectionError:
            pass
        with Subscriber(broker.port, 'a/#', version=4, username='gateway', password='right') as client:
            client.publish('a/b', b'hello')
            assert client.wait(lambda m: m.payload == b'hello', 5).qos == 1


def cluster():
    """Three nodes: what is published at one arrives at another, also after the first has been killed."""
    with Rabbit(nodes=3) as broker:
        first, second, third = broker.nodes
        with Subscriber(third.port, 'a/#', version=4) as eyes:
            with Subscriber(first.port, 'none', version=4) as client:
                client.publish('a/1', b'one')
                eyes.wait(lambda m: m.payload == b'one', 5)
            first.kill()
            with Subscriber(second.port, 'none', version=4) as client:
                client.publish('a/2', b'two')
                eyes.wait(lambda m: m.payload == b'two', 20)


def btvirt():
    """BlueZ's emulator: advertise, scan, connect, ACL both ways between two connections to its socket; two of them side by side."""
    data = bytes.fromhex('0201061aff4c0002152f234454cf6d4a0fadf2f4911ba9ffa600010002c5')
    with Btvirt() as first, Btvirt() as second:
        with H4(first.le) as teller, H4(first.le) as hearer, H4(second.le) as stranger:
            for client in teller, hearer, stranger:
                assert not any(client.bring_up()[:3] + client.scan())
            own = teller.command(0x1009)[1:]
            for _ in range(3):  # one report for each enabling
                assert not any(teller.command(0x2006, struct.pack('<HHBBB6sBB', 160, 160, 3, 0, 0, bytes(6), 7, 0)) +
                               teller.command(0x2008, bytes([len(data)]) + data.ljust(31, b'\0')) + teller.command(0x200a, b'\1'))
                heard = reports(hearer.wait(lambda p: p[:2] == b'\x04\x3e', 2))[0]
                assert heard[3] == data and heard[4] == 127, heard
                teller.command(0x200a, b'\0')
            try:
                stranger.wait(lambda p: p[:2] == b'\x04\x3e', 0.2)
                raise AssertionError('heard across two airs')
            except Timeout:
                pass
            hearer.scan(False)
            teller.command(0x2006, struct.pack('<HHBBB6sBB', 160, 160, 0, 0, 0, bytes(6), 7, 0))
            teller.command(0x200a, b'\1')
            hearer.command(0x200d, struct.pack('<HHBB6sBHHHHHH', 96, 48, 0, 0, own, 0, 24, 40, 0, 500, 0, 0))
            here, there = hearer.connected(), teller.connected()
            hearer.send_att(here, b'\x02\xb9\0')
            assert teller.receive_att(there) == b'\x02\xb9\0'
            teller.send_att(there, b'\x03\x17\0')
            assert hearer.receive_att(here) == b'\x03\x17\0'


CHECKS = {'btvirt': btvirt, **{f'broker-{f.__name__.replace("_", "-")}': f for f in (
    mosquitto, persistence, passwords, tls, client_certificates, rabbit, cluster)}}
