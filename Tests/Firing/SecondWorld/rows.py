"""The rows of the table, and how much may go wrong in the small set that deploy/test.sh runs."""
from dataclasses import dataclass

# What may go wrong in a run.
WORDS = ('missed', 'wrong', 'twice', 'early')


@dataclass(frozen=True)
class Row:
    scenario: str
    # Between the two pumps, each with a radio; 0 is one radio alone.
    pumps_m: int
    is_measured: bool = True

    def __str__(self):
        pumps = f'{self.pumps_m} m' if self.pumps_m else 'one'
        return f'{self.scenario:16} {pumps:5} {"measured" if self.is_measured else "unknown":8}'


def rows(scenario, *distances):
    return [Row(scenario, metres, is_measured) for metres in distances for is_measured in (True, False)]


VISITS = ['visit', 'sits-down', 'long-visit', 'long-in-traffic', 'comes-again', 'waits-in-car']
ROWS = [row for name in VISITS for row in rows(name, 8, 0)]
ROWS += rows('next-pump', 8, 4) + rows('neighbour', 0) + rows('between', 8, 6) + rows('walks-past', 8, 0) + rows('street', 8, 0)


@dataclass(frozen=True)
class Bound:
    """So many odd seeds, and in how many of them each may happen: never, if nothing is said."""
    count: int
    missed: int = 0
    wrong: int = 0
    twice: int = 0
    early: int = 0


# Behind each bound stands what was last seen: a change of the rules may cost a little. Whoever visits a pump is never served twice, nor elsewhere.
BOUNDS = {
    Row('visit', 8): Bound(40, missed=4),  # 2
    Row('visit', 0): Bound(30, missed=6),  # 4
    Row('sits-down', 8): Bound(40, missed=4),  # 2
    Row('sits-down', 0): Bound(40, missed=9),  # 6
    Row('long-visit', 8): Bound(10, missed=1),  # 0
    Row('long-in-traffic', 8): Bound(20, missed=1),  # 0
    Row('long-in-traffic', 8, False): Bound(10, missed=2),  # 0
    Row('comes-again', 8): Bound(30, missed=4),  # 2
    Row('comes-again', 0): Bound(20, missed=7),  # 5
    Row('waits-in-car', 8): Bound(20, missed=5, wrong=2),  # 3, 1
    Row('next-pump', 8): Bound(30, missed=2),  # 0
    Row('next-pump', 4): Bound(30, missed=2, wrong=1),  # 0, 0
    Row('neighbour', 0): Bound(30, wrong=5),  # 3
    Row('between', 8): Bound(30, wrong=11),  # 8
    Row('walks-past', 8): Bound(40, wrong=10),  # 7
    Row('walks-past', 0): Bound(40, wrong=2),  # 0
    Row('street', 8): Bound(30, wrong=1),  # 1: seed 7, 11 m away
    Row('street', 8, False): Bound(30),
    Row('street', 0): Bound(20),
}
