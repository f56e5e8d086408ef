#!/usr/bin/env python3
"""Two of our own gateways on a board's kernel, each with an adapter of its own, find each other over one air. Runs in the rigs' venv.

Each offers its services and asks, through its adapter's user channel; each reads the other's installation id over GATT and says it at
the board's broker. Needs deploy/build.sh arm64, whose program and sysroot it takes from build/.
"""
import contextlib
import json

import cases
from cases import case
from product import ROOT, Air, wait_until
from rig import Guest, Subscriber, free_port

GATEWAYS = 'zero', 'one'

# Runs the host's lines, and prints `done` after each.
SCRIPT = r'''
cd /tmp
printf 'listener 1883\nallow_anonymous true\nuser root\n' >mosquitto.conf
mosquitto -c mosquitto.conf >/dev/null 2>&1 &
n=0
for name in zero one; do
  mkdir $name
  cat >$name/config.toml <<END
[gateway]
name = "$name"
purpose = "testing"
[[radio]]
name = "radio"
adapter = "hci$n"
[peer]
identify = true
serve = true
id_file = "id"
[[region]]
name = "neighbours"
match = "peer:*"
[outbox]
path = "outbox.db"
[mqtt]
host = "127.0.0.1"
END
  n=$((n + 1))
done
gateway() { forecourt run --config $1/config.toml </dev/null >>$1/log 2>&1 & echo $! >$1/pid; }
echo booted
while read -r line; do eval "$line"; echo "done $?"; done
'''


class Board:
    """A guest with two adapters, a broker, and both gateways' files."""

    def __init__(self, folder, air):
        self.air = air
        script, self.port = folder / 'script.sh', free_port()
        script.write_text(SCRIPT)
        self.guest = Guest(script, program=[ROOT / 'build/arm64/forecourt'], sysroot=[ROOT / 'build/sysroot-arm64'],
                           controllers=[air.h4[name] for name in GATEWAYS], forward=[f'{self.port}:1883'])

    def __enter__(self):
        self.guest.wait_for('booted', 60)
        return self

    def __exit__(self, kind, *_):
        if kind and self.guest.process.poll() is None:
            print(*(f'{name}: {line}' for name in GATEWAYS for line in self.do(f'tail -n 15 {name}/log')), sep='\n')
            print(*(f'kernel: {line}' for line in self.do('dmesg | tail -n 20')), sep='\n')
            print(*(f'air of {name}: {self.air.report(name)}' for name in GATEWAYS), sep='\n')
        self.guest.__exit__()

    def do(self, line):
        """A line of shell; what it printed."""
        before = len(self.guest.lines)
        self.guest.send(line)
        end = self.guest.wait_for('done ', 30)
        *lines, last = self.guest.lines[before:]
        assert last == end == 'done 0', (line, lines, last)
        return lines

    def subscriber(self):
        """Subscribes to the board's broker; QEMU accepts a connection before the broker is there to answer it."""
        def joined():
            with contextlib.suppress(OSError, ConnectionError):
                return Subscriber(self.port, 'forecourt/#').__enter__()
        return wait_until(joined, 60, 'the broker of the board answers')


def enters(seen, gateway, identity):
    """Waits until that gateway says that this device has entered."""
    def tells(message):
        return message.topic == f'forecourt/site/{gateway}/region/neighbours/event' and json.loads(message.payload)['id'] == identity
    told = json.loads(seen.wait(tells, 40).payload)
    assert told['event'] == 'enter', told


@case
def pair(folder):
    """each learns the other's id, and a restarted one keeps its id; both go on listening and advertising"""
    with Air(*(f'{name}=unix' for name in GATEWAYS)) as air, Board(folder, air) as board:
        seen = board.subscriber()
        board.do('gateway zero; gateway one')
        for name in GATEWAYS:
            seen.wait(lambda m, t=f'forecourt/site/{name}/status': m.topic == t and json.loads(m.payload)['state'] == 'online', 30)
        ids = {}
        for name in GATEWAYS:
            mode, number = board.do(f"stat -c %a {name}/id; od -An -tx1 {name}/id | tr -d ' \\n'; echo")
            assert mode == '600' and len(number) == 8, (mode, number)
            ids[name] = f'peer:{number.upper()}'
        assert len(set(ids.values())) == 2, ids
        enters(seen, 'zero', ids['one'])
        enters(seen, 'one', ids['zero'])
        kept = seen.wait(lambda m: '/peer/' in m.topic and m.topic.endswith('/zero'))
        assert 'peer:' + json.loads(kept.payload)['id'] == ids['one'], kept
        for name in GATEWAYS:
            wait_until(lambda n=name: free(air.report(n)), 10, f'{name} listens, is heard, and has let go')
        board.do('kill $(cat zero/pid); wait $(cat zero/pid)')
        mark = len(seen.messages)
        board.do('gateway zero')
        # It recognises the other one and goes on with its visit: no second enter, no leave.
        seen.wait(lambda m: m.topic == 'forecourt/site/zero/ranging/neighbours' and ids['one'].encode() in m.payload, 40, mark)
        assert [(e['event'], e['id']) for e in told(seen, 'zero')] == [('enter', ids['one'])], told(seen, 'zero')
        assert {e['id'] for e in told(seen, 'one')} == {ids['zero']}, told(seen, 'one')
        for name in GATEWAYS:
            report = air.report(name)
            assert report['mixed'] == report['mistakes'] == report['duplicates_filter_asked'] == 0, report
        seen.__exit__()


def told(seen, gateway):
    """The events of that gateway's region."""
    return [json.loads(m.payload) for m in seen.messages if m.topic == f'forecourt/site/{gateway}/region/neighbours/event']


def free(report):
    return report['scanning'] and report['advertising'] and not report['connections']


if __name__ == '__main__':
    cases.main()
