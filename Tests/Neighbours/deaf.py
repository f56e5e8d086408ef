"""A neighbour that hears nothing, or has gone: the other gateway neither takes its silence for consent nor serves its driver once more.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/deaf.py [NAME…]
"""
import sqlite3
import time
from contextlib import closing

from cases import case, main
from island import acquainted, arrives, fires, island, leaves, told
from rig import wait_until

# Measured powers and a roster: where each gateway would be surest.
SURE = '[[calibration.device]]\nmatch = "ibeacon:*"\nmeasured_power_dbm = -59\n[site]\ngateways = ["island-1", "island-2"]'


def stays_unserved(seen, number, by=()):
    """Long enough for a second fire and for the reason."""
    wait_until(lambda: ('island-1', 'undecided') in told(seen, number, 'undecided'), 20, f'island-1 says why it does not serve driver {number}')
    time.sleep(8)
    assert told(seen, number) == [(who, 'fire') for who in by], told(seen, number)


def at_the_second(air, number):
    arrives(air, number, p0=-58, p1=-32)


def stops_hearing(air, seen, gateways, how):
    mark = len(seen.messages)
    if how == 'radio':
        air.say('drop', port='p1')
        gateways[1].status(seen, lambda s: s['radios'][0]['state'] != 'scanning', 20, mark)
    else:
        assert gateways[1].ask(seen, 'authorization', {'authorization': how})['ok']
    gateways[0].status(seen, lambda s: s['state'] == 'degraded' and s['site']['missing'] == 'island-2', 20, mark)
    # A slow disk may be told first.
    gateways[0].status(seen, lambda s: 'neighbour island-2 hears no device' in (s['reason'] or ''), 40, mark)


def hears_again(air, seen, gateways, how):
    mark = len(seen.messages)
    if how == 'radio':
        air.say('replug', port='p1')
    else:
        assert gateways[1].ask(seen, 'authorization', {'authorization': 'always'})['ok']
    gateways[0].status(seen, lambda s: s['state'] == 'online', 40, mark)


@case
def elsewhere(folder):
    """Its driver is not served at the other pump, be its radio dead or its permission withdrawn; when it hears again, it serves."""
    with island(folder, more=SURE) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        for number, how in ((1, 'radio'), (3, 'denied')):
            stops_hearing(air, seen, gateways, how)
            at_the_second(air, number)
            stays_unserved(seen, number)
            leaves(air, number)
            hears_again(air, seen, gateways, how)
            # Who is heard at once may have been there all along.
            time.sleep(4)
            at_the_second(air, number + 1)
            fires(seen, number + 1)
            assert told(seen, number + 1) == [('island-2', 'fire')], told(seen, number + 1)
            leaves(air, number + 1)


@case
def starting(folder):
    """Nor while it starts: with an outbox that it cannot use it drops adverts for a quarter of a minute, and its radio listens."""
    with island(folder, more=SURE) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        gateways[1].stop()
        others = folder / 'others.db'
        with closing(sqlite3.connect(others)) as database:
            database.execute('PRAGMA application_id = 77')
            database.execute('CREATE TABLE theirs (number)')
            database.commit()
        config = gateways[1].config.read_text()
        gateways[1].config.write_text(config.replace(f'{gateways[1].folder}/outbox.db', str(others)))
        mark = len(seen.messages)
        gateways[1].start()
        gateways[1].status(seen, lambda s: s['radios'][0]['state'] == 'scanning', 20, mark)
        at_the_second(air, 1)
        stays_unserved(seen, 1)


@case
def twice(folder):
    """Whom it has served the other does not serve while it hears nothing, and its visit goes on."""
    with island(folder, more=SURE) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        at_the_second(air, 1)
        fires(seen, 1)
        stops_hearing(air, seen, gateways, 'radio')
        stays_unserved(seen, 1, by=['island-2'])
        assert not told(seen, 1, 'leave'), told(seen, 1, 'leave')


@case
def stopped(folder):
    """The group rests on after a clean stop of the gateway that served, which is a goodbye."""
    with island(folder, trigger='group_refractory_s = 40') as (air, _, seen, gateways):
        acquainted(seen, gateways)
        arrives(air, 1)
        fires(seen, 1)
        fired = time.monotonic()
        time.sleep(2)
        leaves(air, 1)
        wait_until(lambda: told(seen, 1, 'leave'), 30, 'it leaves')
        mark = len(seen.messages)
        gateways[0].stop()
        gateways[1].status(seen, lambda s: s['state'] == 'online' and s['site']['heard'] == 0, 20, mark)
        arrives(air, 1, -70, p1=-42)
        wait_until(lambda: len(told(seen, 1)) > 1, 60, 'the other serves it when the group has rested')
        assert time.monotonic() - fired > 38 and told(seen, 1) == [('island-1', 'fire'), ('island-2', 'fire')], told(seen, 1)


if __name__ == '__main__':
    main()
