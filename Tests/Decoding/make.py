#!/usr/bin/env python3
"""Writes air.*: one stretch of air, made of vectors.jsonl and of what it lacks, in every capture format that is read.

    Tests/Decoding/make.py        writes them anew (they are committed; the result is always the same)

All hold the same HCI packets at the same microseconds, so everything that reads them must say the same of all.
"""
import json, os, struct

HERE = os.path.dirname(os.path.abspath(__file__))
START = 1_795_514_400_000_000  # 2026-11-24 10:00:00 UTC, in microseconds


def legacy(event, address, data, level=-60, kind=1):
    report = bytes([event, kind]) + bytes.fromhex(address)[::-1] + bytes([len(data)]) + data + struct.pack("b", level)
    return bytes([4, 0x3E, len(report) + 2, 2, 1]) + report


def extended(event, address, data, level=-60, kind=1, sid=1, power=127, primary=1, secondary=1, target=bytes(7)):
    report = struct.pack("<HB6sBBBbbH", event, kind, bytes.fromhex(address)[::-1], primary, secondary, sid, power, level, 0)
    report += target + bytes([len(data)]) + data
    return bytes([4, 0x3E, len(report) + 2, 0x0D, 1]) + report


def ad(*fields):
    return b"".join(bytes([len(value) + 1, kind]) + value for kind, value in fields)


def packets():
    """(microseconds since the start, H4 packet, whether the controller sent it)"""
    out, now = [], 0

    def say(packet, received=True, after=1_250):
        nonlocal now
        out.append((now, packet, received))
        now += after

    say(bytes.fromhex("01030C00"), False)
    say(bytes.fromhex("040E0401030C00"))
    for line in open(os.path.join(HERE, "vectors.jsonl")):
        vector = json.loads(line)
        if vector["kind"] == "hci_event":
            say(bytes.fromhex(vector["hex"]))
    beacon = ad((1, b"\6"), (0xFF, bytes.fromhex("4C0002152F234454CF6D4A0FADF2F4911BA9FFA600070102C5")))
    two = legacy(0, "C12233445566", beacon)[5:] + legacy(4, "C12233445566", ad((9, b"Pump 3")))[5:]
    say(bytes([4, 0x3E, len(two) + 2, 2, 2]) + two)
    for turn in range(20):
        say(legacy(3, "C12233445566", beacon, -60 - turn % 7), after=100_000)
        frame = struct.pack(">BBHhII", 0x20, 0, 2900 - turn, 20 << 8, turn, turn * 10)
        say(legacy(3, "C23344556677", ad((1, b"\6"), (3, b"\xAA\xFE"), (0x16, b"\xAA\xFE" + frame)), -70))
    say(legacy(3, "C33445566778", ad((0xFF, bytes.fromhex("1801BEAC") + bytes(range(20)) + b"\xC0\x00"))))
    say(legacy(0, "C44556677889", ad((3, b"\xAA\xFE"), (0x16, b"\xAA\xFE\x00\xEE" + bytes(range(16)) + b"\0\0"))))
    say(legacy(0, "C55667788990", ad((3, b"\xAA\xFE"), (0x16, b"\xAA\xFE\x10\xEE\x03bus\x00app\x07"))))
    say(legacy(0, "4A6677889900", ad((1, b"\x1A"), (0x0A, b"\x0C"), (0xFF, bytes.fromhex("4C001005011C2A3B4C")))))
    say(legacy(4, "4A6677889900", ad((0xFF, bytes.fromhex("4C0001") + bytes(10) + b"\x08" + bytes(5)))))
    say(legacy(0, "4B6677889900", ad((1, b"\x1A"), (7, bytes.fromhex("A6FFA91B91F4F2AD0F4A6DCF5444232F")))))
    say(legacy(0, "708194 0DFBAA".replace(" ", ""), ad((1, b"\6"))))
    say(extended(0x13, "C12233445566", beacon, sid=0xFF, secondary=0))
    say(extended(0x01, "C66778899001", ad((9, b"Extended tag"), (0x0A, b"\xF8"), (0xFF, b"\x59\x00" + bytes(60))), power=-8, secondary=2))
    say(extended(0x00, "C77889900112", ad((9, b"Far away")), primary=3, secondary=3, sid=5))
    long = ad(*[(0xFF, b"\x59\x00" + bytes([n]) * 200) for n in range(3)]) + ad((9, b"In pieces"))
    for n in range(0, len(long), 229):
        more = 0x20 if n + 229 < len(long) else 0
        say(extended(more, "C88990011223", long[n : n + 229], -50 - n // 229), after=800)
    say(extended(0x40, "C99001122334", ad((9, b"Cut"))[:-1] + b"ter"))
    say(extended(0x04, "CA0112233445", b"", target=b"\1" + bytes.fromhex("AABBCCDDEE7F")))
    say(bytes.fromhex("043E120B0101 01554433221101 01665544332211 C4".replace(" ", "")))
    say(legacy(3, "CB0112233445", ad((9, b"Unheard")), 127))
    say(legacy(3, "CC0112233445", b"\x02\x01\x06\x1E\x09Too short"))
    say(bytes.fromhex("043E0C020106 01 665544332211 00 C4".replace(" ", "")))
    say(bytes.fromhex("043E0C020200 01 665544332211 00 C4".replace(" ", "")))
    say(bytes.fromhex("043E13010040000001665544332211280000002A0000"))
    say(bytes.fromhex("0240200700030004000 20002".replace(" ", "")), False)
    say(bytes.fromhex("0240200700030004000 30002".replace(" ", "")))
    say(bytes.fromhex("04130501400001 00".replace(" ", "")))
    say(bytes.fromhex("0405040040 0013".replace(" ", "")))
    return out


def btsnoop(path, link, records):
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, link))
        for now, flags, content in records:
            file.write(struct.pack(">IIIIQ", len(content), len(content), flags, 0, START + now + 0x00DCDDB30F2F8000) + content)


def pcap(path, link, records, order="<", magic=0xA1B2C3D4, ticks=1):
    with open(path, "wb") as file:
        file.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link))
        for now, content in records:
            second, rest = divmod(START + now, 1_000_000)
            file.write(struct.pack(order + "IIII", second, rest * ticks, len(content), len(content)) + content)


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12)


def pcapng(path, link, records, order="<", resolution=None):
    options = struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0) if resolution is not None else b""
    ticks = 1_000_000 if resolution is None else 2 ** (resolution & 127) if resolution & 128 else 10**resolution
    with open(path, "wb") as file:
        file.write(block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)))
        file.write(block(order, 1, struct.pack(order + "HHI", link, 0, 262144) + options))
        file.write(block(order, 4, struct.pack(order + "HH", 0, 0)))  # names that nobody resolved
        for now, content in records:
            # Rounded up, so that the microsecond that is read back is the same.
            stamp = -(-(START + now) * ticks // 1_000_000)
            head = struct.pack(order + "IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF, len(content), len(content))
            file.write(block(order, 6, head + content))


def kind_for_monitor(packet, received):
    return {1: 2, 4: 3, 2: 5 if received else 4}[packet[0]]


def main():
    air = packets()
    path = lambda name: os.path.join(HERE, "air." + name)
    flags = lambda packet, received: int(received) | (0 if packet[0] == 2 else 2)
    btsnoop(path("h4.btsnoop"), 1002, [(t, flags(p, r), p) for t, p, r in air])
    btsnoop(path("hci.btsnoop"), 1001, [(t, flags(p, r), p[1:]) for t, p, r in air])
    index = struct.pack("<BB6s8s", 0, 0, bytes(6), b"hci0")
    monitor = [(0, 0, index), (0, 8, b"")] + [(t, kind_for_monitor(p, r), p[1:]) for t, p, r in air]
    btsnoop(path("monitor.btsnoop"), 2001, monitor)
    h4 = [(t, p) for t, p, _ in air]
    directed = [(t, struct.pack(">I", int(r)) + p) for t, p, r in air]
    linux = [(t, struct.pack(">HH", 0, kind_for_monitor(p, r)) + p[1:]) for t, p, r in air]
    pcap(path("h4.pcap"), 187, h4)
    pcap(path("directed.pcap"), 201, directed, ">")
    pcap(path("monitor.pcap"), 254, linux, "<", 0xA1B23C4D, 1_000)
    pcapng(path("h4.pcapng"), 187, h4)
    pcapng(path("directed.pcapng"), 201, directed, ">", 9)
    pcapng(path("monitor.pcapng"), 254, linux, "<", 0x80 | 30)


main()
