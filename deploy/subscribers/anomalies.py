#!/usr/bin/env python3
"""Says who was where he cannot have been: anomalies.py HOST PORT SITES.json [SPEED_MPS] [--version 4]. Needs paho-mqtt.

Where all sites' events meet, a copied or relayed identity shows: it fires at two sites further apart than anybody drives in the time between
(60 m/s unless another speed is named: no car's), or while its visit elsewhere goes on. SITES.json has each site's place in degrees:
{"harbour-road": [53.55, 9.99], …}. Each finding, and each anomaly that a gateway found by itself, is a line on standard output and a message
on forecourt/anomaly, QoS 1, that names both events by their event_id: they are the evidence. Whatever keeps it from hearing anything stands on
standard error. Version 4 is MQTT 3.1.1, for brokers that do not speak MQTT 5.
"""
import argparse
import collections
import datetime
import json
import math
import sys

import paho.mqtt.client as paho

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in 'host', 'port', 'sites_file':
    arguments.add_argument(name)
arguments.add_argument('speed', nargs='?', type=float, default=60)
arguments.add_argument('--version', type=int, choices=(4, 5), default=5)
asked = arguments.parse_args()
speed, topic = asked.speed, 'forecourt/+/+/trigger/+'
places = json.load(open(asked.sites_file))
# A day of visits, of whoever came last; nobody makes this grow without end by inventing identities or sites.
KEPT, IDENTITIES, SITES_TOLD = 32, 100_000, 1_000
# Clocks of sites that keep the time at all differ by less, and a silence is told as a `leave` at most two minutes late.
CLOCKS_S, SILENCE_S = 10, 120
visits = collections.OrderedDict()
unplaced = set()
passed_on = collections.deque(maxlen=1_000)


def distance(one, other):
    """Metres along the surface; haversine."""
    (a, b), (c, d) = (map(math.radians, places[site]) for site in (one, other))
    return 2 * 6_371_000 * math.asin(math.sqrt(math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2))


def conflict(one, other):
    """What two visits of one identity cannot both be; None when they can."""
    if one['site'] == other['site']: return None
    first, second = sorted((one, other), key=lambda visit: visit['at'])
    if first['left'] and first['left'] - second['at'] > SILENCE_S + CLOCKS_S: return 'two places at once'
    far = distance(one['site'], other['site'])
    return 'impossible speed' if far > speed * (second['at'] - first['at'] + CLOCKS_S) else None


def report(client, kind, identity, *events):
    words = json.dumps({'v': 1, 'anomaly': kind, 'id': identity, 'events': events})
    print(words, flush=True)
    client.publish('forecourt/anomaly', words, 1)


def received(client, _, message):
    try:
        _, site, gateway, _, trigger = message.topic.split('/')
        event = json.loads(message.payload)
        if event.get('simulated') or not event.get('at'): return
        at = datetime.datetime.fromisoformat(event['at']).timestamp()
        evidence = {'site': site, 'gateway': gateway, 'trigger': trigger, 'event_id': event['event_id'], 'at': event['at']}
        kind, identity, reason = event['event'], event['id'], event['evidence'].get('reason')
        if not all(isinstance(word, str) for word in (kind, identity, event['event_id'])): raise TypeError
    # Anybody who may publish there can send anything: no message may end the watch.
    except (ValueError, KeyError, AttributeError, TypeError, OverflowError, RecursionError):
        return print(f'no event: {message.topic}', file=sys.stderr, flush=True)
    if kind == 'anomaly':
        if event['event_id'] not in passed_on: report(client, reason, identity, evidence)
        passed_on.append(event['event_id'])
    elif site not in places:
        if site in unplaced or len(unplaced) >= SITES_TOLD: return
        print(f'{site} has no place in {asked.sites_file}', file=sys.stderr, flush=True)
        unplaced.add(site)
    elif kind in ('fire', 'manual', 'leave'):
        consider(client, identity, kind, {'site': site, 'trigger': trigger, 'gateway': gateway, 'at': at, 'left': None, 'ended_by': None, 'told': set(),
                                          'evidence': evidence})


def consider(client, identity, kind, news):
    """Events may come late and out of order: what counts is when they were."""
    known = visits.setdefault(identity, collections.deque(maxlen=KEPT))
    visits.move_to_end(identity)
    if len(visits) > IDENTITIES: visits.popitem(last=False)
    visit = news
    if kind == 'leave':
        # Delivered twice it must not end an earlier visit, too, whose own leave was lost.
        if any(v['ended_by'] == news['evidence']['event_id'] for v in known): return
        here = [v for v in known if all(v[key] == news[key] for key in ('site', 'gateway', 'trigger')) and not v['left'] and v['at'] <= news['at']]
        if not here: return
        visit = max(here, key=lambda v: v['at'])
        visit['left'], visit['ended_by'] = news['at'], news['evidence']['event_id']
    elif any(v['evidence']['event_id'] == news['evidence']['event_id'] for v in known):
        return
    else:
        known.append(visit)
    for other in known:
        what = conflict(visit, other)
        if not what or other['evidence']['event_id'] in visit['told']: continue
        visit['told'].add(other['evidence']['event_id'])
        other['told'].add(visit['evidence']['event_id'])
        report(client, what, identity, *(v['evidence'] for v in sorted((visit, other), key=lambda v: v['at'])))


def say(words):
    print(words, file=sys.stderr, flush=True)


answered = False


def connected(client, _, __, reason, ___):
    global answered
    answered = True
    if reason.is_failure:
        return say(f'the broker refuses us: {reason}' + ('; try --version 4' if reason.value == 0x84 else ''))
    client.subscribe(topic, qos=1)


def disconnected(_, __, ___, reason, ____):
    if answered:
        say(f'the line to the broker ended: {reason}; trying again')
    else:
        hint = '. If it does not speak MQTT 5: --version 4' if asked.version == 5 else ''
        say('the broker ends the line without an answer; trying again' + hint)


def subscribed(_, __, ___, reasons, ____):
    say(f'the broker refuses {topic}: {reasons[0]}' if reasons[0].is_failure else 'watching')


client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=asked.version)
client.on_connect, client.on_subscribe, client.on_message, client.on_disconnect = connected, subscribed, received, disconnected
client.on_connect_fail = lambda *_: say('the broker does not answer; trying again')
client.connect(asked.host, int(asked.port))
client.loop_forever()
