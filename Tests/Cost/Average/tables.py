"""The tables of README.md, each a function that yields lines of Markdown."""

from functools import lru_cache

import candidates
import data
import peers
import trials
from average import Average, Settings
from data import log_errors, median, percentile

WALKS, ROBOT, STANDS = "philotuxo_trk", "kolak_robot", "philotuxo_static"
SETS = list(data.FILES)


def ours(**changes):
    settings = Settings(**changes)

    def make(fit=None):
        state = Average(settings)

        def observe(t_us, level):
            state.observe(t_us, level)
            return state.mean

        return observe

    return make


METHODS = {
    "single packets": (peers.Single, "1"),
    "median of 5 s": (peers.Median, "5 s of packets, sorted"),
    "EMA, τ = 4 s": (peers.time_ema(4), "1"),
    "EMA per packet, α = 0.1": (peers.packet_ema(0.1), "1"),
    "EMA per packet, α = 0.3": (peers.packet_ema(0.3), "1"),
    "AltBeacon running average": (peers.AltBeaconRunningAverage, "20 s of packets, sorted"),
    "AltBeacon ARMA": (peers.AltBeaconARMA, "1"),
    "ESPresense": (peers.ESPresense, "15 s of packets, sorted"),
    "room-assistant, Kalman 0.0008/4": (peers.kalman(0.0008, 4), "2"),
    "room-assistant, Kalman 0.8/15": (peers.kalman(0.8, 15), "2"),
    "Bermuda": (peers.Bermuda, "20 polls"),
    "**forecourt**": (ours(), "12 levels + 6 numbers"),
}


@lru_cache(None)
def series(name):
    return data.load(name)


@lru_cache(None)
def fit(name):
    return data.log_distance_fit(series(name))


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def table(*head):
    return [row(*head), row(*["---"] + ["---:"] * (len(head) - 1))]


def seconds(value):
    return "> 60" if value is None else f"{value:.1f}"


def reference():
    """The figures everybody starts from, so that the yardstick is known to be the same."""
    yield from table("one pooled fit, philotuxo_trk", "median error", "reference")
    f = fit(WALKS)
    for name, figure in (("single packets", "0.68"), ("median of 5 s", "0.47"), ("EMA, τ = 4 s", "0.41")):
        yield row(name, f"{median(log_errors(METHODS[name][0], series(WALKS), f)):.3f}", figure)


def standing(make, name, skip_s):
    """Mean over the series of the standard deviation of the average while nobody moves."""
    found = []
    for one in series(name):
        observe, start, answers = make(fit(name)), one.samples[0].t_us, []
        for s in one.samples:
            answer = observe(s.t_us, s.level)
            if s.t_us - start > skip_s * 1e6:
                answers.append(answer)
        if len(answers) > 20:
            found.append(data.deviation(answers))
    return sum(found) / len(found)


def judged(names_and_methods):
    yield from table(
        "method", "walks", "p90", "robot", "static", "SD 2 Hz", "SD 25 Hz", "10 Hz up", "10 Hz down", "2 Hz up", "2 Hz down",
        "one packet", "arrival 10 Hz", "arrival 1 Hz", "keeps",
    )  # fmt: skip
    for name, (make, keeps) in names_and_methods.items():
        walks = log_errors(make, series(WALKS), fit(WALKS))
        robot = log_errors(make, series(ROBOT), fit(ROBOT))
        static = log_errors(make, series(STANDS), fit(STANDS))
        settle = [seconds(trials.settling(make, hz, step)) for hz in (10, 2) for step in (20, -20)]
        arrive = ["{:.1f} / {:.1f}".format(*trials.arrivals(make, hz)) for hz in (10, 1)]
        yield row(
            name, f"{median(walks):.3f}", f"{percentile(walks, 0.9):.2f}", f"{median(robot):.3f}", f"{median(static):.3f}",
            f"{standing(make, STANDS, 20):.2f}", f"{standing(make, 'mit_matrix', 4):.2f}", *settle,
            f"{trials.odd_packet(make, 10):.1f}", *arrive, keeps,
        )  # fmt: skip


def methods():
    return judged(METHODS)


def tried():
    return judged(
        {
            "time-weighted EMA alone, τ = 5 s": (ours(proof_db=1e9), "1"),
            "slow and fast EMA, blended": (candidates.blend(), "4 numbers"),
            "slowest EMA that agrees": (candidates.agreement(), "10 numbers"),
            "**forecourt**": METHODS["**forecourt**"],
        }
    )


CHANGES = [
    {},
    *({"time_constant_s": v} for v in (3, 4, 6, 8)),
    *({"drift_db": v} for v in (2, 2.5, 3.5, 4)),
    *({"proof_db": v} for v in (20, 30, 35)),
    {"proof_db": 1e9},
    *({"spacing_s": v} for v in (0.1, 0.2)),
    *({"outlier_db": v} for v in (8, 10, 15, 20)),
    *({"window_samples": v} for v in (6, 9, 16)),
    *({"memory": v} for v in (1, 3, 6)),
    *({"least_run": v} for v in (2, 4)),
]


def sensitivity():
    yield from table(
        "one thing changed", "walks", "p90", "robot", "40 % lost", "every 4th", "SD 2 Hz", "10 Hz", "2 Hz", "1 Hz",
        "10 dB, 10 Hz", "arrival 10 Hz", "1 Hz", "worst, white", "worst, 0.15 s",
    )  # fmt: skip
    lossy, sparse = data.thinned(series(WALKS), loss=0.4), data.thinned(series(WALKS), every=4)
    for changes in CHANGES:
        make = ours(**changes)
        walks = log_errors(make, series(WALKS), fit(WALKS))
        name = ", ".join(f"{k} {'off' if v == 1e9 else v}" for k, v in changes.items()) or "**defaults**"
        yield row(
            name, f"{median(walks):.3f}", f"{percentile(walks, 0.9):.2f}",
            f"{median(log_errors(make, series(ROBOT), fit(ROBOT))):.3f}",
            f"{median(log_errors(make, lossy, fit(WALKS))):.3f}", f"{median(log_errors(make, sparse, fit(WALKS))):.3f}",
            f"{standing(make, STANDS, 20):.2f}", *(seconds(trials.settling(make, hz, 20)) for hz in (10, 2, 1)),
            seconds(trials.settling(make, 10, 10)),
            *("{:.1f} / {:.1f}".format(*trials.arrivals(make, hz)) for hz in (10, 1)),
            *(f"{trials.standing(make, 10, 5, correlation)[1]:.1f}" for correlation in (0, 0.15)),
        )  # fmt: skip


def crossed():
    """Chosen on one half of the series, judged on the other."""
    halves = [[s for i, s in enumerate(series(WALKS)) if i % 2 == side] for side in (0, 1)]
    grid = [
        dict(time_constant_s=t, drift_db=k, proof_db=h) for t in (3, 4, 5, 6, 8) for k in (2, 2.5, 3, 4) for h in (20, 25, 30)
    ]
    scores = {}
    for changes in grid:
        if trials.settling(ours(**changes), 10, 20) <= 1.5:
            scores[tuple(changes.values())] = [median(log_errors(ours(**changes), half, fit(WALKS))) for half in halves]
    yield from table("chosen on", "τ, drift, proof", "there", "on the other half", "defaults on the other half", "best there")
    for side, name in ((0, "even series"), (1, "odd series")):
        best = min(scores, key=lambda k: scores[k][side])
        other = 1 - side
        yield row(
            name, "{} s, {} dB, {} dB".format(*best), f"{scores[best][side]:.3f}", f"{scores[best][other]:.3f}",
            f"{scores[(5, 3, 25)][other]:.3f}", f"{min(s[other] for s in scores.values()):.3f}",
        )  # fmt: skip
