"""One person's way through the site: where, looking where, with the phone in the hand or in the pocket, in a car or not."""
from dataclasses import dataclass

import numpy as np

from chance import during


@dataclass
class Obstacle:
    """Something large that stands between the person and some receivers (all, if none is named): a van, a lorry."""
    begin: float
    end: float
    loss_db: float
    receivers: tuple = ()


class Walk:
    """Each call goes on where the last one ended. Metres, seconds, radians; x is along the row of pumps, y away from it."""

    def __init__(self):
        self.now, self.here = 0.0, None
        self.stops, self.turns, self.hands, self.shells, self.obstacles = [], [], [], [], []

    def begin(self, x, y, facing=0.0):
        self.here = (x, y)
        self.wait(0)
        self.turn(facing)

    def turn(self, angle, takes_s=0.8):
        self.turns.append((self.now, angle, takes_s))

    def wait(self, seconds):
        self.now += seconds
        self.stops.append((self.now, *self.here))

    def go(self, x, y, speed, looks_ahead=True):
        dx, dy = x - self.here[0], y - self.here[1]
        length = np.hypot(dx, dy)
        if length < 1e-6: return
        if looks_ahead: self.turn(np.arctan2(dy, dx), 0.5)
        self.now += length / speed
        self.here = (x, y)
        self.stops.append((self.now, x, y))

    def carry(self, in_hand):
        self.hands.append((self.now, in_hand, 0.5))

    def enter(self, loss_db):
        """Gets into a car or behind a wall, which takes so much."""
        self.shells.append((self.now, loss_db, 0.5))

    def get_out(self):
        self.enter(0)

    def hide(self, begin, seconds, loss_db, *receivers):
        self.obstacles.append(Obstacle(begin, begin + seconds, loss_db, receivers))

    def place(self, times):
        when, x, y = np.array(self.stops).T
        return np.interp(times, when, x), np.interp(times, when, y)

    def facing(self, times):
        """People turn the shorter way round."""
        angles = [self.turns[0][1]]
        for _, angle, _ in self.turns:
            angles.append(angles[-1] + (angle - angles[-1] + np.pi) % (2 * np.pi) - np.pi)
        return changing(times, angles[0], [(begin, angle, takes) for (begin, _, takes), angle in zip(self.turns, angles[1:])])

    def in_hand(self, times):
        return changing(times, 1, self.hands)

    def shell_db(self, times):
        return changing(times, 0, self.shells)

    def hidden_db(self, times, receiver):
        """What the obstacles take on the way to this receiver."""
        loss = np.zeros(len(times))
        for obstacle in self.obstacles:
            if not obstacle.receivers or receiver in obstacle.receivers:
                loss += obstacle.loss_db * during(times, obstacle.begin, obstacle.end, 1)
        return loss


def changing(times, value, changes):
    """A value that goes to another one at each change (when, to what, how many seconds that takes)."""
    if changes and changes[0][0] <= 0: value = changes[0][1]
    when, values = [-1], [value]
    for begin, after, takes in changes:
        begin = max(begin, when[-1] + 1e-6)
        when += [begin, begin + takes]
        values += [values[-1], after]
    return np.interp(times, when, values)
