"""Intervals by the parametric bootstrap: samples drawn from the fitted model, with their truth.

A replicate is counts of counts of a sample, and the number of population uniques that goes with
it. Classes that are alike are drawn together, so a replicate costs the same for a thousand records
and for a billion. The estimate of a replicate is compared with its own truth: the quantiles of
their ratio give the interval, which so allows for the chance of the sample and of the population.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, gammaln

from singleout.core.arrays import F64, I64
from singleout.methods.population.pitman import pitman
from singleout.methods.population.predicted import mixture, predicted
from singleout.methods.population.sample import Samples
from singleout.methods.population.snb import snb
from singleout.methods.population.zayatz import zayatz

__all__ = ["draw", "size_law"]

REPLICATES = 200
_EXACT = 64  # class sizes up to here one by one, above in groups
_CANDIDATES = 8  # drawn for each replicate of a Pitman model; those with n records are kept

Draw = tuple[F64, F64]  # estimates and truths


def _grid_of_sizes(largest: float) -> tuple[F64, F64]:
    """Return the first and the last class size of each group: single sizes, then wider groups."""
    first = np.arange(1.0, min(largest, _EXACT) + 1)
    if largest <= _EXACT:
        return first, first.copy()
    starts = np.unique(np.floor(np.geomspace(_EXACT + 1, largest + 1, 80)))
    return np.append(first, starts[:-1]), np.append(first, starts[1:] - 1)


def size_law(alpha: float, mean: float, largest: float) -> tuple[F64, F64]:
    """Return class sizes and their law in a Pitman sample, given how many classes and records.

    Given u and n the sizes are u independent draws of a law proportional to
    Gamma(j - alpha) / j! z^j with the sum n; z is chosen so that the mean is n/u.
    """
    first, last = _grid_of_sizes(largest)
    sizes = (first + last) / 2
    logs = gammaln(sizes - alpha) - gammaln(1 - alpha) - gammaln(sizes + 1)
    logs += np.log(last - first + 1)
    low, high = -60.0, 60.0  # of the logarithm of -log z

    def law(tilt: float) -> F64:
        tilted = logs - np.exp(tilt) * sizes
        chance = np.exp(tilted - tilted.max())
        normed: F64 = chance / chance.sum()
        return normed

    for _ in range(100):
        middle = (low + high) / 2
        if law(middle) @ sizes > mean:
            low = middle
        else:
            high = middle
    return sizes, law(high)


def _classes_law(alpha: float, theta: float, records: float) -> tuple[float, float]:
    """Return mean and variance of the number of classes in a Pitman sample."""
    steps = np.unique(np.floor(np.geomspace(1, records, 4000)))
    logs = gammaln(theta + 1) - gammaln(theta + alpha)
    new = np.exp(logs + gammaln(theta + alpha + steps) - gammaln(theta + 1 + steps))
    new = np.minimum(new, 1.0)
    growth = ((theta + records) / (theta + steps)) ** (2 * alpha)
    mean = 1 + np.trapezoid(new, steps)
    variance = np.trapezoid(new * (1 - new) * growth, steps)
    return float(mean), float(variance)


def _pitman_truth(samples: Samples, alpha: float, theta: float, rng: np.random.Generator) -> I64:
    """Draw the population uniques that go with each Pitman sample."""
    n, left = samples.records, samples.people - samples.records
    kept = np.exp(
        gammaln(theta + n + left - 1 + alpha)
        + gammaln(theta + n)
        - gammaln(theta + n - 1 + alpha)
        - gammaln(theta + n + left)
    )
    stays = rng.binomial(samples.of_size(1).astype(np.int64), min(1.0, kept))
    if left < 1:
        return stays
    new = np.maximum(theta + samples.classes * alpha, 0) / (theta + n) * left
    alone = np.exp(
        gammaln(theta + n + left + alpha - 1)
        - gammaln(theta + n + alpha)
        + gammaln(theta + n + 1)
        - gammaln(theta + n + left)
    )
    truth: I64 = stays + rng.poisson(new * alone)
    return truth


def _draw_pitman(samples: Samples, found: dict[str, float], rng: np.random.Generator) -> Draw:
    alpha, theta, n = found["alpha"], found["theta"], samples.records
    mean, variance = _classes_law(alpha, theta, n)
    # the law of the number of classes around that observed: the expected one, nearly
    classes = rng.normal(samples.classes[0] if mean >= n else mean, np.sqrt(variance), REPLICATES)
    many: I64 = np.clip(np.rint(classes), 2, n - 1).astype(np.int64)
    sizes, law = size_law(alpha, n / float(many.mean()), n)
    # candidates, replicates, sizes
    every = np.stack([rng.multinomial(many, law) for _ in range(_CANDIDATES)])
    best = np.abs(every @ sizes - n).argmin(axis=0)
    sets = every[best, np.arange(REPLICATES)].astype(np.float64)
    drawn = samples.with_sets(sizes, sets)
    truths = _pitman_truth(drawn, alpha, theta, rng)
    return pitman(drawn, around=alpha).uniques, truths.astype(np.float64)


def _draw_snb(samples: Samples, found: dict[str, float], rng: np.random.Generator) -> Draw:
    total, a, b, pi = found["K"], found["a"], found["b"], samples.fraction
    thinned = b / (b + pi * (1 - b))
    first, last = _grid_of_sizes(max(20.0, 4 * float(samples.sizes.max())))

    def up_to(x: F64) -> F64:
        """Return the chance of a class to have up to x records, 0 included."""
        below = np.where(x >= 1, _nb_up_to(x - 1, a, thinned), 0.0)
        chance: F64 = pi * below + (1 - pi) * _nb_up_to(x, a, thinned)
        return chance

    law = up_to(last) - up_to(first - 1)
    unseen = float(up_to(np.zeros(1))[0])
    alone = b**a
    # population uniques in and out of the sample apart from other classes of one and of none
    cells = np.concatenate(
        [[alone * pi, alone * (1 - pi), law[0] - alone * pi, unseen - alone * (1 - pi)], law[1:]]
    )
    cells = np.maximum(cells, 0)
    counts = rng.multinomial(round(total), cells / cells.sum(), REPLICATES).astype(np.float64)
    sets = np.column_stack([counts[:, 0] + counts[:, 2], counts[:, 4:]])
    drawn = samples.with_sets((first + last) / 2, sets)
    return snb(drawn, start=(a, b)).uniques, counts[:, 0] + counts[:, 1]


def _nb_up_to(x: F64, a: float, b: float) -> F64:
    """Return the negative binomial distribution function for a real number of successes."""
    chance: F64 = betainc(a, x + 1, b)
    return chance


def _draw_predicted(samples: Samples, _: dict[str, float], rng: np.random.Generator) -> Draw:
    law = mixture(samples)
    classes, pi = int(samples.classes[0]), samples.fraction
    chances = (law.weights @ law.chances.T)[0]
    sets = rng.multinomial(classes, chances / chances.sum(), REPLICATES)
    drawn = samples.with_sets(law.sizes, sets.astype(np.float64))
    stay = float(law.given_sample_unique(pi)[0])
    uniques = float(law.uniques(samples.classes, pi)[0])
    kept = rng.binomial(drawn.of_size(1).astype(np.int64), min(1.0, stay))
    others = rng.poisson((1 - pi) * uniques, REPLICATES)
    return predicted(drawn).uniques, (kept + others).astype(np.float64)


def _draw_zayatz(samples: Samples, _: dict[str, float], rng: np.random.Generator) -> Draw:
    """Draw classes again: Zayatz has no law of classes but that of the sample."""
    sets = rng.multinomial(
        int(samples.classes[0]), samples.sets[0] / samples.classes[0], REPLICATES
    )
    drawn = zayatz(samples.with_sets(samples.sizes, sets.astype(np.float64)))
    truths = rng.poisson(zayatz(samples).uniques[0], REPLICATES)
    return drawn.uniques, truths.astype(np.float64)


_DRAWS = {
    "zayatz": _draw_zayatz,
    "pitman": _draw_pitman,
    "snb": _draw_snb,
    "predicted": _draw_predicted,
}


def draw(name: str, samples: Samples, found: dict[str, float], rng: np.random.Generator) -> Draw:
    """Return the estimates of the replicates of a fitted model, and their true numbers."""
    with np.errstate(all="ignore"):
        return _DRAWS[name](samples, found, rng)
