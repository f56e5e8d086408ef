#!/usr/bin/env python3
"""The virtual air: Bluetooth controllers on H4 lines, and whoever is scripted to be near them. Runs in the venv (venv.sh).

  air.py [--legacy] [--vendor broadcom|zephyr] [--acl N] [--say JSON]… [--control unix:PATH|-] [--log FILE] [--seconds N] LINE…

  LINE: [NAME=]tcp:HOST:PORT (0: any free one) | unix:PATH | pty:LINK | serial:TTY[@BAUD]; names default to p0, p1, …
        NAME:legacy=… makes that one a controller without extended advertising.

Prints {"ready": {NAME: LINE…}} when the lines are there. `--say` is a control request made at start (control.py, README.md).
Ends by itself after --seconds (600), when its control's standard input ends, or on SIGTERM.
"""
import argparse
import asyncio
import collections
import json
import logging
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ether.control import Control  # noqa: E402
from ether.controller import Controller  # noqa: E402
from ether.medium import Medium  # noqa: E402
from ether.port import Port  # noqa: E402


class Air:
    def __init__(self, words):
        self.words, self.medium, self.ports = words, Medium(), {}
        self.file = open(words.log, 'w', buffering=1) if words.log else None
        self.events = collections.deque(maxlen=20000)
        self.control = Control(self.medium, self.ports, self.replug, self.events)
        self.ended = asyncio.Event()

    def log(self, event):
        event = {'t_ns': time.monotonic_ns(), **event}
        self.events.append(event)
        if self.file:
            self.file.write(json.dumps(event) + '\n')

    def controller(self, name, index, legacy):
        return Controller(name, self.medium, f'AA:BB:CC:00:00:{index + 1:02X}', legacy, vendor=self.words.vendor,
                          le_acl_data_packet_length=self.words.acl, most_sets=self.words.sets)

    async def open(self, lines):
        for index, line in enumerate(lines):
            name, equals, spec = line.partition('=')
            if not equals:
                name, spec = f'p{index}', line
            name, _, kind = name.partition(':')
            port = Port(name, spec, self.controller(name, index, self.words.legacy or kind == 'legacy'), self.log)
            self.ports[name] = port
            await port.start()

    async def replug(self, port):
        """Another controller of the same make, just powered, on the same line."""
        old, index = port.controller, list(self.ports).index(port.name)
        old.host = None
        old.on_hci_reset_command(None)
        self.medium.controllers.discard(old)
        if port.server or port.slave is not None or port.open:
            port.drop()
        port.controller = self.controller(port.name, index, old.legacy)
        port.controller.counts, port.controller.scan_total = old.counts, old.scan_total
        port.controller.host = port
        await port.start()

    async def converse(self, reader, writer):
        """Requests are answered in order; a wait or a visit holds up only its own connection."""
        async for line in reader:
            if line.strip():
                writer.write(json.dumps(await self.control.obey(line)).encode() + b'\n')
                await writer.drain()

    async def listen(self):
        if self.words.control == '-':
            loop = asyncio.get_running_loop()
            reader = asyncio.StreamReader()
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
            transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            self.kept = reader, loop.create_task(self.converse(reader, writer))  # the loop itself holds both weakly
            self.kept[1].add_done_callback(lambda _: self.ended.set())
        elif self.words.control:
            path = self.words.control.partition(':')[2]
            if os.path.exists(path):
                os.unlink(path)
            self.kept = await asyncio.start_unix_server(self.converse, path)

    def close(self):
        for port in self.ports.values():
            port.drop()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--legacy', action='store_true', help='controllers without extended advertising')
    parser.add_argument('--vendor', choices=('none', 'broadcom', 'zephyr'), default='none')
    parser.add_argument('--acl', type=int, default=27, help='octets of an LE ACL packet')
    parser.add_argument('--sets', type=int, default=4, help='advertising sets of an extended controller')
    parser.add_argument('--say', action='append', default=[], metavar='JSON')
    parser.add_argument('--control', metavar='unix:PATH|-')
    parser.add_argument('--log', metavar='FILE')
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('lines', nargs='+', metavar='LINE')
    words = parser.parse_args()
    logging.basicConfig(level=os.environ.get('AIR_LOG', 'ERROR'))
    air = Air(words)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, air.ended.set)
    try:
        await air.open(words.lines)
        for request in words.say:
            answer = await air.control.obey(request)
            if not answer['ok']:
                sys.exit(f'air.py: {request}: {answer["error"]}')
        print(json.dumps({'ready': {name: port.spec for name, port in air.ports.items()}}), flush=True)
        await air.listen()
        try:
            await asyncio.wait_for(air.ended.wait(), words.seconds)
        except asyncio.TimeoutError:
            pass
    finally:
        air.close()


if __name__ == '__main__':
    asyncio.run(main())
