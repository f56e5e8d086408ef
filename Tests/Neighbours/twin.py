"""A card was copied: two gateways have one site and one name, and the broker has only one of them at a time.

    $(Tests/Rigs/venv.sh) Tests/Neighbours/twin.py
"""
import json
import time

from cases import case, main
from island import Gateway, arrives, leaves, site_key, told
from rig import Air, Mosquitto, Subscriber, wait_until


@case
def copied_card(folder):
    """The roster lists it alone: both say what is wrong and nobody is served twice."""
    more = f'[site]\ngateways = ["island-1/pumps"]\n[security]\nsite_key_file = "{site_key(folder)}"'
    homes = [folder / 'card', folder / 'copy']
    for home in homes: home.mkdir()
    with Air('p0=unix', 'p1=unix') as air, Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        def degraded():
            statuses = [json.loads(m.payload) for m in seen.messages if m.topic.endswith('island-1/status') and m.payload]
            return {s['boot'] for s in statuses if s['state'] == 'degraded' and 'another gateway has this site and name' in s['reason']}
        boards = [Gateway(home, 'island-1', adapter=air.lines[f'p{n}'], port=broker.port, more=more) for n, home in enumerate(homes)]
        with boards[0]:
            with boards[1]:
                wait_until(lambda: len(degraded()) == 2, 60, f'both say it: {degraded()}')
                arrives(air, 1)
                # They may be off the broker in turn, for up to fifteen seconds.
                wait_until(lambda: told(seen, 1, 'undecided'), 40, 'somebody says why nobody is served')
                time.sleep(10)
                assert not told(seen, 1), told(seen, 1)
                leaves(air, 1)


if __name__ == '__main__':
    main()
