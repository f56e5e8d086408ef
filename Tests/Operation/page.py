"""The live page (deploy/page) in Debian's chromium, served by mosquitto: what a person reads there, by hand, eye, keyboard and screen reader.

    deploy/packages.sh page browser test rigs
    $(Tests/Rigs/venv.sh) Tests/Operation/page.py [NAME…]         $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import json
import time

from cases import case, main
from gateway import Gateway
from looks import LOOKS
from product import ROOT
from rig import Air, run
from yard import TAG, Forecourt, pump, stamp


@case
def a_visit(folder):
    """The product itself: a driver arrives, is served and leaves, and the page says each in words; nothing is fetched but the page."""
    with Forecourt() as yard, Air() as air, Gateway(folder, adapter=air.lines['p0'], port=yard.broker.port):
        page = yard.open()
        page.reads('Nobody', pump())
        air.say('advertise', id='driver', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=0, interval_ms=100,
                rssi={'from': -92, 'to': -52, 'seconds': 5})
        page.reads('Approaching', pump())
        page.reads('Served', pump(), 15)
        page.reads('ibeacon 2f23… 1:0', pump())
        page.reads('served', '#events')
        page.reads('island-1, served', '#devices')
        page.click('#devices button')
        page.reads(TAG + '0', '#devices')
        page.click('#events [data-event="fire"] summary')
        page.reads('dwell', '#events')
        page.reads('left scanning', '#gateways')
        assert page.run(f"document.querySelector('{pump()}').getAttribute('aria-label')").startswith('pump-3: Served, ibeacon'), 'a label'
        air.say('silence')
        page.reads('Nobody', pump(), 30)
        page.reads('left', '#events')
        assert page.run("document.getElementById('watermark').hidden"), 'a real driver'
        assert page.fetched == [yard.address], page.fetched
        assert not page.said, page.said


@case
def two_at_one_pump(folder):
    """Two are served at one pump; one is undecided at another, with its reason in words; a filter shows one pump, or one word."""
    with Forecourt() as yard:
        yard.online()
        page = yard.open()
        yard.stands(served=(TAG + '0', 'irk:anna'))
        page.reads('2 served', pump())
        page.reads('anna', pump())
        yard.event('undecided', TAG + '5', 'pump-4', reason='rival', number=2)
        yard.stands(near=(TAG + '5',), pump='pump-4')
        yard.event('undecided', TAG + '5', 'pump-4', reason='rival', number=2)
        page.reads('Undecided: another pump hears it as well', pump('pump-4'))
        yard.event('fire', number=3)
        page.wait("document.querySelectorAll('#events li').length === 2")
        page.click(pump('pump-4'))
        page.wait("document.querySelectorAll('#events li').length === 1 && document.querySelector('#events li').dataset.event === 'undecided'")
        page.click('#all')
        page.type('#find', 'fire pump-9')
        page.reads('No event is like this.')
        # The very same events again, as after an outage: still two.
        page.run("document.getElementById('find').value = ''; document.getElementById('find').dispatchEvent(new Event('input'))")
        yard.event('fire', number=3)
        yard.event('leave', number=4, reason='away')
        page.reads('it went away', '#events')
        assert page.run("document.querySelectorAll('#events li').length") == 3
        yard.stands(near=(TAG + '5',), served=(TAG + '6',), pump='pump-4')
        page.reads('Served, 1 more near', pump('pump-4'))
        # The gateway's name for it, until the plan has another.
        yard.event('fire', TAG + '6', 'pump-4', number=5, name='Van 7')
        page.reads('Van 7', pump('pump-4'))
        yard.seen.publish('forecourt/yard/plan', json.dumps({'names': {TAG + '6': 'Anna'}}), retain=True)
        page.reads('Anna', pump('pump-4'))


@case
def undecided_before(folder):
    """Who was undecided before the page was opened is so on it: the retained state says why."""
    with Forecourt() as yard:
        yard.online()
        yard.say('trigger/pump-3/state', {'trigger': 'pump-3', 'served_count': 0, 'near_count': 1, 'served': [],
                                          'near': [{'id': TAG + '0', 'since': stamp(-9), 'undecided': 'unknown power'}]})
        yard.open().reads('Undecided: its power is unknown', pump())


@case
def named_and_likely(folder):
    """A gateway's own name for a device stands for its identity; how likely each place is stands beside it: at the pump, in the list, in the event."""
    anna, likely = {'id': 'irk:a7', 'name': 'Anna'}, {'likelihood': {'elsewhere': 0.02, 'here': 0.93, 'pump-2': 0.05}}
    with Forecourt() as yard:
        yard.online()
        page = yard.open()
        yard.say('proximity/irk:a7', {**anna, 'average': -60, 'distance_m': 1.5, 'zone': 'near', 'at': stamp(), **likely})
        yard.say('trigger/pump-3/state', {'served_count': 1, 'near_count': 0, 'served': [{**anna, 'since': stamp(-5)}], 'near': []})
        page.reads('Anna, 93\u00a0%', pump())
        page.reads('here 93\u00a0%, pump-2 5\u00a0%, elsewhere 2\u00a0%', '#devices')
        yard.event('fire', 'irk:a7', name='Anna', evidence={'distance_m': 1.2, 'likelihood': {'here': 0.88, 'elsewhere': 'x'}})
        page.reads('Anna served', '#events')
        page.reads('here 88\u00a0%', '#events')
        assert 'object' not in page.text()


@case
def gateway_killed(folder):
    """A gateway that is killed is offline by its last will: its pump is unknown, not free. A degraded one says why."""
    with Forecourt() as yard, Air() as air:
        with Gateway(folder, adapter=air.lines['p0'], port=yard.broker.port) as gateway:
            page = yard.open()
            page.reads('Nobody', pump())
            page.reads('online', '#gateways')
            gateway.kill()
            page.reads('offline', '#gateways', 20)
            page.reads('Unknown: gateway offline', pump())
        yard.online(state='degraded', reason='radio left: there is no such adapter; plug it in')
        page.reads('there is no such adapter; plug it in', '#gateways')


@case
def by_eye_and_by_hand(folder):
    """Phone, desktop and wall, light and dark: nothing overflows, no text is small or faint, every control has a name; the keyboard
    reaches pumps and events."""
    with Forecourt() as yard:
        for number in range(1, 9):
            yard.online(f'island-{number}', **({'state': 'degraded', 'reason': 'radio left: the adapter is down'} if number == 3 else {}))
            yard.stands(served=(TAG + str(number),) if number % 3 == 0 else (), near=(TAG + str(number),) if number % 3 == 1 else (),
                        pump=f'pump-{number}', gateway=f'island-{number}')
        yard.seen.publish('forecourt/yard/plan', json.dumps({'at_m': {f'pump-{n + 1}': [8 * (n % 4), 9 * (n // 4)] for n in range(8)}}), retain=True)
        page = yard.open()
        yard.stands(near=[f'{TAG}{number}' for number in (21, 22, 23)], pump='pump-7', gateway='island-7')
        yard.event('undecided', TAG + '4', 'pump-4', 'island-4', 2, 'unknown power')
        yard.event('fire', TAG + '3', 'pump-3', 'island-3', 3)
        for number in range(1, 9):
            yard.near(TAG + str(number), number, f'island-{number}')
        page.reads('Undecided: its power is unknown', pump('pump-4', 'island-4'))
        for width, height in ((390, 844), (1280, 900), (1440, 900), (1920, 1080)):
            for dark in (False, True):
                page.show(width, height, dark)
                time.sleep(1.2)
                faults = page.run(LOOKS)
                assert not faults, f'{width} px, {"dark" if dark else "light"}: {faults}'
                assert page.run("document.querySelector('.pumps').dataset.mode") == 'map', f'the plan has room at {width} px'
        page.run("document.getElementById('time').focus()")
        for _ in range(3):
            page.press('Tab')
            if page.run("document.activeElement.classList.contains('pump')"):
                break
        page.press('Enter')
        page.wait("document.querySelector('.pump[aria-pressed=\"true\"]') !== null")
        page.click('#all')
        page.wait("document.querySelectorAll('#events li').length === 2 && !document.querySelector('.pump[aria-pressed=\"true\"]')")
        page.run("document.querySelector('#events summary').focus()")
        page.press('Enter')
        page.reads('average', '#events')
        assert 'local' in page.text('#time')
        page.click('#time')
        page.reads('UTC', '#time')
        assert 'pump-3' in page.run("document.getElementById('announce').textContent"), 'a screen reader hears of the fire'


@case
def turned_not_mirrored(folder):
    """A plan that is turned to fit is no mirror image: a left-hand pump stays one, on every screen, and an antenna stays with its pump."""
    points = json.dumps([pump('pump-1'), pump('pump-2'), pump('pump-5'), '.radio'])
    middles = (f'{points}.map((query) => document.querySelector(query).getBoundingClientRect())'
               '.map(({x, y, width, height}) => [x + width / 2, y + height / 2])')
    with Forecourt() as yard:
        for number in range(8):
            yard.stands(pump=f'pump-{number + 1}')
        yard.online()
        page, turned = yard.open(), set()
        for wide in (True, False):
            at = {f'pump-{n + 1}': [8 * (n % 4), 9 * (n // 4)] if wide else [9 * (n // 4), 8 * (n % 4)] for n in range(8)}
            yard.seen.publish('forecourt/yard/plan', json.dumps({'at_m': {**at, 'island-1': at['pump-5']}}), retain=True)
            for width, height in ((1280, 900), (360, 740), (740, 360)):
                page.show(width, height)
                time.sleep(1.4)
                assert page.run("document.querySelector('.pumps').dataset.mode") == 'map', f'the plan has room at {width} px'
                first, second, fifth, antenna = page.run(middles)
                (a, b), (c, d) = ([end - start for start, end in zip(first, other)] for other in (second, fifth))
                assert (a * d - b * c > 0) == wide, f'{width} px: {first}, {second}, {fifth}'
                assert max(abs(u - v) for u, v in zip(antenna, fifth)) < 2, f'{width} px: the antenna is at {antenna}, its pump at {fifth}'
                turned.add(abs(a) < abs(b) if wide else abs(a) > abs(b))
        assert turned == {True, False}, 'some turned, some not'


@case
def several_sites(folder):
    """Two sites at one broker: both at once, or the one that is chosen."""
    with Forecourt() as yard:
        for site in ('yard', 'hill'):
            yard.seen.publish(f'forecourt/{site}/island-1/status', json.dumps({'v': 1, 'state': 'online', 'radios': []}), retain=True)
            yard.seen.publish(f'forecourt/{site}/island-1/trigger/pump-3/state', json.dumps({'v': 1, 'served': [], 'near': []}), retain=True)
        page = yard.open()
        page.reads('2 sites', '#title')
        page.wait("document.querySelectorAll('.pump').length === 2")
        # Each with its own plan and name, though gateways and pumps are named alike.
        yard.seen.publish('forecourt/hill/plan', json.dumps({'title': 'Hill Street'}), retain=True)
        page.wait("[...document.querySelectorAll('#plans h3')].map((head) => head.textContent).sort().join() === 'Hill Street,yard'")
        # A pump that was chosen is of one site: another site's events are shown all.
        yard.seen.publish('forecourt/hill/island-1/trigger/pump-3', json.dumps({'event': 'fire', 'id': TAG + '0', 'event_id': 'h-1', 'at': stamp()}))
        page.reads('Hill Street', '#events')
        page.click(pump())
        page.reads('No event is like this.')
        page.choose('#site', 'hill')
        page.wait("document.querySelectorAll('.pump').length === 1 && document.querySelectorAll('#events li').length === 1")
        # A gateway that is cleared away (an empty retained message) is gone, with its pumps.
        yard.seen.publish('forecourt/yard/island-1/status', '', retain=True)
        page.reads('Hill Street', '#title')
        page.wait("document.getElementById('sites').hidden")
        # If the chosen one is cleared away, all that is left is shown again.
        yard.seen.publish('forecourt/yard/island-1/status', json.dumps({'v': 1, 'state': 'online', 'radios': []}), retain=True)
        yard.seen.publish('forecourt/yard/island-1/trigger/pump-3/state', json.dumps({'v': 1, 'served': [], 'near': []}), retain=True)
        page.wait("!document.getElementById('sites').hidden")
        yard.seen.publish('forecourt/hill/island-1/status', '', retain=True)
        page.reads('yard', '#title')
        page.wait("document.querySelectorAll('.pump').length === 1")


@case
def too_many(folder):
    """More gateways than a page can show: it says which are left out."""
    with Forecourt() as yard:
        for number in range(258):
            yard.online(f'g-{number:03}')
        page = yard.open()
        page.reads('256 gateways', '#figures')
        page.reads('more gateways than this page shows', '#notices')
        page.reads('and 1 more are left out', '#notices')


if __name__ == '__main__':
    run(ROOT / 'deploy/page/build.sh', seconds=120).check_returncode()
    main()
