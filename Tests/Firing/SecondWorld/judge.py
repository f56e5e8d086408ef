"""What the fires of one run were worth."""
from dataclasses import dataclass

import numpy as np

# Somebody who is as near as this stands at the pump, and who is further away does not.
NEAR_M = 3.2


@dataclass
class Verdict:
    visits: bool
    served: bool = False
    wrong: bool = False
    twice: bool = False
    early: bool = False
    seconds: float = None

    @property
    def missed(self):
        return self.visits and not self.served


def judge(story, distance_m, fires):
    """Served: at the own pump, at the latest five seconds after the first stay. Wrong: at another pump, long before the visit, or for somebody who
    visits none. Twice: a second fire at the own pump, also when he comes again. Early: served while further away than NEAR_M."""
    if not story.stays: return Verdict(visits=False, wrong=bool(fires))
    own = [at for at, pump in fires if pump == story.pump and at >= story.since]
    first = story.stays[0]
    verdict = Verdict(visits=True, served=bool(own) and own[0] <= first.end + 5, wrong=len(own) < len(fires), twice=len(own) > 1)
    if verdict.served:
        x, y = story.person.place(np.array([own[0]]))
        verdict.early = bool(np.hypot(x - (distance_m if story.pump == 'pump-2' else 0), y)[0] > NEAR_M)
        verdict.seconds = own[0] - first.begin
    return verdict
