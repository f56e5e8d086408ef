"""How much of a phone's power arrives: the sum of what goes straight, by the ground, the canopy, a car's side, and everything else.

Each ray has a length, which turns its phase, and a loss; so rays cancel each other at some places and on some of the three channels. There is no path
loss exponent. Powers are in dB against one metre of empty space.
"""
from dataclasses import dataclass

import numpy as np

from chance import ease, limited
from receivers import Receiver

# Radians for each metre, of the advertising channels 37, 38 and 39.
WAVES = 2 * np.pi * np.array([2402e6, 2426e6, 2480e6]) / 299792458
SHADOW_WAVES = 24


class Site:
    """One petrol station: receivers in a row, concrete below, and mostly a metal canopy above."""

    def __init__(self, rng, receivers_x):
        self.receivers = [Receiver(rng, x) for x in receivers_x]
        # ITU-R P.2040 has 5.2 for concrete. The rougher, the less it reflects.
        self.permittivity = rng.uniform(4, 6.5)
        self.smoothness = rng.uniform(0.6, 0.95)
        self.has_canopy = rng.random() < 0.8
        self.canopy_m = rng.uniform(4.2, 5.2)
        # Of everything that is reflected twice and more, at one metre.
        self.diffuse_db = -8 + rng.normal(0, 1.5)
        self.shadow_db = rng.uniform(1.5, 3)
        # How much of the power is polarised vertically, which the ground swallows at some angles.
        self.vertical = rng.uniform(0.3, 1)

    def ground(self, sine):
        """Fresnel's reflection of a ray that meets the ground at this angle."""
        cosine2 = 1 - sine * sine
        root = np.sqrt(self.permittivity - cosine2 + 0j)
        horizontal = (sine - root) / (sine + root)
        vertical = (self.permittivity * sine - root) / (self.permittivity * sine + root)
        return self.smoothness * (self.vertical * vertical + (1 - self.vertical) * horizontal)


class Echoes:
    """What one receiver hears by ways that nobody could name: twenty plane waves, and obstacles that shade some places."""

    def __init__(self, rng):
        count = 20
        azimuth, elevation = rng.uniform(0, 2 * np.pi, count), rng.uniform(-0.5, 0.5, count)
        self.directions = np.c_[np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)]
        parts = np.sqrt(rng.exponential(1, count))
        self.parts = parts / np.sqrt((parts * parts).sum())
        self.phases = rng.uniform(0, 2 * np.pi, count)
        # 15 m more than the straight way are 50 ns, which makes the channels differ.
        self.detours_m = rng.exponential(15, count)
        # Some come by cars and people that move.
        self.moving = np.flatnonzero(rng.random(count) < 0.35)
        # Who walks 2.5 m is in another shadow.
        self.shadow_waves = rng.normal(0, 1 / 2.5, (SHADOW_WAVES, 2))
        self.shadow_phases = rng.uniform(0, 2 * np.pi, SHADOW_WAVES)

    def sum(self, places, waves, stirred):
        phases = self.phases + waves[:, None] * (places @ self.directions.T) + waves[:, None] * self.detours_m + stirred
        return (self.parts * np.exp(1j * phases)).sum(1)

    def shadow(self, places, deviation_db):
        waves = np.cos(places[:, :2] @ self.shadow_waves.T + self.shadow_phases).sum(1)
        return limited(deviation_db * np.sqrt(2 / SHADOW_WAVES) * waves, 4)


@dataclass
class Car:
    """The side of a car that stands at the pump: a sheet of metal 4.6 m long, beyond whoever stands between it and the pump."""
    x: float
    y: float
    comes_s: float
    goes_s: float

    def mirrors(self, times, places, receiver):
        """Where the image of the receiver is, from which direction its ray comes, and how much of it is reflected."""
        image_y = 2 * self.y - receiver[1]
        met = (self.y - receiver[1]) / np.maximum(image_y - places[:, 1], 0.3)
        x = receiver[0] + (places[:, 0] - receiver[0]) * np.clip(met, 0, 1)
        stands = (times > self.comes_s) & (times < self.goes_s) & (places[:, 1] < self.y)
        return image_y, x, 0.6 * stands * ease((2.3 - np.abs(x - self.x)) / 0.4)


def level(site, echoes, receiver, track, channels, stirred, loss_db, car):
    """The power of each packet at the receiver's antenna."""
    waves = WAVES[channels]
    x, y, z = (track.places - receiver.place).T
    flat = np.hypot(x, y)
    straight = np.maximum(np.sqrt(flat * flat + z * z), 0.2)
    bearing = np.arctan2(-y, -x) - track.facing
    gain = receiver.antenna.gain(np.arctan2(y, x), channels) + track.antenna.gain(bearing, channels)
    body = track.body.shade(bearing, track.in_hand)
    loss = track.body.touch(track.in_hand) + loss_db

    def ray(length, decibels):
        return 10 ** ((decibels - loss) / 20) / length * np.exp(-1j * waves * length)

    def image(height):
        """The length of the way by a mirror so far above or below, and the sine of its angle."""
        length = np.sqrt(flat * flat + height * height)
        return length, height / length

    field = ray(straight, gain - body)
    # Steep rays leave an upright antenna weaker, and pass its carrier's body partly.
    below, sine = image(track.places[:, 2] + receiver.place[2])
    field = field + site.ground(sine) * ray(below, gain - 0.7 * body - 12 * sine ** 2)
    if site.has_canopy:
        above, sine = image(2 * site.canopy_m - receiver.place[2] - track.places[:, 2])
        field = field - 0.75 * ray(above, gain - 0.4 * body - 14 * sine ** 2)
    if car:
        image_y, met_x, reflected = car.mirrors(track.times, track.places, receiver.place)
        length = np.sqrt(x * x + (track.places[:, 1] - image_y) ** 2 + z * z)
        to_car = np.arctan2(car.y - track.places[:, 1], met_x - track.places[:, 0]) - track.facing
        from_car = np.arctan2(car.y - receiver.place[1], met_x - receiver.place[0])
        field = field - reflected * ray(length, receiver.antenna.gain(from_car, channels) - track.body.shade(to_car, track.in_hand))
    diffuse = site.diffuse_db - 15 * np.log10(straight) - loss - 2 * track.in_hand
    field = field + 10 ** (diffuse / 20) * echoes.sum(track.places, waves, stirred)
    return 20 * np.log10(np.abs(field) + 1e-9) + echoes.shadow(track.places, site.shadow_db)
