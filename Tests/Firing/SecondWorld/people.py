"""What people do at a petrol station."""
import numpy as np

from rays import Car
from walk import Walk


class Person(Walk):
    """Six in ten come by car; half hold the phone in the hand, a quarter have it in a pocket, the others change now and then."""

    def __init__(self, rng):
        super().__init__()
        self.rng = rng
        self.by_car = rng.random() < 0.6
        self.carries = rng.choice(['hand', 'hand', 'mixed', 'pocket'])
        self.car = None
        self.carry(1 if self.carries == 'hand' else 0)

    def comes_to(self, pump_x, from_x):
        rng, side = self.rng, np.sign(from_x - pump_x)
        if not self.by_car:
            self.begin(from_x, rng.uniform(1, 8))
            self.wait(rng.uniform(5, 10))
            return self.go(pump_x + side * 4, 2, rng.uniform(1, 1.5))
        self.begin(from_x, 3, facing=np.pi if side > 0 else 0)
        self.enter(rng.uniform(5, 10))
        self.wait(rng.uniform(5, 10))
        stops_x = pump_x + rng.uniform(-0.9, 0.9)
        self.go(stops_x + side * 8, 3, 7)
        self.go(stops_x, 2.5, 3)
        self.wait(rng.uniform(3, 12))
        self.get_out()

    def stands_at(self, pump_x, seconds, sits_s=0):
        """Stands within reach of the pump for so long, at several places, looking at it half the time; returns when he arrived. May sit down in
        the car once."""
        rng, end, arrived = self.rng, self.now + seconds, None
        while self.now < end - 1:
            first = arrived is None
            reach, angle = rng.uniform(0.6, 1.2 if first else 1.4), np.pi / 2 + rng.uniform(-1, 1)
            x, y = pump_x + reach * np.cos(angle), reach * np.sin(angle)
            self.go(x, y, 0.8)
            if first: arrived = self.now
            self.turns_about(np.arctan2(-y, pump_x - x), self.now + min(rng.uniform(15, 60), end - self.now), first)
            if sits_s and not first and end - self.now > 40:
                self.sits_down(pump_x, sits_s)
                sits_s = 0
        return arrived

    def turns_about(self, to_pump, end, first):
        """At first he most likely looks at the pump, which he has come for."""
        rng = self.rng
        while self.now < end - 0.5:
            draw = rng.random()
            if first and draw < 0.75 or draw < 0.5:
                self.turn(to_pump + rng.normal(0, 0.35))
            elif draw < 0.75:
                self.turn(to_pump + np.pi + rng.normal(0, 0.5))
            else:
                self.looks_anywhere()
            self.may_take_the_phone()
            self.wait(min(rng.uniform(6, 25), end - self.now + 0.01))
            first = False

    def sits_down(self, pump_x, seconds):
        rng, x, y = self.rng, *self.here
        self.go(pump_x + rng.uniform(-0.7, 0.7), 2.4, 1)
        self.turn(rng.choice([0, np.pi]))
        self.enter(rng.uniform(5, 9))
        self.wait(seconds)
        self.get_out()
        self.go(x, y, 1)

    def looks_anywhere(self):
        self.turn(self.rng.uniform(0, 6.28))

    def may_take_the_phone(self):
        """Or put it away."""
        if self.carries == 'mixed' and self.rng.random() < 0.4: self.carry(float(self.rng.random() < 0.5))

    def leaves(self, pump_x, to_x):
        """And the air goes on for 80 seconds, so that every visit ends."""
        rng = self.rng
        if self.by_car:
            self.go(pump_x, 2.5, 1)
            self.enter(8)
            self.wait(rng.uniform(3, 15))
            self.go(pump_x + np.sign(to_x - pump_x) * 5, 3, 3)
            self.go(to_x, 3, 8)
        else:
            self.go(to_x, rng.uniform(2, 6), 1.3)
        self.wait(80)

    def parks(self, since):
        """The car has stood beside the pump since then, and does so for ten seconds more."""
        if self.by_car: self.car = Car(self.rng.uniform(-0.8, 0.8), self.rng.uniform(1.75, 2.2), since, self.now + 10)
