"""The board: the arm64 package as it is shipped, its unit under systemd, hci0 on the air of the host, a broker beside the gateway.

    $(Tests/Rigs/venv.sh) Tests/Installation/board.py

From power-on to the first `fire` at a subscriber; the adapter taken away and given back; the broker killed and started again; the power
cut while events wait, and the same disk booted with a clock that is an hour behind: what was owed comes once and under its own name, a
`fire` only once somebody has synchronised the clock, and none late. Then the unit: reload, watchdog, restart, what it forbids, and what
`check` says under it. Every fire is another phone that walks up to the pump. deploy/build.sh arm64 has made the binary.
"""
import calendar
import json
import pathlib
import subprocess
import tempfile
import time

from board_support import ROOT, Board, Clock, fires, package, wait_until
from rig import Air, make_disk


def power_on(board, clock):
    clock.stage('power-on to the script')
    board.air.wait('scanning', timeout=60)
    clock.stage('to scanning, on the user channel')
    refused = board.do('hcitest down 0 2>&1')
    assert 'busy' in refused[0], ('the adapter is not ours alone', refused)
    board.join()
    board.approach(1)
    board.hears_fire(1)
    took = time.monotonic() - board.guest.started
    assert took < 120, took
    who = board.told('stat -c %U:%G /proc/$(pid) /var/lib/forecourt/outbox.db-wal; grep Seccomp: /proc/$(pid)/status')
    assert who[:2] == ['forecourt:forecourt'] * 2 and who[2].split() == ['Seccomp:', '2'], who
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
    board.keeps_fires(3)
    board.give_broker()
    board.hears_fire(3)
    board.leaves(3)
    once = [e['event_id'] for e in board.events()]
    assert len(once) == len(set(once)) and sum(fires(e, 3) for e in board.events()) == 1, board.events()
    clock.stage('broker killed and started again: the fire of meanwhile is delivered, once')


def power_goes(board, clock):
    """The power is cut without a broker, while fires wait; returns the history of before."""
    wait_until(lambda: all(state == 'delivered' for state, _ in board.stored().values()), 30, 'nothing waits')
    board.told('kill -9 $(cat /run/mosquitto.pid); touch /data/nobroker')
    board.approach(4)
    board.approach('last', kind='altbeacon', beacon='07' * 20)
    board.keeps_fires(4, 'barrier')
    before = board.stored()
    board.guest.cut()
    board.air.say('silence')
    heard = {e['event_id']: ('delivered', e) for e in board.events()}
    assert {name: each for name, each in before.items() if each[0] == 'delivered'} == heard, (before, heard)
    assert [sum(fires(e, what) for _, e in before.values()) for what in (1, 2, 3, 4, 'barrier')] == [1, 1, 1, 1, 1], before
    clock.stage(f'broker gone for good, fires wait, power cut: {len(before)} events stored')
    return before


def power_returns(board, clock, before):
    """The same disk, booted with a clock that is an hour behind."""
    board.give_broker()
    owed = {name: e for name, (state, e) in before.items() if state == 'waiting'}
    told = [name for name, e in owed.items() if 'expires' not in e or e['expires'] is None]
    wait_until(lambda: len(board.events()) >= len(told), 30, 'what is owed for ever is delivered')
    wait_until(lambda: not any(state == 'waiting' and fires(e, 'barrier') for state, e in board.stored().values()), 30,
               'what the machine has outlived waits no longer')
    after = board.stored()
    assert {name: e for name, (_, e) in after.items() if name in before} == {name: e for name, (_, e) in before.items()}, (before, after)
    fates = {what: state for what in (4, 'barrier') for state, e in after.values() if fires(e, what)}
    assert fates == {4: 'waiting', 'barrier': 'expired'}, ('too late', fates)
    assert sorted(e['event_id'] for e in board.events()) == sorted(told), (board.events(), told)
    clock.stage(f'the same disk booted, the clock an hour behind: {len(told)} of {len(owed)} owed delivered, no fire')
    board.told(f'date -u -s @{time.time():.0f} >/dev/null; synchronise')
    board.approach(5)
    fire = board.hears_fire(5)
    at, expires = (calendar.timegm(time.strptime(fire[key][:19], '%Y-%m-%dT%H:%M:%S')) for key in ('at', 'expires'))
    assert abs(at - time.time()) < 10 and expires - at in (599, 600, 601), fire
    board.hears_fire(4, 20)
    wait_until(lambda: all(state != 'waiting' for state, _ in board.stored().values()), 30, 'nothing waits')
    heard = [e['event_id'] for e in board.events()]
    assert len(heard) == len(set(heard)) and not any(fires(e, 'barrier') for e in board.events()), board.events()
    clock.stage('the clock synchronised: the next fire says the right time, and the fire that still has some is delivered, once')


def obeys(board, clock):
    """Reload, watchdog, restart."""
    before, mark = board.told('pid'), len(board.seen.messages)
    board.told("sed -i 's/emulated/reloaded/' /etc/forecourt/config.toml; systemctl reload forecourt")
    told = board.status('online', mark, purpose='Rehearses on a board that is reloaded.')
    assert board.told('pid') == before
    # The clock is not synchronised any more: the fire of the run before is valid only because the machine has not restarted.
    board.told('kill -9 $(cat /run/mosquitto.pid); rm -r /run/systemd/timesync')
    board.approach(6)
    board.keeps_fires(6)
    board.air.say('silence', id='phone-6')
    mark = len(board.seen.messages)
    board.told('kill -STOP $(pid)')
    # Between the two there is none.
    wait_until(lambda: board.do('pid')[0] not in (*before, 'done 0') and board.do('pid')[0].isdigit(), 60, 'the watchdog bites')
    board.give_broker()
    board.hears_fire(6)
    again = board.status('online', mark)
    assert again['boot'] != told['boot'] and board.unit('NRestarts') == '1', (told, again)
    assert sum(fires(e, 6) for e in board.events()) == 1, board.events()
    board.told('synchronise')
    clock.stage('reloaded; stopped in its tracks while a fire waited: systemd started it again, and the fire is delivered, once')


def updates(board, clock):
    """The program is replaced while a fire waits, as apt does it, and then put back: the event is delivered once."""
    board.told('kill -9 $(cat /run/mosquitto.pid)')
    board.approach(8)
    board.keeps_fires(8)
    board.air.say('silence', id='phone-8')
    for _ in 'there', 'back':
        before = board.told('pid')
        board.told('cp -p /usr/bin/forecourt /usr/bin/forecourt.dpkg-new && mv /usr/bin/forecourt.dpkg-new /usr/bin/forecourt')
        board.told('systemctl daemon-reload; systemctl try-restart forecourt')
        assert board.told('pid') != before and board.unit('ActiveState') == 'active'
        board.keeps_fires(8)
    board.give_broker()
    board.hears_fire(8)
    assert sum(fires(e, 8) for e in board.events()) == 1, board.events()
    clock.stage('the program replaced and put back while a fire waited: delivered, once')


def refuses(board, clock):
    """A unit in which no capability can be dropped; files that belong to root."""
    board.told("drop_in 'SystemCallFilter=~capset'; systemctl daemon-reload; systemctl restart forecourt || true")
    wait_until(lambda: board.unit('ExecMainStatus') == '77', 20, 'it does not run with capabilities that it cannot give away')
    board.told('rm -r /run/systemd/system/forecourt.service.d; systemctl daemon-reload; systemctl stop forecourt')

    # Once as root: its files belong to the service's user.
    board.told("sed '/^password_file/d' /etc/forecourt/config.toml >/run/root.toml; rm /var/lib/forecourt/*")
    board.do('timeout 2 forecourt run --config /run/root.toml 2>/dev/null')
    owners = board.told('cd /var/lib/forecourt; stat -c "%U %n" *')
    assert 'forecourt outbox.db' in owners and all(line.startswith('forecourt ') for line in owners), owners

    board.told('chown root /var/lib/forecourt/outbox.db')
    for line in 'forecourt check --json --config /run/root.toml 2>/dev/null; echo "exit $?"', 'in_unit /usr/bin/forecourt check --json':
        told = board.told(line)
        outbox = next(each for each in json.loads(told[-2])['machine'] if each['subject'] == 'outbox')
        assert told[-1] == 'exit 77' and 'chown forecourt /var/lib/forecourt/outbox.db' in outbox['message'], (line, told)
    mark = len(board.seen.messages)
    board.told('systemctl start forecourt')
    told = board.status('degraded', mark)
    assert 'kept in memory only' in told['reason'], told
    mark = len(board.seen.messages)
    board.told('chown forecourt /var/lib/forecourt/outbox.db')
    board.status('online', mark)
    board.told('systemctl stop forecourt')
    *_, line, code = board.told('in_unit /usr/bin/forecourt check --json')
    told = {each['subject']: each for each in json.loads(line)['machine']}
    assert code == 'exit 0' and {each['state'] for each in told.values()} == {'ok'}, (code, told)
    clock.stage(f'capabilities kept: refused; root\'s outbox: degraded, and mended; check in the unit: {", ".join(told)} ok')


def raw_channel(board, clock):
    board.told("sed -i 's/\"user\"/\"raw\"/' /etc/forecourt/config.toml; hcitest up 0")
    scans = board.air.report()['scan_s']
    board.told('systemctl start forecourt')
    wait_until(lambda: board.air.report()['scan_s'] > scans, 20, 'it scans')
    board.approach(7)
    board.hears_fire(7)
    memory = ' '.join(' '.join(board.told('grep -E "VmRSS|VmHWM" /proc/$(pid)/status')).split())
    board.told('hcitest down 0')  # refused if the adapter were ours alone
    clock.stage(f'the adapter shared, on its raw channel: the next phone fires; {memory}')


def moves_outbox(board, clock):
    """Another folder for the outbox: the unit refuses it until a drop-in, here one below /run, allows it, and `check` says so."""
    def judged():
        told = board.told("sed '/^password_file/d' /etc/forecourt/config.toml >/run/root.toml; "
                          'forecourt check --json --config /run/root.toml 2>/dev/null || true')
        return [each['message'] for each in json.loads(told[-1])['machine'] if each['subject'] == 'service']
    board.told("mkdir -p /srv/ssd && chown forecourt /srv/ssd; sed -i '/^.outbox.$/a path = \"/srv/ssd/outbox.db\"' /etc/forecourt/config.toml")
    told = judged()
    assert len(told) == 1 and 'ReadWritePaths=/srv/ssd' in told[0], told
    mark = len(board.seen.messages)
    board.told('systemctl restart forecourt')
    assert 'kept in memory only' in board.status('degraded', mark)['reason']
    board.told("drop_in 'ReadWritePaths=/srv/ssd'; systemctl daemon-reload")
    told = judged()
    assert len(told) == 1 and told[0].endswith('came later: systemctl restart forecourt'), told
    mark = len(board.seen.messages)
    board.told('systemctl restart forecourt; test -e /srv/ssd/outbox.db')
    board.status('online', mark)
    assert not judged(), judged()
    clock.stage('the outbox elsewhere: `check` and the unit refuse it, until a drop-in allows it')


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
        with Board(folder, air, disk, clock=time.time() - 3_600) as board:
            power_returns(board, clock, before)
            obeys(board, clock)
            updates(board, clock)
            refuses(board, clock)
            raw_channel(board, clock)
            moves_outbox(board, clock)
    print(f'passed in {time.monotonic() - clock.began:.0f} s')


if __name__ == '__main__':
    main()
