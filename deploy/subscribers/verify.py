#!/usr/bin/env python3
"""Verifies the signatures of forecourt's events: verify.py PUBLIC.pem, payloads on stdin, one a line; good ones go to stdout.

    openssl pkey -in signing.key -pubout -out public.pem
    mosquitto_sub -t 'forecourt/+/+/trigger/+' | verify.py public.pem
"""
import base64
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

key, bad = load_pem_public_key(open(sys.argv[1], 'rb').read()), 0
for payload in (line.rstrip(b'\n') for line in sys.stdin.buffer):
    # 64 bytes in base64, and nothing else of 88 characters.
    signed = re.fullmatch(rb'(.*),"signature":"([A-Za-z0-9+/]{86}==)"}', payload)
    try:
        key.verify(base64.b64decode(signed[2]), signed[1] + b'}')
        sys.stdout.buffer.write(payload + b'\n')
        sys.stdout.buffer.flush()
    except (InvalidSignature, TypeError):
        print(f'not signed by this key: {payload[:200]}', file=sys.stderr)
        bad = 1
sys.exit(bad)
