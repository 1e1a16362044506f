"""Prediction without a model of class sizes: the law of population uniques given sample uniques.

If p are the probabilities of the classes, a sample unique is a population unique with probability

    sum p (1-p)^(N-1) / sum p (1-p)^(n-1)

as `so.predict` has it, with people drawn one by one. The probabilities are not known. Their
distribution is estimated by the likelihood of the class sizes alone: the number of records in a
class is Poisson with mean n p, given that it is seen, and p follows any law at all (Laird 1978:
the nonparametric maximum likelihood estimate of a mixing law). The law is carried by a grid of
values; the EM algorithm starts from an even spread in log p, and its fixed number of steps keeps
the law smooth where the sample says little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from singleout.core.arrays import F64
from singleout.methods.population.sample import Fit, Samples

__all__ = ["mixture", "predicted"]

_POINTS = 64
_EM_STEPS = 600
_TOGETHER = 16  # samples: products this small are not split among threads, which costs more
_SHARED = 10
_EXACT = 40  # larger class sizes are taken together in groups of nearly equal size
_LEAST = 0.05  # a class expected to have this many people has no second one, nearly always


@dataclass(frozen=True, eq=False)
class Mixture:
    """The estimated law of class probabilities.

    Parameters
    ----------
    expected
        n p at the points of the grid: the expected records of a class in the sample.
    weights
        For each sample the share of the classes *seen* at each point.
    sizes
        Class sizes of the sample, larger ones in groups.
    chances
        The probability of each size at each point, given that the class is seen.
    """

    expected: F64
    weights: F64
    sizes: F64
    chances: F64

    def uniques(self, classes: F64, fraction: float) -> F64:
        """Return the expected number of population uniques, seen or not."""
        people = self.expected / fraction  # N p
        # classes at each point, in all, times the chance to have one person
        alone = people * np.exp(-people) / -np.expm1(-self.expected)
        uniques: F64 = classes * (self.weights @ alone)
        return uniques

    def given_sample_unique(self, fraction: float) -> F64:
        """Return the probability that a sample unique is a population unique."""
        once = self.expected * np.exp(-self.expected) / -np.expm1(-self.expected)
        still = np.exp(-self.expected * (1 / fraction - 1))
        chance: F64 = (self.weights @ (once * still)) / (self.weights @ once)
        return chance


def _grouped(samples: Samples) -> tuple[F64, F64]:
    """Return class sizes and their sets, with sizes above `_EXACT` grouped by their logarithm."""
    sizes, sets = samples.sizes, samples.sets
    large = sizes > _EXACT
    if not large.any():
        return sizes, sets
    groups = np.floor(np.log(sizes[large]) * 8).astype(np.int64)
    _, member = np.unique(groups, return_inverse=True)
    belongs = np.eye(member.max() + 1)[member]
    mean = (sizes[large] @ belongs) / belongs.sum(axis=0)
    return np.concatenate([sizes[~large], mean]), np.hstack(
        [sets[:, ~large], sets[:, large] @ belongs]
    )


def mixture(samples: Samples) -> Mixture:
    """Estimate the law of class probabilities from each sample."""
    sizes, sets = _grouped(samples)
    expected = np.geomspace(
        min(_LEAST * samples.fraction, 0.5), max(1.2 * float(sizes.max()), 2.0), _POINTS
    )
    logs = sizes[:, None] * np.log(expected) - expected - gammaln(sizes + 1)[:, None]
    chances = np.exp(logs - np.log(-np.expm1(-expected)))
    chances[chances < 1e-80] = 0.0  # arithmetic on denormal numbers is slow
    shares = sets / sets.sum(axis=1, keepdims=True)
    weights = np.concatenate(
        [_em(shares[at : at + _TOGETHER], chances) for at in range(0, len(shares), _TOGETHER)]
    )
    return Mixture(expected, weights, sizes, chances)


def _em(shares: F64, chances: F64) -> F64:
    """Return the weights of the points for some samples, from the shares of their class sizes."""
    weights = np.full((len(shares), _POINTS), 1 / _POINTS)
    for _ in range(_EM_STEPS):
        seen = np.maximum(weights @ chances.T, 1e-300)
        weights = weights * ((shares / seen) @ chances)
        weights[weights < 1e-30] = 0.0
    return weights


def predicted(samples: Samples) -> Fit:
    """Estimate the population uniques of each sample."""
    if not samples.records:
        return Fit(np.full(1, np.nan), {}, "no_records")
    if samples.of_size(1)[0] > samples.classes[0] - _SHARED:
        return Fit(np.full(1, np.nan), {}, "few_shared")
    law = mixture(samples)
    uniques = law.uniques(samples.classes, samples.fraction)
    chance = law.given_sample_unique(samples.fraction)
    return Fit(uniques, {"unique_if_sample_unique": chance})
