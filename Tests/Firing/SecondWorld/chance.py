"""Random numbers, and the shapes that are drawn from them."""
import math

import numpy as np

# Each part of a run draws from numbers of its own, so one part can change while the others stay: factors of the seed and of the receiver, constant.
STREAMS = {
    'phone': (577, 0, 3), 'person': (1009, 0, 7), 'place': (7919, 0, 13), 'echoes': (31, 17, 5), 'reception': (37, 101, 9), 'others': (3, 0, 1),
}


def stream(part, seed, receiver=0):
    of_seed, of_receiver, constant = STREAMS[part]
    return np.random.default_rng(seed * of_seed + receiver * of_receiver + constant)


def wander(rng, times, deviation, memory_s, step_s=0.1):
    """A value that strays about zero and after memory_s has forgotten where it was (Ornstein and Uhlenbeck's), at each of the times."""
    kept = math.exp(-step_s / memory_s)
    steps = rng.normal(0, 1, int(times[-1] / step_s) + 3) * math.sqrt(1 - kept * kept)
    value = rng.normal()
    for index, step in enumerate(steps):
        value = kept * value + step
        steps[index] = value
    return deviation * np.interp(times, np.arange(len(steps)) * step_s, steps)


def ease(part):
    """From 0 to 1 while the part goes from 0 to 1, softly at both ends."""
    part = np.clip(part, 0, 1)
    return part * part * (3 - 2 * part)


def during(times, begin, end, edge_s):
    """1 between begin and end, else 0, with soft edges."""
    return ease((times - begin) / edge_s) * ease((end - times) / edge_s)


def limited(decibels, most):
    """What is above zero never exceeds `most`; below there is no bound. Obstacles and opposed waves can take nearly everything, but a small antenna
    has little to give (a dipole's best direction gains 2 dB), and reflections add few dB."""
    return np.where(decibels > 0, most * np.tanh(decibels / most), decibels)
