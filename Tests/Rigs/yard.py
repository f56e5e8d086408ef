"""A site that the live page shows: a broker that serves the page, a browser, and words in a gateway's name; the tunnel that gives it TLS; and
proxies that cut frames anew, or keep back what the broker keeps."""
import contextlib
import json
import threading
from datetime import datetime, timedelta, timezone

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import serve

from browser import Browser
from mosquitto import program
from process import Server
from product import ROOT
from rig import Mosquitto, Subscriber, accepts, free_port

BUILT = ROOT / 'build/page'
# Gateways that do not watch: the name of each, what its status says, and why it cannot know who is there.
BLIND = (('denied', {'authorization': 'denied'}, 'listening is denied'), ('asked', {'authorization': 'when-in-use'}, 'it listens only when asked'),
         ('deaf', {'radios': [{'name': 'left', 'state': 'left'}]}, 'no radio listens'), ('off', {'state': 'offline'}, 'gateway offline'))
TAG = 'ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:'


def stamp(seconds=0):
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).isoformat(timespec='milliseconds').replace('+00:00', 'Z')


class Forecourt(contextlib.ExitStack):
    """A broker that serves the page, a browser, and words in a gateway's name: what a test does not need a radio for."""

    def __init__(self, **broker):
        super().__init__()
        self.passages = 0
        self.web = free_port()
        self.address = f'http://127.0.0.1:{self.web}/'
        self.broker = self.enter_context(Mosquitto(
            config=f'listener {self.web} 127.0.0.1\nprotocol websockets\nhttp_dir {BUILT}\nallow_anonymous true', **broker))
        self.seen = self.enter_context(Subscriber(self.broker.watch, '#'))
        self.browser = self.enter_context(Browser())

    def open(self, words='', **size):
        page = self.enter_context(self.browser.open(self.address + words, **size))
        page.reads('live', '#condition')
        return page

    def say(self, tail, body, gateway='island-1', retain=None):
        retained = tail == 'status' or tail.endswith('/state') if retain is None else retain
        self.seen.publish(f'forecourt/yard/{gateway}/{tail}', json.dumps({'v': 1, **body}), retain=retained)

    def online(self, gateway='island-1', **more):
        self.say('status', {'state': 'online', 'reason': None, 'version': '1', 'authorization': 'always', 'purpose': 'Tests.',
                            'radios': [{'name': 'left', 'state': 'scanning'}], **more}, gateway)

    def stands(self, served=(), near=(), pump='pump-3', gateway='island-1', **more):
        who = {name: [{'id': id, 'since': stamp(-5)} for id in ids] for name, ids in (('served', served), ('near', near))}
        self.say(f'trigger/{pump}/state', {'trigger': pump, 'served_count': len(served), 'near_count': len(near), **who, **more}, gateway)

    def event(self, event, id=TAG + '0', pump='pump-3', gateway='island-1', number=1, reason=None, **more):
        evidence = {'average': -60.1, 'distance_m': 1.21, 'low_m': 0.4, 'high_m': 3.9, 'dwell_s': 3.1, **({'reason': reason} if reason else {})}
        self.say(f'trigger/{pump}', {'event': event, 'trigger': pump, 'id': id, 'event_id': f'aa-{number}', 'at': stamp(), 'evidence': evidence, **more},
                 gateway)

    def region(self, count, region='room', gateway='island-1', since=-600, **more):
        """Its state, which the broker keeps."""
        self.say(f'region/{region}', {'state': 'inside' if count else 'outside', 'count': count, 'since': stamp(since), **more}, gateway, retain=True)

    def passes(self, event, id, region='room', gateway='island-1', ago=0, **more):
        """Somebody enters or exits."""
        self.passages += 1
        self.say(f'region/{region}/event', {'event': event, 'region': region, 'id': id, 'event_id': f'bb-{self.passages}', 'at': stamp(-ago), **more}, gateway)

    def ranges(self, devices, region='room', gateway='island-1', count=None, **more):
        """The nearest inside: ids with their zones."""
        rows = [{'id': id, 'zone': zone, **({} if zone == 'unknown' else {'average': -60, 'distance_m': 1.5})} for id, zone in devices.items()]
        self.say(f'ranging/{region}', {'devices': rows, 'count': len(rows) if count is None else count, 'at': stamp(), **more}, gateway)

    def near(self, id, distance, gateway='island-1', average=-60, **more):
        self.say(f'proximity/{id}', {'id': id, 'rssi': -60, 'average': average, 'distance_m': distance, 'low_m': distance / 3, 'high_m': distance * 3,
                                     'zone': 'near', 'samples': 9, 'rate_hz': 8, 'at': stamp(), **more}, gateway)


class Recutter:
    """In front of the broker's websockets: hands on what the broker says in frames of so many bytes, wherever its packets end."""

    def __init__(self, port, size):
        def carry(page):
            with connect(f'ws://127.0.0.1:{port}', subprotocols=['mqtt']) as broker, contextlib.suppress(ConnectionClosed):
                threading.Thread(target=answer, args=(page, broker), daemon=True).start()
                for frame in page:
                    broker.send(frame)

        def answer(page, broker):
            with contextlib.suppress(ConnectionClosed):
                for frame in broker:
                    for at in range(0, len(frame), size):
                        page.send(frame[at:at + size])

        self.server = serve(carry, '127.0.0.1', 0, subprotocols=['mqtt'])
        self.port = self.server.socket.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


def packets(kept):
    """The MQTT packets that are whole in these bytes, each with where its body begins; they are taken away."""
    while len(kept) > 1:
        length = at = 0
        while at + 1 < len(kept):
            at += 1
            length |= (kept[at] & 127) << 7 * (at - 1)
            if kept[at] < 128:
                break
        if kept[at] > 127 or len(kept) <= at + length:
            return
        yield at + 1, bytes(kept[:at + 1 + length])
        del kept[:at + 1 + length]


class Forgetful:
    """In front of the broker's websockets, as RabbitMQ is: what the broker keeps, only a subscription to a whole topic is given."""

    def __init__(self, port):
        def carry(page):
            if not self.is_up:
                return
            self.pages.append(page)
            whole, kept = set(), bytearray()
            with connect(f'ws://127.0.0.1:{port}', subprotocols=['mqtt']) as broker, contextlib.suppress(ConnectionClosed):
                threading.Thread(target=answer, args=(page, broker, whole), daemon=True).start()
                for frame in page:
                    kept += frame
                    for body, packet in packets(kept):
                        # A SUBSCRIBE: its identifier, then topics with a byte behind each.
                        at = body + 2 if packet[0] >> 4 == 8 else len(packet)
                        while at < len(packet):
                            end = at + 2 + int.from_bytes(packet[at:at + 2], 'big')
                            whole.add(packet[at + 2:end])
                            at = end + 1
                        broker.send(packet)

        def answer(page, broker, whole):
            with contextlib.suppress(ConnectionClosed):
                kept = bytearray()
                for frame in broker:
                    kept += frame
                    for body, packet in packets(kept):
                        end = body + 2 + int.from_bytes(packet[body:body + 2], 'big')
                        if packet[0] >> 4 != 3 or not packet[0] & 1 or packet[body + 2:end] in whole:
                            page.send(packet)
                        elif packet[0] & 6:
                            broker.send(b'\x40\2' + packet[end:end + 2])

        self.is_up, self.pages = True, []
        self.server = serve(carry, '127.0.0.1', 0, subprotocols=['mqtt'])
        self.port = self.server.socket.getsockname()[1]

    def cut(self):
        """The page's line is cut, and stays so until is_up."""
        self.is_up = False
        for page in self.pages:
            page.close()
        self.pages.clear()

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Tunnel(Server):
    """page.stunnel in front of the site's broker, as shipped but for ports and paths."""

    name = 'stunnel'

    def __init__(self, folder, broker):
        self.port = free_port()
        text = (ROOT / 'deploy/brokers/page.stunnel').read_text()
        for old, new in (('/etc/mosquitto/site/', f'{folder}/tls/'), ('9443', f'127.0.0.1:{self.port}'), ('127.0.0.1:9001', f'127.0.0.1:{broker.page}')):
            text = text.replace(old, new)
        (folder / 'stunnel.conf').write_text('foreground = yes\npid =\n' + text)
        super().__init__([program('stunnel'), folder / 'stunnel.conf'], folder / 'stunnel.log')

    def serves(self):
        return accepts(self.port)


def region(name='room', gateway='island-1', site='yard'):
    return f'[data-region="{site}/{gateway}/region/{name}"]'


def pump(name='pump-3', gateway='island-1', site='yard'):
    return f'[data-trigger="{site}/{gateway}/{name}"]'
