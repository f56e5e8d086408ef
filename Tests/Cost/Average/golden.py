#!/usr/bin/env python3
"""Writes Tests/Firing/Recordings/average_golden.csv: what the average must answer, packet by packet.  ./golden.py [--check]

Lines that begin with `scenario` name one and give its time_constant_s, window_samples, outlier_db and stale_s; the others are
t_us, level → verdict, mean, weight, variance, samples, doubt, interval (empty before there is one), distance, low, high
(the last three for -59 dBm at 1 m and an exponent of 1.8).
"""

import os
import random
import sys

from average import Average, Settings, bounds, distance, doubt

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Firing", "Recordings", "average_golden.csv")


def packets(hz, *parts, spread=4.5, loss=0.0, double=0.0, seed=1):
    """`parts` are (seconds, level, level at the end); the spread is Gaussian, one packet in fifty fades by 25 dB."""
    dice, t, begin = random.Random(seed), 0.0, 0.0
    for length, first, final in parts:
        while t < begin + length:
            level = first + (final - first) * (t - begin) / length + dice.gauss(0, spread)
            level = round(level - (25 if spread and dice.random() < 0.02 else 0))
            if dice.random() >= loss:
                yield round(t * 1e6), min(max(level, -127), 20)
                if dice.random() < double:
                    yield round(t * 1e6) + 3000, min(max(level + dice.randrange(-1, 2), -127), 20)
            t += 1 / hz + dice.random() * 0.01
        begin += length


def scenarios():
    usual = Settings()
    yield "standing at 10 Hz", usual, packets(10, (12, -72, -72))
    yield "a step up at 10 Hz", usual, packets(10, (6, -85, -85), (6, -65, -65), spread=0)
    yield "a step down at 2 Hz", usual, packets(2, (12, -62, -62), (12, -82, -82), spread=3)
    yield "a walk at 10 Hz, 40 % lost", usual, packets(10, (4, -88, -88), (12, -88, -60), (6, -60, -60), loss=0.4)
    yield "25 Hz with doubled rows", usual, packets(25, (4, -70, -70), (3, -58, -58), spread=6, double=0.4)
    yield "1 Hz, 40 % lost", usual, packets(1, (40, -75, -75), (30, -60, -60), loss=0.4)
    yield "a packet in four seconds", usual, packets(0.25, (100, -78, -78), (60, -66, -66))
    yield "one odd packet", usual, ((i * 100_000, -40 if i == 30 else -75) for i in range(45))
    yield "an odd first packet", usual, ((i * 100_000, -40 if i == 0 else -75) for i in range(30))
    yield "silences", usual, (
        (t, level)
        for i, start in enumerate((0, 14_000_000, 32_000_000, 50_000_001, 400_000_000))
        for t, level in ((start + j * 500_000, -80 + 4 * i + j % 3) for j in range(6))
    )
    yield "a clock that goes back", usual, (
        (t, -70 + i % 5) for i, t in enumerate((0, 100_000, 200_000, 150_000, 40_000, 210_000, 210_000, 300_000, 400_000))
    )
    yield "the ends of the scale", usual, ((i * 200_000, (-127, 20)[i // 12 % 2]) for i in range(48))
    other = Settings(time_constant_s=1.5, window_samples=3, outlier_db=20.0, stale_s=3.0)
    yield "other settings", other, packets(5, (6, -70, -70), (8, -90, -90), (6, -55, -80), loss=0.2, seed=2)


def lines():
    for name, s, heard in scenarios():
        yield f"scenario,{name.replace(',', ';')},{s.time_constant_s!r},{s.window_samples},{s.outlier_db!r},{s.stale_s!r}"
        state = Average(s)
        for t_us, level in heard:
            verdict = state.observe(t_us, level)
            sd = doubt(state)
            figures = [state.mean, state.weight, state.variance, state.samples, sd]
            figures += ["" if state.interval is None else state.interval]
            figures += [distance(state.mean, -59, 1.8), *bounds(state.mean, sd, -59, 1.8)]
            yield ",".join([str(t_us), str(level), verdict, *(f if f == "" else f"{f:.10g}" for f in figures)])


if __name__ == "__main__":
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if open(PATH).read() == text else "Tests/Firing/Recordings/average_golden.csv is not what golden.py makes")
    open(PATH, "w").write(text)
