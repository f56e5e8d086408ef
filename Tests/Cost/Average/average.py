"""The average and the distance as Sources/Core computes them, step for step.

State is kept in single precision and every step is computed in double precision, where the product computes in single:
they agree to half a thousandth of a decibel (Tests/Firing/Recordings/average_golden.csv holds the product to it).
"""

import math
import struct


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


# 2**f for |f| <= 1/2, degree 6, relative error below 2.0e-9.
EXP2 = (0.6931472028552, 0.2402264791360, 0.05550332470697, 0.009618437359528, 0.001339887459371, 0.0001535336181556)


def exp2(x):
    x = min(max(x, -1000.0), 1000.0)
    whole = int(x - 0.5) if x < 0 else int(x + 0.5)
    f = x - whole
    c = EXP2
    square = f * f
    low = 1 + f * c[0]
    middle = c[1] + f * c[2]
    high = (c[3] + f * c[4]) + square * c[5]
    return ((low + square * middle) + (square * square) * high) * 2.0**whole


LOG2_E = 1.4426950408889634
LOG2_10 = 3.321928094887362


class Settings:
    """[average] in config.toml, and what only the study changes."""

    time_constant_s = 5.0
    window_samples = 12
    outlier_db = 12.0
    stale_s = 15.0

    spacing_s = 0.15  # packets closer than this tell less than a packet's worth
    least_weight = 0.05
    drift_db = 3.0  # a difference that is still noise
    proof_db = 25.0  # evidence, in dB beyond the drift, that the level is another one
    least_run = 3  # packets without which no evidence counts
    memory = 4  # samples that the average always spans

    def __init__(self, **changes):
        for name, value in changes.items():
            assert hasattr(type(self), name), name
            setattr(self, name, value)


TAKEN, STARTED, HELD, SHIFTED = "taken", "started", "held", "shifted"


def median(levels):
    ordered = sorted(levels)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


class Average:
    def __init__(self, settings=Settings()):
        self.settings = settings
        self.samples = 0
        self.last_us = 0
        self.levels = []
        self.gaps = 0
        self.gap = 0.0
        self.shifts = 0  # counted for the study only
        self.restart(0)

    def restart(self, level):
        self.mean = float(level)
        self.weight = 1.0
        self.variance = 0.0
        self.rise = self.fall = 0.0
        self.rise_run = self.fall_run = 0

    def observe(self, t_us, level):
        s = self.settings
        if self.samples == 0:
            self.last_us = t_us
            return self.start(level)
        elapsed_us = max(t_us - self.last_us, 0)
        self.last_us += elapsed_us
        self.note_gap(elapsed_us)
        if elapsed_us >= s.stale_s * 1e6:
            return self.start(level)

        elapsed = elapsed_us * 1e-6
        weight = min(1.0, max(s.least_weight, elapsed / s.spacing_s))
        value, verdict = self.gated(float(level))
        error = value - self.mean
        older = weight if self.samples == 1 else self.weight * exp2(elapsed * (-LOG2_E / s.time_constant_s))
        total = max(older + weight, weight * min(self.samples + 1, s.memory))
        share = weight / total
        self.weight = single(total)
        self.variance = single((1 - share) * (self.variance + share * error * error))
        self.mean = single(self.mean + share * error)

        self.rise = single(max(0.0, self.rise + weight * (error - s.drift_db)))
        self.rise_run = min(self.rise_run + 1, s.window_samples) if self.rise > 0 else 0
        self.fall = single(max(0.0, self.fall + weight * (-error - s.drift_db)))
        self.fall_run = min(self.fall_run + 1, s.window_samples) if self.fall > 0 else 0

        self.levels = (self.levels + [level])[-s.window_samples :]
        self.samples = min(self.samples + 1, 65535)
        if self.rise > s.proof_db and self.rise_run >= s.least_run:
            return self.shift(self.rise_run, weight)
        if self.fall > s.proof_db and self.fall_run >= s.least_run:
            return self.shift(self.fall_run, weight)
        return verdict

    def start(self, level):
        self.restart(level)
        self.levels = [level]
        self.samples = 1
        return STARTED

    def gated(self, value):
        """A level far from both the average and the window's median counts only as far as the nearer one allows."""
        outlier = self.settings.outlier_db
        if self.samples < 3 or abs(value - self.mean) <= outlier:
            return value, TAKEN
        middle = median(self.levels)
        low, high = min(self.mean, middle) - outlier, max(self.mean, middle) + outlier
        if value < low:
            return low, HELD
        if value > high:
            return high, HELD
        return value, TAKEN

    def shift(self, run, weight):
        """The level has changed: only what was heard since the change began speaks for the new one."""
        outlier = self.settings.outlier_db
        self.levels = self.levels[-run:]
        middle = median(self.levels)
        values = [min(max(float(level), middle - outlier), middle + outlier) for level in reversed(self.levels)]
        mean = sum(values) / run
        variance = sum((value - mean) * (value - mean) for value in values) / run
        self.restart(0)
        self.mean, self.variance, self.weight = single(mean), single(variance), single(weight * run)
        self.samples = run
        self.shifts += 1
        return SHIFTED

    def note_gap(self, elapsed_us):
        if elapsed_us > 120_000_000:  # an absence, not an interval
            self.gaps, self.gap = 0, 0.0
            return
        if elapsed_us < 5_000:  # one advert that came twice, or with its scan response
            return
        self.gaps = min(self.gaps + 1, 16)
        self.gap = single(self.gap + (elapsed_us * 1e-6 - self.gap) / self.gaps)

    @property
    def effective_samples(self):
        return max(1.0, min(float(self.samples), 2 * self.weight - 1))

    @property
    def interval(self):
        return self.gap if self.gaps else None


# -- Distance ------------------------------------------------------------------------------------------------------------

SHADOWING_DB = 4.5
PRIOR_VARIANCE = 25.0
PRIOR_SAMPLES = 2.0
NINETY_PERCENT = 1.645


def doubt(average):
    """One standard deviation, in dB, of what the average says of the distance, the transmitter's power being known."""
    n = average.effective_samples
    noise = (average.variance * n + PRIOR_VARIANCE * PRIOR_SAMPLES) / (n + PRIOR_SAMPLES)
    return math.sqrt(SHADOWING_DB * SHADOWING_DB + noise / n)


def distance(level, measured_power, exponent):
    return exp2((measured_power - level) * LOG2_10 / (10 * exponent))


def bounds(level, doubt_db, measured_power, exponent):
    reach = NINETY_PERCENT * doubt_db
    return distance(level + reach, measured_power, exponent), distance(level - reach, measured_power, exponent)
