"""Stand-ins for a distribution of which only a summary is published.

From sums of powers: the Gauss quadrature of the measure that counts cells, whose few nodes have the
same number of cells and the same sums. From the Kullback-Leibler distance alone: cells whose
probabilities follow a gamma distribution, which makes set sizes negative binomial. What is exact
for a distribution is also exact for the stand-in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from scipy import linalg, optimize, special

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.distribution.people import MOST_POSSIBLE, is_real_number
from singleout.report.say import say

__all__ = [
    "check_cells",
    "check_kl",
    "check_power_sums",
    "described",
    "gauss_rule",
    "surrogate_from_kl",
    "surrogate_from_power_sums",
    "variance_at",
]

Surrogate = tuple[F64, F64, tuple[str, ...]]

_DEGENERATE = 1e-7  # rounding error of the squared sine between a power and the lower ones
_NO_DISTANCE = 1e-10  # nats: smaller distances change no prediction
_ROUNDING = 1e-12  # tolerance for a distance computed elsewhere
_NEAR = 0.1  # from the logarithm of the variance of a law to that of its cells
_GROUPS = 1024  # groups of equally likely cells in a stand-in for a distance
_MOST_SUMS = 9  # further sums of powers are below the precision of floats
_WIDEST_LAW = 60.0  # logarithm of the variance per cell beyond which one cell holds everybody


def surrogate_from_power_sums(cells: float, power_sums: Sequence[float]) -> Surrogate:
    """Return few groups of cells with this number of cells and these sums, from the squares on.

    A group has a probability of its cells and a number of them, which is not whole. An odd number
    of sums leaves the number of impossible cells open.

    >>> likely, many, _ = surrogate_from_power_sums(4, [0.3, 0.1])
    >>> round(float((many * likely**3).sum()), 12), round(float(many.sum()), 12)
    (0.1, 4.0)
    """
    possible = check_cells(cells)
    sums = check_power_sums(possible, power_sums)
    if len(sums) == 1:
        return _with_square_sum(possible, sums[0])
    if len(sums) % 2 == 0:
        nodes, weights = gauss_rule([possible, 1.0, *sums])
    else:  # of the people: no other measure with these sums has as few cells
        nodes, weights = gauss_rule([1.0, *sums])
        weights = weights / np.where(nodes > 0, nodes, 1.0)
    low, high = nodes[0] * possible, nodes[-1]
    if low < -_DEGENERATE or high > 1 or weights.sum() > possible * (1 + _DEGENERATE):
        raise _contradiction(power_sums)
    # impossible cells, whose probability may be negative by rounding
    nodes, weights = nodes[nodes > 0], weights[nodes > 0]
    notes = (described(len(nodes), len(sums)),)
    return nodes[::-1].copy(), weights[::-1].copy(), notes


def described(groups: int, sums: int) -> str:
    """Return the note on what a stand-in has in common with the original.

    >>> described(3, 2)
    'A stand-in of 3 groups of cells has the same number of cells and s2, s3.'
    """
    names = ", ".join(f"s{order}" for order in range(2, 2 + sums))
    return say("predict.distribution.same_sums", n=groups, sums=names)


def surrogate_from_kl(cells: float, kl: float) -> Surrogate:
    """Return groups of cells at this distance from uniform, by a gamma distribution.

    The distance is in nats, at most the logarithm of the number of cells.

    >>> likely, many, _ = surrogate_from_kl(95, 0.05)
    >>> round(float((many * likely * np.log(95 * likely)).sum()), 9)
    0.05
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    note = say("predict.distribution.only_kl")
    if distance <= _NO_DISTANCE:
        return np.array([1 / possible]), np.array([possible]), (note,)
    if distance >= np.log(possible) * (1 - 1e-12):
        return np.array([1.0]), np.array([1.0]), (note,)

    def measured(likely: F64, many: F64) -> float:
        return float((many * likely * np.log(possible * likely)).sum())

    return *_gamma_cells(possible, measured, distance, variance_at(distance)), (note,)


def variance_at(kl: float) -> float:
    """Return the variance of the gamma law of mean 1 that has this distance to uniform.

    The distance in nats is ψ(1 + 1/c) + ln c for the variance c, ψ being the digamma function.

    >>> round(variance_at(0.0998), 4)
    0.2067
    """
    if kl <= _NO_DISTANCE:
        return 2 * kl  # its limit, where the difference of the two terms is all rounding

    def excess(log_variance: float) -> float:
        return float(special.digamma(1 + np.exp(-log_variance)) + log_variance) - kl

    return float(np.exp(optimize.brentq(excess, np.log(kl) - 1, kl + 1, xtol=1e-14)))


def _with_square_sum(cells: float, square_sum: float) -> Surrogate:
    """Return cells that follow a gamma law and have this sum of squares."""
    note = say("predict.distribution.only_s2")
    variance = cells * square_sum - 1
    if variance <= _DEGENERATE:
        return np.array([1 / cells]), np.array([cells]), (note,)
    if square_sum >= 1 - 1e-12:
        return np.array([1.0]), np.array([1.0]), (note,)

    def measured(likely: F64, many: F64) -> float:
        return float(np.log((many * likely**2).sum()))

    return *_gamma_cells(cells, measured, np.log(square_sum), variance), (note,)


def _gamma_cells(
    cells: float, measured: Callable[[F64, F64], float], wanted: float, variance: float
) -> tuple[F64, F64]:
    """Return cells of a gamma law with the variance at which ``measured`` gives ``wanted``.

    A cell is the mean of a part of the law and so less extreme than the law itself. The variance
    of the law is therefore only the start of the search.
    """
    cuts = _cuts(cells, 1 / variance)

    @cache  # the ends are asked for twice
    def excess(log_variance: float) -> float:
        return measured(*_parts_of_gamma(cuts, np.exp(-log_variance))) - wanted

    start = float(np.log(variance))
    low, high = start - _NEAR, start + _NEAR  # most are here, and each step takes long
    if not excess(low) < 0 < excess(high):
        low, high = start - 3, float(np.log(cells)) + _WIDEST_LAW
    wide = optimize.brentq(excess, low, high, xtol=1e-13)
    return _parts_of_gamma(cuts, np.exp(-wide))


def _parts_of_gamma(cuts: F64, shape: float) -> tuple[F64, F64]:
    """Return the probability of a cell in each part of a gamma law of mean 1, descending.

    Cells are equal parts of the law between its quantiles, and a group has the cells between two
    cuts. The probabilities sum to 1 for any cuts.
    """
    cells = cuts[-1]
    above = cuts <= cells / 2  # by the nearer tail; only there, since inverting takes longest
    limits = np.concatenate(
        [
            special.gammainccinv(shape, cuts[above] / cells),
            special.gammaincinv(shape, (cells - cuts[~above]) / cells),
        ]
    )
    # people follow a gamma law of a shape larger by one; computed from the nearer tail
    low, high = special.gammainc(shape + 1, limits), special.gammaincc(shape + 1, limits)
    people = np.where(low[:-1] <= 0.5, -np.diff(low), np.diff(high))
    many = np.diff(cuts)
    likely = people / many
    positive = likely > 0
    return likely[positive], many[positive]


def _cuts(cells: float, shape: float) -> F64:
    """Return how many cells lie above each cut, so that no group has many cells or people.

    Counted from above, since consecutive large numbers of cells are the same float.
    """
    if cells <= _GROUPS:
        return np.arange(cells + 1, dtype=np.float64)
    equal = np.arange(_GROUPS // 2 + 1) / (_GROUPS // 2)
    by_people = special.gammaincc(shape, special.gammaincinv(shape + 1, equal))
    shares = np.concatenate([equal, by_people])
    return np.unique(np.floor(np.append(shares * cells, [0.0, 1.0, cells])))


def gauss_rule(moments: Sequence[float]) -> tuple[F64, F64]:
    """Return the nodes, ascending, and weights that integrate powers as the measure does.

    The recurrence of the orthogonal polynomials comes from the moments in fractions, since their
    Hankel matrix is too ill-conditioned for floats; the nodes are the eigenvalues of its Jacobi
    matrix (Golub and Welsch 1969). An even number of moments gives half as many nodes, or fewer
    where the measure has fewer points.
    """
    mass, mean = Fraction(moments[0]), Fraction(moments[1]) / Fraction(moments[0])
    scaled = [Fraction(moment) / mass / mean**order for order, moment in enumerate(moments)]
    diagonal, beside = _recurrence(scaled)
    if len(diagonal) == 1:
        return np.array([float(mean)]), np.array([float(mass)])
    nodes, vectors = linalg.eigh_tridiagonal(diagonal, np.sqrt(beside))
    return nodes * float(mean), vectors[0] ** 2 * float(mass)


def _recurrence(moments: Sequence[Fraction]) -> tuple[list[float], list[float]]:
    """Return the recurrence of the monic orthogonal polynomials: Chebyshev's algorithm."""
    half = len(moments) // 2
    before = [Fraction(0)] * len(moments)
    now = list(moments)
    last = moments[1] / moments[0]
    diagonal, beside = [float(last)], []
    for order in range(1, half):
        ratio = Fraction(0) if order == 1 else now[order - 1] / before[order - 2]
        after = [Fraction(0)] * len(moments)
        for power in range(order, 2 * half - order):
            after[power] = now[power + 1] - last * now[power] - ratio * before[power]
        apart = float(after[order] / moments[2 * order])
        if apart < -_DEGENERATE:
            raise _contradiction(None)
        if apart <= _DEGENERATE:
            break
        beside.append(float(after[order] / now[order - 1]))
        last = after[order + 1] / after[order] - now[order] / now[order - 1]
        diagonal.append(float(last))
        before, now = now, after
    return diagonal, beside


# ---- checks of a summary


def check_cells(cells: float) -> float:
    """Return the number of possible cells, a whole number that may be too large for an int."""
    if not is_real_number(cells):
        raise BadChoice(f"cells is the number of possible cells, not {cells!r}.")
    if cells > MOST_POSSIBLE and cells != np.inf:
        raise BadChoice(f"cells must be at most {MOST_POSSIBLE:.0e}.")
    number = float(cells)
    if not (number >= 1 and number.is_integer()):
        raise BadChoice(f"cells must be a whole number of possible cells, 1 or more, not {cells}.")
    return number


def check_kl(cells: float, kl: float) -> float:
    """Return the distance to uniform; refuse one that no distribution over the cells has."""
    if not is_real_number(kl) or not kl >= -_ROUNDING:
        raise BadChoice(f"kl is a Kullback-Leibler distance in nats, 0 or more, not {kl!r}.")
    largest = float(np.log(cells))
    if kl > largest + _ROUNDING:
        raise BadChoice(
            f"kl is {kl:.6g} nats, but over {cells:,.0f} cells it is at most ln N = {largest:.6g}; "
            "is it in bits? Multiply bits by 0.693."
        )
    return min(max(float(kl), 0.0), largest)


def check_power_sums(cells: float, power_sums: Sequence[float]) -> list[float]:
    """Return the sums of powers; refuse those that no distribution over the cells has."""
    try:
        sums = np.asarray(power_sums, dtype=np.float64)
    except (TypeError, ValueError):
        sums = np.zeros(())
    if sums.ndim != 1 or not 1 <= len(sums) <= _MOST_SUMS - 1:
        raise BadChoice(
            "power_sums are the sums of squares, cubes and so on of the probabilities: one to "
            f"{_MOST_SUMS - 1} numbers, not {power_sums!r}."
        )
    if not ((sums > 0) & (sums <= 1 + 1e-12)).all():
        raise BadChoice(
            f"Sums of powers of probabilities lie between 0 and 1, not {list(power_sums)!r}."
        )
    if sums[0] * cells < 1 - 1e-9:
        raise BadChoice(
            f"s2 is {sums[0]:.6g}, but over {cells:,.0f} cells it is at least 1/N = {1 / cells:.6g}"
            "; check the number of cells."
        )
    _check_growth(np.concatenate([[1.0], sums]), power_sums)
    return [float(value) for value in sums]


def _check_growth(sums: F64, power_sums: Sequence[float]) -> None:
    """Refuse sums whose ratios s3/s2, s4/s3, … decrease or exceed 1: no distribution has them."""
    ratios = sums[1:] / sums[:-1]
    if (ratios > 1 + 1e-9).any() or (np.diff(ratios) < -1e-9 * ratios[:-1]).any():
        raise _contradiction(power_sums)


def _contradiction(power_sums: Sequence[float] | None) -> BadChoice:
    which = "" if power_sums is None else f" {[float(value) for value in power_sums]}"
    return BadChoice(
        f"No distribution has the sums of powers{which}; give s2, s3 and so on in this order, "
        "with all their digits, or fewer of them."
    )
