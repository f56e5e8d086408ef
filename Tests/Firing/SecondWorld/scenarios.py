"""Who comes, and what is true about it."""
from dataclasses import dataclass, field

import numpy as np

from people import Person

# A driver who sits down does so for half a minute.
SIT_S = 30
FAR_M = 45


@dataclass
class Stay:
    begin: float
    end: float


@dataclass
class Story:
    """What somebody did. Without a stay at a pump nothing may fire."""
    person: Person
    stays: list = field(default_factory=list)
    pump: str = 'pump-1'
    # An earlier fire is wrong.
    since: float = 0
    # Cars that come and go around the pumps shade them, all by so much, for some two minutes each.
    traffic_db: float = 0


def stands(person, pump_x, seconds, **options):
    arrived = person.stands_at(pump_x, seconds, **options)
    return Stay(arrived, person.now)


def at_first_pump(seconds, sits_s=0, returns=False, traffic_db=0):
    """Visits of pump 1. Where there are two radios, a van stands before the other one for half a minute in four of ten."""
    def play(rng, distance_m):
        person = Person(rng)
        person.comes_to(0, -FAR_M)
        begin = person.now
        stays = [stands(person, 0, rng.uniform(*seconds) if seconds[0] < seconds[1] else seconds[0], sits_s=sits_s)]
        if distance_m and rng.random() < 0.4:
            person.hide(rng.uniform(begin + 5, person.now - 30), 30, rng.uniform(10, 18), 1)
        if returns:
            shops(person)
            stays.append(stands(person, 0, 45))
        person.parks(begin)
        person.leaves(0, -FAR_M)
        return Story(person, stays, since=stays[0].begin - 15, traffic_db=traffic_db)
    return play


def shops(person):
    person.go(3, 15, 1.2)
    person.enter(person.rng.uniform(0, 10))
    person.wait(90)
    person.get_out()
    person.go(0.5, 2, 1.2)


def next_pump(rng, distance_m):
    """Somebody visits pump 2; in four of ten a van hides him from pump 1's radio somewhat."""
    person = Person(rng)
    person.comes_to(distance_m, distance_m + FAR_M)
    if rng.random() < 0.4: person.hide(person.now, 400, rng.uniform(4, 9), 0)
    stay = stands(person, distance_m, rng.uniform(60, 180))
    person.leaves(distance_m, distance_m + FAR_M)
    return Story(person, [stay], 'pump-2', since=stay.begin - 15)


def neighbour(rng, _):
    """A radio alone, and somebody who stands 3 to 5 m away: at the next pump, which has none."""
    person = Person(rng)
    away, angle = rng.uniform(3, 5), rng.uniform(-0.6, 0.6)
    x, y = away * np.cos(angle), away * np.sin(angle)
    person.comes_to(x, x + FAR_M)
    if rng.random() < 0.4: person.hide(person.now, 400, rng.uniform(4, 9), 0)
    lingers(person, rng.uniform(60, 180), lambda: (x + rng.normal(0, 0.25), y + rng.normal(0, 0.25)), may_take=True)
    person.leaves(x, x + FAR_M)
    return Story(person)


def between(rng, distance_m):
    """Somebody stands midway between two pumps, a metre in front of their row."""
    person, middle = Person(rng), distance_m / 2
    person.comes_to(middle, middle + 50)
    lingers(person, rng.uniform(60, 120), lambda: (middle + rng.normal(0, 0.3), 0.9 + rng.normal(0, 0.15)))
    person.leaves(middle, middle + 50)
    return Story(person)


def lingers(person, seconds, somewhere, may_take=False):
    end = person.now + seconds
    while person.now < end:
        person.go(*somewhere(), 0.8)
        person.looks_anywhere()
        if may_take: person.may_take_the_phone()
        person.wait(person.rng.uniform(8, 25))


def walks_past(rng, distance_m):
    """Somebody walks along the pumps at 1 to 2 m without a stop."""
    person = Person(rng)
    y = rng.uniform(1, 2) * rng.choice([-1, 1])
    person.begin(-30, y)
    person.wait(5)
    person.go(distance_m + 30, y, rng.uniform(1, 1.5))
    person.wait(20)
    return Story(person)


def street(rng, distance_m):
    """Somebody waits for four minutes 8 to 15 m away; half the time a lorry stands between for 30 seconds."""
    person = Person(rng)
    y, x, side = rng.uniform(8, 15), rng.uniform(-5, distance_m + 5), rng.choice([-1, 1])
    person.begin(-40, y * side)
    person.wait(5)
    person.go(x, y * side, 1.3)
    end = person.now + 240
    if rng.random() < 0.5: person.hide(person.now + rng.uniform(20, 180), 30, rng.uniform(10, 20))
    while person.now < end:
        person.looks_anywhere()
        person.wait(rng.uniform(8, 30))
        person.go(x + rng.normal(0, 0.6), side * max(8, y + rng.normal(0, 0.4)), 0.8)
        person.may_take_the_phone()
    person.go(50, y * side, 1.3)
    person.wait(20)
    return Story(person)


def waits_in_the_car(rng, _):
    """A driver waits for three minutes 5 to 6 m from pump 1 (half of them get out there for a minute), then drives up to it. A fire before that is
    wrong."""
    person = Person(rng)
    person.by_car = True
    person.begin(-FAR_M, 3)
    person.enter(rng.uniform(5, 10))
    person.wait(6)
    away = rng.uniform(5, 6)
    person.go(-12, 2.8, 6)
    person.go(-np.sqrt(away * away - 2.5 ** 2), 2.5, 2)
    end = person.now + 180
    if rng.random() < 0.5:
        person.wait(rng.uniform(10, 60))
        person.get_out()
        for _ in range(5):
            person.looks_anywhere()
            person.wait(rng.uniform(8, 15))
        person.enter(8)
    person.wait(max(end - person.now, 1))
    drives_up = person.now
    person.go(rng.uniform(-0.8, 0.8), 2.5, 1.5)
    person.wait(rng.uniform(3, 8))
    person.get_out()
    stay = stands(person, 0, rng.uniform(60, 120))
    person.leaves(0, FAR_M)
    return Story(person, [stay], since=drives_up)


SCENARIOS = {
    'visit': at_first_pump((60, 300)),
    'sits-down': at_first_pump((100, 300), sits_s=SIT_S),
    'long-visit': at_first_pump((1200, 1200)),
    'long-in-traffic': at_first_pump((1200, 1200), traffic_db=3),
    'comes-again': at_first_pump((60, 60), returns=True),
    'waits-in-car': waits_in_the_car,
    'next-pump': next_pump,
    'neighbour': neighbour,
    'between': between,
    'walks-past': walks_past,
    'street': street,
}
