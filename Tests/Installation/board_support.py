"""A board for board.py: the shipped package installed on Debian's arm64 kernel, its unit started by systemd, what lasts on a disk."""
import json
import shutil
import subprocess
import sys
import time

from product import ROOT
from rig import Guest, Subscriber, free_port, wait_until

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
[[trigger]]
name = "barrier"
match = "altbeacon:*"
expires_s = 5
[outbox]
max_events = 10000
[mqtt]
host = "127.0.0.1"
username = "board"
password_file = "credential:mqtt-password"
'''

# What deploy/debian's postinst does, and what an owner does then: a secret that root alone may read, and `systemctl enable`.
INSTALL = '''mkdir -p /data/lib && mount --bind /data/lib /var/lib
sh /DEBIAN/postinst configure 2>/dev/null
mkdir -m 700 /etc/forecourt/secrets && echo 'open sesame' >/etc/forecourt/secrets/mqtt-password
ln -s /lib/systemd/system/forecourt.service /etc/systemd/system/multi-user.target.wants/
mkdir /etc/systemd/system/forecourt.service.d
printf '[Service]\\nLoadCredential=mqtt-password:/etc/forecourt/secrets/mqtt-password\\nWatchdogSec=10\\n' \\
  >/etc/systemd/system/forecourt.service.d/owner.conf
# As beside chrony, by the unit's own advice; after the power cut as beside systemd-timesyncd.
[ -e /data/nobroker ] || sed -n -e '1i[Service]' -e 's/^#   \\(ProtectClock=\\|SystemCallFilter=\\)/\\1/p' \\
  /lib/systemd/system/forecourt.service >/etc/systemd/system/forecourt.service.d/clock.conf
'''

# Clients without a name may only subscribe.
BROKER = '''listener 1883
allow_anonymous true
user root
password_file /passwords
acl_file /acl
'''
ACCESS = '''topic read forecourt/#
topic write forecourt/probe
user board
topic readwrite forecourt/#
'''

# Runs the host's lines, and prints `done` after each.
SCRIPT = r'''broker() { mosquitto -c /mosquitto.conf >/dev/null 2>&1 & echo $! >/run/mosquitto.pid; }
pid() { cat /sys/fs/cgroup/system.slice/forecourt.service/cgroup.procs; }
synchronise() { mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized; }
drop_in() { folder=/run/systemd/system/forecourt.service.d; mkdir -p $folder && printf "[Service]\n$1\n" >$folder/rig.conf; }
# The shipped unit, its drop-ins too, around another command: what it prints.
in_unit() {
  units=/run/systemd/system; mkdir -p $units/other.service.d
  sed -e "s|^ExecStart=.*|ExecStart=$*\nStandardOutput=file:/run/other|" -e 's/^Type=.*/Type=oneshot/' \
    -e '/^Restart/d' -e '/^WatchdogSec/d' /lib/systemd/system/forecourt.service >$units/other.service
  sed '/^WatchdogSec/d' /etc/systemd/system/forecourt.service.d/owner.conf >$units/other.service.d/owner.conf
  rm -f /run/other; systemctl daemon-reload; systemctl start other 2>/dev/null
  cat /run/other; echo "exit $(systemctl show -P ExecMainStatus other)"
}
[ -e /data/nobroker ] || { /sbin/adjtimex --status 0 --maxerror 1000 --esterror 1000; broker; }
echo "uptime $(cut -d ' ' -f 1 /proc/uptime)"
while read -r line; do eval "$line"; echo "done $?"; done
'''


class Board:
    """One boot of it; `clock`: the time of its clock chip at power-on, if that is wrong."""

    def __init__(self, folder, air, disk, clock=None):
        self.air, self.port, self.seen = air, free_port(), None
        script = folder / 'script.sh'
        script.write_text(SCRIPT)
        qemu = ('-rtc', 'base=' + time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(clock))) if clock else ()
        self.guest = Guest(script, include=[folder / 'package'], program=[ROOT / 'build/arm64/forecourt'],
                           sysroot=[ROOT / 'build/sysroot-arm64'], controllers=[air.h4['p0']], disk=disk, systemd=True,
                           forward=[f'{self.port}:1883'], timeout=240, memory=320, qemu=qemu)
        self.guest.wait_for('uptime', 60)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and self.guest.process.poll() is None:
            print('\n'.join(self.do('journalctl --no-pager -o cat -n 30 -u forecourt; dmesg | tail -n 20')), file=sys.stderr)
            print(self.air.report(), *self.air.log()[-20:], sep='\n', file=sys.stderr)
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

    def unit(self, key):
        """What systemd says of the service."""
        return self.told(f'systemctl show -P {key} forecourt')[0]

    def join(self):
        def joined():
            try:
                return Subscriber(self.port, 'forecourt/#').__enter__()
            except (OSError, ConnectionError):
                return None
        self.seen = wait_until(joined, 60, 'the broker of the board answers')
        self.seen.client.reconnect_delay_set(1, 1)

    def give_broker(self):
        """The broker starts; the gateway is stopped until the subscriber is there, which then misses no event."""
        self.told('kill -STOP $(pid); broker')
        if self.seen:
            mark = len(self.seen.messages)
            wait_until(lambda: self.probe() and len(self.seen.messages) > mark, 30, 'the subscriber is back')
        else:
            self.join()
        self.told('kill -CONT $(pid)')

    def probe(self):
        time.sleep(0.3)
        if self.seen.client.is_connected():
            self.seen.client.publish('forecourt/probe', 'x')
        return True

    def stored(self):
        """The history, as the program itself tells it: {event_id: (state, payload)}."""
        lines = [json.loads(line) for line in self.told('/usr/bin/forecourt events --json --last 1000') if line.startswith('{')]
        return {each['payload']['event_id']: (each['state'], each['payload']) for each in lines}

    def events(self):
        """The events at the subscriber, in their order."""
        return [json.loads(m.payload) for m in self.seen.messages if m.topic.endswith('/event') or '/trigger/' in m.topic and not m.topic.endswith('/state')]

    def hears_fire(self, number, seconds=60):
        wait_until(lambda: any(fires(e, number) for e in self.events()), seconds, f'the fire of phone {number}')
        return next(e for e in self.events() if fires(e, number))

    def keeps_fires(self, *numbers, seconds=60):
        def kept():
            waiting = [e for state, e in self.stored().values() if state == 'waiting']
            return all(any(fires(e, number) for e in waiting) for number in numbers)
        wait_until(kept, seconds, f'the fires of {numbers} wait')

    def leaves(self, number, seconds=60):
        """The phone is silent and its leave is delivered: no more events come from it."""
        self.air.say('silence', id=f'phone-{number}')

        def last_words():
            own = [e['event'] for e in self.events() if e['id'].endswith(f':{number}')]
            return (next((w for w in reversed(own) if w in ('enter', 'exit')), None),
                    next((w for w in reversed(own) if w in ('arm', 'fire', 'leave')), None))
        wait_until(lambda: last_words() == ('exit', 'leave'), seconds, f'phone {number} has left')

    def status(self, state, after, seconds=40, **words):
        """The first status since then for which that is true."""
        def found():
            told = [json.loads(m.payload) for m in self.seen.messages[after:] if m.topic.endswith('/status') and m.payload]
            return next((one for one in told if one['state'] == state and all(one.get(k) == v for k, v in words.items())), None)
        return wait_until(found, seconds, f'status {state} {words or ""}')

    def approach(self, number, **words):
        """A phone walks up to the pump, and stays."""
        words = words or {'kind': 'ibeacon', 'minor': number}
        self.air.say('advertise', id=f'phone-{number}', interval_ms=100, rssi={'from': -85, 'to': -45, 'seconds': 3}, **words)


def fires(event, what):
    """Whether it is a fire for that phone's number, or of that trigger."""
    return event['event'] == 'fire' and (event['trigger'] == what or event['id'].endswith(f':{what}'))


class Clock:
    """Prints what each stage took."""

    def __init__(self):
        self.began = self.last = time.monotonic()

    def stage(self, words):
        now = time.monotonic()
        print(f'{now - self.last:5.1f} s  {words}', flush=True)
        self.last = now


def package(folder):
    """The .deb unpacked as dpkg does it, with its postinst; the configuration and the broker beside it are ours."""
    subprocess.run([ROOT / 'deploy/debian/pack.sh', 'deb', 'arm64', folder], check=True, stderr=subprocess.DEVNULL)
    deb, = folder.glob('*_arm64.deb')
    tree = folder / 'package'
    subprocess.run(['dpkg-deb', '-R', deb, tree], check=True)
    (tree / 'etc/forecourt/config.toml').write_text(CONFIG)
    (tree / 'install').write_text(INSTALL)
    (tree / 'mosquitto.conf').write_text(BROKER)
    (tree / 'acl').write_text(ACCESS)
    (tree / 'passwords').touch(mode=0o600)
    subprocess.run([shutil.which('mosquitto_passwd') or '/usr/bin/mosquitto_passwd', '-b', tree / 'passwords', 'board', 'open sesame'],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
