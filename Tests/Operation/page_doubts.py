"""What the live page (deploy/page) must not simply believe: names from the air, clocks, silence and rehearsals.

    deploy/packages.sh page browser test rigs
    $(Tests/Rigs/venv.sh) Tests/Operation/page_doubts.py [NAME…]
"""
import contextlib
import json
import time

from cases import case, main
from page_regions import later
from product import ROOT
from rig import run, wait_until
from yard import BLIND, TAG, Forecourt, pump, region, stamp


@case
def hostile_names(folder):
    """Names from the air are text: no markup, no script, no turned writing, no broken layout; nonsense is counted and dropped."""
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202e\u0007' + 'A' * 90
    with Forecourt() as yard:
        yard.online(reason=evil, radios=[{'name': evil, 'state': evil}, {'name': 'left', 'state': 'scanning'}])
        page = yard.open(width=390, height=844)
        yard.seen.publish('forecourt/yard/plan', json.dumps({'title': evil, 'names': {TAG + '0': evil}, 'at_m': {'__proto__': [1, 2], 'pump-3': 'x'}}),
                          retain=True)
        yard.stands(served=(evil, '__proto__', TAG + '0'))
        yard.event('fire', evil)
        yard.event('<b>fire</b>', 'constructor', number=2, reason='toString')
        yard.near(evil[:40].replace('/', '_'), 2)
        yard.near('far away', -3, average=1e308)
        for nonsense in ('', 'null', '[1]', '{', '"x"', '1e999', '{"served":7,"near":[null,[],1],"served_count":"x"}', '\xff' * 40):
            yard.seen.publish('forecourt/yard/island-1/trigger/pump-3/state', nonsense)
            yard.seen.publish('forecourt/yard/island-1/status/x/y/z', nonsense)
        yard.stands(served=(evil,))
        page.reads('<img src=x', pump())
        page.reads('<img src=x', '#events')
        page.choose('#kind', '')
        page.reads('<b>fire</b>', '#events')
        time.sleep(1)
        assert page.run("document.querySelectorAll('img, main script, main b b').length") == 0
        assert '\u202e' not in page.text() and '\u0007' not in page.text()
        assert page.run('document.title').startswith('<img'), 'a title is text, too'
        assert page.run('document.documentElement.scrollWidth') <= 390, 'nothing makes the page wider than the phone'
        for code in ("document.body.innerHTML = '<i>'", "eval('1')", "new Function('1')()"):
            with contextlib.suppress(RuntimeError):
                page.run(f'(() => {{ {code} }})()')
                raise AssertionError(f'the policy allows {code}')
        page.run("document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:1/x'}))")
        wait_until(lambda: page.run('1') and any('Content Security Policy' in said for said in page.said), 5, 'the policy refuses an image')


@case
def not_watched(folder):
    """Who is at a pump that its gateway does not watch is unknown: neither nobody nor whoever it served last."""
    with Forecourt() as yard:
        page = yard.open()
        for served in ((), (TAG + '0',)):
            for gateway, words, why in BLIND:
                yard.online(gateway, **words)
                yard.stands(served, gateway=gateway)
                page.reads(f'Unknown: {why}', pump(gateway=gateway))
                assert '1:0' not in page.text(pump(gateway=gateway))
        yard.online('denied')
        page.reads('Served', pump(gateway='denied'))


@case
def spelt_as_they_are(folder):
    """Persian, Hindi and emoji names keep the marks that they are spelt with; a dot stands for one that only hides, and for any that turns
    the writing."""
    kept = ('\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', 'PDF\u200c\u0647\u0627', '\u0915\u094d\u200d\u0937', '\U0001f469\u200d\U0001f3a8 Mona',
            '\U0001f3f3\ufe0f\u200d\U0001f308')
    hidden = {'An\u200d\u200cna': 'An··na', '\u200dBo': '·Bo', 'Cy\u200c': 'Cy·', 'Di \u200dEd': 'Di ·Ed', 'Fay\u202eyaF': 'Fay·yaF',
              'Gus\u200f': 'Gus·', 'H\u200bi': 'H·i'}
    with Forecourt() as yard:
        yard.online()
        page = yard.open()
        for number, name in enumerate((*kept, *hidden)):
            yard.passes('enter', f'irk:{number:02}', name=name)
        yard.region(len(kept) + len(hidden))
        page.click(region() + ' .others')
        names = f"[...document.querySelectorAll('{region()} .people .name')].map((name) => name.textContent)"
        page.wait(f'{names}.length === {len(kept) + len(hidden)}')
        said = page.run(names)
        assert said == [*kept, *hidden.values()], said


@case
def stale_and_rehearsed(folder):
    """What must not be believed says so: a gateway that falls silent, a clock that is wrong, a rehearsal."""
    with Forecourt() as yard:
        yard.online()
        yard.online('island-2', simulated=True)
        yard.stands()
        page = yard.open()
        yard.event('fire', gateway='island-2', simulated=True)
        page.reads('a rehearsal, not real', '#events')
        assert page.run("document.getElementById('announce').textContent").startswith('rehearsal: pump-3'), 'nor to a screen reader'
        page.reads('island-2: not real', '#notices')
        page.wait("!document.getElementById('watermark').hidden")
        assert 'REHEARSAL' in page.text('#watermark')
        for _ in range(2):
            yard.say('telemetry', {'uptime_s': 60, 'adverts_hz': 40, 'devices': 3, 'cpu_s': 1, 'memory_bytes': 9_000_000})
            time.sleep(1)
        page.reads('40 adverts/s', '#gateways')
        # An event that waited for the broker says nothing about the clock.
        yard.event('fire', number=8, at=stamp(-240))
        page.reads('pump-3', '#events')
        assert 'clock' not in page.text('#notices'), page.text('#notices')
        yard.say('ranging/forecourt', {'devices': [], 'count': 0, 'at': stamp(-240)})
        page.reads('its clock is 4 min 0', '#notices')
        page.reads('island-1 has said nothing for longer than usual', '#notices', 15)
        page.reads('Unknown: gateway silent', pump())
        yard.online('island-2')
        page.wait("document.getElementById('watermark').hidden")
        assert 'island-2' not in page.text('#notices')
        # A quarter of an hour later: its status is kept by the broker, but it says nothing, not even telemetry.
        later(page, 901)
        page.reads('island-1, island-2 have said nothing', '#notices')


@case
def by_the_gateways_clock(folder):
    """On a phone whose clock is two hours off, before or behind, each has been there as long as it has; whose clock is wrong, the page says as far as
    that can be known."""
    with Forecourt() as yard:
        for hours, word in ((2, 'ahead of'), (-2, 'behind')):
            page = yard.open()
            later(page, hours * 3600)
            yard.online()
            yard.online('island-2')
            yard.stands(served=('irk:anna',))
            yard.region(1, since=-190)
            yard.passes('enter', 'irk:anna', ago=190)
            yard.ranges({'irk:anna': 'near'})
            other = {-2: 'ahead of', 2: 'behind'}[hours]
            page.reads(f'island-1: its clock is 2 h 0 min {other} this device’s', '#notices')
            page.reads('anna\nnear, 1.5\u00a0m · 3 min 1', region())
            page.reads('3 min 1', region() + ' .since')
            page.wait(f"/^[5-9] s$/.test(document.querySelector('{pump()} .since').textContent)")
            # Two are alike, and the third has not been heard yet: it is the phone.
            yard.near('irk:bob', 2, 'island-2')
            yard.online('island-3')
            yard.stands(served=('irk:carla',), gateway='island-3')
            page.reads(f'This device’s clock is wrong. It is 2 h 0 min {word} the gateways’.', '#notices')
            page.wait(f"/^[5-9] s$/.test(document.querySelector('{pump(gateway='island-3')} .since').textContent)")
            assert 'its clock' not in page.text(), page.text()
            # Perhaps both came up with the same old time: one says that nothing has set its clock.
            yard.online(clock='unsynchronised')
            page.reads(f'island-1: its clock is 2 h 0 min {other} this device’s', '#notices')


@case
def once_a_minute(folder):
    """A gateway that says telemetry once a minute is silent after two and a half minutes, not before."""
    with Forecourt() as yard:
        yard.online()
        page = yard.open()
        for adverts in (40, 41):
            yard.say('telemetry', {'uptime_s': 60 * adverts, 'adverts_hz': adverts})
            page.reads(f'{adverts} adverts/s', '#gateways')
            later(page, 60)
        later(page, 80)
        time.sleep(1.5)
        assert page.text('#notices') == '', page.text('#notices')
        later(page, 10)
        page.reads('island-1 has said nothing for longer than usual', '#notices')


if __name__ == '__main__':
    run(ROOT / 'deploy/page/build.sh', seconds=120).check_returncode()
    main()
