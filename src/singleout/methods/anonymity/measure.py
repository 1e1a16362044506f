"""How evenly records spread over anonymity sets, from counts of counts. Koot (2012), ch. 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from singleout.core.arrays import F64
from singleout.core.counts import SizeProfile

__all__ = ["correlation", "power_sum", "quartile", "renyi_entropy"]


def _shares(profile: SizeProfile) -> F64:
    """Return the share of the records in one set of each size."""
    shares: F64 = profile.sizes / max(profile.records, 1)
    return shares


def renyi_entropy(profile: SizeProfile, order: float) -> float:
    """Return the Rényi entropy in bits (2.5); 0 where there are no records.

    The order is 0 or more; 1 (Shannon's entropy, 2.2) and infinity (the min-entropy) are limits.

    >>> four_of_two = SizeProfile(np.array([2]), np.array([4]))
    >>> [renyi_entropy(four_of_two, order) for order in (0, 1, 2, float("inf"))]
    [2.0, 2.0, 2.0, 2.0]
    """
    shares, sets = _shares(profile), profile.sets
    if len(shares) == 0:
        return 0.0
    # adding zero turns minus zero into zero
    if order == 1:
        return float(-(sets * shares * np.log2(shares)).sum()) + 0.0
    if np.isinf(order):
        return float(-np.log2(shares[-1])) + 0.0
    # logarithms, so that high orders do not underflow
    terms = order * np.log2(shares) + np.log2(sets)
    top = terms.max()
    return float((top + np.log2(np.exp2(terms - top).sum())) / (1 - order)) + 0.0


def power_sum(profile: SizeProfile, power: int) -> float:
    """Return the sum over all sets of a power of their shares of the records."""
    return float((profile.sets * _shares(profile) ** power).sum())


def quartile(profile: SizeProfile, quarter: int) -> float:
    """Return a quartile of the sizes over sets by R's default rule (type 7), in whole numbers."""
    sets = profile.number_of_sets
    if sets == 0:
        return 0.0
    rank, rest = divmod((sets - 1) * quarter, 4)
    up_to = np.cumsum(profile.sets)
    low = profile.sizes[np.searchsorted(up_to, rank, side="right")]
    high = profile.sizes[np.searchsorted(up_to, min(rank + 1, sets - 1), side="right")]
    return float(low + (high - low) * rest / 4)


def correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None where one of them does not vary."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])
