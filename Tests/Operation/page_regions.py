"""Regions on the live page (deploy/page): rooms, halls and whoever is in them, with pumps and without.

    deploy/packages.sh page browser test rigs
    $(Tests/Rigs/venv.sh) Tests/Operation/page_regions.py [NAME…]         $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import time

from cases import case, main
from gateway import Gateway
from looks import LOOKS
from product import ROOT
from rig import Air, run, wait_until
from yard import BLIND, TAG, Forecourt, pump, region

WITHOUT_PUMPS = "document.getElementById('plan').hidden"


def later(page, seconds):
    page.run(f'{{ const now = Date.now; Date.now = () => now() + {seconds * 1000} }}')


@case
def a_guest(folder):
    """The product itself: somebody enters, is near, and exits; the page names them, and says so among the events, too."""
    with Forecourt() as yard, Air() as air, Gateway(folder, adapter=air.lines['p0'], port=yard.broker.port) as gateway:
        page, place = yard.open(), region('forecourt')
        page.reads('Nobody inside', place)
        air.say('advertise', id='guest', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=0, interval_ms=100, rssi=-66)
        page.reads('1 inside', place)
        page.reads('ibeacon 2f23… 1:0', place)
        page.reads('near, ', place)
        # Opened only now: the state says how many, ranging who.
        page.tell('Page.reload')
        page.reads('1 inside', place)
        page.reads('over ', place)
        page.choose('#kind', 'enter exit')
        air.say('silence')
        page.reads('Nobody inside', place, 20)
        page.reads('nothing more was heard of it', '#events')
        assert page.text(place + ' .people') == '' and page.run(f"document.querySelector('{place} .people').hidden")
        gateway.kill()
        page.reads('Unknown: gateway offline', place, 20)
        assert not page.said, page.said


@case
def who_and_since(folder):
    """Who is inside comes from enters and exits, from ranging, and from neither; since when, as far as it is known; a tag that advertises seldom
    stays, though its distance is long forgotten."""
    with Forecourt() as yard:
        yard.online()
        yard.region(3)
        page, room = yard.open(), region()
        page.reads('3 inside', room)
        page.reads('10 min', room + ' .head')
        page.reads('No message has named them yet.', room)
        yard.passes('enter', 'irk:anna', ago=190)
        yard.ranges({'irk:anna': 'near', 'irk:bob': 'far'}, count=3)
        page.reads('anna\nnear, 1.5\u00a0m · 3 min 1', room)
        page.reads('bob\nfar, 1.5\u00a0m · over ', room)
        page.reads('and 1 more whom no message has named yet', room)
        # The page was opened before its enter, which waited for the broker.
        yard.passes('enter', 'irk:bob', ago=7000, name='Bob')
        page.reads('Bob\nfar, 1.5\u00a0m · 1 h 56 min', room)
        yard.ranges({'irk:anna': 'unknown', 'irk:bob': 'unknown', 'irk:carla': 'unknown'})
        page.reads('carla\nover ', room)
        later(page, 120)
        page.wait("!document.querySelector('#devices tr')")
        page.reads('3 inside', room)
        page.reads('anna\n5 min', room)
        yard.passes('exit', 'irk:anna', reason='silence')
        yard.region(2)
        page.reads('2 inside', room)
        assert 'anna' not in page.text(room), page.text(room)
        # An exit that was lost: whoever was not heard for longest is the one who is gone.
        yard.ranges({'irk:bob': 'near'}, count=1)
        yard.region(1)
        page.reads('1 inside', room)
        page.wait(f"document.querySelectorAll('{room} .people li').length === 1")
        page.reads('Bob\nnear', room)
        # A ranging that has all of them, or an empty room, makes that certain: the next one is somebody else.
        yard.ranges({'irk:bob': 'near'})
        yard.region(2)
        page.reads('and 1 more whom no message has named yet', room)
        yard.region(0)
        page.reads('Nobody inside', room)
        yard.region(1)
        page.reads('No message has named them yet.', room)
        assert page.run("document.getElementById('announce').textContent") == 'room: anna exited, nothing more was heard of it'


@case
def forty_do_not_flood(folder):
    """A full hall is a number and its nearest; the others are a press away. Beside pumps it names fewer."""
    with Forecourt() as yard:
        yard.online()
        page, hall = yard.open(width=360, height=800), region('hall')
        for number in range(38):
            yard.passes('enter', TAG + str(100 + number), 'hall', ago=number)
        yard.ranges({TAG + '137': 'near'}, 'hall', count=40)
        yard.region(40, 'hall')
        page.reads('40 inside', hall)
        page.reads('show 32 more', hall)
        count = f"document.querySelectorAll('{hall} .people li').length"
        page.wait(f'{count} === 6')
        page.wait(f"document.querySelector('{hall} .people li').textContent.startsWith('ibeacon 2f23… 1:137')")
        page.reads('and 2 more whom', hall)
        assert page.run(f"document.querySelector('{hall} .others').getAttribute('aria-label')") == 'show 32 more inside hall'
        page.click(hall + ' .others')
        page.wait(f'{count} === 38')
        page.click(hall + ' .others')
        page.wait(f'{count} === 6')
        yard.stands()
        page.wait(f'{count} === 3')
        for number in range(30):
            yard.region(0, f'room-{number:02}')
        page.reads('show 7 more regions', '#more-regions')
        page.click('#more-regions')
        page.wait("document.querySelectorAll('.region').length === 31")


@case
def occupied_first(folder):
    """Of more regions than the page shows at first, the occupied and the unknown are shown, in the order of their names; a chosen one stays."""
    with Forecourt() as yard:
        yard.online()
        yard.online('island-2', state='offline')
        page = yard.open()
        for number in range(60):
            yard.region(3 if number in (41, 55) else 0, f'room-{number:02}')
        yard.region(1, 'cellar', 'island-2')
        shown = "[...document.querySelectorAll('.region .head .name')].map((name) => name.textContent).join()"
        rooms = [f'room-{number:02}' for number in (*range(21), 41, 55)]
        page.wait(f"{shown} === '{','.join(rooms)},cellar'")
        page.reads('show 37 more regions', '#more-regions')
        page.click(region('room-41') + ' .head')
        yard.region(0, 'room-41')
        page.reads('Nobody inside', region('room-41'))
        page.click('#all')
        page.wait(f"{shown}.includes('room-21,room-55,cellar')")


@case
def not_known(folder):
    """What a gateway does not watch is unknown, not empty, and nobody is named there; a rehearsal is marked; what is cleared is gone."""
    with Forecourt() as yard:
        page = yard.open()
        for gateway, words, why in BLIND:
            yard.online(gateway, **words)
            yard.region(1, gateway=gateway)
            yard.passes('enter', 'irk:anna', gateway=gateway)
            page.reads(f'Unknown: {why}', region(gateway=gateway))
            assert 'anna' not in page.text(region(gateway=gateway)), 'nobody knows'
        yard.online()
        yard.region(1)
        yard.passes('enter', 'irk:anna')
        page.reads('anna', region())
        # Five gateways have a region of this name: the place is both.
        page.reads('island-1 · room', region())
        page.reads('island-1 · room anna entered', '#events')
        assert 'rehearsal' not in page.text('#regions')
        yard.online('lab', simulated=True)
        yard.region(1, 'bench', 'lab', simulated=True)
        yard.passes('enter', 'irk:bob', 'bench', 'lab', simulated=True)
        page.reads('rehearsal', region('bench', 'lab'))
        assert page.run(f"document.querySelector('{region('bench', 'lab')} .head').getAttribute('aria-label')").endswith('(rehearsal)')
        # The next run of a rehearsal ends no visit of this one.
        yard.online('lab', state='offline')
        page.reads('Unknown: gateway offline', region('bench', 'lab'))
        # Nor does the page ask the broker what it keeps of that run.
        time.sleep(3)
        yard.online('lab', simulated=True)
        page.reads('Nobody inside', region('bench', 'lab'))
        yard.seen.publish('forecourt/yard/lab/region/bench', '', retain=True)
        yard.seen.publish('forecourt/yard/denied/status', '', retain=True)
        page.wait("document.querySelectorAll('.region').length === 4")
        later(page, 901)
        page.reads('Unknown: gateway silent', region())


@case
def enters_missed(folder):
    """Who came and went while the broker was away is not made up: names come again with the next ranging; a region that was cleared is gone."""
    with Forecourt() as yard:
        yard.online()
        yard.region(1)
        yard.region(1, 'cellar')
        page = yard.open()
        yard.passes('enter', 'irk:anna', ago=190)
        page.reads('anna\n3 min', region())
        yard.broker.stop()
        page.reads('Broker lost', '#notices')
        page.reads('anna\n3 min', region())
        yard.broker.start()
        page.reads('live', '#condition', 20)
        wait_until(lambda: yard.seen.client.is_connected(), 20, 'we are back')
        yard.online()
        yard.region(1)
        page.reads('No message has named them yet.', region())
        yard.ranges({'irk:bob': 'near'})
        page.reads('bob\nnear, 1.5\u00a0m · over ', region())
        page.wait("document.querySelectorAll('.region').length === 1", 20)


@case
def by_eye_and_by_hand(folder):
    """Without regions nothing is new. With them: phone and desktop, light and dark; the keyboard reaches a region and its events; without pumps
    enters and exits are what matters, beside pumps only if they are asked for."""
    with Forecourt() as yard:
        yard.online()
        yard.stands()
        page = yard.open()
        page.reads('Nobody', pump())
        assert page.run("document.getElementById('inside').hidden && !document.querySelector('main').hasAttribute('data-regions')")
        assert 'region' not in page.text('#figures')
        yard.seen.publish('forecourt/yard/island-1/trigger/pump-3/state', '', retain=True)
        page.reads('No trigger has published its state yet.')
        for name, ids in (('lounge', ('irk:anna', 'irk:somebody-with-a-long-name')), ('kitchen', ('irk:bob',)), ('room-1', ())):
            for id in ids:
                yard.passes('enter', id, name, ago=4000)
                yard.near(id, 2)
            yard.region(len(ids), name)
        page.wait(WITHOUT_PUMPS)
        order = "[...document.querySelectorAll('main section:not([hidden])')].map((section) => section.className).join()"
        assert page.run(order) == 'inside,events,devices,health'
        page.reads('2 of 3 regions occupied', '#figures')
        assert 'pump' not in page.text('#figures')
        page.reads('kitchen bob entered', '#events')
        for width, height in ((360, 800), (1280, 900), (1920, 1080)):
            for dark in (False, True):
                page.show(width, height, dark)
                time.sleep(1.2)
                faults = page.run(LOOKS)
                assert not faults, f'{width} px, {"dark" if dark else "light"}: {faults}'
        label = page.run(f"document.querySelector('{region('lounge')} .head').getAttribute('aria-label')")
        assert label == 'lounge: 2 inside, for 10 min 00 s', label
        page.run("document.getElementById('time').focus()")
        page.press('Tab')
        page.press('Enter')
        page.wait(f"document.querySelector('{region('kitchen')} .head').getAttribute('aria-pressed') === 'true'")
        page.reads('Only kitchen.', '#only')
        page.wait("document.querySelectorAll('#events li').length === 1")
        page.click('#all')
        page.wait("document.querySelectorAll('#events li').length === 3")
        # A pump comes: enters stand back until a region is chosen.
        yard.stands()
        page.wait(f"!{WITHOUT_PUMPS} && document.querySelectorAll('#events li').length === 0")
        assert page.run(order) == 'plan,events,devices,inside,health'
        page.click(region('lounge') + ' .head')
        page.wait("document.querySelectorAll('#events li').length === 2")


if __name__ == '__main__':
    run(ROOT / 'deploy/page/build.sh', seconds=120).check_returncode()
    main()
