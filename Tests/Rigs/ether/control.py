"""The words by which a test moves the air: one JSON object a line, each answered by {"ok": true, …} or {"ok": false, "error": …}.

Everything is in `do`; README.md lists the words of each.
"""
import asyncio
import json
import random
import time

from ether.adverts import Advertiser
from ether.flood import Flood
from ether.peers import Central, Phone


class Control:
    def __init__(self, medium, ports, replug, events):
        self.medium, self.ports, self.replug, self.events = medium, ports, replug, events
        self.people, self.floods, self.returning = {}, {}, set()

    async def obey(self, line):
        try:
            words = json.loads(line)
            verb = getattr(self, 'do_' + str(words.get('do', '')).replace('-', '_'), None)
            if verb is None:
                raise ValueError(f'no such verb: {words.get("do")}')
            result = verb(words)
            if asyncio.iscoroutine(result):
                result = await result
            return {'ok': True, **(result or {})}
        except asyncio.TimeoutError:
            return {'ok': False, 'error': 'timeout'}
        except Exception as error:
            return {'ok': False, 'error': f'{type(error).__name__}: {error}'}

    def chosen(self, words):
        """The ports a request means: "port": NAME, "ports": [NAME…], or all."""
        names = words.get('ports') or ([words['port']] if 'port' in words else list(self.ports))
        return [self.ports[name] for name in names]

    # -- who is there ----------------------------------------------------------------------------------------------------

    def do_advertise(self, words):
        self.remove(words['id'])
        self.people[words['id']] = person = Advertiser(self.medium, words)
        return {'address': str(person.address)[:17]}

    async def do_phone(self, words):
        self.remove(words['id'])
        self.people[words['id']] = phone = Phone(self.medium, words)
        await phone.start()
        return {'address': str(phone.address)[:17]}

    def do_set(self, words):
        self.people[words['id']].change({k: v for k, v in words.items() if k not in ('do', 'id')})

    def remove(self, name):
        person = self.people.pop(name, None)
        if person:
            person.stop()

    def do_silence(self, words):
        for name in [words['id']] if 'id' in words else list(self.people):
            self.remove(name)

    def do_who(self, words):
        return {'people': {name: {'address': str(p.address)[:17], 'sent': getattr(p, 'sent', None),
                                  'spoiled': getattr(getattr(p, 'controller', None), 'spoiled', None)} for name, p in self.people.items()}}

    # -- many reports ----------------------------------------------------------------------------------------------------

    def do_flood(self, words):
        name = words.get('id', 'flood')
        if name in self.floods and not self.floods[name].done.is_set():
            raise ValueError(f'flood {name} is under way')
        self.floods[name] = Flood(self.chosen(words), words)

    # -- centrals --------------------------------------------------------------------------------------------------------

    async def do_central(self, words):
        """Answers when the visit is over. {"times": N}: one after another."""
        visits = []
        for index in range(words.get('times', 1)):
            central = Central(self.medium, {'id': f'central-{index}', **words})
            try:
                visits.append(await central.run())
            finally:
                central.stop()
        return visits[0] if 'times' not in words else {'visits': visits}

    # -- what goes wrong on a line ---------------------------------------------------------------------------------------

    def do_fault(self, words):
        """hang, mute, delay_s, split, cut, deaf, connecting_stops_scan, offset_db: each stays until set again; clear ends all."""
        for port in self.chosen(words):
            if words.get('clear'):
                port.hang = port.mute = False
                port.delay_s, port.split, port.cut, port.refusals, port.swallowed = 0.0, 0, 0, {}, set()
                port.controller.deaf, port.controller.connecting_stops_scan = None, False
            for name in ('hang', 'mute', 'delay_s', 'split', 'cut'):
                if name in words:
                    setattr(port, name, words[name])
            for name in ('deaf', 'connecting_stops_scan', 'offset_db'):
                if name in words:
                    setattr(port.controller, name, words[name])
            for opcode, status in words.get('refuse', {}).items():
                port.refusals[int(opcode, 16)] = status
            port.swallowed |= {int(opcode, 16) for opcode in words.get('swallow', [])}
            port.record('fault', **{k: v for k, v in words.items() if k not in ('do', 'port', 'ports')})

    def do_inject(self, words):
        """Octets to the gateway as they are ("hex"), or "garbage": N random ones by "seed"; "hardware_error": CODE."""
        data = bytes.fromhex(words.get('hex', ''))
        if 'garbage' in words:
            data += random.Random(words.get('seed', 0)).randbytes(words['garbage'])
        if 'hardware_error' in words:
            data += bytes([4, 0x10, 1, words['hardware_error']])
        for port in self.chosen(words):
            for _ in range(words.get('times', 1)):
                port.send(data)

    def do_drop(self, words):
        """The adapter is pulled out; "for_s": it comes back by itself, as after replug."""
        for port in self.chosen(words):
            port.drop()
            if 'for_s' in words:
                asyncio.get_running_loop().call_later(words['for_s'], self.come_back, port)

    def come_back(self, port):
        task = asyncio.ensure_future(self.replug(port))
        self.returning.add(task)  # the loop holds it weakly
        task.add_done_callback(self.returning.discard)

    async def do_replug(self, words):
        for port in self.chosen(words):
            await self.replug(port)

    def do_hang_up(self, words):
        """The line is closed, the server stays: the gateway may connect again at once and finds the controller as it was."""
        for port in self.chosen(words):
            port._detach('hung up')

    # -- what the gateway did --------------------------------------------------------------------------------------------

    def do_report(self, words):
        return {'ports': {port.name: port.report() for port in self.chosen(words)}}

    def do_events(self, words):
        """The last events of the log ("last": N, 100), only of "port" or "what" where named."""
        events = [e for e in self.events if all(e.get(k) == words[k] for k in ('port', 'what') if k in words)]
        return {'events': events[-words.get('last', 100):]}

    async def do_wait(self, words):
        """Until "for" holds: scanning, open, closed, advertising, connected, idle (no connection), flood; or command OPCODE,
        which means one that comes after this call. Says how long it took."""
        began, limit, what = time.monotonic(), words.get('timeout_s', 5), words['for']
        if what == 'flood':
            flood = self.floods[words.get('id', 'flood')]
            await asyncio.wait_for(flood.done.wait(), limit)
            return flood.report()
        port = self.chosen(words)[0]
        before = port.commands.get(int(words['opcode'], 16), 0) if what == 'command' else 0
        tests = {'scanning': lambda: port.open and port.controller.le_scan_enable, 'open': lambda: port.open,
                 'closed': lambda: not port.open, 'advertising': lambda: port.controller.is_advertising,
                 'connected': lambda: port.controller.le_connections, 'idle': lambda: not port.controller.le_connections,
                 'command': lambda: port.commands.get(int(words['opcode'], 16), 0) > before}
        while not tests[what]():
            if time.monotonic() - began > limit:
                raise asyncio.TimeoutError
            await asyncio.sleep(0.005)
        return {'took_s': round(time.monotonic() - began, 4)}

    def do_clock(self, words):
        return {'monotonic_ns': time.monotonic_ns()}
