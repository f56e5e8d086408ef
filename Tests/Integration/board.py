"""The board: the arm64 package's files on Debian's arm64 kernel, hci0 on the air of the host, a broker beside the gateway.

    $(Tests/Rigs/venv.sh) Tests/Integration/board.py

From power-on to the first `fire` at a subscriber; the adapter taken away and given back; the broker killed and started again; the power
cut while events wait, and the same disk booted again: no event is lost, none comes twice or under another name. Then the same adapter
shared on its raw channel. Every fire is another phone that walks up to the pump. deploy/build.sh arm64 has made the binary.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'Tests' / 'Rigs'))

from rig import Air, Guest, Subscriber, free_port, make_disk, wait_until  # noqa: E402

CONFIG = '''[gateway]
purpose = "Rehearses on a board that is emulated."
name = "board"
[[radio]]
name = "pump"
adapter = "hci0"
mode = "user"
[[region]]
name = "forecourt"
match = "ibeacon:*"
exit_s = 2
[[trigger]]
name = "pump-1"
match = "ibeacon:*"
expires_s = 600
[outbox]
path = "/data/outbox.db"
[mqtt]
host = "127.0.0.1"
'''

# What the host says is done, line by line; `done` says that it was.
SCRIPT = '''mkdir -p /var/lib/forecourt; cp /config.toml /etc/forecourt/config.toml
printf 'listener 1883\\nallow_anonymous true\\nuser root\\n' >/tmp/mosquitto.conf
broker() { mosquitto -c /tmp/mosquitto.conf >/dev/null 2>&1 & echo $! >/run/mosquitto.pid; }
gateway() { /usr/bin/forecourt run </dev/null >>/tmp/forecourt.log 2>&1 & echo $! >/run/forecourt.pid; }
[ -e /data/nobroker ] || broker
gateway
echo "uptime $(cut -d ' ' -f 1 /proc/uptime)"
while read -r line; do eval "$line"; echo "done $?"; done
'''


class Board:
    """One boot of it."""

    def __init__(self, folder, air, disk):
        self.air, self.port, self.seen = air, free_port(), None
        script = folder / 'script.sh'
        script.write_text(SCRIPT)
        self.guest = Guest(script, include=[folder / 'package'], program=[ROOT / 'build/arm64/forecourt'],
                           sysroot=[ROOT / 'build/sysroot-arm64'], controllers=[air.h4['p0']], disk=disk,
                           forward=[f'{self.port}:1883'], timeout=240)
        self.guest.wait_for('uptime', 60)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and self.guest.process.poll() is None:
            print('\n'.join(self.do('tail -n 30 /tmp/forecourt.log')), file=sys.stderr)
        if self.seen:
            self.seen.__exit__()
        self.guest.__exit__()

    def do(self, line, seconds=30):
        """A line of shell; what it printed, and its exit status as the last line."""
        before = len(self.guest.lines)
        self.guest.send(line)
        self.guest.wait_for('done ', seconds)
        return self.guest.lines[before:]

    def told(self, line):
        """What a line printed that must not fail."""
        *lines, status = self.do(line)
        assert status == 'done 0', (line, lines, status)
        return lines

    def join(self):
        def joined():
            try:
                return Subscriber(self.port, 'forecourt/#').__enter__()
            except (OSError, ConnectionError):
                return None
        self.seen = wait_until(joined, 60, 'the broker of the board answers')
        self.seen.client.reconnect_delay_set(1, 1)

    def give_broker(self):
        """A new one; the gateway sleeps until the subscriber is there, lest it is told before."""
        self.told('kill -STOP $(cat /run/forecourt.pid); broker')
        if self.seen:
            mark = len(self.seen.messages)
            wait_until(lambda: self.probe() and len(self.seen.messages) > mark, 30, 'the subscriber is back')
        else:
            self.join()
        self.told('kill -CONT $(cat /run/forecourt.pid)')

    def probe(self):
        time.sleep(0.3)
        if self.seen.client.is_connected():
            self.seen.client.publish('forecourt/probe', 'x')
        return True

    def stored(self):
        """The history, as the program itself tells it: {event_id: (state, payload)}."""
        lines = [json.loads(line) for line in self.told('/usr/bin/forecourt events --json --last 1000') if line.startswith('{')]
        return {each['payload']['event_id']: (each['state'], each['payload']) for each in lines}

    def heard(self):
        """The events at the subscriber, in their order."""
        return [json.loads(m.payload) for m in self.seen.messages if m.topic.endswith('/event') or '/trigger/' in m.topic and not m.retain and not m.topic.endswith('/state')]

    def hears_fire(self, number, seconds=60):
        wait_until(lambda: any(fires(e, number) for e in self.heard()), seconds, f'the fire of phone {number}')

    def keeps_fire(self, number, seconds=60):
        wait_until(lambda: any(state == 'waiting' and fires(e, number) for state, e in self.stored().values()), seconds,
                   f'the fire of phone {number} waits')

    def leaves(self, number, seconds=60):
        """It is silent, and whoever wants to know was told: nothing more comes of it."""
        self.air.say('silence', id=f'phone-{number}')

        def last_words():
            own = [e['event'] for e in self.heard() if e['id'].endswith(f':{number}')]
            return (next((w for w in reversed(own) if w in ('enter', 'exit')), None),
                    next((w for w in reversed(own) if w in ('arm', 'fire', 'leave')), None))
        wait_until(lambda: last_words() == ('exit', 'leave'), seconds, f'phone {number} has left')

    def status(self, state, after, seconds=40):
        def found():
            told = [json.loads(m.payload) for m in self.seen.messages[after:] if m.topic.endswith('/status')]
            return next((one for one in told if one['state'] == state), None)
        return wait_until(found, seconds, f'status {state}')

    def approach(self, number):
        """A phone walks up to the pump, and stays."""
        self.air.say('advertise', id=f'phone-{number}', kind='ibeacon', minor=number, interval_ms=100,
                     rssi={'from': -85, 'to': -45, 'seconds': 3})


def fires(event, number):
    return event['event'] == 'fire' and event['id'].endswith(f':{number}')


class Clock:
    """Prints what each stage took."""

    def __init__(self):
        self.began = self.last = time.monotonic()

    def stage(self, words):
        now = time.monotonic()
        print(f'{now - self.last:5.1f} s  {words}', flush=True)
        self.last = now


def package(folder):
    """The files of the .deb, as dpkg lays them; only the configuration is ours."""
    subprocess.run([ROOT / 'deploy/debian/pack.sh', 'deb', 'arm64', folder], check=True, stderr=subprocess.DEVNULL)
    deb, = folder.glob('*_arm64.deb')
    subprocess.run(['dpkg-deb', '-x', deb, folder / 'package'], check=True)
    (folder / 'package/config.toml').write_text(CONFIG)


def power_on(board, clock):
    clock.stage('power-on to the gateway started')
    board.air.wait('scanning', timeout=60)
    clock.stage('to scanning, on the user channel')
    refused = board.do('hcitest down 0 2>&1')
    assert 'busy' in refused[0], ('the adapter is not ours alone', refused)
    board.join()
    board.approach(1)
    board.hears_fire(1)
    took = time.monotonic() - board.guest.started
    assert took < 120, took
    clock.stage(f'a phone approaches, fire at a subscriber: {took:.1f} s from power-on')


def adapter_goes(board, clock):
    mark = len(board.seen.messages)
    board.told('unplug 0')
    away = board.status('degraded', mark)
    assert 'adapter' in away['reason'], away
    board.leaves(1)
    mark = len(board.seen.messages)
    board.told('plug 0 now')
    board.status('online', mark)
    board.approach(2)
    board.hears_fire(2)
    clock.stage(f'adapter taken away ("{away["reason"]}") and given back: online, the next phone fires')


def broker_dies(board, clock):
    board.leaves(2)
    board.told('kill -9 $(cat /run/mosquitto.pid)')
    board.approach(3)
    board.keeps_fire(3)
    board.give_broker()
    board.hears_fire(3)
    board.leaves(3)
    once = [e['event_id'] for e in board.heard()]
    assert len(once) == len(set(once)) and sum(fires(e, 3) for e in board.heard()) == 1, board.heard()
    clock.stage('broker killed and started again: the fire of meanwhile is delivered, once')


def power_goes(board, clock):
    """Without a broker, while a fire waits; gives the history as it was."""
    wait_until(lambda: all(state == 'delivered' for state, _ in board.stored().values()), 30, 'nothing waits')
    board.told('kill -9 $(cat /run/mosquitto.pid); touch /data/nobroker')
    board.approach(4)
    board.keeps_fire(4)
    before = board.stored()
    board.guest.cut()
    board.air.say('silence')
    heard = {e['event_id']: ('delivered', e) for e in board.heard()}
    assert {name: each for name, each in before.items() if each[0] == 'delivered'} == heard, (before, heard)
    assert [sum(fires(e, number) for _, e in before.values()) for number in (1, 2, 3, 4)] == [1, 1, 1, 1], before
    clock.stage(f'broker gone for good, a fire waits, power cut: {len(before)} events stored')
    return before


def power_returns(board, clock, before):
    after = board.stored()
    assert before.items() <= after.items(), (before, after)
    board.give_broker()
    board.hears_fire(4)
    wait_until(lambda: all(state == 'delivered' for state, _ in board.stored().values()), 30, 'nothing waits')
    heard = [e['event_id'] for e in board.heard()]
    owed = [name for name, (state, _) in after.items() if state == 'waiting']
    assert sorted(heard) == sorted(owed), (heard, owed)
    clock.stage(f'the same disk booted: all {len(before)} as they were, the {len(owed)} that were owed delivered once')


def raw_channel(board, clock):
    board.told('kill $(cat /run/forecourt.pid); wait $(cat /run/forecourt.pid)')
    board.told("sed -i 's/\"user\"/\"raw\"/' /etc/forecourt/config.toml; hcitest up 0")
    scans = board.air.report()['scan_s']
    board.told('gateway')
    wait_until(lambda: board.air.report()['scan_s'] > scans, 20, 'it scans')
    board.approach(5)
    board.hears_fire(5)
    memory = ' '.join(' '.join(board.told('grep -E "VmRSS|VmHWM" /proc/$(cat /run/forecourt.pid)/status')).split())
    board.told('hcitest down 0')  # refused if the adapter were ours alone
    clock.stage(f'the adapter shared, on its raw channel: the next phone fires; {memory}')


def main():
    clock = Clock()
    # Before the air, whose life is bounded, and before the power-on, whose time is taken.
    subprocess.run([ROOT / 'Tests/Rigs/guest/build.sh'], check=True, stdout=subprocess.DEVNULL)
    clock.stage('the kernel and its tools, fetched if this is the first time')
    with tempfile.TemporaryDirectory() as name, Air() as air:
        folder = pathlib.Path(name)
        package(folder)
        disk = make_disk(folder / 'disk')
        clock.stage('the package unpacked, a disk made')
        with Board(folder, air, disk) as board:
            power_on(board, clock)
            adapter_goes(board, clock)
            broker_dies(board, clock)
            before = power_goes(board, clock)
        with Board(folder, air, disk) as board:
            power_returns(board, clock, before)
            raw_channel(board, clock)
    print(f'passed in {time.monotonic() - clock.began:.0f} s')


if __name__ == '__main__':
    main()
