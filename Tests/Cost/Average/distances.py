"""The tables of README.md on distance: path loss, its doubt, and silences."""

import math

import average
import data
from average import Average
from data import median, percentile
from tables import SETS, fit, row, series, table

EXPONENTS = (1.6, 1.8, 2.0, 2.2)
EXPONENT, POWER, DOUBT_DB = 1.8, -59.0, 2.0


def estimates(name):
    """(owner, average, one SD in dB, distance) after every sample."""
    for one in series(name):
        state = Average()
        for s in one.samples:
            state.observe(s.t_us, s.level)
            yield one.owner, state.mean, average.doubt(state), s.distance


def offsets(name, exponent):
    """(level at 1 m that each estimate implies less the owner's median, its SD), for owners heard at 3 distances or more."""
    owners = {}
    for owner, level, sd, distance in estimates(name):
        owners.setdefault(owner, []).append((level + 10 * exponent * math.log10(distance), sd, distance))
    powers, residuals = [], []
    for found in owners.values():
        power = median([f[0] for f in found])
        if len({f[2] for f in found}) >= 3:
            powers.append(power)
            residuals += [(f[0] - power, f[1]) for f in found]
    return powers, residuals


def path_loss():
    yield from table(
        "set", "own fit: n", "power at 1 m", "owners", "their power at 1 m", "SD",
        *(f"calibrated, n = {n}" for n in EXPONENTS), *(f"−59 dBm, n = {n}" for n in EXPONENTS),
    )  # fmt: skip
    for name in SETS:
        f = fit(name)
        powers, _ = offsets(name, EXPONENT)
        cells = []
        for n in EXPONENTS:
            _, residuals = offsets(name, n)
            cells.append(f"{median([abs(r) for r, _ in residuals]) * math.log(10) / (10 * n):.2f}")
        found = list(estimates(name))
        for n in EXPONENTS:
            errors = [abs(POWER - level - 10 * n * math.log10(d)) * math.log(10) / (10 * n) for _, level, _, d in found]
            cells.append(f"{median(errors):.2f}")
        spread = f"{data.deviation(powers):.1f}" if len(powers) > 1 else "–"
        yield row(name, f"{f.exponent:.2f}", f"{f.power:.1f}", str(len(powers)), f"{median(powers):.1f}", spread, *cells)


def covered(residuals, extra):
    reach = average.NINETY_PERCENT
    return sum(abs(r) <= reach * (sd * sd + extra * extra) ** 0.5 for r, sd in residuals) / len(residuals)


def coverage():
    yield from table(
        "set", "calibrated, doubt 0 dB", "calibrated, 2 dB", "one fit for the set, 2 dB", "−59 dBm, 2 dB", "−59 dBm, 8 dB", "high / low",
    )  # fmt: skip
    for name in SETS:
        _, calibrated = offsets(name, EXPONENT)
        f = fit(name)
        found = list(estimates(name))
        pooled = [(f.power - level - 10 * f.exponent * math.log10(d), sd) for _, level, sd, d in found]
        assumed = [(POWER - level - 10 * EXPONENT * math.log10(d), sd) for _, level, sd, d in found]
        width = median([10 ** (2 * average.NINETY_PERCENT * (sd * sd + DOUBT_DB**2) ** 0.5 / (10 * EXPONENT)) for _, _, sd, _ in found])
        yield row(
            name, *(f"{covered(calibrated, e):.0%}" for e in (0, DOUBT_DB)),
            f"{covered(pooled, DOUBT_DB):.0%}", *(f"{covered(assumed, e):.0%}" for e in (DOUBT_DB, 8)), f"{width:.1f}",
        )  # fmt: skip


def shadowing():
    """The floor that covers 90 % of the other five sets' errors, each set counting alike, judged on the sixth."""
    residuals = {name: offsets(name, EXPONENT)[1] for name in SETS}
    floors = [x / 10 for x in range(20, 80)]
    share = {name: {floor: with_floor(residuals[name], floor) for floor in floors} for name in SETS}
    yield from table("set", "90 % of the errors within", "floor of its own", "floor of the others", "covers", "4.5 dB covers")
    for name in SETS:
        others = [other for other in SETS if other != name]
        own = min(floors, key=lambda x: abs(share[name][x] - 0.9))
        lent = min(floors, key=lambda x: abs(sum(share[other][x] for other in others) / len(others) - 0.9))
        yield row(
            name, f"±{percentile([abs(r) for r, _ in residuals[name]], 0.9):.1f} dB", f"{own:.1f} dB", f"{lent:.1f} dB",
            f"{share[name][lent]:.0%}", f"{with_floor(residuals[name], average.SHADOWING_DB):.0%}",
        )  # fmt: skip


def with_floor(residuals, floor):
    change = floor * floor - average.SHADOWING_DB * average.SHADOWING_DB
    return sum(abs(r) <= average.NINETY_PERCENT * (sd * sd + change) ** 0.5 for r, sd in residuals) / len(residuals)


def silences():
    """How often a device that is there goes unheard for longer than stale_s."""
    limits = (5, 10, 15, 20, 30)
    yield from table("set", "median gap", *(f"> {s} s" for s in limits))
    for name in SETS:
        gaps = [(b.t_us - a.t_us) * 1e-6 for one in series(name) for a, b in zip(one.samples, one.samples[1:])]
        gaps = [g for g in gaps if g < 300]
        total = sum(gaps)
        yield row(name, f"{median(gaps):.2f} s", *(f"{sum(g - s for g in gaps if g > s) / total:.2%}" for s in limits))
