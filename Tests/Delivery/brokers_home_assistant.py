"""What deploy/brokers/site.acl and local.acl let Home Assistant do: brokers_home_assistant.py."""
import re
import signal
import time

from brokers import BASE, Broker, arrives, authority_of
from cases import case, main
from rig import Subscriber


@case
def home_assistant(folder):
    """With its lines uncommented Home Assistant reads what is announced and the site, and clears what announced a device, at either listener,
    and writes nothing else; without them it reads nothing at the one and clears nothing at the other."""
    authority_of(folder)
    kinds = ('binary_sensor', 'device_tracker', 'sensor')
    announced = {f'homeassistant/{kind}/pump/config' for kind in kinds}
    others = ('homeassistant/button/pump/config', 'homeassistant/sensor/pump/state', f'{BASE}/island-1/command/ping', f'{BASE}/island-1/status')
    with Broker(folder / 'site', 'site.conf') as broker, Subscriber(broker.port, tls=folder / 'tls', certificate='island-1') as gateway:
        def clears(**ways):
            for topic in announced:
                gateway.publish(topic, 'x', retain=True)
            with Subscriber(*ways.pop('at'), '#', **ways) as asked:
                time.sleep(0.3)
                read = {m.topic for m in asked.messages}
                for topic in announced:
                    asked.publish(topic, '', retain=True)
                with Subscriber(broker.local, '#') as watch:
                    time.sleep(0.3)
                    kept = {m.topic for m in watch.messages if m.payload}
                    assert not any(arrives(watch, asked, topic) for topic in others)
            return read & announced, kept & announced

        certified = {'at': (broker.port,), 'tls': folder / 'tls', 'certificate': 'home-assistant'}
        assert clears(**certified) == (set(), set())
        assert clears(at=(broker.local,)) == (announced, announced)
        for name, rest in ('site.acl', 'user home-assistant\n(?:# topic .*\n)+'), ('local.acl', 'topic write .*\n(?:# topic write .*\n)+'):
            uncomment(broker.folder / name, rest)
        broker.signal(signal.SIGHUP)
        time.sleep(0.5)
        assert clears(**certified) == (announced, set())
        assert clears(at=(broker.local,)) == (announced, set())
        with Subscriber(broker.port, f'{BASE}/#', **{key: certified[key] for key in ('tls', 'certificate')}) as asked:
            assert arrives(asked, gateway, f'{BASE}/island-1/status')


def uncomment(path, lines):
    """The one place where `lines` stand behind a `# `."""
    text, count = re.subn('# ' + lines, lambda found: re.sub('^# ', '', found[0], flags=re.M), path.read_text())
    assert count == 1, (path, text)
    path.write_text(text)


if __name__ == '__main__':
    main()
