"""Nobody gets in: TLS with every wrong certificate, passwords, an ACL that forbids, signatures.

    $(Tests/Rigs/venv.sh) Tests/Robustness/security.py [NAME…]
"""
import base64
import json
import signal
import subprocess
import sys

from cases import BASE, all_come, case, events, main
from courier import ROOT, Courier
from rig import Mosquitto, Subscriber, wait_until


@case
def the_right_broker(folder):
    """TLS 1.2 or later, the authority, the broker's name and dates, our own certificate: each wrong one is refused and reported."""
    for shown_by, host, word in (('server', 'localhost', None), ('server', '127.0.0.1', None), ('wrong-name', 'localhost', 'name'),
                                 ('expired', 'localhost', 'verify failed'), ('future', 'localhost', 'verify failed'),
                                 ('other', 'localhost', 'verify failed')):
        with Mosquitto(tls=shown_by) as broker:
            with Courier(port=broker.port, host=host, outbox=folder / shown_by, tls_ca=broker.certificates / 'ca.pem') as courier:
                if word:
                    said = courier.told('no connection to the broker')
                    assert word in said, (shown_by, said)
                    assert courier.figures['connections'] == 0
                else:
                    courier.online()
    with Mosquitto(tls='wrong-name') as broker:
        with Courier(port=broker.port, outbox=folder / 'i', tls_ca=broker.certificates / 'ca.pem', tls_insecure=1) as courier:
            courier.told('tls_insecure')
            assert courier.online().figures['troubles'] & 8
    with Mosquitto(tls='other') as broker:
        with Courier(port=broker.port, outbox=folder / 'io', tls_ca=broker.certificates / 'ca.pem', tls_insecure=1) as courier:
            assert 'verify failed' in courier.told('no connection to the broker'), 'insecure forgives the name, not the authority'
    with Courier(port=1, outbox=folder / 'n', tls_ca=folder / 'none.pem') as courier:
        assert 'none.pem: No such file' in courier.told('no connection to the broker')


@case
def old_tls_is_refused(folder):
    # A mosquitto that speaks TLS 1.1 at most; OpenSSL's own floor is lowered for it alone.
    (folder / 'openssl.cnf').write_text('openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n'
                                        'MinProtocol = TLSv1.1\nMaxProtocol = TLSv1.1\nCipherString = DEFAULT@SECLEVEL=0\n')
    broker = Mosquitto(tls='server')
    broker.env = {'OPENSSL_CONF': str(folder / 'openssl.cnf')}
    with broker:
        with Courier(port=broker.port, outbox=folder / 'o', tls_ca=broker.certificates / 'ca.pem') as courier:
            said = courier.told('no connection to the broker')
            assert 'protocol' in said or 'alert' in said or 'TLS' in said, said
            assert courier.figures['connections'] == 0


@case
def our_own_certificate(folder):
    for name, welcome in (('client', True), ('client-other', False), ('client-expired', False), (None, False)):
        with Mosquitto(tls='server', client_certificates=True) as broker:
            tls = broker.certificates
            own = {'tls_cert': tls / f'{name}.pem', 'tls_key': tls / f'{name}.key'} if name else {}
            with Courier(port=broker.port, outbox=folder / str(name), tls_ca=tls / 'ca.pem', **own) as courier:
                if welcome:
                    courier.online()
                    assert "u'gateway-1'" in broker.said()
                else:
                    courier.told('no connection to the broker')
                    assert courier.figures['connections'] == 0


@case
def passwords(folder):
    with Mosquitto(users={'gateway': 'right'}) as broker:
        with Courier(port=broker.port, outbox=folder / 'o', username='gateway', password='wrong') as courier:
            assert 'refuses us: Not authorized' in courier.told('no connection'), courier.words
        with Courier(port=broker.port, outbox=folder / 'p', username='gateway', password='right') as courier:
            courier.online()
        with Courier(port=broker.port, outbox=folder / 'q', username='gateway', password='wrong', version=4) as courier:
            assert 'refuses us' in courier.told('no connection'), courier.words


@case
def an_acl_that_forbids(folder):
    """Forbidden events are kept, reported and retried; allowed ones are delivered."""
    acl = f'topic readwrite {BASE}/region/#\ntopic readwrite {BASE}/status\ntopic readwrite {BASE}/trigger/pump-1\n'
    with Mosquitto(acl=acl) as broker, Subscriber(broker.watch, '#') as seen:
        with Courier(port=broker.port, outbox=folder / 'o', commands=1) as courier:
            courier.online()
            courier.say('events 1 4')
            courier.say('state door {}')
            seen.wait(lambda m: m.topic.endswith('/region/door'))
            figures = courier.until(lambda f: f['refused'] >= 3)
            assert figures['delivered'] == 1 and figures['waiting'] == 3 and figures['troubles'] & 4, figures
            courier.told('see its ACL')
        (broker.folder / 'acl').write_text('topic readwrite #\n')
        broker.signal(signal.SIGHUP)
        wait_until(lambda: 'Reloading config' in broker.said(), 5, 'the broker has the new list')
        with Courier(port=broker.port, outbox=folder / 'o', commands=1) as courier:
            figures = courier.until(lambda f: f['delivered'] == 3)
            assert not figures['troubles'] & 4
        all_come(seen, range(1, 5))
    assert sorted(events(seen)) == [1, 2, 3, 4]


@case
def signatures(folder):
    """deploy/subscribers/verify.py accepts a signed event, and refuses it when a byte has changed or the topic is another."""
    subprocess.run(['openssl', 'genpkey', '-algorithm', 'ed25519', '-out', folder / 'key.pem'], check=True)
    subprocess.run(['openssl', 'pkey', '-in', folder / 'key.pem', '-pubout', '-out', folder / 'public.pem'], check=True)

    def verify(topic, payload):
        return subprocess.run([sys.executable, ROOT / 'deploy' / 'subscribers' / 'verify.py', folder / 'public.pem'],
                              input=f'{payload.hex()} {topic}\n'.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        with Courier(port=broker.port, outbox=folder / 'o', signing_key=folder / 'key.pem') as courier:
            courier.say('events 1 2')
            event = seen.wait(lambda m: '/trigger/' in m.topic)
            payload, words = event.payload, json.loads(event.payload)
            assert len(base64.b64decode(words['signature'])) == 64 and list(words)[-2:] == ['topic', 'signature'], words
            told = verify(event.topic, payload)
            assert words['topic'] == event.topic and told.returncode == 0, told
            assert told.stdout == event.topic.encode() + b' ' + payload + b'\n', told
            assert verify(event.topic + 'x', payload).returncode == 1
            assert verify(event.topic, payload.replace(b'"fire"', b'"FIRE"')).returncode == 1
            assert verify(event.topic, b'{"v":1}').returncode == 1
        with Courier(port=broker.port, outbox=folder / 'p', signing_key=folder / 'public.pem') as courier:
            courier.told('holds no Ed25519 key')


if __name__ == '__main__':
    main()
