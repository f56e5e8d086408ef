#!/usr/bin/env python3
"""Acts on every `fire`, once: pump.py HOST PORT PUBLIC.pem SEEN.db [TOPIC [CLIENT]] [--version 4], one line for each on stdout.

What a subscriber owes its customers: it believes only what is signed, and only on the topic that it was signed for; it never acts on a
rehearsal, nor late, nor twice, and misses nothing while it is away: the broker keeps its session, and an event is acknowledged only after
it was acted upon. What it passes over is acknowledged, too: otherwise a message that nobody can read would come again at each start. Where
each gateway has a key of its own, as it should, start one for each, with its TOPIC, a CLIENT id and a SEEN.db of its own. Whatever keeps it
from hearing anything stands on stderr. Version 4 is MQTT 3.1.1, for brokers that do not speak MQTT 5. Needs paho-mqtt and cryptography.
"""
import argparse
import base64
import datetime
import json
import re
import sqlite3
import sys

import paho.mqtt.client as paho
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from paho.mqtt.properties import PacketTypes, Properties

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in 'host', 'port', 'key_file', 'seen_file':
    arguments.add_argument(name)
arguments.add_argument('topic', nargs='?', default='forecourt/+/+/trigger/+')
arguments.add_argument('client', nargs='?', default='pump')
arguments.add_argument('--version', type=int, choices=(4, 5), default=5)
asked = arguments.parse_args()
topic = asked.topic
key = load_pem_public_key(open(asked.key_file, 'rb').read())
# The same table may well hold what was done: then acting and remembering are one transaction.
seen = sqlite3.connect(asked.seen_file)
seen.execute('CREATE TABLE IF NOT EXISTS seen (event_id TEXT PRIMARY KEY, at TEXT)')


def refusal(topic, payload):
    """Why nobody must act on this; None when they may."""
    # 64 bytes in base64, and nothing else of 88 characters.
    signed = re.fullmatch(rb'(.*),"signature":"([A-Za-z0-9+/]{86}==)"}', payload)
    if not signed:
        return 'not signed'
    try:
        key.verify(base64.b64decode(signed[2]), signed[1] + b'}')
    except InvalidSignature:
        return 'signed by somebody else, or changed'
    try:
        return reason_to_wait(topic, json.loads(payload))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as why:
        return f'signed, but no event: {why!r}'


def reason_to_wait(topic, event):
    """The same, of an event that is signed. Raises what Python raises where a member is missing or of another type."""
    if 'topic' not in event:
        return 'signed without a topic: by a gateway of an older version'
    # Without this, whoever may publish at another pump opens it with a fire of ours.
    if event['topic'] != topic:
        return 'of another topic'
    if event.get('simulated'):
        return 'a rehearsal'
    if event['event'] not in ('fire', 'manual'):
        return f'only {event["event"]}'
    expires = event['expires'] and datetime.datetime.fromisoformat(event['expires'])
    if expires is None or expires < datetime.datetime.now(datetime.timezone.utc):
        return 'too late, or its gateway did not know the time'
    for member in 'event_id', 'at', 'trigger', 'id':
        event[member].encode()
    if seen.execute('SELECT 1 FROM seen WHERE event_id = ?', [event['event_id']]).fetchone():
        return 'seen before'
    return None


def received(client, _, message):
    why = refusal(message.topic, message.payload)
    if why:
        print(f'passed over ({why}): {message.payload[:120]}', file=sys.stderr, flush=True)
    else:
        event = json.loads(message.payload)
        with seen:
            seen.execute('INSERT INTO seen VALUES (?, ?)', [event['event_id'], event['at']])
            print(f'open {event["trigger"]} for {event["id"]}', flush=True)
    client.ack(message.mid, message.qos)


def say(words):
    print(words, file=sys.stderr, flush=True)


answered = False


def connected(client, _, __, reason, ___):
    global answered
    answered = True
    if reason.is_failure:
        return say(f'the broker refuses us: {reason}' + ('; try --version 4' if reason.value == 0x84 else ''))
    client.subscribe(topic, qos=1)


def disconnected(_, __, ___, reason, ____):
    if answered:
        say(f'the line to the broker ended: {reason}; trying again')
    else:
        hint = '. If it does not speak MQTT 5: --version 4' if asked.version == 5 else ''
        say('the broker ends the line without an answer; trying again' + hint)


def subscribed(_, __, ___, reasons, ____):
    say(f'the broker refuses {topic}: {reasons[0]}' if reasons[0].is_failure else f'waiting for {topic}')


if asked.version == 5:
    session = {'clean_start': False, 'properties': Properties(PacketTypes.CONNECT)}
    session['properties'].SessionExpiryInterval = 24 * 3600
else:
    # How long such a broker keeps the session is in its own settings.
    session = {}
client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id=asked.client, protocol=asked.version, manual_ack=True,
                     clean_session=False if asked.version == 4 else None)
client.on_connect, client.on_subscribe, client.on_message, client.on_disconnect = connected, subscribed, received, disconnected
client.on_connect_fail = lambda *_: say('the broker does not answer; trying again')
client.connect(asked.host, int(asked.port), **session)
client.loop_forever()
