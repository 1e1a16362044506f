"""Zayatz (1991): population uniques, if class sizes in the population are as in the sample.

A class is one person in the population with probability s1/u, and a class of j people is seen as
a sample unique with the hypergeometric probability of drawing one of j. Bayes' rule gives the
probability that a sample unique is a population unique.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from singleout.core.arrays import F64
from singleout.methods.population.sample import Fit, Samples

__all__ = ["zayatz"]


def drawn_once(sizes: F64, records: float, people: float) -> F64:
    """Return the probability that a class of each size has one member in the sample.

    Hypergeometric: j members among N people, n drawn without replacement.
    """
    left, rest = people - records, people - sizes
    possible = sizes - 1 <= left  # otherwise more than one is drawn for sure
    j = np.where(possible, sizes, 1.0)
    logs = (
        np.log(j)
        + np.log(records / people)
        + gammaln(left + 1)
        - gammaln(left - j + 2)
        - gammaln(people)
        + gammaln(np.where(possible, rest, people - 1) + 1)
    )
    return np.where(possible, np.exp(logs), 0.0)


def zayatz(samples: Samples) -> Fit:
    """Estimate the population uniques of each sample."""
    singles, classes = samples.of_size(1), samples.classes
    seen_alone = samples.sets @ drawn_once(samples.sizes, samples.records, samples.people)
    with np.errstate(invalid="ignore", divide="ignore"):
        # P(population unique | sample unique) = (s1/u) pi / sum_j (s_j/u) Hyp(1; N, j, n)
        chance = np.where(singles > 0, singles * samples.fraction / seen_alone, 0.0)
        uniques = np.where(classes > 0, singles * chance / samples.fraction, np.nan)
    reason = "" if np.isfinite(uniques[0]) else "no_records"
    return Fit(uniques, {"unique_if_sample_unique": chance}, reason)
