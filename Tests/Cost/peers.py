#!/usr/bin/env python3
"""The same air through other software: reports a second of processor time.

    peers.py SPEED.jsonl FILE.h4 FILE.btsnoop    the table; SPEED.jsonl is what build/bench/bench printed
    peers.py --peer NAME FILE.h4                 one Python peer, as a line of JSON

A Python peer is given events (aioblescan, Bumble, bleparser), advertising data (beacontools) or JSON made beforehand (TheengsDecoder),
for at most ten seconds; cutting the stream into events is not counted. tshark and btmon print to nowhere, and the time they
take for an empty capture is taken off.
"""
import json, logging, resource, struct, subprocess, sys, tempfile, time

PEERS = ("bumble", "bleparser", "aioblescan", "beacontools", "TheengsDecoder")
SECONDS = 10


def events(path):
    data = open(path, "rb").read()
    at = 0
    while at + 3 <= len(data):
        end = at + 3 + data[at + 2]
        yield data[at:end]
        at = end


def reports(event):
    """(address, type, level, data) of each."""
    at = 5
    for _ in range(event[4]):
        head, level = (9, None) if event[3] == 2 else (24, 13)
        length = event[at + head - 1]
        shift = 2 if event[3] == 2 else 3
        value = event[at + head + length] if level is None else event[at + level]
        yield event[at + shift : at + shift + 6], event[at + shift - 1], value - 256 if value > 127 else value, event[at + head : at + head + length]
        at += head + length + (1 if level is None else 0)


def document(address, kind, level, data):
    """What Theengs' gateway hands to its decoder."""
    out = {"id": ":".join(f"{byte:02X}" for byte in address[::-1]), "mac_type": kind, "rssi": level}
    at = 0
    while at + 1 < len(data) and data[at]:
        field, content = data[at + 1], data[at + 2 : at + 1 + data[at]]
        if field == 0x09: out["name"] = content.decode()
        if field == 0xFF: out["manufacturerdata"] = content.hex()
        if field == 0x16: out["servicedata"], out["servicedatauuid"] = content[2:].hex(), content[1::-1].hex()
        at += 1 + data[at]
    return json.dumps(out)


def decoder(name):
    """(what it is given of an event, what takes that)"""
    logging.disable(logging.CRITICAL)
    if name == "bumble":
        from bumble import hci
        from bumble.core import AdvertisingData

        def decode(event):
            for report in hci.HCI_Packet.from_bytes(event).reports: AdvertisingData.from_bytes(report.data).ad_structures

        return (lambda event: [event]), decode
    if name == "bleparser":
        from bleparser import BleParser

        return (lambda event: [event]), BleParser().parse_raw_data
    if name == "aioblescan":
        import aioblescan

        def decode(event):
            packet = aioblescan.HCI_Event()
            packet.decode(event)
            packet.retrieve("peer"), packet.retrieve("rssi")

        return (lambda event: [event]), decode
    if name == "beacontools":
        from beacontools import parse_packet

        return (lambda event: [data for *_, data in reports(event)]), parse_packet
    from TheengsDecoder import decodeBLE

    return (lambda event: [document(*report) for report in reports(event)]), decodeBLE


def run(name, path):
    prepare, decode = decoder(name)
    done = spent = refused = 0
    batch, count = [], 0
    for event in events(path):
        batch += prepare(event)
        count += event[4]
        if len(batch) < 1_000: continue
        start = time.process_time()
        for piece in batch:
            # Some end with an error at what they do not know; that costs them time, and is said.
            try: decode(piece)
            except Exception: refused += 1
        spent += time.process_time() - start
        done, batch, count = done + count, [], 0
        if spent > SECONDS: break
    print(json.dumps({"name": name, "reports": done, "per_second": done / spent, "refused": refused / done}))


def tool(command, path):
    """A program's processor time for a capture."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command + [path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tools(path):
    """tshark and btmon, over the first 100,000 events."""
    most = 100_000
    with open(path, "rb") as capture, tempfile.NamedTemporaryFile(suffix=".btsnoop") as some, tempfile.NamedTemporaryFile(suffix=".btsnoop") as none:
        head, count = capture.read(16), 0
        some.write(head)
        none.write(head)
        for _ in range(most):
            record = capture.read(24)
            if len(record) < 24: break
            packet = capture.read(struct.unpack(">I", record[4:8])[0])
            some.write(record + packet)
            count += packet[4]
        some.flush()
        none.flush()
        for name, command in (("tshark", ["tshark", "-V", "-r"]), ("btmon", ["btmon", "-r"])):
            yield {"name": name, "reports": count, "per_second": count / (tool(command, some.name) - tool(command, none.name))}


def main(arguments):
    if arguments[0] == "--peer": return run(*arguments[1:])
    speed, stream, capture = arguments
    rows = [json.loads(line) for line in open(speed) if '"ring"' not in line]
    for name in PEERS:
        rows.append(json.loads(subprocess.run([sys.executable, __file__, "--peer", name, stream], stdout=subprocess.PIPE, check=True).stdout))
    rows += tools(capture)
    names = {
        "reference": "the least in C", "average": "forecourt, to the average", "region": "forecourt, with a region", "trigger": "forecourt, with a trigger"}
    ours = next(row["per_second"] for row in rows if row["name"] == "average")
    print(f"{'':28}{'reports a second':>18}{'forecourt is':>14}")
    for row in sorted(rows, key=lambda row: -row["per_second"]):
        print(
            f"{names.get(row['name'], row['name']):28}{row['per_second']:18,.0f}{ours / row['per_second']:13,.1f}×"
            + (f"   {row['refused']:.0%} end with an error" if row.get("refused") else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
