"""The share of people in small sets, in one pass over the different probabilities.

A person in a cell of probability p is in a set of fewer than J if fewer than J - 1 of the k - 1
others are in the same cell: a binomial probability. Koot (2012), (6.1), summed over the sizes.
"""

from __future__ import annotations

import numpy as np

from singleout.predict.distribution import Distribution

__all__ = ["share_below"]


def share_below(
    distribution: Distribution, people: int, size: int, *, without_replacement: bool = False
) -> float:
    """Return the expected share of people in sets of fewer than ``size``; with 2, of the unique.

    Parameters
    ----------
    distribution
        How people spread over the cells.
    people
        How many there are, one at least.
    size
        The size that a set should have.
    without_replacement
        Nobody can be drawn twice; the counts of the distribution must be known.

    Examples
    --------
    >>> from singleout.predict.distribution import Distribution
    >>> ages = Distribution.from_probabilities([0.5, 0.25, 0.25])
    >>> share_below(ages, people=3, size=2), share_below(ages, people=3, size=3)
    (0.40625, 0.84375)
    """
    if size < 2:
        return 0.0
    shares = distribution.probabilities
    weights = distribution.multiplicity * shares
    if without_replacement and distribution.counts is not None:
        from scipy.stats import hypergeom

        population = distribution.population
        alike = distribution.counts - 1
        small = hypergeom.cdf(size - 2, (population or 1) - 1, alike, people - 1)
    elif size == 2:
        with np.errstate(divide="ignore", invalid="ignore"):  # a cell that holds everybody
            small = np.where(people > 1, np.exp((people - 1) * np.log1p(-shares)), 1.0)
    else:
        from scipy.special import bdtr

        small = np.ones(len(shares)) if people < size else bdtr(size - 2, people - 1, shares)
    return min(1.0, float(weights @ small))
