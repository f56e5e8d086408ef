"""Other averages that are quick and calm, tried beside the one that was chosen. All gate at 12 dB from their answer."""

import math


def share_of(elapsed_s, spacing_s=0.15):
    return min(1.0, max(0.05, elapsed_s / spacing_s))


class Scales:
    """Exponential averages of several time constants, the slowest first."""

    def __init__(self, constants, least=4):
        self.constants, self.least = constants, least
        self.means = self.answer = None

    def update(self, t_us, level):
        if self.means is None:
            self.last, self.answer, self.weights = t_us, float(level), [1.0] * len(self.constants)
            self.means = [float(level)] * len(self.constants)
            return False
        elapsed, self.last = (t_us - self.last) * 1e-6, t_us
        share = share_of(elapsed)
        value = self.answer + min(max(level - self.answer, -12), 12)
        for i, tau in enumerate(self.constants):
            self.weights[i] = max(self.weights[i] * math.exp(-elapsed / tau) + share, share * 1.5)
            self.means[i] += share / self.weights[i] * (value - self.means[i])
        return True

    def reach(self, i, spread=5.0, deviations=2.0):
        return deviations * spread / math.sqrt(max(1.0, 2 * self.weights[i] - 1))


def blend(slow=6.0, fast=0.5):
    """The slow average, drawn to the fast one as far as they differ by more than the fast one's noise."""

    class Blend(Scales):
        def __init__(self, fit=None):
            super().__init__([slow, fast])

        def __call__(self, t_us, level):
            if self.update(t_us, level):
                far = abs(self.means[0] - self.means[1]) / self.reach(1)
                part = min(max(2 - far, 0.0), 1.0)
                self.answer = self.means[1] + part * (self.means[0] - self.means[1])
            return self.answer

    return Blend


def agreement(slow=6.0, scales=5):
    """The slowest of several averages that still agrees with every faster one (Lepski's rule)."""

    class Agreement(Scales):
        def __init__(self, fit=None):
            super().__init__([slow / 2**i for i in range(scales)])

        def __call__(self, t_us, level):
            if self.update(t_us, level):
                chosen = scales - 1
                while chosen > 0 and all(
                    abs(self.means[chosen - 1] - self.means[i]) <= self.reach(i) for i in range(chosen, scales)
                ):
                    chosen -= 1
                self.answer = self.means[chosen]
            return self.answer

    return Agreement
