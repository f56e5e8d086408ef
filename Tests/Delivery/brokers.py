"""The brokers of deploy/brokers, run as they are written, with nothing but ports, paths and the node's names replaced; on each, two
gateways of one group and one driver between them.

    $(Tests/Rigs/venv.sh) Tests/Delivery/brokers.py [site old_name bridge cluster]
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import paho.mqtt.client as paho

import certificates
from island import Gateway, acquainted, served_once
from mosquitto import program
from process import Server
from product import ROOT
from rabbit import Rabbit
from rig import Air, Subscriber, accepts, free_port, run, wait_until

FILES = ROOT / 'deploy/brokers'
BASE = 'forecourt/harbour-road'


class Broker(Server):
    """A mosquitto whose configuration is files of deploy/brokers, here. `speaks`: the test itself speaks through the local listener."""

    def __init__(self, folder, *files, replace=(), pages=None, speaks=False):
        self.port, self.local, self.page = free_port(), free_port(), free_port()
        self.folder = folder
        folder.mkdir()
        text = ''.join((FILES / name).read_text() for name in files)
        for name in ('site.acl', 'local.acl', 'page.acl'):
            shutil.copy(FILES / name, folder / name)
            (folder / name).chmod(0o600)
        if speaks:
            (folder / 'local.acl').write_text('topic readwrite #')
        for name in ('data', 'page'):
            (folder / name).mkdir()
        run(program('mosquitto_passwd'), '-c', '-b', folder / 'page.passwords', 'page', 'ladder')
        (folder / 'page.passwords').chmod(0o600)
        for old, new in (('/etc/mosquitto/site.acl', f'{folder}/site.acl'), ('/etc/mosquitto/site/', f'{folder.parent}/tls/'),
                         ('/etc/mosquitto/local.acl', f'{folder}/local.acl'),
                         ('/etc/mosquitto/page.', f'{folder}/page.'), ('/usr/share/forecourt/page', str(pages or folder / 'page')),
                         ('listener 9001', f'listener {self.page}'),
                         ('/var/lib/mosquitto/', f'{folder}/data/'), ('listener 8883', f'listener {self.port} 127.0.0.1'),
                         ('listener 1883', f'listener {self.local}'), *replace):
            assert old in text, old
            text = text.replace(old, new)
        (folder / 'mosquitto.conf').write_text('user root\nlog_dest stderr\n' + text)
        super().__init__([program('mosquitto'), '-c', folder / 'mosquitto.conf'], folder / 'log')

    def serves(self):
        return accepts(self.port) and accepts(self.local) and accepts(self.page)


def authority(folder):
    made = certificates.Authority(folder, 'ca')
    made.issue('broker', 'localhost', ('localhost', '127.0.0.1'))
    for name in ('island-1', 'island-2', 'office', 'home-assistant'):
        made.issue(name, name, client=True)
    shutil.copy(folder / 'ca.pem', folder / 'central-ca.pem')


def arrives(watch, sender, topic, seconds=0.5):
    mark = len(watch.messages)
    sender.client.publish(topic, 'x', 1)
    try:
        watch.wait(lambda m: m.topic == topic, seconds, after=mark)
        return True
    except TimeoutError:
        return False


def page_user_as(name, broker):
    """Whoever knows the live page's password connects with this client id."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv5, transport='websockets')
    client.username_pw_set('page', 'ladder')
    client.connect('localhost', broker.page)
    client.loop_start()
    wait_until(client.is_connected, 5, 'the page is connected')
    client.disconnect()
    client.loop_stop()


def keeps_the_till_waiting(broker, sender):
    """What waits for a till stays, whoever looks at the page."""
    with Subscriber(broker.local, f'{BASE}/+/trigger/#', name='till', session=True, version=4):
        pass
    sender.publish(f'{BASE}/island-1/trigger/pump-1', 'while the till was away')
    page_user_as('till', broker)
    with Subscriber(broker.local, f'{BASE}/+/trigger/#', name='till', session=True, version=4) as till:
        till.wait(lambda m: m.payload == b'while the till was away', 5)


def site(folder):
    """A gateway connects with its certificate, publishes below its own name, reads what is for it, and nothing else."""
    authority_of(folder)
    with Broker(folder / 'site', 'site.conf') as broker, Subscriber(broker.local, '#') as watch:
        def client(name, *topics):
            return Subscriber(broker.port, *topics, tls=folder / 'tls', certificate=name)
        with client('island-1', f'{BASE}/#') as one, client('island-2', f'{BASE}/claim/#') as two, client('office', f'{BASE}/#') as office:
            for sender, topic, may in (
                    (one, f'{BASE}/island-1/trigger/pump-1', True), (one, f'{BASE}/island-2/trigger/pump-1', False),
                    (one, f'{BASE}/island-1/status', True), (one, 'forecourt/elsewhere/island-1/status', False),
                    (one, f'{BASE}/claim/pumps/tag/island-1', True), (one, f'{BASE}/claim/pumps/tag/island-2', False),
                    (one, f'{BASE}/island-2/command/trigger', False), (two, f'{BASE}/island-2/reply/ping', True),
                    (office, f'{BASE}/island-1/command/ping', True), (office, f'{BASE}/island-1/trigger/pump-1', False),
                    (one, 'homeassistant/device_tracker/tag/config', True), (one, 'homeassistant/binary_sensor/pump/config', True),
                    # Whoever presses such a button sends what its announcement says, in Home Assistant's own name.
                    (one, 'homeassistant/button/pump/config', False), (one, 'homeassistant/device_automation/pump/x/config', False),
                    (one, 'homeassistant/binary_sensor/pump/state', False),
                    # Any process of the broker's machine.
                    (watch, f'{BASE}/island-1/command/trigger', False), (watch, f'{BASE}/claim/pumps/tag/island-1', False)):
                assert arrives(watch, sender, topic) == may, (topic, may)
            keeps_the_till_waiting(broker, one)
            time.sleep(0.2)
            heard = {m.topic for m in one.messages}
            assert heard == {f'{BASE}/island-1/command/ping', f'{BASE}/claim/pumps/tag/island-1', f'{BASE}/island-1/status'}, heard
            assert {m.topic for m in two.messages} == {f'{BASE}/claim/pumps/tag/island-1'}
            assert len(office.messages) >= 4
        for name in (None, 'broker'):
            try:
                with Subscriber(broker.port, '#', tls=folder / 'tls', certificate=name):
                    raise AssertionError(f'let in with the certificate {name}')
            except (OSError, ConnectionError):
                pass
        tls = folder / 'tls'
        with Subscriber(broker.port, tls=tls, certificate='island-1') as one:
            one.publish(f'{BASE}/island-1/status', '', retain=True)
        with Subscriber(broker.local, f'{BASE}/#') as seen:
            pair(folder, seen, [broker.port] * 2,
                 mqtt=f'tls_ca = "{tls}/ca.pem"\ntls_cert = "{tls}/NAME.pem"\ntls_key = "{tls}/NAME.key"')


def old_name(folder):
    """What the broker keeps of a gateway's old name is cleared by README.md's command where site.acl's last line is uncommented, by nobody else and
    nowhere else; and it can be seen."""
    authority_of(folder)
    whole = re.search(r'```\n(mosquitto_sub .*?)```', (FILES / 'README.md').read_text(), re.S)[1].replace('\\\n', '')
    short = re.search(r"`(mosquitto_sub -t 'forecourt/SITE/OLDNAME/#' [^`]*)`", (ROOT / 'README.md').read_text())[1]
    assert shlex.split(whole)[-6:] == shlex.split(short.replace('SITE', 'harbour-road'))[1:], (whole, short)
    with Broker(folder / 'site', 'site.conf') as broker, Subscriber(broker.local, '#') as watch:
        def kept():
            with Subscriber(broker.local, f'{BASE}/#') as late:
                time.sleep(0.3)
                return {m.topic for m in late.messages if m.retain}

        def clears(command):
            """The lines that it prints."""
            for old, new in (('OLDNAME', 'island-1'), ('-h broker.harbour-road.example -p 8883', f'-h localhost -p {broker.port}'),
                             ('site-ca.pem', f'{folder}/tls/ca.pem'), ('office.', f'{folder}/tls/office.'), ('SITE', 'harbour-road')):
                command = command.replace(old, new)
            told = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=20)
            # It does not say what it could not do.
            assert told.returncode == 27 and told.stderr == 'Timed out\n', told
            return sorted(told.stdout.split())
        for name in ('island-1', 'island-2'):
            with Subscriber(broker.port, tls=folder / 'tls', certificate=name) as gateway:
                for topic in ('status', 'region/lot', 'trigger/pump-1/state'):
                    gateway.client.publish(f'{BASE}/{name}/{topic}', topic, 1, retain=True).wait_for_publish(5)
        old, others = ({f'{BASE}/{name}/{topic}' for topic in ('status', 'region/lot', 'trigger/pump-1/state')} for name in ('island-1', 'island-2'))
        found = ['region/lot', 'status', 'trigger/pump-1/state']
        here = f'{short} -h localhost -p {broker.local}'
        for command in (here, whole, whole):
            assert clears(command) == found and kept() == old | others, kept()
        path = broker.folder / 'site.acl'
        text, count = re.subn(r'# (topic write .*)/OLDNAME/#\n\Z', r'\1/island-1/#\n', path.read_text())
        assert count == 1, text
        path.write_text(text)
        broker.signal(signal.SIGHUP)
        with Subscriber(broker.port, tls=folder / 'tls', certificate='office') as office:
            wait_until(lambda: arrives(watch, office, f'{BASE}/island-1/x'), 5, 'the broker has the new list')
            assert not any(arrives(watch, office, f'{BASE}/island-2/{topic}') for topic in found)
        assert clears(here) == found and kept() == old | others, 'not on the broker machine'
        assert clears(whole) == found and kept() == others, kept()
        assert clears(whole) == [] and kept() == others, kept()


def pair(folder, seen, ports, checked='our claims come back', **words):
    """Two gateways and one driver give one fire, also when the gateways use different nodes. `checked`: what `check` says of their claims."""
    with Air('p0=unix', 'p1=unix') as air:
        one, two = (Gateway(folder, f'island-{n + 1}', adapter=air.lines[f'p{n}'], port=ports[n], weaker_db=8 * n, site='harbour-road',
                            **{**words, 'mqtt': words['mqtt'].replace('NAME', f'island-{n + 1}')}) for n in range(2))
        with one, two:
            acquainted(seen, (one, two), 40)
            for gateway in one, two:
                line, code = gateway.check()
                assert code == 0 and checked in line, (line, code)
            served_once(air, seen, 1, 'island-1', 20)


def authority_of(folder):
    (folder / 'tls').mkdir()
    authority(folder / 'tls')


def bridge(folder):
    """The site's messages reach the central broker, also those published while it was down; commands come back."""
    authority_of(folder)
    central = Broker(folder / 'central', 'site.conf', speaks=True, replace=[
        ('require_certificate true', 'allow_anonymous true'), ('use_identity_as_username true', ''), (f'acl_file {folder}/central/site.acl', '')])
    with central:
        local = Broker(folder / 'site', 'site.conf', 'bridge.conf', speaks=True, replace=[
            ('central.example:8883', f'localhost:{central.port}'), ('restart_timeout 5 60', 'restart_timeout 1 2'),
            ('max_queued_messages 10000', 'max_queued_messages 40'), ('# topic homeassistant', 'topic homeassistant'),
            (f'# topic {BASE}/plan', f'topic {BASE}/plan')])
        with local, Subscriber(local.local, '#') as here:
            with Subscriber(central.local, '#') as there:
                there.wait(lambda m: m.topic == 'bridge/harbour-road' and m.payload == b'1', 10)
                assert arrives(there, here, f'{BASE}/island-1/trigger/pump-1', 5)
                assert arrives(here, there, f'{BASE}/island-1/command/ping', 5)
                assert arrives(there, here, f'{BASE}/plan', 5) and arrives(there, here, 'homeassistant/sensor/pump/config', 5)
                for topic in f'{BASE}/claim/pumps/tag/island-1', f'{BASE}/peer/a/island-1', 'forecourt/elsewhere/x/status':
                    assert not arrives(there, here, topic)
            central.stop()
            for gateway in range(8):
                here.client.publish(f'{BASE}/island-{gateway}/status', f'{gateway}', 1, retain=True).wait_for_publish(5)
            # Each trial to connect would put them into the queue.
            time.sleep(15)
            for number in range(20):
                here.publish(f'{BASE}/island-1/trigger/pump-1', f'late {number}')
            central.start()
            with Subscriber(central.local, f'{BASE}/#') as there:
                events = lambda: [m.payload for m in there.messages if '/trigger/' in m.topic]
                wait_until(lambda: len(events()) == 20, 15, 'what was said meanwhile arrives')
                assert events() == [b'late %d' % n for n in range(20)]
                wait_until(lambda: len(there.messages) == 28, 15, 'what is retained arrives, too')


class Cluster(Rabbit):
    """The rig's three nodes with rabbitmq.conf in place of its own settings."""

    def __init__(self):
        super().__init__(nodes=3, users={'island-1': 'change-me'})
        for node in self.nodes:
            text = (FILES / 'rabbitmq.conf').read_text()
            # What everybody knows how to enter stays on the machine.
            assert re.findall(r'^[\w.]*listeners\..* = (.*)$', text, re.M) == ['127.0.0.1:1883', 'none'], text
            text = text.replace('mqtt.listeners.tcp.default = 127.0.0.1:1883', '')
            for number, member in enumerate(self.nodes, 1):
                text = text.replace(f'rabbit@node{number}', member.name)
            path = node.folder / 'rabbitmq.conf'
            ours = re.findall(r'^(?:mqtt\.listeners\.tcp\.1|log\.\S*|disk_free_limit\S*|vm_memory\S*) = .*$',
                              path.read_text(), re.M)
            path.write_text(text + '\n'.join(ours) + '\n')


def cluster(folder):
    """Three nodes: a message to one reaches a subscriber of another; with a node dead the others go on, and a session is kept."""
    words = {'username': 'island-1', 'password': 'change-me', 'version': 4}
    with Cluster() as rabbits:
        assert not any('started TCP listener' in node.said() for node in rabbits.nodes), 'AMQP is off'
        users = subprocess.run([rabbits.scripts / 'rabbitmqctl', '-q', 'list_users'], capture_output=True, text=True, timeout=60, env={
            **os.environ, **rabbits.env, 'RABBITMQ_NODENAME': rabbits.nodes[0].name, 'RABBITMQ_CONF_ENV_FILE': '/dev/null'})
        assert users.stdout.split() == ['user', 'tags', 'island-1', '[]'], users
        ports = [node.port for node in rabbits.nodes]
        password = folder / 'password'
        password.write_text('change-me')
        password.chmod(0o600)
        with Subscriber(ports[2], f'{BASE}/#', **words) as seen:
            pair(folder, seen, ports, checked='claims about names with a dot get lost',
                 mqtt=f'version = 4\nusername = "island-1"\npassword_file = "{password}"')
        with Subscriber(ports[0], f'{BASE}/#', **words) as sender, Subscriber(ports[1], f'{BASE}/#', **words) as watch:
            assert arrives(watch, sender, f'{BASE}/island-1/trigger/pump-1', 10)
            rabbits.nodes[2].kill()
            assert arrives(watch, sender, f'{BASE}/island-1/status', 30)
            with Subscriber(ports[1], f'{BASE}/#', name='till', session=True, **words):
                pass
            sender.publish(f'{BASE}/island-1/trigger/pump-2', 'while the till was away')
            with Subscriber(ports[0], name='till', session=True, **words) as till:
                till.wait(lambda m: m.payload == b'while the till was away', 15)
        try:
            with Subscriber(ports[0], username='island-1', password='wrong', version=4):
                raise AssertionError('let in with a wrong password')
        except (OSError, ConnectionError):
            pass


def main():
    cases = {case.__name__: case for case in (site, old_name, bridge, cluster)}
    names = sys.argv[1:] or list(cases)
    for name in names:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            cases[name](pathlib.Path(folder))
        print(f'{name}: passed in {time.monotonic() - started:.1f} s', flush=True)
    print(f'{len(names)} passed, 0 failed')


if __name__ == '__main__':
    main()
