"""How the live page (deploy/page) reaches its broker: logged in over TLS, from a disk, after a restart, through proxies, and while nobody looks.

    deploy/packages.sh page browser test rigs
    $(Tests/Rigs/venv.sh) Tests/Operation/page_broker.py [NAME…]
"""
import json
import sys
import time

from browser import Browser
from cases import case, main
from product import ROOT
from rig import Subscriber, run, wait_until
from yard import BUILT, TAG, Forecourt, Forgetful, Recutter, Tunnel, pump, region

sys.path.insert(0, str(ROOT / 'Tests/Delivery'))
from brokers import Broker, authority_of  # noqa: E402


@case
def broker_restarted(folder):
    """The broker goes: the page says so and since when, and keeps what it knew then; it comes back: the page is live, has caught up, and blames no
    gateway for the silence."""
    with Forecourt(persistence=True) as yard:
        yard.online()
        yard.stands(served=(TAG + '0',))
        page = yard.open()
        page.reads('Served', pump())
        for _ in range(2):
            yard.say('telemetry', {'uptime_s': 60})
            time.sleep(1)
        yard.broker.stop()
        page.reads('Broker lost', '#notices')
        page.reads('broker lost', '#condition')
        page.wait("document.querySelector('main').hasAttribute('data-stale')")
        since = page.text('.pump .since')
        time.sleep(6)
        assert page.text('.pump .since') == since, 'the time stands still'
        page.reads('Served', pump())
        yard.broker.start()
        page.reads('live', '#condition', 20)
        assert page.text('#notices') == '' and 'silent' not in page.text('#gateways')
        wait_until(lambda: yard.seen.client.is_connected(), 20, 'we are back')
        yard.stands()
        page.reads('Nobody', pump())


@case
def cleared_meanwhile(folder):
    """What the broker has forgotten when it comes back is not shown as if it were so: a gateway is offline, and a pump that was taken away is gone."""
    with Forecourt() as yard:
        for gateway in ('island-1', 'island-2'):
            yard.online(gateway)
            yard.stands(served=(TAG + '0',), gateway=gateway)
            yard.stands(pump='pump-4', gateway=gateway)
        page = yard.open()
        page.wait("document.querySelectorAll('.pump').length === 4")
        yard.broker.stop()
        page.reads('Broker lost', '#notices')
        yard.broker.start()
        wait_until(lambda: yard.seen.client.is_connected(), 20, 'we are back')
        yard.online('island-2')
        yard.stands(gateway='island-2')
        page.reads('the broker keeps no status of it any more', '#gateways', 30)
        page.wait("document.querySelectorAll('.pump').length === 3")
        page.reads('Unknown: gateway offline', pump())
        page.reads('Nobody', pump(gateway='island-2'))
        yard.online()
        yard.stands()
        page.reads('Nobody', pump())


@case
def asked_by_name(folder):
    """A broker that gives wildcards nothing of what it keeps, as RabbitMQ: whoever talks has its status when the page is opened, and after the
    page's line was cut; so have its pumps and rooms, as they are by then."""
    with Forecourt() as yard, Forgetful(yard.web) as proxy:
        yard.online()
        yard.stands(served=(TAG + '0',))
        yard.region(1)
        yard.seen.publish('forecourt/yard/plan', json.dumps({'title': 'Yard Road', 'at_m': {}}), retain=True)
        with yard.browser.open(f'{yard.address}?broker=ws://127.0.0.1:{proxy.port}') as page:
            page.reads('live', '#condition')
            time.sleep(1)
            assert 'island-1' not in page.text('#gateways'), 'such a broker says nothing unasked'
            yard.ranges({TAG + '0': 'near'})
            page.reads('online', '#gateways')
            page.reads('1 inside', region())
            page.reads('Yard Road', '#title')
            yard.stands(served=(TAG + '0',))
            page.reads('Served', pump())
            proxy.cut()
            page.reads('Broker lost', '#notices')
            yard.stands()
            yard.region(0)
            proxy.is_up = True
            page.reads('live', '#condition', 20)
            page.reads('Nobody', pump())
            page.reads('Nobody inside', region())
            time.sleep(13)
            assert 'online' in page.text('#gateways') and 'offline' not in page.text(), page.text()
            assert page.run("document.querySelectorAll('.pump').length") == 1


@case
def talks_without_a_status(folder):
    """A gateway that talks is not offline, though the broker gives no status of it any more: what it does not say is unknown."""
    with Forecourt() as yard, Forgetful(yard.web) as proxy:
        yard.online()
        with yard.browser.open(f'{yard.address}?broker=ws://127.0.0.1:{proxy.port}') as page:
            page.reads('live', '#condition')
            for gateway in ('island-1', 'island-2'):
                yard.online(gateway)
                yard.stands(served=(TAG + '0',), gateway=gateway)
                page.reads('Served', pump(gateway=gateway))
                proxy.cut()
                page.reads('Broker lost', '#notices')
                yard.seen.publish(f'forecourt/yard/{gateway}/status', '', retain=True)
                yard.seen.publish(f'forecourt/yard/{gateway}/trigger/pump-3/state', '', retain=True)
                proxy.is_up = True
                page.reads('live', '#condition', 20)
                if gateway == 'island-1':
                    yard.near(TAG + '0', 2)
                else:
                    page.reads('the broker keeps no status of it any more', '#gateways', 20)
                    page.reads('Unknown: gateway offline', pump(gateway=gateway))
                    yard.near(TAG + '0', 2, gateway)
                page.reads('it talks, but the broker gives no status of it', '#gateways', 20)
                assert 'offline' not in page.text('#gateways'), page.text()
                page.reads('Unknown: the broker does not say', pump(gateway=gateway))
                yard.online(gateway)
                yard.stands(gateway=gateway)
                page.reads('Nobody', pump(gateway=gateway))
                assert 'it talks' not in page.text('#gateways')


@case
def login(folder):
    """site.conf as shipped: the page comes over TLS, a wrong password is refused in words, the right one is kept for the tab; the page's
    user reads the site, nothing beyond it, and writes nothing."""
    authority_of(folder)
    broker = Broker(folder / 'site', 'site.conf', pages=BUILT, speaks=True)
    with broker, Tunnel(folder, broker) as tunnel, Subscriber(broker.local, '#') as watch, Browser() as browser:
        with browser.open('about:blank') as page:
            page.tell('Security.setIgnoreCertificateErrors', ignore=True)
            page.tell('Page.navigate', url=f'https://localhost:{tunnel.port}/')
            page.reads('Connect to the broker')
            watch.publish('forecourt/harbour-road/island-1/status', json.dumps({'v': 1, 'state': 'online', 'radios': []}), retain=True)
            watch.publish('forecourt/elsewhere/island-9/status', json.dumps({'v': 1, 'state': 'online', 'radios': []}), retain=True)
            for password, words in (('wrong', 'The broker refuses'), ('ladder', '')):
                page.wait("document.activeElement.id === 'username'")
                page.run("for (const id of ['username', 'password']) document.getElementById(id).value = ''")
                page.type('#username', 'page')
                page.type('#password', password)
                page.press('Enter')
                page.reads(words or 'island-1')
            assert 'island-9' not in page.text()
            page.tell('Page.reload')
            page.reads('island-1')
            assert page.run('localStorage.length') == 0 and 'ladder' not in page.run('document.cookie + location.href')
            page.tell('Page.navigate', url=f'https://localhost:{tunnel.port}/?broker=wss://127.0.0.1:{tunnel.port}')
            page.reads('Attention: user and password will go to wss://127.0.0.1')
        writes(folder, tunnel, watch)


def writes(folder, tunnel, watch):
    """Whatever the page's user publishes goes nowhere."""
    import paho.mqtt.client as paho
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, transport='websockets')
    client.tls_set(str(folder / 'tls' / 'ca.pem'))
    client.username_pw_set('page', 'ladder')
    client.connect('localhost', tunnel.port)
    client.loop_start()
    wait_until(client.is_connected, 5, 'the page’s user may connect')
    mark = len(watch.messages)
    for topic in ('island-1/command/ping', 'island-1/status', 'page/status', 'plan', 'claim/pumps/x/page'):
        client.publish(f'forecourt/harbour-road/{topic}', 'x', 1).wait_for_publish(5)
    time.sleep(0.3)
    client.disconnect()
    client.loop_stop()
    assert len(watch.messages) == mark, watch.messages[mark:]


@case
def frames_cut_anywhere(folder):
    """A broker or proxy may put packets into frames as it likes: nothing is lost, and no part of a message is taken for one."""
    with Forecourt() as yard:
        yard.online()
        with Recutter(yard.web, 40) as proxy, yard.browser.open(f'{yard.address}?broker=ws://127.0.0.1:{proxy.port}') as page:
            page.reads('island-1', '#gateways')
            yard.stands(served=(TAG + '0',))
            for number in range(20):
                yard.near(TAG + str(number), 1 + number)
            # A frame of it reads like a packet of its own: head, topic, payload.
            topic, forged = b'forecourt/yard/island-1/trigger/pump-3', b'0\x26\0\x0df/y/zz/status{"state":"online"}'.ljust(40)
            yard.seen.publish(topic.decode(), b' ' * (-(7 + len(topic)) % 40) + forged * 2)
            page.reads('Served', pump())
            page.reads('show 8 more devices', '#more')
            assert 'zz' not in page.text('#gateways') and '1 unreadable' in page.text('#figures')


@case
def nobody_looks(folder):
    """While the tab is hidden, distances are not even sent; events are, and all is there again when somebody looks."""
    with Forecourt() as yard:
        yard.online()
        yard.stands()
        page = yard.open()
        page.reads('Nobody', pump())
        look = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
        page.run(look % 'true')
        yard.broker.told('UNSUBSCRIBE', 5)
        yard.near(TAG + '1', 2)
        yard.event('fire')
        time.sleep(0.5)
        page.run(look % 'false')
        page.reads('served', '#events')
        assert page.run("document.querySelectorAll('#devices tr').length") == 0, 'what nobody saw was not sent'
        page.wait("document.querySelectorAll('#devices tr').length === 0")
        wait_until(lambda: yard.near(TAG + '2', 2) or 'ibeacon 2f23… 1:2' in page.text('#devices'), 5, 'distances come again')


@case
def from_disk(folder):
    """The same file opened from a disk, with the broker's address; and without one it asks."""
    with Forecourt() as yard:
        yard.online()
        with yard.browser.open(f'file://{BUILT}/index.html?broker=ws://127.0.0.1:{yard.web}') as page:
            page.reads('island-1', '#gateways')
        with yard.browser.open(f'file://{BUILT}/index.html') as page:
            page.reads('Connect to the broker')
            page.type('#broker', f'ws://127.0.0.1:{yard.web}')
            page.press('Enter')
            page.reads('island-1', '#gateways')


if __name__ == '__main__':
    run(ROOT / 'deploy/page/build.sh', seconds=120).check_returncode()
    main()
