"""What Core writes, judged by Python's json: escaping, UTF-8, numbers. No millions by default: --count says how many.

    Tests/Delivery/json_text.py [--seed N] [--count N]
"""
import argparse
import codecs
import decimal
import json
import struct
import subprocess

from courier import RIG

codecs.register_error('each', lambda error: ('\ufffd', error.start + 1))
decimal.getcontext().prec = 60


def number(bits, places):
    """The shortest text of a float at so many decimals, ties away from zero; None where JSON has no word for it."""
    value = struct.unpack('<f', struct.pack('<I', bits))[0]
    if value != value or abs(value) >= 1e9:
        return None
    exact = decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP)
    text = f'{exact:f}'
    text = text.rstrip('0').rstrip('.') if '.' in text else text
    return '0' if text == '-0' else text


def forbidden(character):
    code = ord(character)
    return character in '/+#' or code < 0x20 or 0x7F <= code < 0xA0 or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def judge(line):
    raw, bits, places, whole, payload, level = line.split(b'\t')
    text = bytes.fromhex(raw.decode()).decode('utf-8', 'each')
    written = json.loads(payload.decode('utf-8'), parse_float=str, parse_int=str)
    assert written['text'] == text, (written['text'], text)
    assert written['number'] == number(int(bits), int(places)), (written['number'], number(int(bits), int(places)), places)
    assert written['whole'] == whole.decode()
    cut = written['list'][0]['cut']
    assert text.startswith(cut) and (cut == text or len(cut) >= 3), (cut, text)
    assert written['nothing'] is None and written['yes'] == (int(whole) > 0)
    expected = ''.join('_' if forbidden(c) else c for c in bytes.fromhex(raw.decode()).decode('utf-8', 'underscore'))
    assert level.decode('utf-8') == expected, (level, expected)


if __name__ == '__main__':
    codecs.register_error('underscore', lambda error: ('_', error.start + 1))
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200_000)
    words = parser.parse_args()
    rig = subprocess.Popen([RIG, 'write', str(words.seed), str(words.count)], stdout=subprocess.PIPE)
    judged = 0
    for line in rig.stdout:
        judge(line.rstrip(b'\n'))
        judged += 1
    assert judged == words.count and rig.wait() == 0
    print(f'ok   {judged} payloads, seed {words.seed}\n1 passed, 0 failed')
