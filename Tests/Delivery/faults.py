"""Brokers that lie, refuse or send too much; disks that fail, crawl or are tampered with: no event is lost that can be kept, and losses are reported.

    $(Tests/Rigs/venv.sh) Tests/Delivery/faults.py [NAME…]
"""
import json
import os
import pathlib
import time

from cases import BASE, all_come, case, events, main
from courier import Courier
from gateway import BASE as YARD
from gateway import Gateway, ask, status, yard
from liar import Liar, length
from disk import Disk, FaultyDisk
from rig import Air, Mosquitto, Subscriber, free_port, wait_until

GROUPED = '[[trigger]]\nname = "pump-4"\nmatch = "irk:*"\ngroup = "pumps"'


@case
def over_quota(folder):
    """PUBACK 0x97: retried from a second on, so that a short-lived event is not lost, and a state is published in the end."""
    refused = {}

    def puback(topic, payload):
        refused[topic] = refused.get(topic, 0) + 1
        return 0x97 if '/trigger/' in topic and refused[topic] <= 2 or topic.endswith('/door') and refused[topic] <= 1 else 0
    with Liar(puback) as liar, Courier(port=liar.port, outbox=folder / 'o') as courier:
        courier.online()
        courier.say('events 1 1 10')
        courier.say('state door {}')
        figures = courier.until(lambda f: f['delivered'] == 1 and refused.get(f'{BASE}/region/door') == 2 and not f['troubles'], 6)
        assert figures['refused'] == 3 and refused == {f'{BASE}/trigger/pump-1': 3, f'{BASE}/region/door': 2}, (figures, refused)


@case
def too_long(folder):
    """40 MB are retained where neighbours publish their status: such a packet takes no memory, also under MQTT 3.1.1, and after the
    third time that subscription is left out and reported, and the gateway works."""
    with Air() as air, Mosquitto() as broker, Subscriber(broker.watch, f'{YARD}/#') as seen:
        seen.client.publish('forecourt/yard/other/status', bytes(40_000_000), 1, retain=True).wait_for_publish(20)
        with Gateway(folder, adapter=air.lines['p0'], port=broker.port, mqtt='version = 4', more=GROUPED) as gateway:
            left = status(seen, lambda s: 'left out' in (s.get('reason') or ''), 25)
            assert left['state'] == 'degraded' and ask(seen, 'ping')['ok'], left
            gateway.told('40000')
            gateway.told('forecourt/yard/+/status ends every connection')
            peak = int(next(line.split()[1] for line in pathlib.Path(f'/proc/{gateway.pid}/status').read_text().splitlines() if 'VmHWM' in line))
            assert peak < 40_000, f'{peak} kB'
            # The retained message is removed, and the settings are reloaded.
            seen.client.publish('forecourt/yard/other/status', b'', 1, retain=True)
            mark = len(seen.messages)
            assert ask(seen, 'reload')['ok']
            status(seen, lambda s: 'left out' not in (s.get('reason') or ''), 10, after=mark)


@case
def crash_loop(folder):
    """A malformed message makes libmosquitto abort: the subscription is found, the third crash is the last, and no stored event is lost."""
    topic = b'forecourt/site/other/status'

    def after(name):
        # A property that does not exist, 0x7F.
        body = len(topic).to_bytes(2, 'big') + topic + b'\x02\x7f\x00{}'
        return b'\x30' + length(len(body)) + body if name.endswith('/+/status') else b''
    with Liar(after=after) as liar:
        with Courier(port=free_port(), outbox=folder / 'o', claims=1) as courier:
            courier.say('events 1 3')
            courier.wait('stored 3')
            courier.stop()
        for start in range(3):
            with Courier(port=liar.port, outbox=folder / 'o', claims=1, commands=1) as courier:
                assert courier.process.wait(10) < 0, (start, courier.words)
                if start:
                    courier.told('the previous run ended as soon as it subscribed to')
        with Courier(port=liar.port, outbox=folder / 'o', claims=1, commands=1) as courier:
            # An earlier run may have delivered everything: then nothing waits, also before this one is connected.
            courier.until(lambda f: f['online'] and f['waiting'] == 0 and f['troubles'] & 256, 10)
            courier.stop()
        assert {json.loads(payload)['number'] for name, payload, _ in liar.published if '/trigger/' in name} == {1, 2, 3}


@case
def errors(folder):
    """While the disk gives errors it is reported as failing, also when there is nothing to write; a crawling disk is reported, too."""
    disk = FaultyDisk(folder)
    (folder / 'box').mkdir()
    under = ['env', *(f'{key}={value}' for key, value in disk.env.items())]
    with Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        with Courier(under=under, port=broker.port, outbox=folder / 'box' / 'o') as courier:
            courier.online()
            courier.say('events 1 5')
            courier.until(lambda f: f['delivered'] == 5)
            disk.fails('/box/')
            courier.say('events 6 8')
            courier.until(lambda f: f['troubles'] & 1 and f['delivered'] == 8)
            time.sleep(6)
            assert courier.figures['troubles'] & 1 and not any('again' in words for words in courier.words), courier.words
            disk.heals()
            courier.until(lambda f: not f['troubles'], 7)
            disk.crawls('/box/', 1100)
            courier.say('events 9 9')
            courier.until(lambda f: f['troubles'] == 1024 and f['delivered'] == 9)
            disk.heals()
            courier.say('events 10 10')
            courier.until(lambda f: f['delivered'] == 10 and f['waiting'] == 0 and not f['troubles'])
        all_come(seen, range(1, 11))
        assert sorted(set(events(seen))) == list(range(1, 11))


@case
def meddling(folder):
    """The outbox is deleted, or its log cut, while events wait for a broker: that is noticed and reported, and they are delivered."""
    for how in 'deleted', 'cut':
        port, box = free_port(), folder / how
        with Courier(port=port, outbox=box) as courier:
            courier.say('events 1 5')
            courier.wait('stored 5')
            time.sleep(1)
            if how == 'deleted':
                box.unlink()
            else:
                os.utime(f'{box}-wal')
            courier.say('events 6 6')
            courier.until(lambda f: f['troubles'] & 64 and f['waiting'] == 6 and not f['troubles'] & 1)
            courier.told('while it was in use')
            courier.kill()
        with Mosquitto(port=port) as broker, Subscriber(broker.watch, '#') as seen, Courier(port=port, outbox=box) as courier:
            courier.until(lambda f: f['delivered'] == 6)
            wait_until(lambda: sorted(events(seen)) == list(range(1, 7)), 5, f'all of them: {events(seen)}')


@case
def crowded(folder):
    """A disk that takes two seconds for each transaction, and a thousand made-up identities a second: the driver's fire comes through, and
    what is left out is counted as lost and reported."""
    disk = FaultyDisk(folder)
    with yard(folder, tags=0, env=disk.env, more='[publish]\ntelemetry_s = 1') as (air, broker, seen, gateway):
        disk.crawls('/state/', 2000)
        air.say('flood', rate=1000, seconds=20, carry='count', per_event=5, batch=50, rssi=-75)
        air.say('advertise', id='phone', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=1, interval_ms=100,
                rssi={'from': -85, 'to': -50, 'seconds': 3})
        # On a busy machine the subscriber of this test reads the thousand messages a second seconds late.
        seen.wait(lambda m: m.topic.endswith('/trigger/pump-3') and b'"fire"' in m.payload and b':1:1"' in m.payload, 40)
        said = status(seen, lambda s: 'lost' in (s['reason'] or ''), 15)
        assert said['state'] == 'degraded', said
        told = seen.wait(lambda m: m.topic.endswith('/telemetry') and json.loads(m.payload)['outbox_lost'] > 500, 5)
        assert told and len([e for e in seen.messages if e.topic.endswith('/region/forecourt/event')]) < 800
        disk.heals()


@case
def no_room_for_a_recording(folder):
    """A recording that would take the outbox's room ends, leaves no file, and its reply says so; events are stored as before."""
    with Disk(folder / 'disk', '48m') as disk:
        if not disk:
            print('  (not run: mounting a small file system needs root)')
            return
        with yard(disk.path, tags=0) as (air, _, seen, gateway):
            # A little more than must stay free.
            free = os.statvfs(disk.path)
            (disk.path / 'ballast').write_bytes(bytes(free.f_bavail * free.f_frsize - (32 << 20) - 300_000))
            air.say('flood', rate=2000, seconds=8, carry='count', per_event=5, batch=100, rssi=-75)
            reply = ask(seen, 'capture', '{"seconds":60}', 15)
            assert not reply['ok'] and '32 MB' in reply['error'], reply
            assert not list((disk.path / 'state').glob('capture*')) and os.statvfs(disk.path).f_bavail * free.f_frsize > 32_000_000


main()
