"""A gateway crashes, or has another key, without a roster: its neighbour says so, and does not fire for the driver of one that crashed.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/lost.py [NAME…]
"""
from cases import case, main
from island import acquainted, island, not_served, served_once, site_key
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


@case
def other_key(folder):
    """Two gateways with different keys, and no roster: neither knows of the other, and both say so until they have the same key."""
    key, other = site_key(folder), site_key(folder, 'other')
    with island(folder, more=f'[security]\nsite_key_file = "{key}"') as (air, broker, seen, gateways):
        acquainted(seen, gateways)
        second = gateways[1]
        second.stop()
        second.write(more=f'[security]\nsite_key_file = "{other}"')
        second.start()
        for gateway, stranger in zip(gateways, reversed(gateways)):
            assert gateway.ask(seen, 'forget-neighbour', {'gateway': stranger.name})['ok']
        for gateway in gateways:
            gateway.status(seen, lambda s: s['state'] == 'degraded' and 'has another site key' in s['reason'], 60)
        mark = len(seen.messages)
        second.write(more=f'[security]\nsite_key_file = "{key}"')
        assert second.ask(seen, 'reload', {})['ok']
        acquainted(seen, gateways, 60, mark)


if __name__ == '__main__':
    main()
