"""How diverse a sensitive column is within classes: for each class, from its pairs.

Distinct, entropy and recursive l-diversity: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam
(2007), "l-diversity: privacy beyond k-anonymity". (alpha, k)-anonymity: Wong, Li, Fu, Wang (2006).
What compares a class with the table is in `singleout.methods.diversity.closeness`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.methods.diversity.pairs import Pairs

__all__ = ["alphas", "entropy_l", "recursive_c", "recursive_l"]

_LARGEST_DENOMINATOR = 10**6  # of c: every decimal of up to six digits is exact
_ROUNDING = 1e-12  # a number that misses a whole one by less does so by the rounding of sums


def entropy_l(pairs: Pairs) -> F64:
    """Return exp(H) of each class: as diverse as so many equally frequent values.

    The class satisfies entropy l-diversity for every l up to this number (H >= ln l). As H is
    ln n - sum(c ln c) / n for counts c that add up to n, exp(H) needs no shares.
    """
    weighed = np.add.reduceat(pairs.sizes * np.log(pairs.sizes), pairs.starts)
    found = pairs.class_sizes / np.exp(weighed / pairs.class_sizes)
    whole = np.rint(found)
    return np.where(np.abs(found - whole) < _ROUNDING * whole, whole, found)


def alphas(pairs: Pairs) -> F64:
    """Return the share of the most frequent value of each class: the alpha of (alpha, k)."""
    largest = np.maximum.reduceat(pairs.sizes, pairs.starts)
    return np.asarray(largest / pairs.class_sizes, dtype=np.float64)


def recursive_l(pairs: Pairs, c: Fraction) -> I64:
    """Return the largest l for which each class satisfies recursive (c, l)-diversity.

    With r1 >= r2 >= … the counts of its values, that is r1 < c (r_l + … + r_m): the most frequent
    value is not too frequent even where l - 2 others have been ruled out. 0 where not even l = 1
    is satisfied, which takes a c of at most 1.
    """
    c = c.limit_denominator(_LARGEST_DENOMINATOR)
    _, tails, largest = _tails(pairs)
    holds = largest[pairs.classes] * c.denominator < c.numerator * tails
    return np.add.reduceat(holds.astype(np.int64), pairs.starts)


def recursive_c(pairs: Pairs, l: int) -> F64:  # noqa: E741 - the name that the paper gives it
    """Return r1 / (r_l + … + r_m) for each class: every c above it satisfies (c, l)-diversity.

    Infinite where a class has fewer than l values: no c is large enough.
    """
    ranks, tails, largest = _tails(pairs)
    found = np.full(len(pairs.starts), np.inf)
    at = ranks == l - 1
    classes = pairs.classes[at]
    found[classes] = largest[classes] / tails[at]
    return found


def _tails(pairs: Pairs) -> tuple[I64, I64, I64]:
    """Return for each class its counts from the most frequent on, as ranks from 0 and tails.

    The tail of a rank is the sum of the counts from it on. The third array is the largest count of
    each class.
    """
    counts = pairs.sizes[np.lexsort((-pairs.sizes, pairs.classes))]
    ranks = np.arange(len(counts)) - pairs.starts[pairs.classes]
    before = np.cumsum(counts) - counts
    tails = pairs.class_sizes[pairs.classes] - (before - before[pairs.starts][pairs.classes])
    return ranks, tails, counts[pairs.starts]
