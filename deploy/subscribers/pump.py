#!/usr/bin/env python3
"""Acts on every `fire`, once: pump.py HOST PORT PUBLIC.pem SEEN.db [TOPIC [CLIENT]], one line for each on stdout.

What a subscriber owes its customers: it believes only what is signed, and only on the topic that it was signed for; it never acts on a
rehearsal, nor late, nor twice, and misses nothing while it is away: the broker keeps its session, and an event is acknowledged only after it was
acted upon. What it passes over is acknowledged, too: otherwise a message that nobody can read would come again at each start. Where each gateway
has a key of its own, as it should, start one for each, with its TOPIC, a CLIENT id and a SEEN.db of its own. Needs paho-mqtt and cryptography.
"""
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

host, port, key_file, seen_file = sys.argv[1:5]
topic = sys.argv[5] if len(sys.argv) > 5 else 'forecourt/+/+/trigger/+'
key = load_pem_public_key(open(key_file, 'rb').read())
# The same table may well hold what was done: then acting and remembering are one transaction.
seen = sqlite3.connect(seen_file)
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
    # Without this, whoever may publish at another pump opens it with a fire of ours.
    if event.get('topic') != topic:
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


def connected(client, *_):
    client.subscribe(topic, qos=1)


kept = Properties(PacketTypes.CONNECT)
kept.SessionExpiryInterval = 24 * 3600
client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id=sys.argv[6] if len(sys.argv) > 6 else 'pump', protocol=paho.MQTTv5, manual_ack=True)
client.on_connect, client.on_message = connected, received
client.connect(host, int(port), clean_start=False, properties=kept)
client.loop_forever()
