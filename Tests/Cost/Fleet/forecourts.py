"""Sites of eight pumps: what their gateways hear, what really happens there, and the gateways themselves."""
import collections
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]

from process import die_with_parent

SCENARIO = ROOT / 'Tests' / 'Firing' / 'Scenarios' / 'eight-pumps.toml'
PUMPS, DRIVERS = 8, 8
BEACON = 'ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6'
BYSTANDERS = '''
[bystanders]
count = {count}
corner_m = [-6, 13]
opposite_m = [30, 30]
shortest_interval_ms = 500
longest_interval_ms = 2000
'''
CONFIG = '''[gateway]
purpose = "Is one of many."
name = "{name}"
site = "{site}"
devices = 128
[[radio]]
name = "air"
adapter = "capture:{capture}"
[[calibration.device]]
match = "{beacon}:*"
measured_power_dbm = -59
[[region]]
name = "forecourt"
match = "{beacon}:*"
[[trigger]]
name = "{name}"
match = "{beacon}:*"
group = "pumps"
[privacy]
unknown = "{unknown}"
salt_file = "{folder}/salt"
[mqtt]
port = {port}
version = {version}
[outbox]
path = "{folder}/outbox.db"
'''


class Gateway:
    """One process of the product. It is made ready before the others of its site are, and begins when all of them do."""

    def __init__(self, program, folder, port, **words):
        self.program, self.folder, self.port, self.name, self.site = program, folder, port, words['name'], words['site']
        folder.mkdir()
        self.config = folder / 'config.toml'
        self.config.write_text(CONFIG.format(folder=folder, port=port, beacon=BEACON, **words))
        self.process = None

    def launch(self, starter):
        """It waits for the far end of `starter` to be closed; then the shell becomes the gateway."""
        with open(self.folder / 'words', 'wb') as out:
            self.process = subprocess.Popen(['sh', '-c', 'read -r _; exec "$@"', 'sh', self.program, 'run', '--config', self.config], stdin=starter,
                                            stdout=out, stderr=out, preexec_fn=self._child)

    @staticmethod
    def _child():
        die_with_parent()
        # Whoever started us may come before others; a gateway does not.
        os.setpriority(os.PRIO_PROCESS, 0, 0)

    def stop(self):
        if self.process and self.process.poll() is None: self.process.terminate()

    def wait(self):
        try:
            return self.process.wait(20) if self.process else None
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def stored(self):
        """Every event that it ever stored, and what became of it."""
        said = subprocess.run([self.program, 'events', '--config', self.config, '--json', '--last', '100000'], stdout=subprocess.PIPE, check=True)
        return [json.loads(line) for line in said.stdout.splitlines()]


class Site:
    def __init__(self, number, folder, program, port, devices, seed, version, unknown):
        self.name, self.folder, self.begun = f'site-{number}', folder / f'site-{number}', None
        self.folder.mkdir()
        scenario = self.folder / 'site.toml'
        scenario.write_text(SCENARIO.read_text() + BYSTANDERS.format(count=devices - DRIVERS))
        subprocess.run([program, 'simulate', scenario, '--seed', str(seed), '--out', self.folder / 'air.btsnoop', '--truth',
                        self.folder / 'truth.jsonl'], check=True)
        self.truth = Truth((self.folder / 'truth.jsonl').read_text().splitlines())
        names = [f'pump-{pump}' for pump in range(1, PUMPS + 1)]
        self.gateways = [Gateway(program, self.folder / name, port, name=name, site=self.name, version=version, unknown=unknown,
                                 capture=self.folder / f'air.{name}.btsnoop') for name in names]


class Truth:
    """Who stood where: what a fire may be about, judged as the proving ground judges (Tests/Firing/ProvingGround/Score.swift)."""
    GRACE_S, NEAR_M, LONG_S = 3, 3, 10
    # The driver is still in the car, beside the pump to walk to.
    EARLY_S, BESIDE_M = 15, 4

    def __init__(self, lines):
        self.visits, self.places = [], {}
        for line in map(json.loads, lines):
            if 'visit' in line: self.visits.append(line)
            if 'phone' in line: self.places.setdefault(line['phone'], []).append(line['distance_m'])

    def distance(self, driver, pump, moment):
        places = self.places[driver]
        return places[min(max(round(moment * 2), 0), len(places) - 1)][pump]

    def judge(self, fires):
        """`fires`: (driver, pump, seconds since the site's beginning). `early` ones are at the right pump, and their visit is not missed."""
        seen = collections.Counter(visits=len(self.visits), served=0, early=0, missed=0, wrong=0, elsewhere=0, twice=0)
        waits, rest = [], collections.defaultdict(list)
        for driver, pump, at in fires: rest[driver].append((pump, at))
        for visit in self.visits:
            here = [(pump, at) for pump, at in rest[visit['who']] if self.is_during(visit, visit['who'], at) or self.is_early(visit, visit['who'], at)]
            for fire in here: rest[visit['who']].remove(fire)
            right = [at for pump, at in here if pump == visit['visit']]
            seen['wrong'] += len(here) - len(right)
            seen['twice'] += max(0, len(here) - 1)
            if right and self.is_during(visit, visit['who'], right[0]):
                seen['served'] += 1
                waits.append(max(0, right[0] - visit['stood_s']))
            elif right:
                seen['early'] += 1
            elif visit['moved_s'] - visit['stood_s'] >= self.LONG_S:
                seen['missed'] += 1
        seen['elsewhere'] = sum(map(len, rest.values()))
        return seen, waits

    def is_during(self, visit, driver, moment):
        if not visit['entered_s'] - self.GRACE_S <= moment <= visit['left_s'] + self.GRACE_S: return False
        return moment >= visit['entered_s'] or self.distance(driver, visit['visit'], moment) <= self.NEAR_M

    def is_early(self, visit, driver, moment):
        return visit['entered_s'] - self.EARLY_S <= moment < visit['entered_s'] and self.distance(driver, visit['visit'], moment) <= self.BESIDE_M
