"""Made-up signals whose truth is known exactly: steps, one odd packet, somebody who walks up and stands still."""

import math
import random

from data import Fit, percentile

PLAIN = Fit(-59.0, 2.0)


def settling(filter, hz, step, seconds=60.0):
    """Seconds from a step's first packet until the answer stays within a tenth of it; None: not within `seconds`."""
    observe, start = filter(PLAIN), -70 - step // 2
    before, after = int(40 * hz), int(seconds * hz)
    for i in range(before):
        observe(round(i / hz * 1e6), start)
    settled = None
    for i in range(after):
        answer = observe(round((before + i) / hz * 1e6), start + step)
        if abs(answer - start - step) > 0.1 * abs(step):
            settled = None
        elif settled is None:
            settled = i / hz
    return settled


def odd_packet(filter, hz, leap=20):
    """The most, in dB, that one packet moves an average that stood still."""
    observe, moved = filter(PLAIN), 0.0
    for i in range(int(40 * hz) + 6):
        odd = i == int(40 * hz)
        answer = observe(round(i / hz * 1e6), -75 + leap * odd)
        if i >= int(40 * hz):
            moved = max(moved, answer + 75)
    return moved


class Noise:
    """Fading: a spread in dB that forgets itself with the correlation time."""

    def __init__(self, seed, spread=4.5, correlation_s=0.0):
        self.dice, self.spread, self.correlation, self.value = random.Random(seed), spread, correlation_s, 0.0

    def after(self, seconds):
        kept = math.exp(-seconds / self.correlation) if self.correlation else 0.0
        self.value = kept * self.value + math.sqrt(1 - kept * kept) * self.dice.gauss(0, self.spread)
        return self.value


def arrival(filter, hz, seed, loss=0.0, near=1.0, line=1.5, speed=1.0, correlation_s=0.0):
    """Somebody walks up from 20 m to 1 m: seconds from his standing still until the average is inside 1.5 m."""
    noise, observe, t = Noise(seed, correlation_s=correlation_s), filter(PLAIN), 0.0
    arrives, threshold = 5 + (20 - near) / speed, PLAIN.power - 20 * math.log10(line)
    while t < arrives + 60:
        d = max(near, 20 - speed * max(0.0, t - 5))
        level = round(PLAIN.power - 20 * math.log10(d) + noise.after(1 / hz))
        if noise.dice.random() >= loss and observe(round(t * 1e6), level) >= threshold:
            return t - arrives
        t += 1 / hz + noise.dice.random() * 0.01
    return 60.0


def arrivals(filter, hz, seeds=100, **how):
    times = [arrival(filter, hz, seed, **how) for seed in range(seeds)]
    return percentile(times, 0.5), percentile(times, 0.95)


def standing(filter, hz, spread, correlation_s=0.0, minutes=30, seed=5):
    """Standard deviation and the worst error of the average at a level that never changes."""
    noise, observe, t, errors = Noise(seed, spread, correlation_s), filter(PLAIN), 0.0, []
    while t < minutes * 60:
        answer = observe(round(t * 1e6), round(-70 + noise.after(1 / hz)))
        if t > 20:
            errors.append(answer + 70)
        t += 1 / hz + noise.dice.random() * 0.01
    return math.sqrt(sum(e * e for e in errors) / len(errors)), max(abs(e) for e in errors)
