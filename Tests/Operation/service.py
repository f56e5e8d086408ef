"""The gateway as systemd would run it: its commands, reload, what it listens on, how it ends.

    $(Tests/Rigs/venv.sh) Tests/Operation/service.py [NAME…]      $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import contextlib
import json
import os
import re
import signal
import time
from pathlib import Path

from cases import case, main
from gateway import BASE, TAG, Gateway, ask, status, yard
from product import FORECOURT, ROOT, packets
from rig import Air, Mosquitto, Subscriber, free_port, run, wait_until


@case
def calibrate(folder):
    """`calibrate` gives a device's level at 1 m after the requested time; one at a time; an absent device is refused."""
    with yard(folder) as (air, _, seen, gateway):
        begun, before = time.monotonic(), len(seen.messages)
        seen.publish(f'{BASE}/command/calibrate', json.dumps({'id': TAG, 'distance_m': 2, 'seconds': 3, 'request': 'a'}))
        time.sleep(0.3)
        busy = ask(seen, 'calibrate', json.dumps({'id': TAG, 'request': 'b'}))
        assert not busy['ok'] and busy['request'] == 'b' and 'under way' in busy['error'], busy
        reply = json.loads(seen.wait(lambda m: m.topic.endswith('/reply/calibrate') and b'"a"' in m.payload, 6, before).payload)
        assert 2.5 < time.monotonic() - begun < 5 and reply['ok'] and reply['radio'] == 'left', reply
        # -66 dBm at 2 m along an exponent of 2 is -60 at 1 m.
        exponent = float(re.search(r'path_loss_exponent = ([\d.]+)', (ROOT / 'config.toml').read_text())[1])
        expected = -66 + 10 * exponent * 0.30103
        assert abs(reply['measured_power_dbm'] - expected) < 0.2, (reply, expected)
        assert reply['samples'] > 30 and 1.5 < reply['doubt_db'] < 3 and reply['spread_db'] < 1, reply
        absent = ask(seen, 'calibrate', json.dumps({'id': TAG[:-1] + '77', 'seconds': 1}))
        assert not absent['ok'] and 'too rarely' in absent['error'], absent


@case
def monitored(folder):
    """A monitor pings too often: a till's command is carried out all the same, and the refused pings are named. A zero cuts no name short."""
    with yard(folder) as (_, _, seen, __):
        mark = len(seen.messages)
        for number in range(30):
            seen.publish(f'{BASE}/command/ping', json.dumps({'request': f'ping-{number}'}))
        zero = ask(seen, 'trigger', json.dumps({'trigger': 'pump-3\0-x', 'id': TAG}))
        assert not zero['ok'] and zero['error'] == 'malformed JSON', zero
        done = ask(seen, 'trigger', json.dumps({'trigger': 'pump-3', 'id': TAG, 'request': 'till'}))
        assert done['ok'] and done['request'] == 'till', done
        seen.wait(lambda m: m.topic.endswith('trigger/pump-3') and b'"manual"' in m.payload, after=mark)
        pings = [json.loads(m.payload) for m in seen.messages[mark:] if m.topic.endswith('/reply/ping')]
        assert len({ping['request'] for ping in pings}) == len(pings) >= 12 and not all(ping['ok'] for ping in pings), pings


@case
def capture(folder):
    """`capture` writes to the gateway's own place, never to a requested path; the next one replaces it, and `replay` reads it."""
    with yard(folder) as (air, _, seen, gateway):
        for turn in range(2):
            reply = ask(seen, 'capture', json.dumps({'seconds': 2, 'request': 'x'}) if turn == 0 else '{"seconds":1}', 8)
            assert reply['ok'] and reply['files'] == [f'{folder}/state/capture.btsnoop'] and reply['dropped'] == 0, reply
            recorded = packets(reply['files'][0])
            assert len(recorded) == reply['packets'] and sum(p[:2] == b'\x04\x3e' for _, _, p in recorded) > 20, reply
        assert not ask(seen, 'capture', '{"seconds":1,"file":"/etc/passwd"}')['ok']
        seen.publish(f'{BASE}/command/capture', '{"seconds":60,"request":"late"}')
        gateway.told('a command starts a recording of 60 s')
        time.sleep(1)
        assert gateway.end() < 2
        last = json.loads(seen.wait(lambda m: b'"late"' in m.payload and '/reply/' in m.topic).payload)
        assert last['ok'] and len(packets(last['files'][0])) == last['packets'] > 10, last


@case
def swapped(folder):
    """A restart gives two sticks each other's number: nothing is heard, the status says why and what to do, and it passes with its cause."""
    right = '[[radio]]\nname = "right"\nadapter = "{}"\n[[trigger]]\nname = "pump-4"\nmatch = "ibeacon:*"\nradio = "right"\n'
    with Air('a=unix', 'b=unix') as air, Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        air.say('advertise', id='tag', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=1, minor=0, interval_ms=50, rssi=-50)
        kept = folder / 'state' / 'adapters.jsonl'

        def run(left, other):
            return Gateway(folder, adapter=air.lines[left], port=broker.port, more=right.format(air.lines[other]))
        def hears(message):
            return '/ranging/' in message.topic and TAG.encode() in message.payload
        with run('a', 'b') as gateway:
            seen.wait(hears, 20)
            wait_until(kept.exists, 10, 'what each radio has is saved')
            gateway.end()
        saved = kept.read_text()
        assert len({json.loads(line)['address'] for line in saved.splitlines()}) == 2, saved
        mark = len(seen.messages)
        with run('b', 'a') as gateway:
            told = status(seen, lambda s: [r['state'] for r in s.get('radios', [])] == ['degraded'] * 2, 20, mark)
            assert told['reason'] == ('radio left has the adapter of radio right: nothing fires at either; name adapters by address; '
                                      'the log tells more'), told
            gateway.told(f'or, if somebody has exchanged the adapters on purpose, remove {kept}; then restart the gateway')
            time.sleep(3)
            heard = [m for m in seen.messages[mark:] if hears(m) or b'"arm"' in m.payload or b'"fire"' in m.payload]
            assert not heard and kept.read_text() == saved, heard
            gateway.end()
        mark = len(seen.messages)
        with run('a', 'b') as gateway:
            status(seen, lambda s: s['state'] == 'online' and [r['state'] for r in s.get('radios', [])] == ['scanning'] * 2, 20, mark)
            seen.wait(hears, 20, mark)
            gateway.end()


@case
def reload(folder):
    """By signal and by command: a wrong configuration is refused with every reason and the old one stays in force; a right one is taken."""
    with yard(folder) as (_, __, seen, gateway):
        gateway.config.write_text(gateway.config.read_text().replace('exit_s = 2', 'exit_s = "soon"').replace('keepalive_s', 'keepalife_s'))
        gateway.signal(signal.SIGHUP)
        gateway.told('exit_s')
        gateway.told('keepalife_s')
        gateway.told('The old configuration stays in force')
        refused = ask(seen, 'reload', '{"request":"r"}')
        assert refused['ok'] is False and 'log' in refused['error'] and 'stays in force' in refused['error'] and refused['request'] == 'r', refused
        assert ask(seen, 'ping')['ok'], 'the old one is in force'
        wait_until(lambda: 'the next start would fail' in (seen.json('/status')[-1]['reason'] or ''), 5, 'the status says it')
        gateway.write(more='[publish]\ntelemetry_s = 1')
        gateway.signal(signal.SIGHUP)
        gateway.told('the new configuration is in force')
        wait_until(lambda: len(seen.json('/telemetry')) >= 2, 6, 'telemetry each second')
        assert 'next start' not in (seen.json('/status')[-1]['reason'] or ''), seen.json('/status')[-1]
        gateway.config.write_text(gateway.config.read_text().replace('name = "left"', 'name = "right"'))
        refused = ask(seen, 'reload')
        assert not refused['ok'] and 'restart' in refused['error'], refused
        gateway.write(more='[log]\nformat = "json"')
        gateway.config.write_text(gateway.config.read_text().replace('[command]\nenabled = true', ''))
        gateway.signal(signal.SIGHUP)
        gateway.told('the new configuration is in force', times=2)
        gateway.told('connected to the broker', times=2)
        gateway.told('{"level":"info","message":"connected to the broker')
        mark = len(seen.messages)
        seen.publish(f'{BASE}/command/ping', '')
        time.sleep(0.5)
        assert not [m for m in seen.messages[mark:] if '/reply/' in m.topic], 'commands are off now'


@case
def authorization(folder):
    """By command: each change is in the status, and without authorization nothing is captured. A reload keeps what a command said, until the
    file says something else."""
    with yard(folder) as (_, __, seen, gateway):
        assert status(seen, lambda s: True)['authorization'] == 'always'
        for word in ('denied', 'when-in-use', 'always'):
            mark = len(seen.messages)
            assert ask(seen, 'authorization', word)['ok']
            told = status(seen, lambda s: s['authorization'] == word, after=mark)
            assert told['purpose'] == 'Tests a gateway.', told
            if word != 'always':
                refused = ask(seen, 'capture', '{"seconds":1}')
                assert not refused['ok'] and 'authorization' in refused['error'], refused
            if word == 'denied':
                refused = ask(seen, 'ranging', 'start')
                assert not refused['ok'] and 'authorization' in refused['error'], refused
                assert ask(seen, 'ranging', 'stop')['ok']
        status(seen, lambda s: s['radios'][0]['state'] == 'scanning', after=mark)
        assert ask(seen, 'authorization', 'denied')['ok']
        for more in '', '[publish]\ntelemetry_s = 1':
            gateway.write(more=more)
            assert ask(seen, 'reload')['ok']
            time.sleep(2)
            last = [json.loads(m.payload) for m in seen.messages if m.topic == f'{BASE}/status' and m.payload][-1]
            assert last['authorization'] == 'denied', last
        mark = len(seen.messages)
        gateway.write(authorization='when-in-use')
        assert ask(seen, 'reload')['ok']
        status(seen, lambda s: s['authorization'] == 'when-in-use', after=mark)


def sockets(pid):
    """The inodes of a process's sockets."""
    found = set()
    for link in Path(f'/proc/{pid}/fd').iterdir():
        with contextlib.suppress(OSError):
            if match := re.fullmatch(r'socket:\[(\d+)\]', os.readlink(link)):
                found.add(match[1])
    return found


@case
def no_door(folder):
    """The gateway listens nowhere: no TCP port in LISTEN, no UDP port, no socket in the file system."""
    with yard(folder) as (_, __, seen, gateway):
        own = sockets(gateway.pid)
        assert own, 'it talks to its broker'
        for table in ('tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'):
            for line in Path(f'/proc/{gateway.pid}/net/{table}').read_text().splitlines()[1:]:
                fields = line.split()
                if fields[9] in own:
                    assert table in ('tcp', 'tcp6') and fields[3] != '0A', f'{table}: {line}'
        for line in Path('/proc/net/unix').read_text().splitlines()[1:]:
            fields = line.split()
            # 00010000: __SO_ACCEPTCON
            assert fields[6] not in own or not int(fields[3], 16) & 0x10000, line


@case
def the_end(folder):
    """SIGTERM: waiting events are delivered and the status becomes offline; with a hanging broker it ends within two seconds."""
    with yard(folder) as (air, broker, seen, gateway):
        seen.wait(lambda m: m.topic.endswith('/region/forecourt') and b'"count":2' in m.payload, 10)
        assert gateway.end() < 2
        assert status(seen, lambda s: s['state'] == 'offline')['reason'] == 'stopped'
        mark = len(seen.messages)
        gateway.start()
        # Connected is not yet scanning: a device that has not entered cannot exit. One that is still there goes on: it does not enter again.
        # The region counts both at once, as the run before left them.
        seen.wait(lambda m: m.topic.endswith('/region/forecourt') and b'"count":2' in m.payload, 10, mark)
        wait_until(lambda: len({m.topic for m in seen.messages[mark:] if '/proximity/' in m.topic}) == 2, 10, 'both are heard')
        assert not [m for m in seen.messages[mark:] if b'"enter"' in m.payload]
        broker.pause()
        air.say('silence')
        wait_until(lambda: 'exit' in [e['payload'].get('event') for e in gateway.stored() if e['state'] == 'waiting'], 20, 'an exit waits')
        took = gateway.end()
        broker.resume()
        assert took < 2, took
        # The next run delivers what the hung broker did not take.
        mark = len(seen.messages)
        gateway.start()
        seen.wait(lambda m: m.topic.endswith('/region/forecourt/event') and b'"exit"' in m.payload, 10, mark)
    before = (folder / 'said').read_text().count('no connection to the broker')
    with Gateway(folder, adapter='tcp:127.0.0.1:1', port=free_port()) as gateway:
        gateway.told('no connection to the broker', times=before + 1)
        assert gateway.end() < 2


@case
def insecurity(folder):
    """tls_insecure is reported in the log and in the status, for as long as it is set."""
    with Air() as air, Mosquitto(tls='wrong-name') as broker, Subscriber(broker.watch, '#') as seen:
        tls = f'tls_ca = "{broker.certificates}/ca.pem"\ntls_insecure = true'
        with Gateway(folder, adapter=air.lines['p0'], port=broker.port, mqtt=tls) as gateway:
            told = status(seen, lambda s: s['state'] == 'degraded' and 'tls_insecure' in s['reason'])
            assert told['radios'], told
            gateway.told('tls_insecure')
            gateway.write(mqtt=tls.replace('true', 'false'))
            gateway.signal(signal.SIGHUP)
            gateway.told('no connection to the broker')


@case
def the_wrong_tls(folder):
    """`check` says what to do about a broker with which TLS fails."""
    gateway = Gateway(folder, adapter='tcp:127.0.0.1:1', port=1)

    def found(port, certificates, **more):
        settings = {'tls_ca': certificates / 'ca.pem', **more}
        gateway.write(port=port, mqtt=''.join(f'{key} = "{value}"\n' for key, value in settings.items() if value))
        told = run(FORECOURT, 'check', '--config', gateway.config).stdout
        return next(line for line in told.splitlines() if line.startswith('broker'))

    for shown_by, word in (('server', 'over TLS'), ('expired', 'has expired'), ('other', 'another authority'), ('wrong-name', '[mqtt] host')):
        with Mosquitto(tls=shown_by) as broker:
            line = found(broker.port, broker.certificates)
            assert word in line, (shown_by, line)
            if shown_by == 'server': assert 'set tls_ca' in found(broker.port, broker.certificates, tls_ca=None)
    with Mosquitto(tls='server', client_certificates=True) as broker:
        assert 'set tls_cert' in (line := found(broker.port, broker.certificates)), line
        tls = broker.certificates
        with Mosquitto() as plain: assert 'does not speak TLS' in found(plain.port, tls)


if __name__ == '__main__':
    main()
