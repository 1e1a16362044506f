"""QaR: the risk of a whole table, from the distinct values of all its small column sets.

Béra et al. (2023), section 2. A combination of p columns that takes H different values on L records
has the risk theta = H / L: at 1 everyone is alone. The risk of the table, T(p, alpha), is the theta
that only a share alpha of the combinations exceed. It is not read off but estimated: a generalised
Pareto distribution is fitted, on the logit scale, to the combinations with the largest theta, a
share ``tail`` of all.

Everything here is a function of the distinct counts, so any engine that can count can serve it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.choices import choose
from singleout.methods.qar.pareto import Estimator, excess_at, feasible_shape, free_moments
from singleout.report.say import say

__all__ = [
    "FEW_EXCEEDANCES",
    "Estimator",
    "Tail",
    "TailFit",
    "fit",
    "ones_for_certainty",
    "position",
    "risk_at",
    "risk_of",
]

FEW_EXCEEDANCES = 10  # with fewer than this the fit means little
_CLEARLY = 0.01  # how rarely so many combinations lie above T by chance, where T contradicts them

Counted = Sequence[int] | NDArray[Any]


# ---- the quantile, exactly


@cache
def position(sets: int, tail: float) -> tuple[int, float]:
    """Return k and g: the 1 - tail quantile of n numbers is (1 - g) x_(k) + g x_(k+1).

    Type 8 of Hyndman & Fan (1996), computed with fractions from the decimals of ``tail``: in floats
    the floor is wrong for thousands of n, at 5 % first for 73. Before the first number and from the
    last on, that number with g = 0.

    >>> position(220, 0.05)
    (209, 0.65)
    """
    exact = (sets + Fraction(1, 3)) * (1 - _exact(tail)) + Fraction(1, 3)
    k = math.floor(exact)
    if k < 1:
        return 1, 0.0
    if k >= sets:
        return sets, 0.0
    return k, float(exact - k)


def ones_for_certainty(sets: int, alpha: float) -> int:
    """Return how many combinations with theta = 1 are a share of alpha, so that T = 1."""
    return math.ceil(sets * _exact(alpha))


def _exact(share: float) -> Fraction:
    """Return a share as its decimals say: 0.05 is one twentieth."""
    return Fraction(str(float(share)))


def _quantile(ordered: I64, share: float) -> float:
    """Return the 1 - share quantile of some counts; between equal counts nothing is rounded."""
    k, g = position(len(ordered), share)
    low, high = int(ordered[k - 1]), int(ordered[min(k, len(ordered) - 1)])
    return float(low) if low == high else (1 - g) * low + g * high


# ---- the tail of the distribution


@dataclass(frozen=True, eq=False)
class Tail:
    """The distinct counts above the threshold, as they enter the fit."""

    records: int
    threshold: float  # in distinct values: u is this / records
    above: I64  # ascending

    @classmethod
    def of(cls, ordered: I64, records: int, tail: float) -> Tail:
        """Cut off the tail of some counts in ascending order."""
        k, _ = position(len(ordered), tail)
        # whole numbers are compared: in floats, counts equal to the threshold may lie above it
        begin = np.searchsorted(ordered, ordered[k - 1], side="right")
        return cls(records, _quantile(ordered, tail), ordered[begin:])

    @property
    def level(self) -> float:
        """The logit of the threshold."""
        return float(_logit(np.array(self.threshold), self.records))

    @property
    def excesses(self) -> F64:
        """The logits of the counts above the threshold, less that of the threshold; ascending."""
        return _logit(self.above, self.records) - self.level


def _logit(distinct: NDArray[Any], records: int) -> F64:
    """Return ln(theta / (1 - theta)); theta = 1 is taken as 1 - 1 / (2 records)."""
    others = records - distinct
    odds = np.where(others > 0, distinct / np.where(others > 0, others, 1), 2 * records - 1)
    logarithms: F64 = np.log(odds)
    return logarithms


def _share(logit: F64) -> F64:
    return 1 / (1 + np.exp(-logit))


# ---- the risk


@dataclass(frozen=True)
class TailFit:
    """The risk of a table, and the distribution that gave it.

    Parameters
    ----------
    risk
        T: the estimated theta that a share alpha of the combinations exceed.
    empirical
        The same quantile of the thetas themselves.
    threshold
        u: the theta above which the distribution is fitted.
    exceedances
        m: how many combinations lie above the threshold.
    shape, scale
        Of the generalised Pareto distribution; None if none was fitted.
    estimator
        The one that was used.
    above
        How many combinations lie above the risk.
    constrained
        Whether the distribution fitted freely would end below an observed theta, so that its shape
        was raised until it reaches the largest.
    warnings
        Why the risk may not be trusted, one sentence each.
    """

    risk: float
    empirical: float
    threshold: float
    exceedances: int
    shape: float | None
    scale: float | None
    estimator: Estimator
    above: int = 0
    constrained: bool = False
    warnings: tuple[str, ...] = ()


def risk_of(
    distinct: Counted,
    records: int,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = Estimator.PLOTTING,
) -> float:
    """Return T and nothing else; see `fit`."""
    return fit(distinct, records, alpha=alpha, tail=tail, estimator=estimator).risk


def fit(
    distinct: Counted,
    records: int,
    *,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = Estimator.PLOTTING,
) -> TailFit:
    """Return the risk of a table from the distinct counts of its column combinations.

    Never fails for a small table: where nothing can be fitted, a rule gives the risk and a warning
    says so. Where all exceedances are equal, as a single one is, the unbiased weights would divide
    by zero: plotting positions are used instead.

    >>> round(fit(range(100, 300), 400).risk, 4)
    0.744
    """
    ordered = np.sort(np.asarray(distinct, dtype=np.int64))
    top = Tail.of(ordered, records, tail)
    used = choose(Estimator, estimator, "known estimator")
    ones = int((ordered == records).sum())
    warnings = []
    shape = scale = None
    constrained = False
    if ones >= ones_for_certainty(len(ordered), alpha):  # so it is if the threshold is 1
        risk = 1.0
        warnings.append(say("qar.warnings.certain", ones=ones, sets=len(ordered), alpha=alpha))
    elif len(top.above) == 0 or top.excesses[-1] <= 0:  # floats may not tell them apart
        risk = top.threshold / records
        warnings.append(say("qar.warnings.none_above"))
    else:
        if used == Estimator.UNBIASED and top.above[0] == top.above[-1]:
            used = Estimator.PLOTTING
            warnings.append(say("qar.warnings.not_unbiased"))
        free, scale = (float(part) for part in free_moments(top.excesses, used))
        shape = float(feasible_shape(free, scale, top.excesses[-1]))
        constrained = shape > free
        risk = float(risk_at(top.level, shape, scale, alpha, tail))
        warnings += _doubts(len(top.above), ones, records)
    empirical = _quantile(ordered, alpha) / records
    above = len(ordered) - int(np.searchsorted(ordered, risk * records, side="right"))
    warnings += _contradictions(constrained, above, len(ordered), alpha, empirical)
    return TailFit(
        risk=risk,
        empirical=empirical,
        threshold=top.threshold / records,
        exceedances=len(top.above),
        shape=shape,
        scale=scale,
        estimator=used,
        above=above,
        constrained=constrained,
        warnings=tuple(warnings),
    )


def risk_at(level: float, shape: F64 | float, scale: F64 | float, alpha: float, tail: float) -> F64:
    """Return T for a fitted distribution above a threshold whose logit is ``level``."""
    return _share(level + excess_at(shape, scale, math.log(tail) - math.log(alpha)))


def _doubts(exceedances: int, ones: int, records: int) -> list[str]:
    doubts = []
    if exceedances < FEW_EXCEEDANCES:
        doubts.append(say("qar.warnings.few", n=exceedances, few=FEW_EXCEEDANCES))
    if ones:
        doubts.append(say("qar.warnings.ones", ones=ones, theta=1 - 1 / (2 * records)))
    return doubts


def _contradictions(
    constrained: bool, above: int, sets: int, alpha: float, empirical: float
) -> list[str]:
    """Return in how far the fit contradicts the data that it was fitted to."""
    from scipy.special import gammainc  # the chance of so many or more, if they are Poisson

    found = [say("qar.warnings.constrained")] if constrained else []
    expected = sets * alpha
    if above > expected and gammainc(above, expected) < _CLEARLY:
        found.append(
            say(
                "qar.warnings.too_many_above",
                n=above,
                share=above / sets,
                alpha=alpha,
                empirical=empirical,
            )
        )
    return found
