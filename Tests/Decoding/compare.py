#!/usr/bin/env python3
"""Says where `forecourt replay --decoded` and tshark, or btmon, read a capture differently, field by field.

    Tests/Decoding/compare.py FORECOURT CAPTURE… [--config FILE] [--most N]

Compared for each HCI event with reports: addresses and their types, levels, and of the data every field's type, the services' UUIDs,
names, TX powers, company identifiers, flags and appearances, in their order. Left out are the packets that we refuse and count as
malformed (tshark and btmon show what there is of them), reassembled advertisements (they show the pieces) and what a peer is known
not to show; each is counted. Needs tshark and btmon, and reads btsnoop alone with the latter. Exit 1 at the first difference.
"""
import collections, json, re, subprocess, sys

TSHARK = {
    "time": "frame.time_epoch", "address": "bthci_evt.bd_addr", "kind": "bthci_evt.le_peer_address_type", "level": "bthci_evt.rssi",
    "type": "btcommon.eir_ad.entry.type", "company": "btcommon.eir_ad.entry.company_id", "uuid16": "btcommon.eir_ad.entry.uuid_16",
    "uuid128": "btcommon.eir_ad.entry.uuid_128", "custom128": "btcommon.eir_ad.entry.custom_uuid_128", "name": "btcommon.eir_ad.entry.device_name", "power": "btcommon.eir_ad.entry.power_level",
    "appearance": "btcommon.eir_ad.entry.appearance", "malformed": "_ws.malformed",
}
KINDS = {"public": 0, "random": 1, "public-identity": 2, "random-identity": 3}
TYPES = {"flags": 0x01, "appearance": 0x19, "uri": 0x24, "tx_power": 0x0A, "manufacturer": 0xFF}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600).stdout.decode(errors="replace")


def ours(program, capture, config):
    """For each moment with reports: the reports, or None where something is malformed or put together from pieces."""
    moments = collections.OrderedDict()
    command = [program, "replay", "--decoded", capture] + (["--config", config] if config else [])
    for line in run(*command).splitlines():
        report = json.loads(line)
        reports = moments.setdefault(report["t_us"], [])
        if "malformed" in report or reports is None:
            moments[report["t_us"]] = None
        else:
            reports.append(report)
    return moments


def structures(data):
    """(type, content) of each field, from the bytes alone."""
    data, at = bytes.fromhex(data), 0
    while at < len(data) and data[at] and at + 1 + data[at] <= len(data):
        yield data[at + 1], data[at + 2 : at + 1 + data[at]]
        at += 1 + data[at]


def said(report):
    """What the line says, as a peer would show it."""
    out = collections.defaultdict(list)
    out["address"].append(report.get("address"))
    out["kind"].append(KINDS.get(report.get("address_type")))
    out["level"].append(report.get("rssi"))
    for field, (kind, _) in zip(report["fields"], structures(report["data"])):
        name = field["field"]
        out["type"].append(kind)
        if TYPES.get(name, kind) != kind:
            raise SystemExit(f"a field of type {kind:#x} is called {name}: {report}")
        if name == "manufacturer": out["company"].append(field["company"])
        if name == "tx_power": out["power"].append(field["value"])
        if name == "flags": out["flags"].append(field["value"])
        if name == "appearance": out["appearance"].append(field["value"])
        if name == "name": out["name"].append(field["text"].split("\0")[0])
        for uuid in field.get("uuids", []) + ([field["uuid"]] if name == "service_data" else []):
            out["uuid128" if len(uuid) == 36 else "uuid16"].append(uuid if len(uuid) == 36 else int(uuid, 16))
    return out


def tshark(capture):
    """By microseconds since the first frame."""
    command = ["tshark", "-r", capture, "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=\x1f", "-E", "separator=/t"]
    for field in TSHARK.values(): command += ["-e", field]
    start = None
    for line in run(*command).splitlines():
        cells = dict(zip(TSHARK, line.split("\t")))
        seconds, _, part = cells["time"].partition(".")
        moment = int(seconds) * 1_000_000 + int((part + "000000")[:6])
        start = moment if start is None else start
        values = {key: text.split("\x1f") if text else [] for key, text in cells.items()}
        for key in ("kind", "level", "type", "company", "uuid16", "power", "appearance"):
            values[key] = [int(value, 0) for value in values[key]]
        # Those that it knows by name are in one field, the others in another.
        values["uuid128"] = sorted(dashed(value.replace(":", "")) for value in values["uuid128"] + values["custom128"])
        yield moment - start, values


def dashed(text):
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])) if len(text) == 32 else text


def btmon(capture):
    """As tshark's, for each event with reports."""
    text, start = run("btmon", "-T", "-r", capture), None
    for block in re.split(r"\n(?=[<>=@])", text):
        if not (clock := re.search(r"#\d+.*? (\d+):(\d+):(\d+)\.(\d{6})", block.split("\n")[0])): continue
        hours, minutes, seconds, part = map(int, clock.groups())
        moment = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + part
        start = moment if start is None else start
        if "> HCI Event" not in block or not re.search(r"LE (Extended )?Advertising Report \(0x", block): continue
        values = collections.defaultdict(list)
        for line in block.split("\n"):
            line = line.strip()
            for key, pattern in (
                ("address", r"Address: ([0-9A-F:]{17})"), ("kind", r"Address type: .*\((0x[0-9a-f]{2})\)"),
                ("level", r"RSSI: .*\((0x[0-9a-f]{2})\)"), ("company", r"Company: .* \((\d+)\)"), ("flags", r"Flags: (0x[0-9a-f]{2})"),
                ("name", r"Name \((?:complete|short)\): (.*)"),
            ):
                if found := re.fullmatch(pattern + r"(?: \(.*\))?", line): values[key].append(found.group(1))
        values["address"] = [value.lower() for value in values["address"]]
        for key in ("kind", "flags"): values[key] = [int(value, 0) for value in values[key]]
        values["level"] = [value - 256 if (value := int(text, 0)) > 127 else value for text in values["level"]]
        values["company"] = [int(value) for value in values["company"]]
        yield (moment - start) % 86_400_000_000, values


class Comparison:
    def __init__(self, peer, capture):
        self.peer, self.capture, self.counts, self.values = peer, capture, collections.Counter(), 0

    def events(self, moment, reports, theirs, keys):
        mine = collections.defaultdict(list)
        for report in reports:
            for key, values in said(report).items(): mine[key] += values
        self.counts["events"] += 1
        for key in keys:
            expected = [127 if key == "level" and value is None else value for value in mine[key]]
            if key == "uuid128": expected.sort()
            self.values += len(expected)
            if expected != theirs[key]:
                raise SystemExit(f"{self.capture} at {moment} µs: {key} is {expected} here, {theirs[key]} in {self.peer}\n{reports}")

    def skip(self, why): self.counts[why] += 1

    def __str__(self):
        others = ", ".join(f"{count} {why}" for why, count in self.counts.items() if why != "events")
        return f"{self.capture} and {self.peer}: {self.counts['events']} events, {self.values} values agree" + (f"; left out: {others}" if others else "")


def unusual(reports):
    """Why an event cannot be compared; None when it can."""
    if reports is None: return "refused by us"
    if any(len(report["data"]) > 2 * 229 or report.get("status") == "truncated" for report in reports): return "in pieces"
    if any("damage" in report or sum(2 + len(c) for _, c in structures(report["data"])) != len(report["data"]) // 2 for report in reports):
        return "with damaged fields"
    return None


PEERS = {
    "tshark": (tshark, ("address", "kind", "level", "type", "company", "uuid16", "uuid128", "power", "appearance")),
    "btmon": (btmon, ("address", "kind", "level", "company", "flags")),
}


def compare(mine, peer, capture):
    comparison, (read, keys) = Comparison(peer, capture), PEERS[peer]
    theirs = collections.defaultdict(list)
    for moment, values in read(capture):
        if values["level"] and values["address"]: theirs[moment].append(values)
    for moment, reports in mine.items():
        why = unusual(reports)
        if why is None and any(values.get("malformed") for values in theirs[moment]): why = f"malformed to {peer}"
        if why is None and sum(len(values["level"]) for values in theirs[moment]) != len(reports): why = f"shown differently by {peer}"
        if why: comparison.skip(why)
        else: comparison.events(moment, reports, {key: [v for values in theirs[moment] for v in values[key]] for key in keys}, keys)
    return comparison


def main(arguments):
    options = {"--config": None}
    for name in list(options):
        if name in arguments:
            place = arguments.index(name)
            options[name] = arguments[place + 1]
            del arguments[place : place + 2]
    if len(arguments) < 2: raise SystemExit(__doc__)
    program, captures = arguments[0], arguments[1:]
    for capture in captures:
        mine = ours(program, capture, options["--config"])
        print(compare(mine, "tshark", capture))
        if capture.endswith(".btsnoop"): print(compare(mine, "btmon", capture))


if __name__ == "__main__":
    main(sys.argv[1:])
