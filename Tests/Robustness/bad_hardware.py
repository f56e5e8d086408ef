"""The gateway with disks that hang, pipes in place of files and radios that babble: it still fires, answers, reports the fault and ends.

    $(Tests/Rigs/venv.sh) Tests/Robustness/bad_hardware.py [NAME…]      $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import contextlib
import json
import os
import signal
import time

from cases import case, main
from gateway import BASE, Gateway, ask, status
from disk import Disk, FaultyDisk
from rig import Air, Mosquitto, Subscriber, wait_until


@contextlib.contextmanager
def yard(folder, **words):
    """The yard of Rigs/gateway.py, on a disk that can hang."""
    disk = FaultyDisk(folder)
    with Air() as air, Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        gateway = Gateway(folder, adapter=air.lines['p0'], port=broker.port, **words)
        gateway.env = disk.env
        with gateway:
            try:
                status(seen, lambda s: s['state'] == 'online' and s['radios'][0]['state'] == 'scanning')
                yield air, seen, gateway, disk
            finally:
                disk.heals()


def answers(seen):
    """While something hangs."""
    begun = time.monotonic()
    assert ask(seen, 'ping')['ok'] and time.monotonic() - begun < 1


def fires(air, seen, number):
    """A new device comes to the pump and is served."""
    air.say('advertise', id=f'driver{number}', kind='ibeacon', uuid='2f234454cf6d4a0fadf2f4911ba9ffa6', major=5, minor=number,
            interval_ms=50, rssi={'from': -85, 'to': -45, 'seconds': 5})
    seen.wait(lambda m: m.topic == f'{BASE}/trigger/pump-3' and b'"fire"' in m.payload and f':5:{number}"'.encode() in m.payload, 15)


@case
def no_files(folder):
    """A pipe, a device or a gigabyte in place of the configuration or a key is refused at once, and the old one stays in force."""
    with yard(folder) as (_, seen, gateway, __):
        right = gateway.config.read_text()
        pipe, huge = folder / 'pipe', folder / 'huge'
        os.mkfifo(pipe, 0o600)
        with open(huge, 'w') as file: file.truncate(1 << 30)
        for times, place in enumerate((pipe, '/dev/zero', huge), 1):
            gateway.config.unlink()
            gateway.config.symlink_to(place)
            gateway.signal(signal.SIGHUP)
            gateway.told('config.toml is', times=times)
            answers(seen)
        assert gateway.said().count('is a pipe or a device, not a file') == 2 and 'is longer than' in gateway.said(), gateway.said()
        gateway.config.unlink()
        gateway.config.write_text(right.replace('keepalive_s', f'username = "u"\npassword_file = "{pipe}"\nkeepalive_s'))
        refused = ask(seen, 'reload')
        assert not refused['ok'] and 'log' in refused['error'], refused
        gateway.told('password_file')
        answers(seen)
        gateway.config.write_text(right)
        assert ask(seen, 'reload')['ok']


@case
def hanging_disk(folder):
    """The configuration, the metrics and the outbox on a hanging disk: drivers are served, the fault is reported, and SIGTERM ends within 5 s."""
    with yard(folder, more=f'[publish]\ntelemetry_s = 1\nmetrics_file = "{folder}/figures.prom"') as (air, seen, gateway, disk):
        wait_until(lambda: (folder / 'figures.prom').exists(), 5, 'figures')
        disk.hangs('config.toml')
        for _ in range(4): gateway.signal(signal.SIGHUP)
        answers(seen)
        mark = len(seen.messages)
        seen.publish(f'{BASE}/command/reload', '{"request":"late"}')
        fires(air, seen, 1)
        told = status(seen, lambda s: s['state'] == 'degraded', 10, mark)
        assert told['reason'] == 'a disk does not answer: the configuration is being read', told
        healed = len(seen.messages)
        disk.heals()
        # On a busy machine events may still be late.
        status(seen, lambda s: 'a disk does not answer' not in (s['reason'] or ''), 5, healed)
        reply = json.loads(seen.wait(lambda m: m.topic == f'{BASE}/reply/reload', 5, mark).payload)
        assert reply['ok'] and reply['request'] == 'late', reply
        disk.hangs('figures.prom')
        fires(air, seen, 2)
        answers(seen)
        # Everything at once.
        disk.hangs('/state/')
        fresh = len(gateway.said())
        air.say('silence')
        # The courier hangs with the first event, and can tell nobody.
        wait_until(lambda: "the outbox's disk does not answer" in gateway.said()[fresh:], 20, 'the log says so')
        begun = time.monotonic()
        gateway.signal(signal.SIGHUP)
        gateway.signal(signal.SIGTERM)
        code = gateway.process.wait(8)
        assert time.monotonic() - begun < 5 and code == 1, (time.monotonic() - begun, code)
        assert 'something hangs' in gateway.said()[fresh:], gateway.said()
        disk.heals()
        # The next run delivers what was stored, and comes up.
        gateway.start()
        status(seen, lambda s: s['state'] == 'online', 8, len(seen.messages))
        assert gateway.end() < 3


@case
def hanging_log(folder):
    """Nobody reads the log: lines are lost and counted, and nothing waits for them."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, bytes(4096)): pass
    os.set_blocking(writer, True)
    with Air() as air, Mosquitto() as broker, Subscriber(broker.watch, '#') as seen:
        gateway = Gateway(folder, adapter=air.lines['p0'], port=broker.port)
        gateway.args = ['/bin/sh', '-c', f'exec "$@" 2>/proc/{os.getpid()}/fd/{writer}', 'sh', *gateway.args]
        with gateway:
            status(seen, lambda s: s['state'] == 'online' and s['radios'][0]['state'] == 'scanning')
            fires(air, seen, 1)
            assert ask(seen, 'authorization', 'denied')['ok'] and ask(seen, 'authorization', 'always')['ok']
            os.set_blocking(reader, False)
            with contextlib.suppress(BlockingIOError):
                while os.read(reader, 65536): pass
            gateway.signal(signal.SIGHUP)
            os.set_blocking(reader, True)
            said = b''
            while b'in force' not in said: said += os.read(reader, 65536)
            assert b' lines were dropped here' in said, said
            assert gateway.end() < 3
    os.close(reader)
    os.close(writer)


@case
def little_room(folder):
    """A recording that would leave too little room for events does not start, and leaves no file."""
    with Disk(folder / 'state', '8m') as disk:
        if not disk: return
        with yard(folder) as (_, seen, __, ___):
            reply = ask(seen, 'capture', '{"seconds":1}')
            assert not reply['ok'] and 'less than 32 MB would be left' in reply['error'], reply
            assert not [path for path in (folder / 'state').iterdir() if 'capture' in path.name]


def each(seconds, air, span, **words):
    """Injects the same bytes into the radio's line, again and again."""
    until = time.monotonic() + span
    while time.monotonic() < until:
        air.say('inject', **words)
        time.sleep(seconds)


@case
def bad_radio(folder):
    """Hardware errors every 100 ms, false headers 50 times a second: reported once, counted, and adverts in between are heard."""
    with yard(folder, more='[publish]\ntelemetry_s = 2') as (air, seen, gateway, _):
        fresh, mark = len(gateway.said()), len(seen.messages)
        each(0.1, air, 5, hardware_error=0x42)
        lines = [line for line in gateway.said()[fresh:].splitlines() if 'radio left' in line]
        told = [json.loads(m.payload) for m in seen.messages[mark:] if m.topic == f'{BASE}/status']
        assert 0 < len(lines) <= 12 and len(told) <= 16, (len(lines), len(told), lines)
        assert told[-1]['state'] == 'degraded' and 'hardware error' in told[-1]['reason'], told[-1]
        status(seen, lambda s: s['state'] == 'online', 5, len(seen.messages) - 1)
        seen.wait(lambda m: m.topic.endswith('/telemetry') and json.loads(m.payload)['radio_faults'] > 30, 5)
        recoveries = seen.json('/telemetry')[-1]['radio_recoveries']
        assert 0 < recoveries < 12, recoveries
        mark = len(seen.messages)
        # Three in a row: on a busy machine, too, they are much noise.
        each(0.005, air, 4, hex='043eff' * 3)
        fires(air, seen, 1)
        seen.wait(lambda m: m.topic.endswith('/telemetry') and json.loads(m.payload)['radio_bytes_discarded'] > 1024, 5, mark)
        gateway.told('bytes belonged to no packet')
        # Headers that swallow what follows make the radio useless: then the status is degraded.
        mark = len(seen.messages)
        each(0.005, air, 11, hex='043eff02')
        status(seen, lambda s: s['state'] == 'degraded', 5, mark)


if __name__ == '__main__':
    main()
