"""The variance of the number of unique people at one distance: an approximation, and its limits.

With P the probability of the cell of a person taken at random and n = k - 2, Bonferroni's
inequalities for (1 - p - q)^n, as a power of (1 - p)(1 - q) - p q, put the variance between

    L - k G² + R   and   L - k G² + R + k (k - 1) n (n - 1) / 2 · Q²

    L = E of  k (1 - P)^(n+1) - k (k - 1) (P (1 - P)^(2n) - n P³ (1 - P)^(2n-2))
    G = E of  (1 - P)^n (1 - k P)
    D, C, Q = E of  P (1 - P)^n,  P² (1 - P)^(n-1)  and  P² (1 - P)^(n-2)
    R = k (k - 1) (2 D² - n C (2 D + C))

All are means over people, whose limits `distance_bounds` proves. R and Q are small, so that the
limits of their parts are enough; L and G² belong together: -G² is the least of c² - 2 c G over all
c.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from singleout.core.arrays import F64
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.surrogate import check_cells, check_kl
from singleout.predict.singletons.approximations import Approximation, Formula, largest_error
from singleout.predict.singletons.distance_bounds import Function, least_mean, mean_limits
from singleout.report.say import say

__all__ = ["approximate_variance", "first_order_variance"]

_PARTS = 6  # of the range of G: the error is the square of half a part


def approximate_variance(cells: float, kl: float, people: int) -> Approximation:
    """Approximate the variance of the number of unique people, where only a distance is known.

    The variance for equally likely cells is exact; to it the corrected first-order term of 5.3.2
    is added. The thesis's own formula is wrong, see the errata.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats.
    people
        k: how many people there will be.

    Returns
    -------
    Approximation
        The variance; refused (`UndefinedMeasure`) above 0.1 nats and below 0.1 people per cell.

    Examples
    --------
    >>> from singleout.predict import approximate_variance
    >>> round(approximate_variance(1000, 0.02, people=100).value, 2)
    16.36
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    crowd = number / possible
    if crowd < 0.1 or distance > 0.1:
        raise UndefinedMeasure(
            f"With {distance:.3g} nats and {crowd:.3g} people per cell the variance cannot be "
            "derived from a distance; give the distribution, or Distribution.from_summary with "
            "power_sums."
        )
    value = first_order_variance(possible, distance, number)
    warnings: tuple[str, ...] = ()
    if value < 0:
        value, warnings = 0.0, (say("predict.singletons.negative_variance"),)
    low, high = _variance_range(possible, distance, number)
    error, more = largest_error(value, low, high, prefix="variance_")
    return Approximation(
        value,
        low,
        high,
        error,
        possible,
        distance,
        number,
        str(Formula.KL_FINITE),
        (*warnings, *more),
    )


def first_order_variance(cells: float, kl: float, people: int) -> float:
    """Return the variance for equally likely cells and its first-order change with the distance."""
    return _variance_if_uniform(cells, people) + cells * kl * _variance_slope(people / cells)


def _variance_if_uniform(cells: float, people: int) -> float:
    """Return Var S for equally likely cells: 5.3.1 with the exponent 2k - 2."""
    if people == 1 or cells == 1:
        return 0.0
    alone = people * (1 - 1 / cells) ** (people - 1)
    both = people * (people - 1) * (cells - 1) / cells * (1 - 2 / cells) ** (people - 2)
    return max(0.0, alone + both - alone**2)


def _variance_slope(crowd: float) -> float:
    """Return by how much Var S / N grows with the distance: 5.3.2, corrected."""
    once, twice = np.exp(-crowd), np.exp(-2 * crowd)
    return float(
        crowd**2 * (crowd - 2) * once
        - 2 * crowd**2 * (1 - 4 * crowd + 2 * crowd**2) * twice
        + 2 * crowd**2 * (4 - crowd) * (1 - crowd) ** 2 * twice
    )


# ---- proven limits


def _variance_range(cells: float, kl: float, people: int) -> tuple[float, float]:
    """Return the proven lower and upper limit of the variance of the number of unique people.

    Examples
    --------
    >>> [round(end, 2) for end in _variance_range(1000, 0.02, people=100)]
    [16.12, 16.76]
    """
    if people < 2:
        return 0.0, 0.0
    rest_low, rest_high = _rest(cells, kl, people)
    low = _least_main(cells, kl, people) + rest_low
    return max(0.0, low), max(0.0, _largest_main(cells, kl, people) + rest_high)


def _power(likely: F64, exponent: int) -> F64:
    """Return (1 - p) to a power; 0 for a negative power, which has the weight 0."""
    if exponent < 0:
        return np.zeros_like(likely)
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(exponent * np.log1p(-likely))) if exponent else likely * 0 + 1


def _main(people: int, shift: float) -> Function:
    """Return L - 2 k c G as a function of the probability of a person's cell."""
    n = people - 2

    def function(likely: F64) -> F64:
        alone = people * _power(likely, n + 1)
        same = likely * _power(likely, 2 * n) - n * likely**3 * _power(likely, 2 * n - 2)
        linear = alone - people * (people - 1) * same
        return np.asarray(linear - 2 * people * shift * _slope(people)(likely))

    return function


def _slope(people: int) -> Function:
    return lambda likely: np.asarray(_power(likely, people - 2) * (1 - people * likely))


def _least_main(cells: float, kl: float, people: int) -> float:
    """Return a lower limit of L - k G²: by parts of the range of G, in each with its middle."""
    low, high = mean_limits(_slope(people), cells, kl, people)
    edges = np.linspace(low, high, _PARTS + 1)
    half = (high - low) / (2 * _PARTS)
    middles = (edges[1:] + edges[:-1]) / 2
    limits: list[float] = [
        people * (c**2 - half**2) + least_mean(_main(people, c), cells, kl, people)
        for c in middles.tolist()
    ]
    return min(limits)


def _largest_main(cells: float, kl: float, people: int) -> float:
    """Return an upper limit of L - k G²: there is one for every c, and this is the least."""

    def most(c: float) -> float:
        main = _main(people, c)
        return people * c**2 - least_mean(lambda p: -main(p), cells, kl, people)

    bounds = mean_limits(_slope(people), cells, kl, people)
    answer = optimize.minimize_scalar(
        most, bounds=bounds, method="bounded", options={"xatol": 1e-3, "maxiter": 12}
    )
    return float(answer.fun)


def _rest(cells: float, kl: float, people: int) -> tuple[float, float]:
    n = people - 2
    pairs = people * (people - 1)

    def limits(function: Function) -> tuple[float, float]:
        low, high = mean_limits(function, cells, kl, people)
        return max(0.0, low), max(0.0, high)

    d_low, d_high = limits(lambda p: p * _power(p, n))
    c_low, c_high = limits(lambda p: p**2 * _power(p, n - 1)) if n >= 1 else (0.0, 0.0)
    _, q_high = limits(lambda p: p**2 * _power(p, n - 2)) if n >= 2 else (0.0, 0.0)
    low = 2 * d_low**2 - n * c_high * (2 * d_high + c_high)
    high = 2 * d_high**2 - n * c_low * (2 * d_low + c_low) + n * (n - 1) / 2 * q_high**2
    return pairs * low, pairs * high
