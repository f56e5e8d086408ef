"""The measurements under Tests/Firing/Recordings, and the fit they are judged by."""

import csv
import gzip
import math
import os
import random
from collections import defaultdict, namedtuple

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Firing", "Recordings")
FILES = {
    "philotuxo_trk": "walks/philotuxo_trk.csv.gz",
    "kolak_robot": "walks/kolak_robot.csv.gz",
    "philotuxo_static": "static/philotuxo_static.csv.gz",
    "mit_matrix": "static/mit_matrix.csv.gz",
    "herald": "static/herald.csv.gz",
    "airtag": "static/airtag.csv.gz",
}

# One transmitter heard by one receiver. `owner` names what one calibration covers: a transmitter in one place on a body.
Series = namedtuple("Series", "name owner samples")
Sample = namedtuple("Sample", "t_us level distance")


def owner_of(file, series, device, label):
    if file == "herald":
        return series
    if file == "airtag":
        return label, device
    if file == "mit_matrix":
        return series.split("_log")[0].rsplit("_", 1)[0], label
    return file


def load(file):
    """Series in order of time. 127 means "not available" and nothing above +20 dBm exists: neither is a sample."""
    found, owners = defaultdict(list), {}
    with gzip.open(os.path.join(ROOT, FILES[file]), "rt", newline="") as text:
        for row in csv.DictReader(text):
            level, distance = float(row["rssi"]), float(row["distance_m"])
            if level > 20 or distance <= 0:
                continue
            # A log of mit_matrix is eight stands, one for each angle of the body.
            key = (row["series_id"], row["label"]) if file == "mit_matrix" else row["series_id"]
            found[key].append(Sample(round(float(row["t_seconds"]) * 1e6), round(level), distance))
            owners[key] = owner_of(file, row["series_id"], row["device"], row["label"])
    return [Series(key, owners[key], sorted(samples, key=lambda s: s.t_us)) for key, samples in found.items()]


class Fit(namedtuple("Fit", "power exponent")):
    def distance(self, level):
        return 10 ** ((self.power - level) / (10 * self.exponent))


def log_distance_fit(series):
    """Least squares of the single samples' level on the logarithm of the distance, all series together."""
    points = [(math.log10(s.distance), s.level) for one in series for s in one.samples]
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    slope = sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)
    return Fit(my - slope * mx, -slope / 10)


def percentile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def median(values):
    return percentile(values, 0.5)


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))


def log_errors(filter, series, fit):
    """|ln(estimate / truth)| after every sample; `filter(fit)` makes a filter, a function of time and level."""
    errors = []
    for one in series:
        observe = filter(fit)
        for s in one.samples:
            errors.append(abs(math.log(fit.distance(observe(s.t_us, s.level)) / s.distance)))
    return errors


def thinned(series, every=1, loss=0.0, seed=1):
    """What is left when only every nth packet is sent and a share of them is lost."""
    dice = random.Random(seed)
    return [
        one._replace(samples=[s for i, s in enumerate(one.samples) if i % every == 0 and dice.random() >= loss])
        for one in series
    ]
