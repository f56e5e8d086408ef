"""One run: somebody comes, the radios hear the phone, the gateway replays what they heard."""
import json
import subprocess

import numpy as np

import adverts
import rays
from carrier import Body, Track
from chance import during, stream, wander
from receivers import Antenna
from scenarios import SCENARIOS
from walk import Walk

MATCH = {True: 'ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:*', False: 'service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@*'}


class Trial:
    """A scenario, a seed, the distance of the two pumps (0: one radio alone), and whether somebody has measured the phone's power."""

    def __init__(self, scenario, seed, distance_m, is_measured):
        self.seed, self.distance_m, self.is_measured = seed, distance_m, is_measured
        rng = stream('phone', seed)
        self.habit = rng.choice(adverts.HABITS)
        # At one metre. Phones differ more than those that somebody has chosen and measured.
        self.power_dbm = float(np.clip(rng.normal(-60, 4) if is_measured else rng.normal(-62, 6), -78, -46))
        self.story = SCENARIOS[scenario](stream('person', seed), distance_m)
        self.receivers_x = [0, distance_m] if distance_m else [0]

    def heard(self, walk, habit, index, car=None, traffic_db=0):
        """(time, RSSI) of each packet that one radio receives. The same seed makes the same site, body and antennas."""
        rng = stream('place', self.seed)
        site = rays.Site(rng, self.receivers_x)
        antenna, body = Antenna(rng, 2, most_db=3), Body(rng)
        track = Track(rng, body, antenna, walk, adverts.times(rng, walk.now, habit))
        receiver, times = site.receivers[index], track.times
        echoes = rays.Echoes(stream('echoes', self.seed, index))
        rng = stream('reception', self.seed, index)
        stirred = stir(rng, times, echoes)
        loss_db = track.shell_db + walk.hidden_db(times, index) + passers_db(rng, times, walk.now) + doors_db(rng, times, walk.now)
        drift_db = wander(rng, times, 1.2, 60, 0.5)
        if traffic_db: drift_db = drift_db + wander(rng, times, traffic_db, 120, 0.5)
        level = rays.level(site, echoes, receiver, track, receiver.channels(times), stirred, loss_db, car)
        received, readings = receiver.reads(rng, self.power_dbm + level + drift_db)
        return list(zip(times[received].tolist(), readings[received].tolist()))

    def measured_dbm(self):
        """What an installer measures: half a minute one metre before the first radio, the phone in the hand."""
        walk = Walk()
        walk.begin(0, 1, facing=-np.pi / 2)
        walk.carry(1)
        for x in (-0.25, 0, 0.25):
            walk.go(x, 1, 0.5, looks_ahead=False)
            walk.turn(-np.pi / 2 + x * 0.6)
            walk.wait(10)
        readings = [rssi for _, rssi in self.heard(walk, '100ms', 0) if rssi != 127]
        return round(np.mean(readings))

    def write(self, folder, more=''):
        """The captures and the configuration, whose triggers have these lines more."""
        measured_dbm = self.measured_dbm() if self.is_measured else None
        data = adverts.payload(measured_dbm)
        address = bytes([1 + self.seed % 200, 2, 3, 4, 5, 0xc6])
        story, captures = self.story, []
        for index in range(len(self.receivers_x)):
            phone = self.heard(story.person, self.habit, index, story.person.car, story.traffic_db)
            # The radio stamps a packet at its end.
            records = [(at + 0.0012, adverts.report(address, rssi, data, not self.is_measured)) for at, rssi in phone]
            captures.append(folder / f'radio-{index + 1}.btsnoop')
            adverts.write(captures[-1], records + list(adverts.others(stream('others', self.seed), story.person.now)))
        config = folder / 'config.toml'
        config.write_text(self.config(measured_dbm, more))
        return captures, config

    def config(self, measured_dbm, more):
        match = MATCH[self.is_measured]
        text = 'gateway.purpose = "test"\n'
        if self.is_measured: text += f'[[calibration.device]]\nmatch = "{match}"\nmeasured_power_dbm = {measured_dbm}\n'
        is_alone = not self.distance_m
        for index, x in enumerate(self.receivers_x):
            text += f'[[radio]]\nname = "radio-{index + 1}"\nadapter = "hci{index}"\n' + ('' if is_alone else f'at_m = [{x}, 0]\n')
        for number in range(1, len(self.receivers_x) + 1):
            text += f'[[trigger]]\nname = "pump-{number}"\nmatch = "{match}"\n' + ('' if is_alone else f'radio = "radio-{number}"\ngroup = "pumps"\n')
            text += more
        return text


def stir(rng, times, echoes):
    """How far the phases of the moving echoes have turned: steadily by a car that rolls, and back and forth by people."""
    turned = np.zeros((len(times), len(echoes.parts)))
    for index in echoes.moving:
        turned[:, index] = rng.uniform(-1, 1) * times * 0.5 + wander(rng, times, 1.2, 2, 0.25)
    return turned


def passers_db(rng, times, end):
    """Somebody walks between phone and radio every 25 s, for a second."""
    loss, now = np.zeros(len(times)), rng.exponential(25)
    while now < end:
        loss += rng.uniform(2, 8) * np.exp(-((times - now) / 0.5) ** 2)
        now += rng.exponential(25)
    return loss


def doors_db(rng, times, end):
    """A car's door, a boot, a raised bonnet: it shades or reflects for some seconds, about once a minute."""
    loss, now = np.zeros(len(times)), rng.exponential(60)
    while now < end:
        seconds = rng.uniform(3, 9)
        loss += rng.uniform(-3, 5) * during(times, now, now + seconds, 0.7)
        now += seconds + rng.exponential(60)
    return loss


def replay(program, captures, config):
    """(seconds, trigger) of each fire."""
    done = subprocess.run([program, 'replay', *captures, '--config', config], capture_output=True, text=True, timeout=300)
    if done.returncode: raise SystemExit(f'second-world: {program} ends with {done.returncode}: {done.stderr[-500:]}')
    messages = [json.loads(line) for line in done.stdout.splitlines() if '/trigger/' in line and '"fire"' in line]
    return [(message['t_us'] / 1e6, message['payload']['trigger']) for message in messages if message['payload'].get('event') == 'fire']
