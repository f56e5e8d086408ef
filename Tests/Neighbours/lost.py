"""A gateway crashes, without a roster: its neighbour waits for it, says so, and does not fire for its driver.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/lost.py [NAME…]
"""
from cases import case, main
from island import acquainted, island, not_served, served_once
from rig import wait_until


@case
def killed(folder):
    """The broker says that it is lost, which is no goodbye; when it runs again it serves its drivers, and after a goodbye the other does."""
    with island(folder) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        served_once(air, seen, 1, 'island-1')
        mark = len(seen.messages)
        gateways[0].kill()
        seen.wait(lambda m: m.topic.endswith('island-1/status') and b'connection lost' in m.payload, 20, mark)
        gateways[1].status(seen, lambda s: s['state'] == 'degraded' and s['site']['missing'] == 'island-1', 20, mark)
        not_served(air, seen, 2)
        mark = len(seen.messages)
        gateways[0].start()
        acquainted(seen, gateways, after=mark)
        served_once(air, seen, 3, 'island-1')
        mark = len(seen.messages)
        gateways[0].stop()
        gateways[1].status(seen, lambda s: s['state'] == 'online' and s.get('site', {}).get('heard') == 0, after=mark)
        served_once(air, seen, 4, 'island-2')


@case
def damaged(folder):
    """A line of its file of neighbours cannot be read, and the neighbour is off: nobody is served until somebody forgets the line."""
    with island(folder) as (air, _, seen, gateways):
        acquainted(seen, gateways)
        kept = gateways[0].folder / 'neighbours.jsonl'
        wait_until(lambda: kept.exists() and 'island-2' in kept.read_text(), 15, 'it is written down')
        for gateway in gateways:
            gateway.kill()
        # The broker has lost it, too.
        seen.wait(lambda m: m.topic.endswith('island-2/status') and b'connection lost' in m.payload, 60)
        seen.publish('forecourt/site/island-2/status', '', retain=True)
        kept.write_text(kept.read_text().replace('"gateway"', '"gatewax"'))
        mark = len(seen.messages)
        gateways[0].start()
        gateways[0].status(seen, lambda s: s['state'] == 'degraded' and s['site']['missing'] == 'unreadable', 20, mark)
        gateways[0].told('neighbours.jsonl: 1 line not readable: without [site] gateways nothing fires in a group')
        not_served(air, seen, 1)
        mark = len(seen.messages)
        assert gateways[0].ask(seen, 'forget-neighbour', {'gateway': 'unreadable'})['ok']
        gateways[0].status(seen, lambda s: s['state'] == 'online', 20, mark)
        served_once(air, seen, 2, 'island-1')


if __name__ == '__main__':
    main()
