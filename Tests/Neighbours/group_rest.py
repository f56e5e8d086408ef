"""group_refractory_s: who was served at one gateway's trigger is served at no other's of the group for so long.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/group_rest.py [NAME…]
"""
import datetime
import json
import time

from cases import case, main
from island import acquainted, arrives, fires, island, leaves, served_once, told
from rig import wait_until

REST_S = 25


def served_then_away(air, seen, number):
    """A driver is served at the first pump and goes."""
    arrives(air, number)
    fires(seen, number)
    time.sleep(2)
    leaves(air, number)


def served_at(seen, number):
    """When it was served, by the gateways' own clock, which is this machine's: messages may come late."""
    events = [json.loads(m.payload) for m in seen.messages if '/trigger/' in m.topic and m.topic.count('/') == 4]
    return [datetime.datetime.fromisoformat(e['at'].replace('Z', '+00:00')) for e in events
            if e['event'] == 'fire' and e.get('id', '').endswith(f':{number}')]


def not_before_its_time(air, seen, number, at_first_dbm=-70):
    """It comes to the second pump and stays: it is served there once, when the time is over."""
    arrives(air, number, at_first_dbm, p1=-42)
    wait_until(lambda: len(told(seen, number)) > 1, REST_S + 15, f'it is served again: {told(seen, number, "arm", "fire", "undecided")}')
    time.sleep(2.5)
    assert told(seen, number) == [('island-1', 'fire'), ('island-2', 'fire')], told(seen, number)
    first, second = served_at(seen, number)
    waited = (second - first).total_seconds()
    assert waited > REST_S, f'it was served again after {waited:.1f} s'
    leaves(air, number)


@case
def walks_on(folder):
    """A driver served at the first pump is served at the second when the time is over; others are not kept waiting."""
    with island(folder, trigger=f'group_refractory_s = {REST_S}') as (air, _, seen, gateways):
        acquainted(seen, gateways)
        served_then_away(air, seen, 1)
        served_once(air, seen, 2, 'island-1')
        not_before_its_time(air, seen, 1)
        doubts = [m.payload for m in seen.messages if m.topic.endswith('trigger/island-2') and b'undecided' in m.payload]
        assert any(b'"served elsewhere"' in payload and b':1"' in payload for payload in doubts), doubts


@case
def restarts(folder):
    """The same when the second gateway is killed meanwhile, or the broker."""
    with island(folder, trigger=f'group_refractory_s = {REST_S}') as (air, broker, seen, gateways):
        acquainted(seen, gateways)
        served_then_away(air, seen, 1)
        gateways[1].kill()
        mark = len(seen.messages)
        gateways[1].start()
        gateways[1].status(seen, lambda s: s['state'] == 'online' and s.get('site', {}).get('heard') == 1, 20, mark)
        not_before_its_time(air, seen, 1)
        served_then_away(air, seen, 2)
        broker.restart()
        not_before_its_time(air, seen, 2)


@case
def first_restarts(folder):
    """The same when the first gateway is killed meanwhile: after its restart it does not even hear the driver."""
    with island(folder, trigger=f'group_refractory_s = {REST_S}') as (air, _, seen, gateways):
        acquainted(seen, gateways)
        served_then_away(air, seen, 1)
        wait_until(lambda: told(seen, 1, 'leave'), 20, 'its leave')
        gateways[0].kill()
        mark = len(seen.messages)
        gateways[0].start()
        gateways[0].status(seen, lambda s: s['state'] == 'online' and s.get('site', {}).get('heard') == 1, 20, mark)
        not_before_its_time(air, seen, 1, at_first_dbm=-100)


@case
def renamed(folder):
    """A reload renames the trigger at which a driver stands: it is not served there again, nor at the second pump before its time."""
    with island(folder, trigger=f'group_refractory_s = {REST_S}') as (air, _, seen, gateways):
        acquainted(seen, gateways)
        arrives(air, 1)
        fires(seen, 1)
        text = gateways[0].config.read_text()
        gateways[0].config.write_text(text.replace('name = "island-1"\nmatch', 'name = "first"\nmatch'))
        assert gateways[0].ask(seen, 'reload', {})['ok']
        wait_until(lambda: told(seen, 1, 'leave'), 5, 'its leave')
        wait_until(lambda: told(seen, 1, 'undecided'), 15, 'why it is not served')
        assert told(seen, 1) == [('island-1', 'fire')], told(seen, 1)
        leaves(air, 1)
        served_once(air, seen, 2, 'island-1')
        not_before_its_time(air, seen, 1)


@case
def moves_on(folder):
    """A driver is served at the first pump and drives on to the second while the first gateway restarts: it is served there."""
    with island(folder) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        arrives(air, 1)
        fires(seen, 1)
        time.sleep(2)
        gateways[0].kill()
        air.say('set', id='driver-1', rssi={'p0': -92, 'p1': -42})
        gateways[0].start()
        wait_until(lambda: len(told(seen, 1)) > 1, 60, f'it is served again: {told(seen, 1, "arm", "fire", "undecided", "leave")}')
        assert told(seen, 1) == [('island-1', 'fire'), ('island-2', 'fire')] and told(seen, 1, 'leave')[0][0] == 'island-1', told(seen, 1)


if __name__ == '__main__':
    main()
