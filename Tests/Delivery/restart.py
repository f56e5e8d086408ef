"""A gateway is killed during visits, and subscribers come late: the state is true whenever it is read, and every visit has one end.

    $(Tests/Rigs/venv.sh) Tests/Delivery/restart.py [NAME…]
"""
import contextlib
import datetime
import json
import os
import signal
import time

import discovery
from cases import case, main
from gateway import BASE, TAG, ask, status, yard
from rig import Subscriber, wait_until

STAY = TAG.replace(':1:0', ':1:7')


def said(messages, word, identity=TAG):
    """The events of that kind, each once by its event_id, with their reasons."""
    found = {}
    for message in messages:
        with contextlib.suppress(ValueError, KeyError):
            event = json.loads(message.payload)
            if event['event'] == word and event['id'] == identity:
                found[event['event_id']] = event.get('reason') or event.get('evidence', {}).get('reason')
    return list(found.values())


def when(messages, word):
    """When each was, by the gateway's own clock: messages may come late."""
    events = {event['event_id']: event['at'] for event in (json.loads(m.payload) for m in messages if f'"event":"{word}"'.encode() in m.payload)}
    return sorted(datetime.datetime.fromisoformat(at.replace('Z', '+00:00')) for at in events.values())


def drive_up(air, number, start=-85):
    air.say('advertise', id=f'phone{number}', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=number, interval_ms=50,
            rssi={'from': start, 'to': -50, 'seconds': 2})


def retained(broker, topic):
    """The retained messages that a new subscriber gets, such as Home Assistant after its restart."""
    with Subscriber(broker.watch, topic) as late:
        return json.loads(late.wait(lambda m: m.topic == topic, 15).payload)


@case
def rests(folder):
    """Who has left before the gateway is killed, and comes again from afar, is served when it has been away for `refractory_s`. The
    state of a trigger that is no longer there is cleared."""
    pump = '[[trigger]]\nname = "pump-4"\nmatch = "name:nobody@*"\n'
    with yard(folder, tags=0, trigger='refractory_s = 30\n', more=pump) as (air, broker, seen, gateway):
        time.sleep(3)
        drive_up(air, 0)
        wait_until(lambda: said(seen.messages, 'fire'), 15, 'a fire')
        air.say('silence', id='phone0')
        wait_until(lambda: said(seen.messages, 'leave') == ['lost'], 20, 'its leave')
        retained(broker, f'{BASE}/trigger/pump-4/state')
        gateway.kill()
        mark = len(seen.messages)
        gateway.write(more='')
        gateway.start()
        status(seen, lambda s: s['state'] == 'online', after=mark)
        seen.wait(lambda m: m.topic == f'{BASE}/trigger/pump-4/state' and not m.payload, 5, mark)
        # Nobody saw whether it was away before the start; and its rest, which began with its leave, must be over.
        over = when(seen.messages, 'leave')[0].timestamp() + 31
        time.sleep(max(13, over - time.time()))
        drive_up(air, 0)
        wait_until(lambda: len(said(seen.messages, 'fire')) > 1, 30, 'the second fire')
        away = when(seen.messages, 'fire')[1] - when(seen.messages, 'leave')[0]
        assert away.total_seconds() >= 30, f'it was served again after {away}'


@case
def frozen(folder):
    """Whoever stands here while the gateway does not run for a minute, alone or with its whole machine, has not been away: it is served once."""
    with yard(folder, tags=0, trigger='refractory_s = 30\n') as (air, broker, seen, gateway):
        time.sleep(4)
        drive_up(air, 0)
        wait_until(lambda: said(seen.messages, 'fire'), 15, 'a fire')
        os.kill(gateway.pid, signal.SIGSTOP)
        time.sleep(66)
        os.kill(gateway.pid, signal.SIGCONT)
        wait_until(lambda: said(seen.messages, 'undecided'), 20, 'why it is not served again')
        assert len(said(seen.messages, 'fire')) == 1


@case
def killed(folder):
    """Two devices are served when the gateway is killed; one leaves meanwhile and gets one leave and one exit; the other's visit goes on."""
    with yard(folder, tags=0) as (air, broker, seen, gateway):
        time.sleep(3)
        for number in 0, 7:
            drive_up(air, number)
        for identity in TAG, STAY:
            wait_until(lambda: said(seen.messages, 'fire', identity), 15, f'a fire for {identity}')
        topic = f'{BASE}/trigger/pump-3/state'
        wait_until(lambda: {e['id'] for e in retained(broker, topic)['served']} == {TAG, STAY}, 5, 'the state')
        since = {e['id']: e['since'] for e in retained(broker, topic)['served']}
        gateway.kill()
        air.say('silence', id='phone0')
        mark = len(seen.messages)
        gateway.start()
        wait_until(lambda: said(seen.messages[mark:], 'leave') == ['restart'] and said(seen.messages[mark:], 'exit') == ['restart'], 25,
                   'its leave and exit')
        wait_until(lambda: retained(broker, topic)['served_count'] == 1, 5, 'the state without it')
        now = retained(broker, topic)
        assert now['served'][0]['id'] == STAY and now['served'][0]['since'] == since[STAY], (now, since)
        assert not said(seen.messages[mark:], 'fire', STAY) and not said(seen.messages[mark:], 'enter', STAY)
        # A clean stop and start while the device stays: still the same visit.
        gateway.end()
        again = len(seen.messages)
        gateway.start()
        status(seen, lambda s: s['state'] != 'offline' and s['radios'][0]['state'] == 'scanning', after=again)
        time.sleep(1)
        air.say('silence')
        wait_until(lambda: said(seen.messages[again:], 'leave', STAY) == ['lost'], 15, 'the device that stayed leaves in the end')
        wait_until(lambda: retained(broker, topic)['served_count'] == 0, 5, 'nobody is served')
        assert said(seen.messages[mark:], 'leave') == ['restart'] and said(seen.messages, 'fire', STAY) == [None]


@case
def an_outage_and_a_reload(folder):
    """A leave that expired undelivered is history, and the state says that the device is gone. A visit ends with its removed trigger."""
    with yard(folder, tags=0, discovery='true') as (air, broker, seen, gateway):
        gateway.config.write_text(gateway.config.read_text().replace('name = "pump-3"', 'name = "pump-3"\nexpires_s = 2'))
        gateway.signal(signal.SIGHUP)
        gateway.told('the new configuration is in force')
        time.sleep(3)
        drive_up(air, 0)
        wait_until(lambda: said(seen.messages, 'fire'), 15, 'a fire')
        topic = f'{BASE}/trigger/pump-3/state'
        sensor = next(discovery.expand(json.loads(m.payload)) for m in seen.messages if 'trigger' in str(m.payload) and m.topic.startswith('homeassistant/binary'))
        assert sensor['state_topic'] == topic and 'served_count' in sensor['value_template'], sensor
        mark = len(seen.messages)
        broker.kill()
        air.say('silence')
        wait_until(lambda: [e for e in gateway.stored() if e['payload'].get('event') == 'leave'], 15, 'the leave is stored')
        time.sleep(2.5)
        broker.start()
        wait_until(lambda: retained(broker, topic)['served_count'] == 0, 15, 'the state ends')
        assert not said(seen.messages[mark:], 'leave')
        gateway.config.write_text(gateway.config.read_text().replace('name = "pump-3"', 'name = "pump-4"'))
        gateway.signal(signal.SIGHUP)
        gateway.told('the new configuration is in force', times=2)
        retained(broker, topic.replace('pump-3', 'pump-4'))
        with Subscriber(broker.watch, topic) as late:
            time.sleep(0.3)
            assert not late.messages, late.messages


@case
def a_crowd(folder):
    """A permission is withdrawn while 150 devices are in each of four regions: each exit is told, though a ring of messages holds fewer."""
    halls = ''.join(f'[[region]]\nname = "hall {number}"\nmatch = "ibeacon:*"\n' for number in range(3))
    with yard(folder, tags=0, more=halls) as (air, broker, seen, gateway):
        for number in range(150):
            air.say('advertise', id=f'tag{number}', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=number,
                    interval_ms=500, rssi=-80)

        def told(word):
            found = set()
            for message in list(seen.messages):
                if message.topic.endswith('/event'):
                    event = json.loads(message.payload)
                    if event['event'] == word:
                        found.add((event['region'], event['id'], event.get('reason')))
            return found

        wait_until(lambda: len(told('enter')) == 600, 20, 'everybody enters')
        assert ask(seen, 'authorization', 'denied')['ok']
        wait_until(lambda: len([exit for exit in told('exit') if exit[2] == 'authorization']) == 600, 10, 'everybody exits')


main()
