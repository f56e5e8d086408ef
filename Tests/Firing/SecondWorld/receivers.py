"""Antennas, and what a cheap Bluetooth receiver makes of the power at its antenna."""
import math

import numpy as np

from chance import limited


class Antenna:
    """A small antenna beside metal and plastic: its gain depends on the direction, and on each advertising channel a little differently."""

    def __init__(self, rng, deviation_db, most_db):
        self.most_db = most_db
        self.harmonics = np.arange(1, 5)
        weights = np.array([1, 0.8, 0.6, 0.45])
        weights = weights / np.sqrt((weights * weights).sum())
        self.parts = rng.normal(0, 1, 4) * weights * deviation_db
        self.phases = rng.uniform(0, 2 * np.pi, 4)
        self.channel_parts = rng.normal(0, 0.35, (3, 4)) * weights * deviation_db
        self.channel_phases = rng.uniform(0, 2 * np.pi, (3, 4))

    def gain(self, angles, channels):
        same = (self.parts * np.cos(np.outer(angles, self.harmonics) + self.phases)).sum(1)
        own = (self.channel_parts[channels] * np.cos(angles[:, None] * self.harmonics + self.channel_phases[channels])).sum(1)
        return limited(same + own, self.most_db)


class Receiver:
    """One radio of the gateway, as high as a card reader in a pump."""

    def __init__(self, rng, x):
        self.place = np.array([x, 0, rng.uniform(1.2, 1.6)])
        # Two boards of one kind differ by so much.
        self.gain_db = rng.normal(0, 2)
        self.antenna = Antenna(rng, 2.5, most_db=4)
        # Where the amplifier changes its range, the reading jumps.
        self.jump_db = rng.uniform(-1.5, 1.5)
        self.jumps_at_dbm = rng.uniform(-62, -50)
        self.begins_s = rng.uniform(0, 0.18)

    def channels(self, times):
        """The receiver hears one of the three channels at a time, 60 ms each."""
        return ((times + self.begins_s) // 0.06).astype(int) % 3

    def reads(self, rng, levels):
        """(which packets it receives, the RSSI that it reports for each): whole dBm, 127 where it has none."""
        levels = levels + self.gain_db
        levels = levels + self.jump_db * (levels > self.jumps_at_dbm)
        # Close by, the first stage saturates.
        levels = np.where(levels > -40, -40 + 0.7 * (levels + 40), levels)
        received = rng.random(len(levels)) >= chance_to_lose(levels)
        readings = np.clip(np.round(levels + rng.normal(0, 1, len(levels))), -105, -25)
        readings = np.where(rng.random(len(levels)) < 0.002, 127, readings)
        return received, readings.astype(int)


def chance_to_lose(levels):
    """Half the packets at -95 dBm; of loud ones 5 %, while the receiver changes its channel. Others' packets, at -78 dBm ± 8 dB, spoil up to a third
    of those that are not 6 dB louder."""
    heard = 1 / (1 + np.exp(-(levels + 95) / 1.3))
    stronger = 0.5 * (1 - np.array([math.erf((level - 6 + 78) / 8 / math.sqrt(2)) for level in levels]))
    return 1 - heard * 0.95 * np.exp(-0.45 * stronger)
