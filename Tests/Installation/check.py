#!/usr/bin/env python3
"""`check` on the board's kernel: what holds an adapter, what blocks it, which permission is missing. Runs in the rigs' venv.

Needs deploy/build.sh arm64, whose program and sysroot it takes from build/.
"""
import json

import cases
from cases import case
from product import ROOT, Air
from rig import Guest

SCRIPT = r'''
cd /tmp; mkdir -m 777 box
cat >config.toml <<END
gateway.purpose = "testing"
mqtt.port = 9
outbox.path = "box/outbox.db"
END
check() { echo "$1"; shift; "$@" forecourt check --json --config /tmp/config.toml; echo "exit $?"; }
as_guest() { su guest -c "$*"; }
cp /bin/hcitest /tmp/bluetoothd
check free
check permission as_guest
hcitest up 0; check up
/tmp/bluetoothd hold 0 raw 30 & sleep 1; check bluetoothd; kill $!; hcitest down 0
hcitest hold 0 user 30 & sleep 1; check held; kill $!; sleep 1
echo 1 >/sys/class/rfkill/rfkill0/soft; check blocked; echo 0 >/sys/class/rfkill/rfkill0/soft
date -s '2001-01-01 00:00:00' >/dev/null; check clock
mount -t tmpfs -o size=512k none box; check full; umount box
mount -t tmpfs -o ro none box; check readonly; check readonly_permission as_guest; umount box
chmod 755 box; check folder as_guest
unplug 0; sleep 1; check gone
'''

EXPECTED = {
    'free': (69, 'radio hci0', 'ok', 'there, down, and may be used'),
    'permission': (77, 'radio hci0', 'error', 'setcap cap_net_admin+ep "$(command -v forecourt)"'),
    'up': (69, 'radio hci0', 'ok', 'nobody else is known to use it'),
    'bluetoothd': (69, 'radio hci0', 'error', 'bluetoothd holds the adapter: systemctl mask --now bluetooth'),
    'held': (69, 'radio hci0', 'error', "another program holds the adapter's user channel"),
    'blocked': (69, 'radio hci0', 'error', 'rfkill blocks the adapter: rfkill unblock bluetooth'),
    'clock': (69, 'clock', 'warning', 'is not set'),
    'full': (69, 'disk', 'error', '0 MB are free'),
    'readonly': (69, 'outbox', 'error', 'box/outbox.db: its file system is read-only: dmesg says why'),
    'readonly_permission': (77, 'outbox', 'error', 'its file system is read-only'),
    'folder': (77, 'outbox', 'error', 'once as root: chown guest /tmp/box'),
    'gone': (69, 'radio hci0', 'error', 'there is no such adapter'),
}


@case
def machine(folder):
    """every fault of an adapter, the clock, the outbox and its disk, each with the command that mends it"""
    script = folder / 'script.sh'
    script.write_text(SCRIPT)
    with Air('p0=unix') as air:
        with Guest(script, program=[ROOT / 'build/arm64/forecourt'], sysroot=[ROOT / 'build/sysroot-arm64'],
                   controllers=[air.h4['p0']]) as guest:
            guest.wait()
            lines = guest.lines
    told = {}
    for name in EXPECTED:
        rest = lines[lines.index(name):]
        found = json.loads(next(line for line in rest if line.startswith('{')))['machine']
        code = next(int(line.split()[1]) for line in rest if line.startswith('exit '))
        told[name] = (code, {each['subject']: each for each in found})
    wrong = []
    for name, (code, subject, state, words) in EXPECTED.items():
        each = told[name][1].get(subject, {})
        if (told[name][0], each.get('state')) != (code, state) or words not in each.get('message', ''):
            wrong.append((name, told[name][0], each))
    assert not wrong, wrong


if __name__ == '__main__':
    cases.main()
