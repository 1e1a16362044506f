"""Logarithms of products of many factors, without the cancellation of log-gamma functions.

The logarithm of 10^7! is about 1.5e8: a difference of two such numbers has eight digits left. Here
the large terms of Stirling's formula are cancelled analytically, and the remainder is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from singleout.core.arrays import F64

__all__ = ["log_all_different", "log_binomial_mode", "log_poisson_mode", "stirling_rest"]


_SMALL = 0.25  # share of cells below which a power series is exact; above it little cancels
_SERIES = np.array([0.0, 0.0, *(1 / (j * (j - 1)) for j in range(2, 28))])
_STIRLING = np.array([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188])
_STIRLING_FROM = 16.0


def stirling_rest(number: Any) -> F64:
    """Return the remainder of Stirling's formula: log x! - (x log x - x + log(2 pi x) / 2)."""
    x = np.asarray(number, dtype=np.float64)
    large = np.maximum(x, _STIRLING_FROM)
    series = np.polynomial.polynomial.polyval((1 / large) ** 2, _STIRLING) / large
    small = np.clip(x, 1e-300, _STIRLING_FROM)
    direct = special.gammaln(small + 1) - (special.xlogy(small, small) - small)
    rest: F64 = np.where(x >= _STIRLING_FROM, series, direct - 0.5 * np.log(2 * np.pi * small))
    return rest


def log_all_different(draws: Any, cells: Any) -> F64:
    """Return log(N (N - 1) … (N - c + 1) / N^c): c draws from N equally likely cells all differ.

    Minus infinity where there are more draws than cells.

    >>> float(np.exp(log_all_different(23, 365)).round(4))
    0.4927
    """
    c, n = np.broadcast_arrays(np.asarray(draws, np.float64), np.asarray(cells, np.float64))
    c = np.maximum(c, 0.0)
    inside = c < n
    share = np.where(inside, c / n, 0.0)
    left = np.where(inside, n - c, 1.0)
    series = -np.polynomial.polynomial.polyval(np.minimum(share, _SMALL), _SERIES)
    direct = -(1 - share) * np.log1p(-share) - share
    main = n * np.where(share < _SMALL, series, direct)
    rest = -0.5 * np.log1p(-share) + stirling_rest(n) - stirling_rest(left)
    # all cells taken: n! / n^n
    full = -n + 0.5 * np.log(2 * np.pi * n) + stirling_rest(n)
    value = np.where(inside, main + rest, np.where(c == n, full, -np.inf))
    return np.where(c <= 1, 0.0, value)


def log_poisson_mode(mean: int) -> float:
    """Return the logarithm of the probability that a Poisson variable equals its mean."""
    return -0.5 * float(np.log(2 * np.pi * mean)) - float(stirling_rest(mean))


def log_binomial_mode(hits: int, trials: int) -> float:
    """Return the logarithm of the probability that a binomial variable equals its mean.

    The mean is ``hits``, more than 0 and fewer than ``trials``.
    """
    misses = trials - hits
    spread = -0.5 * float(np.log(2 * np.pi * hits * (misses / trials)))
    rest = stirling_rest(trials) - stirling_rest(hits) - stirling_rest(misses)
    return spread + float(rest)
