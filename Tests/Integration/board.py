"""The board: the arm64 package's files on Debian's arm64 kernel, hci0 on the air of the host, a broker beside the gateway.

    $(Tests/Rigs/venv.sh) Tests/Integration/board.py

From power-on to the first event at a subscriber; the adapter taken away and given back; the broker killed; the power cut while events
wait for a broker that is not there, and the same disk booted again: every event arrives, none twice under another name.
deploy/build.sh arm64 has made the binary.
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
[[region]]
name = "forecourt"
match = "ibeacon:*"
exit_s = 2
[outbox]
path = "/data/outbox.db"
[mqtt]
host = "127.0.0.1"
'''

# What the host says is done, line by line; `done` says that it was.
SCRIPT = '''mkdir -p /etc/forecourt /var/lib/forecourt; cp /config.toml /etc/forecourt/config.toml
printf 'listener 1883\\nallow_anonymous true\\nuser root\\n' >/tmp/mosquitto.conf
broker() { mosquitto -c /tmp/mosquitto.conf >/dev/null 2>&1 & echo $! >/run/mosquitto.pid; }
gateway() { forecourt run </dev/null >/tmp/forecourt.log 2>&1 & echo $! >/run/forecourt.pid; }
[ -e /data/nobroker ] || broker
gateway
echo "uptime $(cut -d ' ' -f 1 /proc/uptime)"
while read -r line; do eval "$line"; echo "done $?"; done
'''


class Board:
    """One boot of it. `do` runs a line of shell and gives what it printed."""

    def __init__(self, folder, air, disk):
        self.port, self.seen = free_port(), None
        script = folder / 'script.sh'
        script.write_text(SCRIPT)
        self.guest = Guest(script, include=[folder / 'package'], program=[ROOT / 'build/arm64/forecourt'],
                           sysroot=[ROOT / 'build/sysroot-arm64'], controllers=[air.h4['p0']], disk=disk,
                           forward=[f'{self.port}:1883'], timeout=240)
        self.guest.wait_for('uptime', 60)

    def do(self, line, seconds=30):
        before = len(self.guest.lines)
        self.guest.send(line)
        self.guest.wait_for('done ', seconds)
        return [said for said in self.guest.lines[before:] if not said.startswith('done ')]

    def join(self):
        def joined():
            try:
                return Subscriber(self.port, 'forecourt/#').__enter__()
            except (OSError, ConnectionError):
                return None
        self.seen = wait_until(joined, 60, 'the broker of the board answers')

    def give_broker(self):
        """A new one; the gateway sleeps until the subscriber is there, lest it is told before."""
        self.do('kill -STOP $(cat /run/forecourt.pid); broker')
        if self.seen:
            mark = len(self.seen.messages)
            wait_until(lambda: self.probe() and len(self.seen.messages) > mark, 30, 'the subscriber is back')
        else:
            self.join()
        self.do('kill -CONT $(cat /run/forecourt.pid)')

    def probe(self):
        time.sleep(0.3)
        if self.seen.client.is_connected():
            self.seen.client.publish('forecourt/probe', 'x')
        return True


def package(folder):
    """The files of the .deb, as dpkg lays them."""
    subprocess.run([ROOT / 'deploy/debian/pack.sh', 'deb', 'arm64', folder], check=True, stderr=subprocess.DEVNULL)
    deb, = folder.glob('*_arm64.deb')
    subprocess.run(['dpkg-deb', '-x', deb, folder / 'package'], check=True)
    (folder / 'package/config.toml').write_text(CONFIG)


def events(seen):
    return [json.loads(m.payload) for m in seen.messages if m.topic.endswith('/event')]


def comes(air, seen, event, seconds=30):
    """The tag comes or goes; the event that says so."""
    before = len(events(seen))
    air.say('silence', id='tag') if event == 'exit' else air.say('advertise', id='tag', kind='ibeacon', interval_ms=100, rssi=-50)
    return wait_until(lambda: next((e for e in events(seen)[before:] if e['event'] == event), None), seconds, event)


def status(seen, state, after, seconds=40):
    def found():
        told = [json.loads(m.payload) for m in seen.messages[after:] if m.topic.endswith('/status')]
        return next((one for one in told if one['state'] == state), None)
    return wait_until(found, seconds, f'status {state}')


def whole(folder, air, say):
    disk = make_disk(folder / 'disk')
    started = time.monotonic()
    air.say('advertise', id='tag', kind='ibeacon', interval_ms=100, rssi=-50)
    board = Board(folder, air, disk)
    with board.guest:
        board.join()
        seen = board.seen
        first = wait_until(lambda: next(iter(events(seen)), None), 60, 'the first event')
        took = time.monotonic() - started
        assert first['event'] == 'enter' and took < 120, (first, took)
        say(f'power-on to the first event at a subscriber: {took:.1f} s')

        # The adapter is pulled out, and put in again.
        mark = len(seen.messages)
        board.do('unplug 0')
        away = status(seen, 'degraded', mark)
        assert 'adapter' in away['reason'], away
        comes(air, seen, 'exit')
        mark = len(seen.messages)
        board.do('plug 0 now')
        status(seen, 'online', mark)
        comes(air, seen, 'enter')
        say(f'adapter away and back: "{away["reason"]}"')

        # The broker dies; what happens meanwhile is told when it is back.
        board.do('kill -9 $(cat /run/mosquitto.pid)')
        air.say('silence', id='tag')
        wait_until(lambda: any(e['state'] == 'waiting' for e in stored(board)), 30, 'an event waits')
        board.give_broker()
        wait_until(lambda: [e['event'] for e in events(seen)].count('exit') == 2, 60, 'the exit of meanwhile')
        say('broker killed and restarted: what happened meanwhile was delivered')

        # No broker any more; two events wait on the disk; the power is cut.
        board.do('kill -9 $(cat /run/mosquitto.pid); touch /data/nobroker')
        delivered = {e['event_id'] for e in events(seen)}
        air.say('advertise', id='tag', kind='ibeacon', interval_ms=100, rssi=-50)
        wait_until(lambda: waiting(board) == 1, 30, 'one event waits')
        air.say('silence', id='tag')
        wait_until(lambda: waiting(board) == 2, 30, 'two events wait')
        before = stored(board)
        assert {e['payload']['event_id'] for e in before if e['state'] == 'delivered'} == delivered, (before, delivered)
        board.guest.cut()
    board = Board(folder, air, disk)
    with board.guest:
        assert stored(board) == before, (before, stored(board))
        board.give_broker()
        seen = board.seen
        wait_until(lambda: waiting(board) == 0, 60, 'all is delivered')
        owed = [e['payload'] for e in before if e['state'] == 'waiting']
        wait_until(lambda: len(events(seen)) >= 2, 10, 'what was owed is delivered')
        assert events(seen) == owed, (events(seen), owed)
        memory = ' '.join(' '.join(board.do('grep -E "VmRSS|VmHWM" /proc/$(cat /run/forecourt.pid)/status')).split())
        say(f'power cut: {len(before)} events on the disk before and after, the two that were owed delivered; {memory}')


def stored(board):
    """The history, as the program itself tells it."""
    return [json.loads(line) for line in board.do('forecourt events --json --last 100') if line.startswith('{')]


def waiting(board):
    return sum(e['state'] == 'waiting' for e in stored(board))


def main():
    with tempfile.TemporaryDirectory() as name, Air() as air:
        folder = pathlib.Path(name)
        package(folder)
        whole(folder, air, lambda words: print(words, flush=True))
    print('1 passed, 0 failed')


if __name__ == '__main__':
    main()
