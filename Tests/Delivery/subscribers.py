"""The examples of deploy/subscribers against the product: subscribers.py. $FORECOURT names it: .build/debug/forecourt unless it says otherwise."""
import base64
import contextlib
import json
import os
import pathlib
import re
import select
import shlex
import sqlite3
import subprocess
import sys

from cases import case, main
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from gateway import BASE, yard
from product import ROOT
from rig import Mosquitto, Program, Subscriber, wait_until

FOLDER = ROOT / 'deploy' / 'subscribers'


# What no subscriber can read, each in its own way: no UTF-8, no object, too deep, a signature that looks like base64 and is none.
ODD = (b'', b'\xff\xfe{"event":"fire"}', b'5', b'[]', b'null', b'"fire"', b'[' * 100_000, b'{"a":1,"signature":"' + b'A' * 85 + b'==="}',
       b'{"a":1,"signature":"' + b'=' * 88 + b'"}', b'{"a":1,"signature":5}')


def keys(folder):
    """A gateway's key in key.pem, and in public.pem what its subscribers have of it."""
    key = Ed25519PrivateKey.generate()
    (folder / 'key.pem').write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / 'key.pem').chmod(0o600)
    (folder / 'public.pem').write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return key


def signed(key, event):
    """As the gateway does it: the signature covers everything before itself."""
    body = json.dumps(event).encode()
    return body[:-1] + b',"signature":"' + base64.b64encode(key.sign(body)) + b'"}'


def remembered(path):
    with contextlib.closing(sqlite3.connect(path)) as seen:
        return seen.execute('SELECT event_id FROM seen').fetchall()


@case
def pump(folder):
    """pump.py acts on a real fire once, and on no copy, forgery, change, rehearsal or late event; also after its restart. In the
    gateway's own words: the fire says on which topic it comes, just before its signature."""
    key = keys(folder)
    with yard(folder, tags=0, more=f'[security]\nsigning_key_file = "{folder}/key.pem"') as (air, broker, seen, _):
        subscriber = Program([sys.executable, FOLDER / 'pump.py', '127.0.0.1', broker.port, folder / 'public.pem', folder / 'seen.db'],
                             folder / 'subscriber')
        subscriber.start()
        wait_until(lambda: b'SUBACK to pump' in pathlib.Path(broker.output).read_bytes(), 10, 'it has subscribed')
        air.say('advertise', id='phone', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=1, interval_ms=100,
                rssi={'from': -85, 'to': -50, 'seconds': 4})
        fire = seen.wait(lambda m: m.topic.endswith('/trigger/pump-3') and b'"fire"' in m.payload, 30)
        assert list(json.loads(fire.payload).items())[-2] == ('topic', fire.topic), fire
        expected = 'open pump-3 for ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:1'
        wait_until(lambda: expected in subscriber.said(), 10, 'it acts')
        # Killed between acting and remembering it would rightly act again.
        wait_until(lambda: len(remembered(folder / 'seen.db')) == 1, 10, 'it remembers')

        event = json.loads(fire.payload)
        event.pop('signature')

        def resigned(**changes):
            return signed(key, {**event, **changes})

        subscriber.stop()
        subscriber.start()
        changed = fire.payload.replace(b'pump-3', b'pump-4', 1)
        for words, payload in (
                ('seen before', fire.payload), ('changed', changed), ('not signed', re.sub(rb',"signature":"[^"]*"', b'', fire.payload)),
                ('a rehearsal', resigned(event_id='x-1', simulated=True)),
                ('too late', resigned(event_id='x-2', expires='2020-01-01T00:00:00.000Z')),
                ('only leave', resigned(event_id='x-3', event='leave')), ('too late', resigned(event_id='x-4', expires=None))):
            before = subscriber.said().count(words)
            seen.publish(fire.topic, payload)
            wait_until(lambda: subscriber.said().count(words) > before, 5, f'it passes over "{words}": {subscriber.said()}')
        # Also when the driver typed the pump's number.
        for number, kind in (5, 'fire'), (6, 'manual'):
            seen.publish(fire.topic, resigned(event=kind, event_id=f'x-{number}', expires='2099-01-01T00:00:00.000Z'))
        wait_until(lambda: subscriber.said().count('open pump-3') == 3, 5, f'new events are acted on: {subscriber.said()}')
        assert subscriber.said().count('open ') == 3, subscriber.said()
        subscriber.stop()


def a_fire(topic):
    return {'v': 1, 'event': 'fire', 'trigger': 'pump-3', 'id': 'ibeacon:1', 'event_id': 'a-1', 'at': '2026-11-21T10:00:00Z',
            'expires': '2099-01-01T00:00:00Z', 'evidence': {}, 'topic': topic}


@case
def another_topic(folder):
    """A genuine fire opens the pump that it was signed for, and no pump of the same name where somebody publishes it again."""
    key, topic = keys(folder), 'forecourt/yard/island-1/trigger/pump-3'
    unbound = {name: value for name, value in a_fire(topic).items() if name != 'topic'}
    with Mosquitto() as broker, Subscriber(broker.port, '#') as seen:
        subscriber = Program([sys.executable, FOLDER / 'pump.py', '127.0.0.1', broker.port, folder / 'public.pem', folder / 'seen.db',
                              'forecourt/+/+/trigger/+', 'till-3'], folder / 'subscriber')
        subscriber.start()
        wait_until(lambda: b'SUBACK to till-3' in pathlib.Path(broker.output).read_bytes(), 10, 'it has subscribed')
        for other in (topic.replace('yard', 'south'), topic.replace('island-1', 'island-2'), topic.replace('pump-3', 'pump-4')):
            seen.publish(other, signed(key, a_fire(topic)))
        seen.publish(topic, signed(key, unbound))
        wait_until(lambda: subscriber.said().count('of another topic') == 3, 5, f'it refuses all three: {subscriber.said()}')
        older = 'signed without a topic: by a gateway of an older version'
        wait_until(lambda: older in subscriber.said(), 5, f'and this one: {subscriber.said()}')
        seen.publish(topic, signed(key, a_fire(topic)))
        wait_until(lambda: 'open pump-3' in subscriber.said(), 5, f'it acts: {subscriber.said()}')
        assert subscriber.said().count('open ') == 1, subscriber.said()
        subscriber.stop()


@case
def odd_words(folder):
    """Whatever it cannot read pump.py passes over for good, and acts on the next fire."""
    key, topic = keys(folder), 'forecourt/yard/island-1/trigger/pump-3'
    fire = a_fire(topic)
    without = [{name: value for name, value in fire.items() if name != left} for left in ('event', 'trigger', 'id', 'event_id', 'at', 'expires')]
    changed = [{**fire, **change} for change in (
        {'at': 5}, {'at': None}, {'expires': 5}, {'expires': 'soon'}, {'expires': '2099-01-01T00:00:00'}, {'expires': [1]}, {'expires': ''},
        {'expires': 0}, {'event_id': 5}, {'event_id': [1]}, {'event_id': None}, {'id': {}}, {'id': '\ud800'}, {'topic': [topic]}, {'trigger': 5},
        {'event': ['fire']}, {'event': None})]
    odd = [*ODD, *(signed(key, words) for words in (*without, *changed))]
    with Mosquitto() as broker, Subscriber(broker.port, '#') as seen:
        subscriber = Program([sys.executable, FOLDER / 'pump.py', '127.0.0.1', broker.port, folder / 'public.pem', folder / 'seen.db'],
                             folder / 'subscriber')
        subscriber.start()
        wait_until(lambda: b'SUBACK to pump' in pathlib.Path(broker.output).read_bytes(), 10, 'it has subscribed')
        for payload in odd:
            seen.publish(topic, payload)
        seen.publish(topic, signed(key, fire))
        wait_until(lambda: 'open pump-3 for ibeacon:1' in subscriber.said(), 10, f'it goes on: {subscriber.said()}')
        assert subscriber.said().count('open ') == 1 and subscriber.said().count('passed over (') == len(odd), subscriber.said()
        wait_until(lambda: pathlib.Path(broker.output).read_bytes().count(b'PUBACK from pump') == len(odd) + 1, 5, 'all is acknowledged')
        # So nothing of it comes again.
        subscriber.stop()
        subscriber.start()
        seen.publish(topic, signed(key, {**fire, 'event_id': 'a-2'}))
        wait_until(lambda: subscriber.said().count('open ') == 2, 10, f'it acts after a restart: {subscriber.said()}')
        assert subscriber.said().count('passed over (') == len(odd), subscriber.said()
        subscriber.stop()


@case
def anomalies(folder):
    """Two sites 250 km, two 2 km apart: a plausible drive is no anomaly, visits that exclude each other are one, in any order."""
    (folder / 'sites.json').write_text('{"north": [53.55, 9.99], "east": [52.52, 13.4], "next": [53.568, 9.99]}')
    with Mosquitto() as broker, Subscriber(broker.port, 'forecourt/anomaly') as seen:
        watcher = Program([sys.executable, FOLDER / 'anomalies.py', '127.0.0.1', broker.port, folder / 'sites.json'], folder / 'watcher')
        watcher.start()
        wait_until(lambda: 'watching' in watcher.said(), 10, 'it watches')
        count = 0

        def say(identity, event, site, at, **more):
            nonlocal count
            count += 1
            body = {'v': 1, 'event': event, 'trigger': 'pump', 'id': identity, 'event_id': f'b-{count}', 'at': f'2026-11-21T{at}Z', 'evidence': {}, **more}
            for _ in range(2): seen.publish(f'forecourt/{site}/gate/trigger/pump', json.dumps(body))

        # Plausible: two hours' drive; the next site after a leave that came late, after a silence; a clock ten seconds off; a leave that was lost
        # is not that of the next visit; a rehearsal.
        for identity, event, site, at in (('van', 'fire', 'north', '10:00:00'), ('van', 'leave', 'north', '10:05:00'), ('van', 'fire', 'east', '12:00:00'),
                                          ('car', 'fire', 'north', '10:00:00'), ('car', 'fire', 'next', '10:03:00'), ('car', 'leave', 'north', '10:04:30'),
                                          ('bike', 'fire', 'next', '10:00:00'), ('bike', 'fire', 'north', '10:00:26'),
                                          ('lost', 'fire', 'north', '10:00:00'), ('lost', 'fire', 'next', '10:30:00'),
                                          ('lost', 'fire', 'north', '11:00:00'), ('lost', 'leave', 'north', '11:10:00')):
            say(identity, event, site, at)
        say('copy', 'fire', 'north', '10:00:00', simulated=True)
        say('copy', 'fire', 'east', '10:00:01', simulated=True)
        # Impossible: an hour for 255 km, in either order, and a visit that goes on while another starts.
        say('jet', 'fire', 'north', '10:00:00')
        say('jet', 'fire', 'east', '11:00:00')
        say('late', 'fire', 'east', '11:00:00')
        say('late', 'manual', 'north', '10:00:00')
        say('twin', 'fire', 'north', '10:00:00')
        say('twin', 'fire', 'next', '10:05:00')
        say('twin', 'leave', 'north', '10:10:00')
        say('clone', 'anomaly', 'north', '10:00:00', evidence={'reason': 'two places at once'})
        odd = [payload for payload in ODD if b'signature' not in payload]
        odd += [json.dumps({'event': 'fire', 'id': 'odd', 'event_id': 'o-1', 'at': '2026-11-21T10:00:00Z', 'evidence': {}, **change}).encode()
                for change in ({'at': 5}, {'at': [1]}, {'at': 'soon'}, {'id': {}}, {'id': [1]}, {'id': 5}, {'event_id': [1]},
                               {'event_id': {}}, {'event': ['fire']}, {'evidence': [1]})]
        for payload in odd:
            seen.publish('forecourt/north/gate/trigger/pump', payload)
        wait_until(lambda: watcher.said().count('no event') == len(odd), 5, f'it goes on: {watcher.said()}')
        say('after', 'anomaly', 'north', '10:00:00', evidence={'reason': 'implausible power'})
        wait_until(lambda: len(seen.messages) >= 5, 5, 'all is told')
        told = [(event['id'], event['anomaly'], [e['site'] for e in event['events']]) for event in map(json.loads, (m.payload for m in seen.messages))]
        assert told == [
            ('jet', 'impossible speed', ['north', 'east']), ('late', 'impossible speed', ['north', 'east']),
            ('twin', 'two places at once', ['north', 'next']), ('clone', 'two places at once', ['north']),
            ('after', 'implausible power', ['north'])], told
        watcher.stop()


@case
def greeting(folder):
    """A later gateway gets our status once in each of its runs: RabbitMQ gives wildcard subscriptions no retained message."""
    with yard(folder, tags=0, more='[[trigger]]\nname = "pump-4"\nmatch = "ibeacon:*"\ngroup = "pumps"') as (_, _, seen, _):
        def greeted(seconds, **words):
            before = len(seen.messages)
            seen.publish('forecourt/yard/island-2/status', json.dumps({'v': 1, 'state': 'online', 'groups': 'pumps', **words}))
            try:
                return seen.wait(lambda m: m.topic == f'{BASE}/status', seconds, before).payload.startswith(b'{"v":1,"state":"online"')
            except TimeoutError:
                return False
        assert greeted(5, boot='a') and not greeted(1, boot='a') and greeted(5, boot='b')
        assert not greeted(1, boot='b', state='offline') and greeted(5, boot='b') and not greeted(1, boot='c', simulated=True)


def line(topic, payload):
    """As mosquitto_sub -F '%x %t' prints it."""
    return payload.hex().encode() + b' ' + topic.encode() + b'\n'


def verify(folder, text):
    return subprocess.run([sys.executable, FOLDER / 'verify.py', folder / 'public.pem'], capture_output=True, timeout=30, input=text)


@case
def verifier(folder):
    """verify.py passes signed events on the topic that they were signed for, also where that has a space, and nothing else"""
    key, topic = keys(folder), 'forecourt/Tank & Rast/island 1/trigger/pump-3'
    good, unbound = signed(key, a_fire(topic)), signed(key, {'v': 1})
    passed = topic.encode() + b' ' + good + b'\n'
    bad = [(topic.replace('Tank', 'Bank'), good), (f'{topic} ', good), (topic, good.replace(b'fire', b'flee')), (topic, good + b'\n' + good),
           (topic, unbound), ('x', signed(key, {'topic': 5})), ('x', signed(key, [])), ('x', signed(key, 5)), *((topic, payload) for payload in ODD)]
    told = verify(folder, b''.join(line(*words) for words in (*bad, (topic, good))))
    assert told.stdout == passed and told.returncode == 1 and told.stderr.count(b'\n') == len(bad), told
    told = verify(folder, line(topic, good) * 2)
    assert told.stdout == passed * 2 and told.returncode == 0, told
    # A gateway's key can be stolen; still its messages are one line each.
    broken = b'{"topic":"' + topic.encode() + b'",\n"v":1}'
    told = verify(folder, line(topic, broken[:-1] + b',"signature":"' + base64.b64encode(key.sign(broken)) + b'"}'))
    assert told.stdout == b'' and told.returncode == 1, told
    # At once, though more may come.
    quiet = {name: value for name, value in os.environ.items() if name != 'PYTHONUNBUFFERED'}
    with subprocess.Popen([sys.executable, FOLDER / 'verify.py', folder / 'public.pem'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=quiet) as verifying:
        verifying.stdin.write(line(topic, good))
        verifying.stdin.flush()
        assert select.select([verifying.stdout], [], [], 10)[0] and verifying.stdout.readline() == passed
        verifying.stdin.close()


@case
def forged_lines(folder):
    """Whatever lines a payload has, verify.py behind mosquitto_sub, called as it says, passes no other topic's message; with -v, nothing at all."""
    key, north, south = keys(folder), 'forecourt/yard/island-1/trigger/pump-3', 'forecourt/south/island-1/trigger/pump-3'
    own, other = signed(key, a_fire(north)), signed(key, a_fire(south))
    command = re.search(r'mosquitto_sub (.*) -t (.*) \|', (FOLDER / 'verify.py').read_text())
    forged = b'\n' + other + b'\n' + south.encode() + b' ' + other + b'\n' + line(south, other)
    for options, expected, code in ((shlex.split(command[1]), north.encode() + b' ' + own + b'\n', 1), (['-v'], b'', 64)):
        with Mosquitto() as broker, Subscriber(broker.port, '#') as seen:
            ears = subprocess.Popen(['mosquitto_sub', '-p', str(broker.port), '-i', 'ears', *options, '-t', shlex.split(command[2])[0], '-W', '3'],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            wait_until(lambda: b'SUBACK to ears' in pathlib.Path(broker.output).read_bytes(), 5, 'it listens')
            # The forger comes before the gateway.
            for payload in (line(south, other), b'00' + forged, forged, own):
                seen.publish(north, payload)
            told = verify(folder, ears.communicate(timeout=10)[0])
            assert told.stdout == expected and told.returncode == code, (options, told)


@case
def flow(folder):
    """The Node-RED flow is valid, its wires end at nodes, and its function filters as documented (run by node, if installed)"""
    nodes = {node['id']: node for node in json.loads((FOLDER / 'node-red.json').read_text())}
    assert all(wire in nodes for node in nodes.values() for wires in node.get('wires', []) for wire in wires)
    # Else Node-RED unsubscribes whenever it ends, and the broker keeps nothing for it: what comes meanwhile is lost.
    broker = nodes['forecourt-broker']
    assert (broker['cleansession'], broker['autoUnsubscribe'], nodes['forecourt-in']['qos']) == (False, False, '1'), broker
    script = '''const kept = {}, context = { get: (k) => kept[k], set: (k, v) => { kept[k] = v } };
const once = new Function('msg', 'context', FUNCTION);
const event = (more) => ({ payload: { event: 'fire', event_id: 'a-1', expires: new Date(Date.now() + 9000).toISOString(), ...more } });
const late = ['2020-01-01T00:00:00.000Z', null, undefined, '', 0, 'soon', '99999999999999', [], ['2099-01-01'], {}, true, Date.now() + 9000];
console.log(JSON.stringify([event({}), event({}), event({ event_id: 'a-2', simulated: true }), event({ event_id: 'a-4', event: 'leave' }),
  event({ event_id: 'a-5' }), ...late.map((expires, number) => event({ event_id: 'b-' + number, expires }))].map(
  (msg) => once(msg, context) !== null)));'''
    if any(os.access(pathlib.Path(place) / 'node', os.X_OK) for place in os.environ['PATH'].split(':')):
        told = subprocess.run(['node', '-e', script.replace('FUNCTION', json.dumps(nodes['forecourt-once']['func']))], capture_output=True,
                              text=True, timeout=30)
        assert json.loads(told.stdout or 'null') == [True, False, False, False, True] + [False] * 12, told


if __name__ == '__main__':
    main()
