"""From minimal sample uniques to scores. Elliot, Manning, Mayes, Gurd and Bane (2005), section 2.4.

A minimal sample unique (MSU) of size k weighs the more the smaller it is; a record's score is the
sum over its MSUs. So everything follows from whole numbers: how many MSUs of each size a record
has, and how many of these hold each variable.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import comb, factorial, perm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.errors import UndefinedMeasure

__all__ = [
    "MOST_VARIABLES_OF_DIS_SCORES",
    "Scoring",
    "dis",
    "dis_scores",
    "shares_of_lattice",
    "weighted",
    "weights",
]

MOST_VARIABLES_OF_DIS_SCORES = 28  # with more, the exponent is negative and turns the ranking over


class Scoring(StrEnum):
    """What an MSU of size k weighs, among m variables and with sizes up to M searched."""

    LATTICE = "lattice"  # (m - k)!: the paths from the set to the bottom of the lattice
    NORMALISED = "normalised"  # the paths down to just below size M: (m - k) (m - k - 1) … (m - M)
    IHSN = "ihsn"  # (2^(m - k) - 1) / C(m, k): supersets, for each set of that size


def weights(variables: int, max_size: int, scoring: Scoring) -> F64:
    """Return what an MSU of each size from 1 to ``max_size`` weighs.

    Computed in whole numbers and rounded once: (m - k)! is more than 64 bits hold from 21! on.

    >>> weights(6, 3, Scoring.LATTICE).tolist()
    [120.0, 24.0, 6.0]
    >>> weights(6, 3, Scoring.NORMALISED).tolist()
    [60.0, 12.0, 3.0]
    """
    sizes = range(1, max_size + 1)
    return np.array([float(_weight(variables, size, max_size, scoring)) for size in sizes])


def _weight(variables: int, size: int, max_size: int, scoring: Scoring) -> Fraction | int:
    if scoring == Scoring.LATTICE:
        return factorial(variables - size)
    if scoring == Scoring.NORMALISED:
        # where sizes up to m are searched, the factor m - m would make it zero
        return prod(variables - i for i in range(size, min(max_size, variables - 1) + 1))
    return Fraction(2 ** (variables - size) - 1, comb(variables, size))


def shares_of_lattice(variables: int, max_size: int) -> F64:
    """Return for each size (m - k)! / m!: paths from such a set down, over all paths there are.

    >>> shares_of_lattice(4, 2).tolist()
    [0.25, 0.08333333333333333]
    """
    return np.array([1 / perm(variables, size) for size in range(1, max_size + 1)])


def weighted(counts: NDArray[Any], weight: F64) -> F64:
    """Return the sum over sizes, the first axis, of counts times weights.

    One size after the other, so that the counts are never all there as floats.
    """
    total = np.zeros(counts.shape[1:])
    part = np.empty_like(total)
    for of_size, times in zip(counts, weight.tolist(), strict=True):
        np.multiply(of_size, times, out=part)
        total += part
    return total


def dis(unique: int, in_pairs: int, fraction: float) -> float:
    """Return how often a match with a unique record is right: Skinner and Elliot (2002).

    Data intrusion simulation: take a record out of the sample and put it back with the probability
    that it was sampled. For U unique records, P whose combination one other record shares, and f
    the share of the population in the sample: U f / (U f + P (1 - f)); 0 where none is unique.

    >>> round(dis(4, 6, 0.01), 6)
    0.006689
    """
    if unique == 0:
        return 0.0
    return unique * fraction / (unique * fraction + in_pairs * (1 - fraction))


def dis_scores(scores: F64, variables: int, in_pairs: int, fraction: float) -> F64:
    """Return DIS-SUDA: for each record how sure an intruder may be of a match with it.

    With m variables, Q = 1 + (8 - m) / 20, P and f as in `dis`, and A the sum of S^-Q over all
    records whose score S is not zero, it is 1 / (1 + P (1 - f) / (f S^Q A)), and 0 for a score of
    zero. Multiplying all scores by the same number does not change it.
    """
    if variables > MOST_VARIABLES_OF_DIS_SCORES:
        raise UndefinedMeasure(
            f"DIS-SUDA is defined for at most {MOST_VARIABLES_OF_DIS_SCORES} columns, not "
            f"{variables}: with more, its exponent is negative and the riskiest records would come "
            "last; rank records by score, or choose fewer columns."
        )
    answer = np.zeros(len(scores))
    scored = scores > 0
    if in_pairs == 0 or fraction == 1 or not scored.any():
        answer[scored] = 1.0
        return answer
    exponent = 1 + (8 - variables) / 20
    powers = exponent * np.log(scores[scored])
    least = powers.min()  # as logarithms, so that no power is too large
    total = np.log(np.exp(least - powers).sum()) - least
    odds_against = in_pairs * (1 - fraction) / fraction
    answer[scored] = 1 / (1 + odds_against * np.exp(-powers - total))
    return answer
