"""The checks of peer.py on being asked and on advertising."""
import contextlib
import os
import signal
import stat
import struct
import time

from peer_support import STATIC, Gateway, asks
from ether.adverts import STATIC_SERVICE
from h4 import H4
from product import Capture
from rig import Air, Btvirt, wait_until

OWN = 'BBBBBBBB-BBBB-BBBB-BBBB-BBCC'


@contextlib.contextmanager
def serving(*lines, extra='', name='gateway', legacy=False, options=()):
    """An air, and a gateway that offers its services; its id."""
    with Air(*(lines or ['p0=unix']), legacy=legacy, options=options) as air:
        gateway = Gateway(air.lines, '', name)
        config, kept = gateway.place / 'config.toml', gateway.place / 'id'
        config.write_text(config.read_text() + f'[peer]\nserve = true\nid_file = "{kept}"\n' + extra)
        with gateway:
            gateway.told('sends its own services')
            yield air, gateway, kept


def serve():
    """Bumble's central finds both services and the id of id_file (0600), twice, on legacy and extended controllers; scanning goes on"""
    for legacy in False, True:
        with serving(legacy=legacy) as (air, gateway, kept):
            assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600 and len(kept.read_bytes()) == 4
            own = OWN + kept.read_bytes().hex().upper()
            for mtu in 23, 185:
                told = air.say('central', mtu=mtu, rssi=-40)
                found = [s['uuid'].upper() for s in told['services']]
                assert found == ['1800', STATIC_SERVICE, own], found
                assert told['mtu'] == mtu and told['found_by_value'] == [6], told
                values = {c['uuid']: c['value'] for c in told['characteristics'].values()}
                assert bytes.fromhex(next(v for u, v in values.items() if '2A00' in u.upper())) == b'gateway', values
                wait_until(lambda: air.report()['advertising'] and air.report()['scanning'], 2, 'it can be found again')
            assert air.report()['mixed'] == 0


def refusing():
    """raw requests: wrong ones are refused as the specification demands, commands get no answer"""
    with serving() as (air, _, _):
        asked = ['10000001000028', '1001000000', '100100ffff0128', '0aff00', '1203004100', '1603000000', '52030041', '0e03000500', '0b00']
        told = air.say('central', raw=asked, answer_s=0.4)['answers']
        assert told == ['0110000001', '0110000004', '011001000a', '010aff0001', '0112030003', '0116000006', None, '010e000006', None], told


def stalled():
    """a silent central is disconnected after ten seconds; the next one is answered"""
    with serving() as (air, _, _):
        told = air.say('central', stall_s=15)
        assert 9 <= told['dropped_s'] <= 12, told
        assert air.say('central', id='next')['found_by_value'] == [6]
        return f"dropped after {told['dropped_s']:.1f} s"


def kept():
    """the id is the same after a restart"""
    with Air('p0=unix') as air:
        gateway = Gateway(air.lines)
        config, place = gateway.place / 'config.toml', gateway.place / 'id'
        config.write_text(config.read_text() + f'[peer]\nserve = true\nid_file = "{place}"\n')
        ids = []
        for _ in range(2):
            gateway.program.start()
            wait_until(lambda: air.report()['advertising'], 5, 'it advertises')
            ids.append(place.read_bytes())
            gateway.program.stop()
            wait_until(lambda: not air.report()['advertising'] and not air.report()['scanning'], 2, 'all is off again')
        gateway.folder.cleanup()
        assert ids[0] == ids[1], ids


# -- Beacons -----------------------------------------------------------------------------------------------------------------

BEACONS = '''
[[transmit]]
kind = "ibeacon"
uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
major = 7
minor = 9
measured_power_dbm = -63
[[transmit]]
kind = "altbeacon"
id = "2f234454cf6d4a0fadf2f4911ba9ffa600070001"
[[transmit]]
kind = "eddystone-uid"
namespace = "edd1ebeac04e5defa017"
instance = "0123456789ab"
[[transmit]]
kind = "eddystone-url"
url = "https://example.com/p1"
'''


ADVERTS = ('1aff4c0002152f234454cf6d4a0fadf2f4911ba9ffa600070009c1', '1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600070001c500',
           '1716aafe00eeedd1ebeac04e5defa0170123456789ab0000', '1016aafe10ee036578616d706c65007031')


def beacons():
    """all four kinds are heard by another radio: at once on four sets, in turn on two, and on one legacy advertiser"""
    for sets, legacy in (4, False), (2, False), (1, True):
        with Air('a:legacy=unix' if legacy else 'a=unix', 'b=unix', options=('--sets', str(sets))) as air:
            with Gateway({'a': air.lines['a']}, BEACONS, name='a') as sender:
                sender.told('sends eddystone-url', 15)
                with Capture(air.lines['b']) as other:
                    other.told('listening')
                    time.sleep(5)
                    _, recorded = other.end()
                heard = b' '.join(p for _, _, p in recorded if p[:2] == b'\x04\x3e').hex()
                assert all(advert in heard for advert in ADVERTS), (sets, legacy)
                assert air.report('a')['scanning'] and air.report('a')['mixed'] == 0


def status(gateway, test, seconds=10):
    """The first status that passes."""
    def find():
        said = (m['payload'] for m in gateway.messages() if m['topic'].endswith('/status'))
        return next((s for s in said if test(s)), None)
    return wait_until(find, seconds, f'such a status; {gateway.words()[-3000:]}')


def power():
    """the three ways to a transmit power: the chosen one is in the log and the status, the level follows; a refusal is reported"""
    beacon = BEACONS.split('[[transmit]]')[1]
    for vendor, legacy, asked, said, level in (
            ('none', False, -12, 'at -12 dBm', -79), ('none', False, 20, 'at 8 dBm; tx_power_dbm = 20 was asked for', -59),
            ('broadcom', True, -12, 'at -12 dBm', -79), ('zephyr', True, -12, 'at -12 dBm', -79),
            ('none', True, -12, 'tx_power_dbm = -12 cannot be set here', None)):
        with Air('a:legacy=unix' if legacy else 'a=unix', 'b=unix', options=('--vendor', vendor)) as air:
            with Gateway({'b': air.lines['b']}, name='b') as other, \
                    Gateway({'a': air.lines['a']}, f'[[transmit]]{beacon}tx_power_dbm = {asked}\n', name='a') as sender:
                sender.told(said)
                voice = {'kind': 'ibeacon', 'radio': 'a'}
                if level is None:
                    refused = status(sender, lambda s: s['state'] == 'degraded')
                    assert refused['transmits'] == [{**voice, 'state': 'refused', 'tx_power_dbm': None}], refused
                    assert refused['reason'] == 'radio a: does not send ibeacon (transmit 1): ' + said + ' (status 17)', refused
                    time.sleep(1)
                    assert not air.report('a')['advertising'] and 'proximity/ibeacon' not in other.words()
                else:
                    near = other.topic('proximity/ibeacon')['payload']
                    assert near['rssi'] == level, (vendor, near)
                    on = status(sender, lambda s: s['transmits'][0]['state'] == 'on')
                    assert on['state'] == 'online' and on['transmits'] == [{**voice, 'state': 'on', 'tx_power_dbm': level + 67}], on


def withheld():
    """an advert that the controller refuses: degraded, with its name in the reason; sent once allowed, and online again"""
    with Air('a=unix') as air:
        air.say('fault', refuse={'2037': 7})
        with Gateway(air.lines, BEACONS, name='a') as gateway:
            def states(s): return [t['state'] for t in s['transmits']]
            bad = status(gateway, lambda s: states(s) == ['refused'] * 4)
            assert bad['state'] == 'degraded' and 'ibeacon (transmit 1): the controller refuses it' in bad['reason'], bad
            assert air.report('a')['scanning']
            air.say('fault', refuse={'2037': 0})
            good = status(gateway, lambda s: states(s) == ['on'] * 4, 15)
            assert good['state'] == 'online' and good['reason'] is None, good
            assert all(isinstance(t['tx_power_dbm'], int) for t in good['transmits']), good


def reloaded():
    """SIGHUP with another [peer] or [[transmit]] is refused with the reason; the beacon stays as it was"""
    beacon = BEACONS.split('[[transmit]]')[1]
    with Air('a=unix', 'b=unix') as air, Gateway({'a': air.lines['a']}, f'[[transmit]]{beacon}', name='a') as gateway:
        gateway.told('sends ibeacon')
        config = gateway.place / 'config.toml'
        whole = config.read_text()
        for other, part in ((whole.replace('major = 7', 'major = 8'), '[[transmit]]'), (whole + '[peer]\nidentify = true\n', 'peer.identify')):
            config.write_text(other)
            gateway.program.signal(signal.SIGHUP)
            gateway.told(part + ' is fixed at start: restart the gateway to change it. The old configuration stays in force')
        config.write_text(whole + '[ranging]\n')
        gateway.program.signal(signal.SIGHUP)
        gateway.told('the new configuration is in force')
        with Capture(air.lines['b']) as other:
            other.told('listening')
            time.sleep(1)
            _, recorded = other.end()
        heard = b' '.join(p for _, _, p in recorded if p[:2] == b'\x04\x3e').hex()
        assert ADVERTS[0] in heard and not air.report('a')['commands'].get('2043')


# -- Each other ----------------------------------------------------------------------------------------------------------------


def pair():
    """two of our gateways identify each other over one air: extended, legacy and mixed; both go on listening"""
    took = []
    for kinds in ('a=unix', 'b=unix'), ('a:legacy=unix', 'b:legacy=unix'), ('a:legacy=unix', 'b=unix'):
        with Air(*kinds) as air, contextlib.ExitStack() as stack:
            both = {}
            began = time.monotonic()
            for name in 'a', 'b':
                made = Gateway({name: air.lines[name]}, '', name)
                config = made.place / 'config.toml'
                config.write_text(config.read_text() + asks(serve=True) + f'id_file = "{made.place / "id"}"\n')
                both[name] = stack.enter_context(made)
            ids = {n: wait_until(lambda g=g: (g.place / 'id').exists() and (g.place / 'id').read_bytes().hex().upper(), 5, 'an id')
                   for n, g in both.items()}
            # Two that connect to each other at one moment both fail, and retry after 15 to 30 s (Candidates.failed).
            both['a'].topic('proximity/peer:' + ids['b'], 60)
            both['b'].topic('proximity/peer:' + ids['a'], 60)
            took.append(time.monotonic() - began)
            for name in 'a', 'b':
                wait_until(lambda n=name: air.report(n)['scanning'] and air.report(n)['advertising'], 5, f'{name} goes on')
                assert air.report(name)['mixed'] == 0
    return f'{max(took):.1f} s at most'


def btvirt():
    """BlueZ's controller: a hand-made advertiser is connected to and asked; a second opinion on connections and ACL"""
    with Btvirt() as other, Gateway({'p0': other.le}, asks()) as gateway, H4(other.le) as phone:
        gateway.told('scanning')
        phone.bring_up('C1:00:00:00:00:01')
        data = b'\x02\x01\x06\x11\x07' + bytes.fromhex(STATIC.replace('-', ''))[::-1]
        phone.advertise(data)
        handle = phone.connected()
        assert phone.receive_att(handle)[0] == 2
        phone.send_att(handle, b'\x03\x17\0')
        assert phone.receive_att(handle) == b'\x10\x01\0\xff\xff\0\x28'
        service = bytes.fromhex('BBBBBBBBBBBBBBBBBBBBBBCC8337CA80')[::-1]
        phone.send_att(handle, b'\x11\x14' + struct.pack('<HH', 1, 9) + service)
        gateway.told('is peer:8337CA80')


CHECKS = (serve, refusing, stalled, kept, beacons, power, withheld, reloaded, pair, btvirt)
