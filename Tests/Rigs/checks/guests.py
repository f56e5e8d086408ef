"""The arm64 guest: the kernel's own Bluetooth on a controller of the host's air, its disk, its network."""
import pathlib
import tempfile
import time

from rig import Air, Guest, Mosquitto, Subscriber, free_port, make_disk, run

HERE = pathlib.Path(__file__).resolve().parent.parent


def script(folder, text):
    path = pathlib.Path(folder) / 'script.sh'
    path.write_text(text)
    return path


def kernel():
    """hci0 on the host's air: RAW and USER channels, legacy and extended, arm64 and armhf; busy; taken away and given back."""
    with tempfile.TemporaryDirectory() as folder, Air() as air:
        air.say('advertise', id='tag', kind='ibeacon', interval_ms=50)
        text = '''set -e
hcitest list; hcitest up 0; hcitest list
hcitest scan 0 rawx 1
hcitest hold 0 raw 0.1
echo "up and user: $(hcitest scan 0 user 1 2>&1 || true)"
hcitest down 0
hcitest scan 0 user 1; hcitest scan 0 userx 1; hcitest-armhf scan 0 user 1
hcitest hold 0 user 2 & sleep 0.5
echo "held: $(hcitest scan 0 user 1 2>&1 || true)"; wait
echo "plain user: $(su guest -c 'hcitest scan 0 user 1' 2>&1 || true)"
echo 1 >/sys/class/rfkill/rfkill0/soft; echo "switched off: $(hcitest up 0 2>&1 || true)"
echo 0 >/sys/class/rfkill/rfkill0/soft; hcitest up 0; hcitest down 0
unplug 0; sleep 0.2; hcitest list || echo gone
plug 0; hcitest scan 0 user 1
cat /proc/uptime
'''
        with Guest(script(folder, text), controllers=[air.h4['p0']], timeout=60) as guest:
            code = guest.wait()
        said = '\n'.join(guest.lines)
        assert code == 0, said
        assert said.count('reports, off 0') == 5 and ' 0 reports' not in said, said
        assert 'up and user: hcitest: bind: Resource busy' in said or 'up and user: hcitest: bind: Device or resource busy' in said, said
        assert 'held: hcitest: bind:' in said and 'busy' in said.split('held:')[1].split('\n')[0] and 'gone' in said, said
        assert 'plain user: hcitest: bind: Operation not permitted' in said or 'plain user: hcitest: bind: Permission denied' in said, said
        assert 'switched off: hcitest: up: Operation not possible due to RF-kill' in said, said
        report = air.report()
        assert report['mixed'] == 0 and report['mistakes'] == 0, air.log(what='mistake')
        return f'in the guest {guest.lines[-1].split()[0]} s'


def disk():
    """What was synced is there after the power was cut; what was only written is not."""
    with tempfile.TemporaryDirectory() as folder:
        image = make_disk(pathlib.Path(folder) / 'disk')
        text = 'echo kept > /data/kept; sync; echo lost > /data/lost; echo written; sleep 60'
        with Guest(script(folder, text), disk=image, timeout=30) as guest:
            guest.wait_for('written', 20)
            guest.cut()
        with Guest(script(folder, 'ls -1 /data; cat /data/kept'), disk=image, timeout=30) as guest:
            assert guest.wait() == 0 and guest.lines[-1] == 'kept' and 'lost' not in guest.lines, guest.lines


def network():
    """A broker inside the guest, reached from the host's loopback and from nowhere else; files come out; the script is spoken to."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Mosquitto() as host:
        text = '''printf 'listener 1883\\nallow_anonymous true\\nuser root\\n' > /tmp/m.conf
mosquitto -c /tmp/m.conf & sleep 0.5; echo broker
read word; mosquitto_pub -t site/x -m "$word"; echo "$word" > /out/word
echo x | nc -w 2 10.0.2.2 HOSTPORT && echo "the host answers"
sleep 0.3; exit 3
'''.replace('HOSTPORT', str(host.port))
        with Guest(script(folder, text), forward=[f'{port}:1883'], out=f'{folder}/out', timeout=40) as guest:
            guest.wait_for('broker', 20)
            time.sleep(0.3)
            with Subscriber(port, 'site/#') as seen:
                guest.send('hello')
                seen.wait(lambda m: m.payload == b'hello', 10)
            assert guest.wait() == 3, guest.lines
        assert (pathlib.Path(folder) / 'out/word').read_text() == 'hello\n'
        assert 'the host answers' not in guest.lines


def command():
    """run.sh: the script's status and lines, --include, --program with its libraries, and the end of its time."""
    with tempfile.TemporaryDirectory() as folder:
        extra = pathlib.Path(folder) / 'tree/etc'
        extra.mkdir(parents=True)
        (extra / 'note').write_text('laid over\n')
        cache = HERE.parent.parent / 'build/guest'
        told = run(HERE / 'guest/run.sh', '--script', script(folder, 'cat /etc/note; libtest; exit 5'),
                   '--include', f'{folder}/tree', '--program', f'{cache}/arm64/usr/bin/mosquitto_sub=libtest', '--timeout', 30, seconds=60)
        assert told.returncode == 5 and told.stdout.startswith('laid over\n') and 'topic' in told.stdout, told
        told = run(HERE / 'guest/run.sh', '--script', script(folder, 'echo still; sleep 60'), '--timeout', 5, seconds=60)
        assert told.returncode == 124 and 'still' in told.stdout, told


CHECKS = {f'guest-{f.__name__}': f for f in (kernel, disk, network, command)}
