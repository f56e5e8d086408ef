"""What goes wrong with a radio, and how the product listens again: checks of radio.py."""
import tempfile
import time

from product import FORECOURT, Capture, configured, listening, listening_on, listens, packets
from rig import Air, Program, wait_until


def replug():
    """the adapter is pulled out for 3 s and comes back as new: on unix, tcp and pty, listening within 5 s"""
    with listening_on('unix', 'tcp', 'pty') as (air, captures):
        for name, capture in captures.items():
            air.say('drop', port=name)
            capture.told('forecourt: ' + air.lines[name] + ': ')
        time.sleep(3)
        since = {}
        for name in captures:
            since[name] = time.monotonic()
            air.say('replug', port=name)
        return ', '.join(f'{listens(air, name, 5, capture, since[name]):.2f} s' for name, capture in captures.items())


def hang_up():
    """the line is closed, the controller keeps its state"""
    with listening('tcp') as (air, capture):
        air.say('hang-up')
        return f'{listens(air, "p0", 5, capture):.2f} s'


def hang():
    """the controller stops answering and reporting for 2, 6 and 12 s; the radio listens within 5 s of the end"""
    spans, times = {'p0': 2, 'p1': 6, 'p2': 12}, []
    with listening_on('pty', 'pty', 'pty') as (air, captures):
        air.say('fault', hang=True, mute=True)
        began = time.monotonic()
        for name, seconds in spans.items():
            time.sleep(max(0, began + seconds - time.monotonic()))
            air.say('fault', clear=True, port=name)
            times.append(listens(air, name, 5, captures[name]))
        time.sleep(1)
        for name, capture in captures.items():
            listens(air, name, 1, capture)
            assert spans[name] < 4 or 'does not answer' in capture.words(), capture.words()
    return ', '.join(f'{t:.2f} s' for t in times)


def hardware_error():
    """a hardware error event is answered with a reset"""
    with listening() as (air, capture):
        air.say('inject', hardware_error=0x42)
        wait_until(lambda: air.report()['resets'] == 2, 1, 'a reset')
        took = listens(air, 'p0', 5, capture)
        capture.told('hardware error')
        return f'{took:.2f} s'


def deaf():
    """scanning stops silently and works again once enabled: no reset is needed"""
    with listening() as (air, capture):
        time.sleep(4)
        air.say('fault', deaf='enable')
        took = listens(air, 'p0', 5, capture)
        assert air.report()['resets'] == 1, air.report()
        return f'{took:.2f} s'


def deafer():
    """the same, but only a reset helps"""
    with listening() as (air, capture):
        time.sleep(4)
        air.say('fault', deaf='reset')
        took = listens(air, 'p0', 30, capture)
        assert air.report()['resets'] == 2, air.report()
        return f'{took:.2f} s'


def noise():
    """garbage between packets, a truncated packet, packets in pieces, slow answers: none of them causes a reset"""
    with listening('pty') as (air, capture):
        for seed in range(20):
            air.say('inject', garbage=40, seed=seed)
            time.sleep(0.05)
        listens(air, 'p0', 5, capture)
        air.say('fault', cut=5)
        listens(air, 'p0', 5, capture)
        air.say('fault', split=3)
        time.sleep(1)
        listens(air, 'p0', 5, capture)
        return f'{air.report()["resets"]} resets'


def refusals():
    """refused extended scanning falls back to legacy after a reset; an unanswered command is retried until it is answered"""
    with Air() as air:
        air.say('advertise', id='tag', kind='ibeacon')
        air.say('fault', refuse={'2041': 0x11})
        with Capture(air.lines['p0']) as capture:
            listens(air, 'p0', 5, capture)
            report = air.report()
            assert not report['extended_scan'] and report['mixed'] == 0, report
    with Air() as air:
        air.say('advertise', id='tag', kind='ibeacon')
        air.say('fault', swallow=['2042'])
        with Capture(air.lines['p0']) as capture:
            capture.told('does not answer')
            time.sleep(6)
            air.say('fault', clear=True)
            return f'{listens(air, "p0", 5, capture):.2f} s'


def slow():
    """a controller that takes 0.3 s for every answer is slow, not faulty"""
    with Air() as air:
        air.say('advertise', id='tag', kind='ibeacon')
        air.say('fault', delay_s=0.3)
        with Capture(air.lines['p0']) as capture:
            listens(air, 'p0', 8, capture)
            assert air.report()['resets'] == 1 and 'does not answer' not in capture.words()


def undisturbed():
    """while one of two radios comes and goes, the other hears everything"""
    with Air('a=unix', 'b=unix') as air, tempfile.TemporaryDirectory() as folder:
        program = Program([FORECOURT, 'capture', f'{folder}/out.btsnoop', '--config', configured(folder, air.lines)], f'{folder}/words')
        program.start()
        air.wait('scanning', port='a')
        air.wait('scanning', port='b')
        air.say('flood', rate=500, seconds=4, carry='count', ports=['b'])
        for _ in range(3):
            air.say('drop', port='a')
            time.sleep(0.4)
            air.say('replug', port='a')
            time.sleep(0.8)
        air.wait('flood', timeout=10)
        time.sleep(1)
        program.stop()
        heard = [p for _, _, p in packets(f'{folder}/out.b.btsnoop') if p[:2] == b'\x04\x3e']
        assert len(heard) == 2000, len(heard)


CHECKS = replug, hang_up, hang, hardware_error, deaf, deafer, noise, refusals, slow, undisturbed
