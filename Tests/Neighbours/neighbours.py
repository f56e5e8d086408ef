"""Neighbours are unheard, forged or gone: with two to eight gateways and one driver there are never two fires.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/neighbours.py [NAME…]
"""
import contextlib
import json
import re
import socket
import threading
import time

from cases import case, main
from island import acquainted, island, not_served, served_once, site_key
from product import ROOT
from rig import Mosquitto, free_port, wait_until

ACL = (ROOT / 'deploy/brokers/site.acl').read_text()


@case
def shipped_access_list(folder):
    """With the shipped access list and passwords the gateways hear one another, and `check` says so; without the right to read
    claims neither fires, and both say why."""
    words = {'site': 'harbour-road', 'mqtt': f'username = "NAME"\npassword_file = "{folder}/password"'}
    (folder / 'password').write_text('secret')
    (folder / 'password').chmod(0o600)
    users = {f'island-{n}': 'secret' for n in (1, 2)}

    def with_names(gateways):
        for gateway in gateways:
            gateway.write(mqtt=words['mqtt'].replace('NAME', gateway.name))
            gateway.stop()
            gateway.start()

    with island(folder, broker=Mosquitto(users=users, acl=ACL), **words) as (air, broker, seen, gateways):
        with_names(gateways)
        acquainted(seen, gateways)
        line, code = gateways[0].check()
        assert code == 0 and 'island-2 can be heard' in line and 'unauthenticated' in line, (line, code)
        served_once(air, seen, 1, 'island-1')
    deaf = '\n'.join(line for line in ACL.splitlines() if 'read forecourt/harbour-road/claim' not in line)
    with island(folder, broker=Mosquitto(users=users, acl=deaf), **words) as (air, broker, seen, gateways):
        with_names(gateways)
        for gateway in gateways:
            gateway.status(seen, lambda s: s['state'] == 'degraded' and 'our own claims do not come back' in s['reason'])
        line, code = gateways[0].check()
        assert code == 77 and 'do not come back' in line and 'read forecourt/harbour-road/claim/#' in line, (line, code)
        not_served(air, seen, 2)


class Rogue:
    """A client of a broker that lets anybody write anything."""

    def __init__(self, seen, site='site'):
        self.seen, self.site, self.sequence = seen, site, 1_000_000
        self.recorded = []

    def boot(self, name):
        return next(json.loads(m.payload)['boot'] for m in reversed(self.seen.messages) if m.topic.endswith(f'/{name}/status') and m.payload)

    def echoes(self):
        """The echoes that a forger would send: every gateway's newest number, of its newest run."""
        newest = {}
        for m in self.seen.messages[-200:]:
            word = json.loads(m.payload) if '/claim/' in m.topic else {}
            if 'seq' in word:
                newest[word['gateway']] = (word['seq'], word['boot'][:8])
        return {'heard': '/'.join(f'{number}/{name}' for name, (number, _) in newest.items()),
                'runs': '/'.join(run for _, run in newest.values())}

    def say(self, topic, words, retain=False):
        self.seen.client.publish(f'forecourt/{self.site}/{topic}', json.dumps(words), 0, retain)

    def claims(self, name, number, state, level):
        who = f'ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:0:{number}'
        self.sequence += 1
        self.say(f'claim/pumps/{who}/{name}', {
            'v': 1, 'gateway': name, 'trigger': name, 'group': 'pumps', 'id': who, 'boot': self.boot(name), 'seq': self.sequence,
            'state': state, 'level_db': level, 'samples': 20, 'dwell_ms': 0, 'age_ms': 0, **self.echoes()})

    def greets(self, name, boot=None, groups='pumps'):
        self.sequence += 1
        self.say(f'claim/site/hello/{name}', {
            'v': 1, 'gateway': name, 'boot': boot or self.boot(name), 'seq': self.sequence, 'groups': groups, 'uptime_s': 9, **self.echoes()})

    def status(self, name, **words):
        self.say(f'{name}/status', {'v': 1, 'state': 'online', 'reason': None, 'boot': 'f' * 16, 'radios': [], 'purpose': 'x', **words}, True)

    def replay(self, most=40):
        """Replays what gateways published a while ago."""
        for m in [m for m in self.seen.messages if '/claim/' in m.topic or m.topic.endswith('/status')][-400::10][:most]:
            self.seen.client.publish(m.topic, m.payload, 0)

    def everything(self, number):
        for name in ('island-1', 'island-2'):
            self.claims(name, number, 'withdrawn', -120)
            self.greets(name)
            self.greets(name, boot='0' * 16, groups='elsewhere')
            self.status(name, groups='elsewhere')
            self.status(name, state='offline', reason='connection lost')
            self.say(f'{name}/status', {'v': 1, 'state': 'offline', 'reason': 'x', 'boot': self.boot(name)}, True)
        self.replay()
        self.greets('ghost', boot='1' * 16)
        self.status('phantom', groups='pumps')


@case
def forged(folder):
    """With a key and a roster, on a broker open to all: whatever is forged or replayed, the right gateway fires once;
    forgeries are counted and named in the log. A key is rotated without a gap."""
    key = site_key(folder)
    trust = f'[site]\ngateways = ["island-1", "island-2"]\n[security]\nsite_key_file = "{key}"'
    with island(folder, more=trust) as (air, broker, seen, gateways):
        acquainted(seen, gateways)
        line, code = gateways[0].check()
        assert code == 0 and 'authenticated' in line, (line, code)
        rogue, ending, rounds = Rogue(seen), threading.Event(), []

        def attack():
            while not ending.wait(0.1):
                rogue.everything(1)
                rounds.append(1)
        attacker = threading.Thread(target=attack)
        attacker.start()
        try:
            served_once(air, seen, 1, 'island-1')
        finally:
            ending.set()
            attacker.join()
        assert len(rounds) > 20, 'the attack went on all the time'
        figures = seen.wait(lambda m: m.topic == 'forecourt/site/island-1/telemetry' and json.loads(m.payload)['words_forged'] > 50)
        figures = json.loads(figures.payload)
        assert figures['words_of_strangers'] > 5, figures
        assert re.search(r'in the name of island-\d fails authentication with this site\'s key', gateways[0].said()), gateways[0].said()
        served_once(air, seen, 2, 'island-1', seconds=5 + 3)
        new, mark = site_key(folder, 'new'), len(seen.messages)
        for order in (f'["{key}", "{new}"]', f'["{new}", "{key}"]', f'"{new}"'):
            for gateway in gateways:
                gateway.write(more=trust.replace(f'"{key}"', order))
                assert gateway.ask(seen, 'reload', {})['ok']
                time.sleep(1.5)
        assert not any(s['site']['missing'] for s in seen_status(seen, mark)), 'somebody was not heard while the key changed'
        served_once(air, seen, 3, 'island-1')


def seen_status(seen, after):
    return [json.loads(m.payload) for m in seen.messages[after:] if m.topic.endswith('/status') and m.payload and b'"site"' in m.payload]


@case
def eight(folder):
    """Eight gateways of one island know one another, and one fires."""
    names = ', '.join(f'"island-{n + 1}"' for n in range(8))
    trust = f'[site]\ngateways = [{names}]\n[security]\nsite_key_file = "{site_key(folder)}"'
    with island(folder, count=8, more=trust) as (air, _, seen, gateways):
        acquainted(seen, gateways, 30)
        served_once(air, seen, 1, 'island-1')


@case
def roster(folder):
    """A silent gateway on the roster is named, and no gateway in its groups fires; one taken off the roster is not waited for."""
    with island(folder, more='[site]\ngateways = ["island-1", "island-2", "island-3/pumps", "door/doors"]') as (air, broker, seen, gateways):
        for gateway in gateways:
            status = gateway.status(seen, lambda s: s['state'] == 'degraded' and s['site']['missing'] == 'island-3')
            assert 'neighbour island-3 is not heard' in status['reason'], status
        not_served(air, seen, 1)
        assert not gateways[0].ask(seen, 'forget-neighbour', {'gateway': 'island-3'})['ok']
        mark = len(seen.messages)
        for gateway in gateways:
            gateway.write(more='[site]\ngateways = ["island-1", "island-2"]')
            assert gateway.ask(seen, 'reload', {})['ok']
        acquainted(seen, gateways, after=mark)
        served_once(air, seen, 2, 'island-1')
        # Dead for good, and on the roster: it is waited for, and named.
        mark = len(seen.messages)
        gateways[1].kill()
        gateways[0].status(seen, lambda s: s.get('site', {}).get('missing') == 'island-2', after=mark)
        not_served(air, seen, 3)


@case
def learnt(folder):
    """Without a roster every gateway ever met is waited for, also after a restart, until it says goodbye or is forgotten."""
    with island(folder) as (air, broker, seen, gateways):
        acquainted(seen, gateways)
        served_once(air, seen, 1, 'island-1')
        kept = gateways[0].folder / 'neighbours.jsonl'
        wait_until(lambda: kept.exists() and 'island-2' in kept.read_text(), 15, 'it is written down')
        # It is killed, and the broker loses its retained status.
        gateways[1].kill()
        seen.wait(lambda m: m.topic.endswith('island-2/status') and b'connection lost' in m.payload, 60)
        seen.publish('forecourt/site/island-2/status', '', retain=True)
        gateways[0].stop()
        mark = len(seen.messages)
        gateways[0].start()
        gateways[0].status(seen, lambda s: s.get('site', {}).get('missing') == 'island-2', after=mark)
        not_served(air, seen, 2)
        mark = len(seen.messages)
        assert gateways[0].ask(seen, 'forget-neighbour', {'gateway': 'island-2'})['ok']
        assert not gateways[0].ask(seen, 'forget-neighbour', {'gateway': 'island-2'})['ok']
        gateways[0].status(seen, lambda s: s['state'] == 'online', after=mark)
        served_once(air, seen, 3, 'island-1')
        # The broker has lost its will and goes on saying that it is online: that brings a forgotten run back at no start.
        alive = next(m.payload for m in reversed(seen.messages) if m.topic.endswith('island-2/status') and b'"online"' in m.payload)
        seen.publish('forecourt/site/island-2/status', alive, retain=True)
        mark = len(seen.messages)
        gateways[0].status(seen, lambda s: s.get('site', {}).get('missing') == 'island-2', after=mark)
        assert gateways[0].ask(seen, 'forget-neighbour', {'gateway': 'island-2'})['ok']
        wait_until(lambda: 'forgotten' in kept.read_text(), 15, 'it is written down')
        gateways[0].stop()
        mark = len(seen.messages)
        gateways[0].start()
        gateways[0].status(seen, lambda s: s['state'] == 'online' and 'site' in s, after=mark)
        served_once(air, seen, 5, 'island-1')
        # One that says goodbye is not waited for.
        mark = len(seen.messages)
        gateways[1].start()
        acquainted(seen, gateways, after=mark)
        mark = len(seen.messages)
        gateways[1].stop()
        gateways[0].status(seen, lambda s: s['state'] == 'online' and s.get('site', {}).get('heard') == 0, after=mark)
        served_once(air, seen, 4, 'island-1')


class Deafening:
    """Between a gateway and its broker: holds back its subscriptions, or what the broker sends it."""

    def __init__(self, port):
        self.port, self.far, self.listener, self.late_s, self.is_deaf = free_port(), port, socket.socket(), 0, False
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(('127.0.0.1', self.port))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(('127.0.0.1', self.far))
                threading.Thread(target=self.pump, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self.pump, args=(far, near, False), daemon=True).start()

    def pump(self, source, target, is_ours):
        held = b''
        with contextlib.suppress(OSError):
            while said := source.recv(65_536):
                held += said
                while (packet := self.packet(held)) is not None:
                    held = held[len(packet):]
                    if is_ours and packet[0] >> 4 == 8 and self.late_s:
                        threading.Timer(self.late_s, target.sendall, [packet]).start()
                    elif not (not is_ours and packet[0] >> 4 == 3 and self.is_deaf):
                        target.sendall(packet)
        for end in (source, target):
            end.close()

    @staticmethod
    def packet(held):
        """The first whole MQTT packet, or None."""
        length, shift = 0, 0
        for index in range(1, min(5, len(held))):
            length |= (held[index] & 0x7F) << shift
            shift += 7
            if not held[index] & 0x80:
                return held[:index + 1 + length] if len(held) >= index + 1 + length else None
        return None


@case
def one_way(folder):
    """A gateway whose subscriptions are answered late, or that receives nothing any more, does not fire; both sides report it within
    five seconds and a hello."""
    with island(folder) as (air, broker, seen, gateways):
        line = Deafening(broker.port)
        line.late_s = 12
        gateways[1].stop()
        gateways[1].write(port=line.port, weaker_db=-8)
        begun, mark = time.monotonic(), len(seen.messages)
        gateways[1].start()
        gateways[1].status(seen, lambda s: 'our own claims do not come back' in (s['reason'] or ''), 8, mark)
        not_served(air, seen, 1, 8)
        acquainted(seen, gateways, after=mark)
        assert time.monotonic() - begun > 12
        served_once(air, seen, 2, 'island-2')
        line.is_deaf, mark, begun = True, len(seen.messages), time.monotonic()
        gateways[1].status(seen, lambda s: 'our own claims do not come back' in (s['reason'] or ''), 10, mark)
        told_by_itself = time.monotonic() - begun
        gateways[0].status(seen, lambda s: 'neighbour island-2 does not hear us' in (s['reason'] or ''), 10, mark)
        told_by_other = time.monotonic() - begun
        print(f'deafness told after {told_by_itself:.1f} s by itself, {told_by_other:.1f} s by its neighbour', flush=True)
        not_served(air, seen, 3)
        mark = len(seen.messages)
        line.is_deaf = False
        acquainted(seen, gateways, after=mark)


if __name__ == '__main__':
    main()
