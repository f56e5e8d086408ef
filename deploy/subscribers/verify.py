#!/usr/bin/env python3
"""Verifies the signatures of forecourt's events, and on which topic they came: verify.py PUBLIC.pem, a message a line on stdin.

    openssl pkey -in signing.key -pubout -out public.pem
    mosquitto_sub -F '%x %t' -t 'forecourt/+/+/trigger/+' | verify.py public.pem

A line is the payload's bytes in hexadecimal, a space and the topic. A message that was signed for its topic goes to stdout: the topic, a space and
the payload as it came. The first line of another form ends it, so `mosquitto_sub -v` ends it at once: there a line feed in a payload begins
lines of which anybody may be the author. Not enough to open anything: rehearsals pass, and what is late or comes again. pump.py refuses them.
"""
import base64
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

key, bad = load_pem_public_key(open(sys.argv[1], 'rb').read()), 0


def refusal(topic, payload):
    """Why nobody must believe this; None when they may."""
    # 64 bytes in base64, and nothing else of 88 characters. A gateway writes no control characters: what goes on stays one line.
    signed = re.fullmatch(rb'([^\0-\x1f]*),"signature":"([A-Za-z0-9+/]{86}==)"}', payload)
    try:
        key.verify(base64.b64decode(signed[2]), signed[1] + b'}')
    except (InvalidSignature, TypeError):
        return 'not signed by this key'
    try:
        return None if json.loads(payload)['topic'].encode() == topic else 'signed for another topic'
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return 'signed for no topic'


for line in (line.rstrip(b'\n') for line in sys.stdin.buffer):
    message = re.fullmatch(rb'((?:[0-9a-f]{2})*) (.+)', line)
    if not message:
        print(f'not of the form that mosquitto_sub -F "%x %t" prints, so nothing more is read: {line[:200]}', file=sys.stderr)
        sys.exit(64)
    payload, topic = bytes.fromhex(message[1].decode()), message[2]
    why = refusal(topic, payload)
    if why:
        print(f'{why}: {topic} {payload[:200]}', file=sys.stderr)
        bad = 1
    else:
        sys.stdout.buffer.write(topic + b' ' + payload + b'\n')
        sys.stdout.buffer.flush()
sys.exit(bad)
