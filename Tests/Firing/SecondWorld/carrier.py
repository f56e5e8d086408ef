"""The phone's carrier: a body that shades it, and never stands quite still."""
import numpy as np

from chance import ease, wander

HAND_M, POCKET_M = 1.2, 0.88


class Body:
    """What a body takes from a phone at 2.4 GHz when it stands between phone and receiver: 6 to 12 dB from one in the hand, 11 to 17 dB from one in a
    pocket, in the range that measurements at bodies report."""

    def __init__(self, rng):
        self.behind_hand_db = rng.uniform(6, 12)
        self.behind_pocket_db = rng.uniform(11, 17)
        self.grip_db = rng.uniform(0, 2)
        self.cloth_db = rng.uniform(4, 8)
        self.back_pocket = rng.random() < 0.35

    def shade(self, bearing, in_hand):
        """What the body takes in a direction, which counts from where its carrier looks."""
        turned = np.abs((bearing + np.pi) % (2 * np.pi) - np.pi)
        from_pocket = np.pi - turned if self.back_pocket else turned
        return self.behind_hand_db * in_hand * hidden(turned) + self.behind_pocket_db * (1 - in_hand) * hidden(from_pocket)

    def touch(self, in_hand):
        """What hand or cloth take in all directions."""
        return self.grip_db * in_hand + self.cloth_db * (1 - in_hand)


def hidden(turned):
    """The body begins to hide the phone 70° from straight ahead."""
    return ease((np.degrees(turned) - 70) / 50)


class Track:
    """Where a phone is at each of the times, which way its carrier looks, and how much of it is in the hand (1) or in the pocket (0)."""

    def __init__(self, rng, body, antenna, walk, times):
        self.body, self.antenna, self.times = body, antenna, times
        self.in_hand = walk.in_hand(times)
        self.shell_db = walk.shell_db(times)
        self.facing = walk.facing(times) + wander(rng, times, 0.12, 3)
        # Feet shift, chests breathe, hands move.
        x, y = walk.place(times)
        x = x + wander(rng, times, 0.035, 6) + 0.01 * np.sin(2 * np.pi * 0.3 * times + rng.uniform(0, 6))
        y = y + wander(rng, times, 0.035, 6) + 0.008 * np.sin(2 * np.pi * 0.27 * times + rng.uniform(0, 6))
        before_m = 0.33 * self.in_hand + 0.14 * (1 - self.in_hand) * (-1 if body.back_pocket else 1)
        x = x + before_m * np.cos(self.facing) + wander(rng, times, 0.04, 1.5) * self.in_hand
        z = HAND_M * self.in_hand + POCKET_M * (1 - self.in_hand) + wander(rng, times, 0.04, 1.5) * self.in_hand
        y = y + before_m * np.sin(self.facing)
        self.places = np.c_[x, y, z]
