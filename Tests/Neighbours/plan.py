"""Gateways that know where they stand decide together.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/plan.py
"""
import json
import time

from cases import case, main
from island import acquainted, arrives, fires, island, leaves, told
from product import FORECOURT
from rig import run, wait_until


@case
def placed(folder):
    """Four gateways that know where they stand serve a phone 13 dB weaker than it claims, once, and say how likely each place was;
    before they know, nobody does."""
    places, losses = ((0, 0), (8, 0), (0, 9), (8, 9)), (0, 22, 23, 25)
    with island(folder, count=4) as (air, _, seen, gateways):
        acquainted(seen, gateways, 30)
        for gateway, lost in zip(gateways, losses):
            gateway.write(weaker_db=lost)
            assert gateway.ask(seen, 'reload', {})['ok']
        arrives(air, 1, at_dbm=-72)
        time.sleep(10)
        assert not told(seen, 1), 'a weak phone in doubt'
        leaves(air, 1)
        for gateway, (x, y) in zip(gateways, places):
            gateway.write(radio=f'at_m = [{x}, {y}]')
            assert gateway.ask(seen, 'reload', {})['ok']
        arrives(air, 2, at_dbm=-72)
        fires(seen, 2)
        time.sleep(2.5)
        assert told(seen, 2) == [('island-1', 'fire')], told(seen, 2)
        fire = next(json.loads(m.payload) for m in seen.messages if '/trigger/' in m.topic and b'"fire"' in m.payload)
        evidence = fire['evidence']
        assert evidence['receivers'] == 4 and evidence['likelihood']['here'] > 0.8, evidence
        # A visit of ten seconds teaches how the other receivers hear: calibrate site shows it.
        wait_until(lambda: 'after 1 visit' in calibrate_site(gateways[0]), 20, 'what was learnt')
        known = calibrate_site(gateways[0])
        assert 'island-4 [8, 9]' in known and 'island-1' not in known and 'too few to tell' in known, known


def calibrate_site(gateway):
    return run(FORECOURT, 'calibrate', 'site', '--config', gateway.config).stderr


@case
def copied(folder):
    """A gateway with its neighbour's at_m says so in its status once that neighbour hears a phone, until it is corrected."""
    with island(folder, count=2) as (air, _, seen, gateways):
        acquainted(seen, gateways, 30)
        for gateway in gateways:
            gateway.write(radio='at_m = [0, 0]')
            assert gateway.ask(seen, 'reload', {})['ok']
        arrives(air, 1, at_dbm=-60)
        gateways[1].status(seen, lambda s: 'island-1 says that it stands within a metre' in (s['reason'] or ''), 20)
        before = len(seen.messages)
        gateways[1].write(radio='at_m = [8, 0]')
        assert gateways[1].ask(seen, 'reload', {})['ok']
        gateways[1].status(seen, lambda s: 'island-1 says' not in (s['reason'] or ''), 20, before)


if __name__ == '__main__':
    main()
