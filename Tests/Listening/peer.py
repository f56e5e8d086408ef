#!/usr/bin/env python3
"""Asking, answering and advertising, against independent GATT stacks: peer.py [NAME or beginning of names…]; --list.

Runs in the rigs' venv. $FORECOURT names the program: .build/debug/forecourt unless it says otherwise.
"""
import contextlib
import json
import time

import peer_voice
from peer_support import STATIC, Gateway, asking, asks, whole
from product import CONFIG, FORECOURT
from checklist import run_checks
from rig import Air, Mosquitto, Subscriber, run, wait_until


# -- Asking ------------------------------------------------------------------------------------------------------------------


def cold():
    """Bumble's phone, in foreground and background, on legacy and extended controllers: identified within 0.5 s"""
    took = []
    for legacy in False, True:
        for background in False, True:
            with asking(legacy=legacy) as (air, gateway):
                time.sleep(0.3)
                began = time.monotonic()
                air.say('phone', id='phone', installation='8337CA80', background=background, real=True, rssi=-50)
                gateway.told('is peer:8337CA80', 3)
                took.append(time.monotonic() - began)
                gateway.topic('proximity/peer:8337CA80')
                shared = gateway.topic('/peer/')
                assert shared['retain'] and shared['payload']['id'] == '8337CA80', shared
                wait_until(lambda: air.report()['scanning'] and not air.report()['connections'], 5, 'it listens again, and has left')
                time.sleep(2)
                report = air.report()
                calls = sum(report['commands'].get(o, 0) for o in ('200d', '2043'))
                assert calls == 1, report['commands']
    assert max(took) <= 0.5, took
    return f'{min(took):.2f} to {max(took):.2f} s'


def astray_mtu():
    """a phone that fails at the first step, in every way: the radio listens, the next phone is asked, nothing stays connected"""
    return astray('mtu')


def astray_discover():
    """the same, at the second step"""
    return astray('discover')


def astray(step):
    worst = 0
    with Air() as air:
        for deed in 'silence', 'garbage', 'lie', 'error', 'flood', 'slow', 'disconnect':
            resets = air.report()['resets']
            with Gateway(air.lines, asks()) as gateway:
                air.wait('scanning')
                air.say('phone', id='bad', installation='00000BAD', rssi=-40, fault={'at': step, 'do': deed, 'seconds': 1})
                time.sleep(0.4)
                air.say('phone', id='good', installation='600D600D', rssi=-70)
                began = time.monotonic()
                gateway.told('is peer:600D600D', 8)
                worst = max(worst, time.monotonic() - began)
                wait_until(lambda: not air.report()['connections'] and air.report()['scanning'], 5, f'{deed} at {step}: free again')
                assert air.report()['resets'] <= resets + 1, (deed, step)
            air.say('silence')
        whole(air)
    return f'the healthy one waits {worst:.1f} s at most'


def stopping():
    """a controller that stops scanning by itself when it connects is set to scan again"""
    with Air('p0=unix') as air:
        air.say('fault', connecting_stops_scan=True)
        with Gateway(air.lines, asks()) as gateway:
            air.wait('scanning')
            air.say('phone', id='phone', installation='8337CA80')
            gateway.told('is peer:8337CA80')
            wait_until(lambda: air.report()['scanning'], 5, 'it scans again')


def crowd():
    """thirty phones, some of them mute: nine tenths of a minute are spent scanning"""
    with asking() as (air, gateway):
        for number in range(30):
            fault = {'at': 'mtu', 'do': 'silence'} if number % 5 == 0 else None
            air.say('phone', id=f'phone{number}', installation=f'{number:08X}', rssi=-60 - number, fault=fault)
        before, began = air.report()['scan_s'], time.monotonic()
        time.sleep(60)
        share = (air.report()['scan_s'] - before) / (time.monotonic() - began)
        asked = sum(f'is peer:{number:08X}' in gateway.words() for number in range(30))
        assert share >= 0.9 and asked >= 20, (share, asked)
        return f'{share:.1%} of the time spent scanning, {asked} of 24 identified'


def seldom():
    """phones in the background that advertise once in 1.3 s, 2.5 s or 4 s: five at once are read within a minute, one within 30 s"""
    took = []
    for count, interval, limit in (5, 1285, 60), (1, 2500, 30), (1, 4000, 30):
        with asking() as (air, gateway):
            before, began = air.report()['scan_s'], time.monotonic()
            for number in range(count):
                air.say('phone', id=f'phone{number}', installation=f'{number:08X}', rssi=-50 - number, background=True, interval_ms=interval)
            for number in range(count):
                gateway.told(f'is peer:{number:08X}', limit + began - time.monotonic())
            spent = time.monotonic() - began
            deaf = spent - (air.report()['scan_s'] - before)
            assert deaf <= 2.5 + spent / 20, (deaf, spent)
            took.append(f'{spent:.1f}')
    return ' s, '.join(took) + ' s'


def hold():
    """a held connection is sampled every second into the same average, ends when another device needs asking, and comes back"""
    with asking(hold=True) as (air, gateway):
        air.say('phone', id='phone', installation='8337CA80', rssi=-44)
        gateway.told('is peer:8337CA80')
        time.sleep(3.5)
        report = air.report()
        assert report['connections'] == 1 and report['scanning'] and 3 <= report['commands']['1405'] <= 5, report
        air.say('phone', id='other', installation='00000002', rssi=-70)
        gateway.told('is peer:00000002')
        wait_until(lambda: air.report()['connections'] == 1, 2, 'one at a time')
        near = [m['payload'] for m in gateway.messages() if 'proximity/peer:8337CA80' in m['topic']]
        assert near and abs(near[-1]['average'] + 44) < 3, near
        air.say('silence', id='other')
        wait_until(lambda: gateway.words().count('is peer:8337CA80') == 2 and air.report()['connections'] == 1, 10, 'it is held again')


def replug():
    """an adapter that is pulled out in the middle of a reading and comes back: the phone is not blamed, and is read at once"""
    with asking() as (air, gateway):
        air.say('phone', id='phone', installation='8337CA80', rssi=-60, fault={'at': 'discover', 'do': 'slow', 'seconds': 1.2})
        wait_until(lambda: air.report()['connections'], 5, 'it is being read')
        air.say('drop', for_s=2)
        gateway.told('is peer:8337CA80', 12)
        assert 'does not answer' not in gateway.words() and 'hung up' not in gateway.words(), gateway.words()


def shared():
    """two gateways of a site: one asks, the other gets the id over the broker and does not ask"""
    with Air('a=unix', 'b=unix') as air, Mosquitto() as broker, Subscriber(broker.watch, 'forecourt/#') as seen:
        mqtt = f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n'
        def gateway(name):
            outbox = '[outbox]\npath = "{}"\n'
            made = Gateway({name: air.lines[name]}, '', name, ())
            config = made.place / 'config.toml'
            config.write_text(config.read_text() + asks() + mqtt + outbox.format(made.place / 'outbox.db'))
            return made
        with gateway('a') as first:
            air.wait('scanning', port='a')
            air.say('phone', id='phone', installation='8337CA80', rssi={'a': -50})
            first.told('is peer:8337CA80')
            told = seen.wait(lambda m: '/peer/' in m.topic, 5)
            assert told.retain in (0, False, 1, True) and json.loads(told.payload)['id'] == '8337CA80', told
            with gateway('b'):
                seen.wait(lambda m: m.topic == 'forecourt/site/b/status' and json.loads(m.payload)['state'] == 'online', 10)
                time.sleep(0.5)
                air.say('set', id='phone', rssi=-50)
                seen.wait(lambda m: m.topic == 'forecourt/site/b/proximity/peer:8337CA80', 10)
                time.sleep(1)
                commands = air.report('b')['commands']
                assert not commands.get('2043') and not commands.get('200d'), commands


def stale():
    """a retained id without an expiry is ignored; MQTT 3.1.1 retains none, and believes a live one"""
    for version in 5, 4:
        with Air('a=unix', 'b=unix') as air, Mosquitto() as broker, Subscriber(broker.watch, 'forecourt/#', version=version) as seen:
            place = air.say('phone', id='phone', installation='8337CA80', port='a')['address']
            word = json.dumps({'v': 1, 'random': True, 'id': '0BAD0BAD'})
            topic = 'forecourt/site/peer/' + place.lower().split('/')[0]
            seen.publish(topic + '/old', word, retain=True)
            seen.wait(lambda m: m.topic == topic + '/old', 5)
            mqtt = f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\nversion = {version}\n'
            with contextlib.ExitStack() as both:
                for name in 'a', 'b':
                    made = Gateway({name: air.lines[name]}, '', name, ())
                    config = made.place / 'config.toml'
                    config.write_text(config.read_text() + asks() + mqtt + f'[outbox]\npath = "{made.place / "outbox.db"}"\n')
                    both.enter_context(made).told('is peer:8337CA80') if name == 'a' else both.enter_context(made)
                for name in 'a', 'b':
                    seen.wait(lambda m: m.topic == f'forecourt/site/{name}/proximity/peer:8337CA80', 10)
                assert not any('0BAD0BAD' in m.topic for m in seen.messages)
                with Subscriber(broker.watch, 'forecourt/site/peer/#', version=version) as later:
                    time.sleep(1)
                    kept = sorted(m.topic.rsplit('/', 1)[1] for m in later.messages)
                assert kept == ['old'] if version == 4 else 'a' in kept, (version, kept)


def identify():
    """`forecourt identify`: every service and the id; an absent device; a phone without an id; one that wants to be paired; JSON"""
    with Air('p0=unix') as air:
        place = air.say('phone', id='phone', installation='8337CA80', real=True)['address']
        def told(address, *options):
            return run(FORECOURT, 'identify', address, '--config', CONFIG, '--radio', air.lines['p0'], *options)
        result = told(place)
        assert result.returncode == 0 and result.stdout.splitlines()[-1] == 'peer:8337CA80', result
        assert len(result.stdout.splitlines()) == 10 and STATIC in result.stdout, result.stdout
        answer = json.loads(told(place, '--json').stdout)
        assert answer['id'] == 'peer:8337CA80' and len(answer['services']) == 9 and answer['error'] is None, answer
        gone = told('c0:00:00:00:00:77', '--seconds', 1)
        assert gone.returncode == 1 and 'was not heard' in gone.stderr, gone
        other = air.say('phone', id='other', services=['180F'])['address']
        stranger = told(other)
        assert stranger.returncode == 1 and 'no installation id' in stranger.stderr, stranger
        air.say('set', id='phone', fault={'at': 'mtu', 'do': 'silence'})
        silent = told(place)
        assert silent.returncode == 1 and 'does not answer' in silent.stderr, silent
        air.say('set', id='phone', fault={'at': 'discover', 'do': 'error', 'code': 0x05})
        shy = told(place)
        assert shy.returncode == 1 and 'wants to be paired' in shy.stderr, shy
        assert told('phone').returncode == 64
        assert not air.report()['scanning'] and not air.report()['connections']


CHECKS = {f.__name__: f for f in (crowd, astray_mtu, astray_discover, cold, stopping, seldom, hold, replug, shared, stale, identify,
                                  *peer_voice.CHECKS)}


if __name__ == '__main__':
    run_checks(CHECKS)
