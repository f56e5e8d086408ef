"""What other software does with the same packets, written anew from its published description.

Each filter is made by `Filter(fit)` and called with the time in microseconds and the level in dBm; it answers in dBm.
"""

import math
from bisect import bisect_left, insort

from data import percentile


class Single:
    """No filter: the last packet."""

    def __init__(self, fit=None):
        pass

    def __call__(self, t_us, level):
        return level


class Window:
    """The levels of the last seconds, kept sorted."""

    seconds = 5.0

    def __init__(self, fit=None):
        self.kept, self.ordered, self.first = [], [], 0

    def __call__(self, t_us, level):
        self.kept.append((t_us, level))
        insort(self.ordered, level)
        while t_us - self.kept[self.first][0] >= self.seconds * 1e6:
            self.ordered.pop(bisect_left(self.ordered, self.kept[self.first][1]))
            self.first += 1
        return self.summary(self.ordered)


class Median(Window):
    """The median of the last five seconds."""

    def summary(self, ordered):
        return percentile(ordered, 0.5)


class AltBeaconRunningAverage(Window):
    """Android Beacon Library, RunningAverageRssiFilter: the mean of 20 s without the first and the last tenth.

    Of n > 2 sorted measurements those from n / 10 + 1 to n - n / 10 - 2 (both included) count, in whole numbers.
    """

    seconds = 20.0

    def summary(self, ordered):
        n = len(ordered)
        kept = ordered[n // 10 + 1 : n - n // 10 - 1] if n > 2 else ordered
        return sum(kept) / len(kept)


class AltBeaconARMA:
    """Android Beacon Library, ArmaRssiFilter: m -= 0.1 (m - rssi), where m is stored as an integer.

    The fraction is cut off towards zero, that is upwards: the filter climbs at once and hardly ever comes down again.
    """

    def __init__(self, fit=None):
        self.level = None

    def __call__(self, t_us, level):
        self.level = level if self.level is None else int(self.level - 0.1 * (self.level - level))
        return self.level


def packet_ema(share):
    """A plain exponential average per packet, blind to time."""

    class PacketEMA:
        def __init__(self, fit=None):
            self.level = None

        def __call__(self, t_us, level):
            self.level = float(level) if self.level is None else self.level + share * (level - self.level)
            return self.level

    return PacketEMA


def time_ema(tau):
    """alpha = 1 - exp(-dt / tau), begun with the first packet whole."""

    class TimeEMA:
        def __init__(self, fit=None):
            self.level = None

        def __call__(self, t_us, level):
            if self.level is None:
                self.level = float(level)
            else:
                self.level += (1 - math.exp((self.last - t_us) * 1e-6 / tau)) * (level - self.level)
            self.last = t_us
            return self.level

    return TimeEMA


class ESPresense(Window):
    """ESPresense 4, AdaptivePercentileRSSI: 15 s, the mean of what lies inside Tukey's fence (1.5 interquartile ranges)."""

    seconds = 15.0

    def summary(self, ordered):
        low, high = percentile(ordered, 0.25), percentile(ordered, 0.75)
        reach = 1.5 * (high - low)
        kept = [v for v in ordered if low - reach <= v <= high + reach]
        return sum(kept) / len(kept)


def kalman(process, measurement):
    """room-assistant's use of kalmanjs: one state, per packet, A = C = 1, begun with the first measurement."""

    class Kalman:
        def __init__(self, fit=None):
            self.level = None

        def __call__(self, t_us, level):
            if self.level is None:
                self.level, self.doubt = float(level), measurement
                return self.level
            doubt = self.doubt + process
            gain = doubt / (doubt + measurement)
            self.level += gain * (level - self.level)
            self.doubt = doubt - gain * doubt
            return self.level

    return Kalman


class Bermuda:
    """Bermuda: polled every 1.05 s; leaps faster than 3 m/s away are refused; then 20 readings, each counted as the
    nearest since, are averaged, unless the last reading is nearer still. Works in metres, hence with the fit."""

    def __init__(self, fit):
        self.fit, self.polled, self.readings, self.level = fit, None, [], None

    def __call__(self, t_us, level):
        if self.polled is not None and t_us - self.polled < 1_050_000:
            return self.level
        reading = self.fit.distance(level)
        if self.readings:
            seconds = (t_us - self.polled) * 1e-6
            if (reading - self.readings[0]) / seconds > 3:
                reading = self.readings[0]
        self.polled = t_us
        self.readings = ([reading] + self.readings)[:20]
        nearest, total = reading, 0.0
        for value in self.readings:
            nearest = min(nearest, value)
            total += nearest
        distance = min(reading, total / len(self.readings))
        self.level = self.fit.power - 10 * self.fit.exponent * math.log10(distance)
        return self.level
