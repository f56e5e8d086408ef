"""A gateway crashes, without a roster: its neighbour waits for it, says so, and does not fire for its driver.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/lost.py [NAME…]
"""
from cases import case, main
from island import acquainted, island, not_served, served_once


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


if __name__ == '__main__':
    main()
