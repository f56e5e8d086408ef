#!/usr/bin/env python3
"""Verifies the signatures of forecourt's events: verify.py PUBLIC.pem, a message a line on stdin; good lines go to stdout as they came.

    openssl pkey -in signing.key -pubout -out public.pem
    mosquitto_sub -v -t 'forecourt/+/+/trigger/+' | verify.py public.pem

A line is a topic, a space and a payload, and is good only if the event was signed for that topic. A payload alone is good if it is signed:
what it was sent under is then unknown, and only its own member `topic` says where it was made.
"""
import base64
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

key, bad = load_pem_public_key(open(sys.argv[1], 'rb').read()), 0
for line in (line.rstrip(b'\n') for line in sys.stdin.buffer):
    start = 0 if line.startswith(b'{') else line.find(b' {') + 1
    topic, payload = line[:start], line[start:]
    # 64 bytes in base64, and nothing else of 88 characters.
    signed = re.fullmatch(rb'(.*),"signature":"([A-Za-z0-9+/]{86}==)"}', payload)
    try:
        key.verify(base64.b64decode(signed[2]), signed[1] + b'}')
        if topic and topic != json.loads(payload)['topic'].encode() + b' ':
            raise ValueError
        sys.stdout.buffer.write(line + b'\n')
        sys.stdout.buffer.flush()
    except (InvalidSignature, TypeError):
        print(f'not signed by this key: {line[:200]}', file=sys.stderr)
        bad = 1
    except (ValueError, KeyError, AttributeError, RecursionError):
        print(f'signed for another topic: {line[:200]}', file=sys.stderr)
        bad = 1
sys.exit(bad)
