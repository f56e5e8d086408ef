"""A power learnt from visits outlives the run.

    $(Tests/Rigs/venv.sh) Tests/Firing/learn.py [NAME…]      $FORECOURT names the program: .build/debug/forecourt unless it says otherwise
"""
import json
import stat
import time

from cases import case, main
from gateway import BASE, Gateway, ask, status
from disk import FaultyDisk
from rig import Air, Mosquitto, Subscriber

# Only a manual trigger serves here: the dwell is longer than the test.
CONFIG = dict(authorization='always', more='[[trigger]]\nname = "till"\nmatch = "name:till-*@*"\ndwell_s = 600\n')


def visit(folder, air, broker):
    """A phone 9 dB stronger than assumed stands there and is served by a manual trigger; the next arming shows what was learnt."""
    gateway = Gateway(folder, adapter=air.lines['p0'], port=broker.port, **CONFIG)
    gateway.env = FaultyDisk(folder).env
    with Subscriber(broker.watch, '#') as seen, gateway:
        status(seen, lambda s: s['state'] == 'online' and s['radios'][0]['state'] == 'scanning')
        time.sleep(4)
        air.say('advertise', id='anna', kind='name', name='till-anna', interval_ms=50, rssi=-50)
        armed = json.loads(seen.wait(lambda m: m.topic == f'{BASE}/trigger/till' and b'"arm"' in m.payload, 10).payload)
        reply = ask(seen, 'trigger', json.dumps({'trigger': 'till', 'id': armed['id']}))
        assert reply['ok'], reply
        time.sleep(7)
        air.say('silence', id='anna')
        # Else the next run goes on with the visit, and no arm comes.
        seen.wait(lambda m: m.topic == f'{BASE}/trigger/till' and b'"leave"' in m.payload, 15)
        gateway.end()
        return armed['evidence']['distance_m'], gateway.said()


@case
def another_run(folder):
    """The second run uses the learnt power from the first packet; a damaged line is reported and skipped."""
    with Air() as air, Mosquitto() as broker:
        before, _ = visit(folder, air, broker)
        kept = folder / 'state' / 'learnt-powers.jsonl'
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        # The file is synced before the rename, the folder after it: a power cut leaves the old file or the new one.
        lines = [line.replace(str(folder / 'state'), '') for line in FaultyDisk(folder).written()]
        written = [line for line in lines if 'learnt' in line or line.endswith(' ')]
        while written[:1] == ['sync ']: del written[0]  # the outbox's own
        assert written[:3] == ['sync /learnt-powers.jsonl.new', 'rename /learnt-powers.jsonl', 'sync '], written
        record = json.loads(kept.read_text())
        assert record['visits'] == 1 and abs(record['power_dbm'] + 49.6) < 1, record
        kept.write_text(kept.read_text() + 'half a li')
        after, said = visit(folder, air, broker)
        assert '1 line skipped: not readable' in said, said
        assert before < 0.5 and 0.8 < after < 1.5, (before, after)


if __name__ == '__main__':
    main()
