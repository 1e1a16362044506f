"""Between which limits the variance of the number of unique people lies at one distance.

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
from singleout.predict.singletons.distance_bounds import Function, least_mean, mean_limits

__all__ = ["variance_range"]


_PARTS = 6  # of the range of G: what is between them costs a square


def variance_range(cells: float, kl: float, people: int) -> tuple[float, float]:
    """Return what the variance of the number of unique people is neither below nor above.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats.
    people
        k: how many people there will be.

    Examples
    --------
    >>> [round(end, 2) for end in variance_range(1000, 0.02, people=100)]
    [16.12, 16.76]
    """
    if people < 2:
        return 0.0, 0.0
    rest_low, rest_high = _rest(cells, kl, people)
    low = _least_main(cells, kl, people) + rest_low
    return max(0.0, low), max(0.0, _largest_main(cells, kl, people) + rest_high)


def _power(likely: F64, exponent: int) -> F64:
    """Return (1 - p) to a power; 0 if that is not positive and there is nobody to count it for."""
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
    """Return what L - k G² is not below: by parts of the range of G, in each with its middle."""
    low, high = mean_limits(_slope(people), cells, kl, people)
    edges = np.linspace(low, high, _PARTS + 1)
    half = (high - low) / (2 * _PARTS)
    middles = (edges[1:] + edges[:-1]) / 2
    found: list[float] = [
        people * (c**2 - half**2) + least_mean(_main(people, c), cells, kl, people)
        for c in middles.tolist()
    ]
    return min(found)


def _largest_main(cells: float, kl: float, people: int) -> float:
    """Return what L - k G² is not above: for every c, and so for the best."""

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
