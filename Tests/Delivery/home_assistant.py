"""Home Assistant's discovery, as Home Assistant requires it, and the automations of deploy/subscribers.

    $(Tests/Rigs/venv.sh) Tests/Delivery/home_assistant.py [NAME…]      $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import contextlib
import datetime
import json
import re
import signal
import time

import discovery
from cases import case, main
from gateway import BASE, ask, status, yard
from product import ROOT
from rig import Subscriber, wait_until


@case
def home_assistant(folder):
    """Discovery messages meet Home Assistant's schemas, come once for each device, show what is so whatever a rehearsal under our name says, and
    are cleared when discovery is switched off."""
    with yard(folder, discovery='true') as (air, broker, seen, gateway):
        for kind, count in (('binary_sensor', 2), ('device_tracker', 2), ('sensor', 4)):
            wait_until(lambda: len(discovery.of(seen, kind)) == count, 10, f'{count} of {kind}: {[m.topic for m in seen.messages]}')
        entities = [m for m in seen.messages if m.topic.startswith('homeassistant/')]
        assert len({m.topic for m in entities}) == 8 == len(entities)
        for message in entities:
            discovery.check(message)
            discovery.shows(discovery.expand(json.loads(message.payload)))
        # Available is what hears, as Home Assistant judges it; of a gateway that hears nothing nobody may think that all is quiet. A place is not
        # where nobody counts as inside or served, though the radios listen.
        own = json.loads(seen.wait(lambda m: m.topic == f'{BASE}/status' and b'"scanning"' in m.payload, 10).payload)
        for message in entities:
            heard = discovery.expand(json.loads(message.payload))['availability_template']
            for state, is_available in (('scanning', True), ('quiet', True), ('degraded', False), ('off', False), ('failed', False), ('ended', False)):
                told = discovery.render(heard, value_json={**own, 'radios': [{**radio, 'state': state} for radio in own['radios']]})
                assert told == ('online' if is_available else 'offline'), (message.topic, state, told)
            told = discovery.render(heard, value_json={**own, 'authorization': 'when-in-use'})
            assert told == ('offline' if '/binary_sensor/' in message.topic else 'online'), (message.topic, told)
            assert discovery.render(heard, value_json={'v': 1, 'state': 'offline', 'reason': 'connection lost'}) == 'offline'
        # The topics that they name are really published.
        topics = {discovery.expand(json.loads(m.payload))['state_topic'] for m in entities}
        status(seen, lambda s: s['state'] == 'online')
        wait_until(lambda: {t for t in topics if '/proximity/' in t or '/region/' in t} <= {m.topic for m in seen.messages}, 15,
                   f'the topics of {topics}')
        air.say('advertise', id='later', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=9, minor=9)
        wait_until(lambda: len(discovery.of(seen, 'device_tracker')) == 3, 5, 'a newcomer is announced')
        with Subscriber(broker.watch, 'homeassistant/#') as late:
            wait_until(lambda: len(late.messages) == 11 and all(m.retain for m in late.messages), 5, 'all is retained')
        mark = len(seen.messages)
        gateway.write(discovery='false')
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: len([m for m in seen.messages[mark:] if m.topic.startswith('homeassistant/') and not m.payload]) == 11, 5, 'all gone')
        with Subscriber(broker.watch, 'homeassistant/#') as late:
            time.sleep(0.3)
            assert not late.messages, late.messages
        # On again, without the trigger.
        mark = len(seen.messages)
        gateway.config.write_text(gateway.config.read_text().replace('discovery = false', 'discovery = true').replace(
            '[[trigger]]\nname = "pump-3"\nmatch = "ibeacon:*"\n', ''))
        assert ask(seen, 'reload')['ok']
        wait_until(lambda: len([m for m in seen.messages[mark:] if m.topic.startswith('homeassistant/') and m.payload]) == 10, 5, 'all but it')


@case
def gone_meanwhile(folder):
    """Nobody stays at home who left while the broker was away, or while the gateway did not run; whoever stayed does."""
    def zones(messages):
        return {message.topic.rsplit(':', 1)[1]: json.loads(message.payload)['zone'] for message in messages if '/proximity/' in message.topic}

    with yard(folder, tags=3, discovery='true', more='[average]\nstale_s = 3\n') as (air, broker, seen, gateway):
        # What is near is told once before the broker is there, perhaps, and again after ten seconds.
        wait_until(lambda: {'0', '1', '2'} <= set(zones(seen.messages)) and len(discovery.of(seen, 'device_tracker')) == 3, 25, 'all are here')
        broker.kill()
        air.say('silence', id='tag0')
        wait_until(lambda: [e for e in gateway.stored() if e['payload'].get('event') == 'exit'], 15, 'it exits')
        time.sleep(1.5)
        broker.start()
        with Subscriber(broker.watch, '#') as again:
            # A region's exit may come before stale_s is over, and the line before that, too: its last word counts.
            wait_until(lambda: zones(again.messages).get('0') == 'unknown' and {'1', '2'} <= set(zones(again.messages)), 15,
                       'what became of them')
            told = zones(again.messages)
            assert 'unknown' not in (told['1'], told['2']), told
            gateway.kill()
            air.say('silence', id='tag1')
            mark = len(again.messages)
            gateway.start()
            wait_until(lambda: zones(again.messages[mark:]).get('1') == 'unknown', 30, 'the next run says that it has gone')
            assert zones(again.messages[mark:])['2'] != 'unknown'


@case
def gone_unserved(folder):
    """Nor does who left while the gateway did not run, though nobody served it and it was in no region."""
    more = '[average]\nstale_s = 3\n[[calibration.device]]\nmatch = "altbeacon:*"\nmeasured_power_dbm = -59\n'

    def zones(messages):
        return {json.loads(m.payload)['id'][-4:]: json.loads(m.payload)['zone'] for m in messages if '/proximity/altbeacon' in m.topic}

    with yard(folder, tags=0, discovery='true', more=more) as (air, broker, seen, gateway):
        for name in ('0001', '0002'):
            air.say('advertise', id=name, kind='altbeacon', company=0x118, beacon='11' * 18 + name, interval_ms=50, rssi=-66)
        wait_until(lambda: set(zones(seen.messages)) == {'0001', '0002'}, 10, 'both are here')
        kept = folder / 'state' / 'announced.jsonl'
        wait_until(lambda: kept.exists() and kept.read_text().count('altbeacon:') == 2, 20, 'they are written down')
        gateway.kill()
        air.say('silence', id='0001')
        mark = len(seen.messages)
        gateway.start()
        wait_until(lambda: zones(seen.messages[mark:]).get('0001') == 'unknown', 40, 'the next run says that it has gone')
        assert zones(seen.messages[mark:])['0002'] != 'unknown', zones(seen.messages[mark:])
        # It stays announced, also for the next run, and can be withdrawn.
        assert all(kept.read_text().count(name) == 1 for name in ('0001', '0002')), kept.read_text()
        mark = len(seen.messages)
        gateway.write(discovery='false')
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: len([m for m in seen.messages[mark:] if m.topic.startswith('homeassistant/') and not m.payload]) == 8, 5, 'all gone')


@case
def renamed(folder):
    """What was renamed, taken out or switched off while the gateway did not run leaves nothing behind: neither its entities nor its state."""
    def kept():
        with Subscriber(broker.watch, '#') as late:
            late.wait(lambda m: m.topic == f'{BASE}/status', 5)
            time.sleep(0.3)
            return {m.topic for m in late.messages if m.retain}

    def entities(topics):
        return {topic for topic in topics if topic.startswith('homeassistant/')}

    def restart(*changes):
        gateway.kill()
        text = gateway.config.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        gateway.config.write_text(text)
        gateway.start()

    with yard(folder, discovery='true', more='[average]\nstale_s = 3\n') as (air, broker, seen, gateway):
        old = {f'{BASE}/region/forecourt', f'{BASE}/trigger/pump-3/state'}
        wait_until(lambda: len(entities(kept())) == 8 and old <= kept(), 15, 'all is announced')
        before = entities(kept())
        restart(('name = "forecourt"', 'name = "lot"'), ('[[trigger]]\nname = "pump-3"\nmatch = "ibeacon:*"\n', ''))
        wait_until(lambda: f'{BASE}/region/lot' in kept() and len(entities(kept()) - before) == 1, 20, 'the new region')
        wait_until(lambda: len(entities(kept())) == 7 and not old & kept(), 30, 'the old region and the trigger go')
        restart(('discovery = true', 'discovery = false'))
        wait_until(lambda: not entities(kept()), 30, 'all entities go')
        assert f'{BASE}/region/lot' in kept()


def calls(alias, topic, payload):
    """The service that this automation of homeassistant.yaml calls for a message, or None. As Home Assistant 2024.3.3, installed and asked, does it:
    a payload that is no JSON gives no payload_json. What would only be an error in its log is one here."""
    text = next(part for part in (ROOT / 'deploy/subscribers/homeassistant.yaml').read_text().split('  - alias: ') if part.startswith(alias))
    if topic not in re.findall('topic: (.*)', text): return None
    known = {'trigger': {'topic': topic, 'payload': payload}, 'as_datetime': datetime.datetime.fromisoformat,
             'utcnow': lambda: datetime.datetime.now(datetime.timezone.utc)}
    with contextlib.suppress(ValueError): known['trigger']['payload_json'] = json.loads(payload)
    conditions = re.findall(r'^      - "(.*)"$', text, re.M)
    assert len(conditions) == 2, text
    if any(discovery.render(condition, **known) != 'True' for condition in conditions): return None
    return discovery.render(re.search('service: "?([^"\n]*)', text)[1], **known)


@case
def home_light(folder):
    """homeassistant.yaml's light is on while somebody is served, and off when nobody is, when nobody knows, and when its trigger is taken out."""
    home = BASE.replace('yard', 'harbour-road')
    state, status = f'{home}/trigger/pump-3/state', f'{home}/status'
    for topic, payload, called in (
            (state, '{"served_count":1}', 'on'), (state, '{"served_count":0}', 'off'), (state, '', 'off'), (status, '{"state":"offline"}', 'off'),
            (status, '', 'off'), (status, '{"state":"online"}', None), (state, '{"served_count":1,"simulated":true}', None),
            (status, '{"state":"offline","simulated":true}', None)):
        assert calls('Light', topic, payload) == (called and f'light.turn_{called}'), (topic, payload)

    def light():
        told = [calls('Light', m.topic.replace('yard', 'harbour-road'), m.payload.decode()) for m in seen.messages]
        return next((called for called in reversed(told) if called), None)

    with yard(folder, tags=0) as (air, _, seen, gateway):
        air.say('advertise', id='phone', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=1, interval_ms=100,
                rssi={'from': -85, 'to': -50, 'seconds': 4})
        wait_until(lambda: light() == 'light.turn_on', 30, 'somebody is served')
        gateway.config.write_text(gateway.config.read_text().replace('[[trigger]]\nname = "pump-3"\nmatch = "ibeacon:*"\n', ''))
        assert ask(seen, 'reload')['ok']
        wait_until(lambda: light() == 'light.turn_off', 10, 'the trigger is gone')
        assert [m.payload for m in seen.messages if m.topic == f'{BASE}/trigger/pump-3/state'][-1] == b''


@case
def home_notice(folder):
    """homeassistant.yaml tells of a fire in time, and of no other event: not of one without `expires`, which may be a day old."""
    home = BASE.replace('yard', 'harbour-road')
    fire = {'event': 'fire', 'id': 'anna', 'expires': '2099-01-01T00:00:00.000Z'}
    for change, told in (({}, True), ({'expires': None}, False), ({'expires': '2020-01-01T00:00:00.000Z'}, False), ({'event': 'leave'}, False),
                         ({'simulated': True}, False)):
        assert calls('Somebody', f'{home}/trigger/pump-3', json.dumps({**fire, **change})) == ('notify.till' if told else None), change


if __name__ == '__main__':
    main()
