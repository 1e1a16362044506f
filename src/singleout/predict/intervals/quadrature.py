"""Integrals over a line to a stated error: panels are halved where the rule disagrees with itself.

All panels are evaluated in one call, since a distribution of scipy takes as long for one point as
for a thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from singleout.core.arrays import F64

__all__ = ["gauss", "integral"]


_NODES = 10  # of a panel, and as many in each half
_MOST_PANELS = 4096
_MOST_HALVINGS = 40


@cache
def gauss(nodes: int) -> tuple[F64, F64]:
    """Return nodes and weights of the Gauss-Legendre rule on the interval from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return (points + 1) / 2, weights / 2


def integral(function: Callable[[F64], F64], breaks: F64, tolerance: float) -> tuple[F64, float]:
    """Return the integral of each quantity over a range, and the estimated error.

    The function takes points, and returns one row of values for each quantity. Breaks are the ends
    of the range and every kink, ascending. The error exceeds the tolerance if the integral does not
    seem to exist.
    """
    lows, highs = breaks[:-1], breaks[1:]
    wide = highs > lows
    lows, highs = lows[wide], highs[wide]
    whole = float(breaks[-1] - breaks[0])
    coarse = _panels(function, lows, highs)
    total, error = np.zeros(coarse.shape[0]), 0.0
    for halving in range(_MOST_HALVINGS):
        middles = (lows + highs) / 2
        left, right = np.split(
            _panels(function, np.append(lows, middles), np.append(middles, highs)), 2, axis=1
        )
        fine = left + right
        off = np.abs(fine - coarse).max(axis=0)
        # half of the error may lie anywhere, half is shared out by length
        bad = off > tolerance * np.maximum((highs - lows) / whole, 1 / 64) / 2
        if halving + 1 == _MOST_HALVINGS or bad.sum() > _MOST_PANELS:
            bad[:] = False
        total += fine[:, ~bad].sum(axis=1)
        error += float(off[~bad].sum())
        if not bad.any():
            break
        coarse = np.concatenate([left[:, bad], right[:, bad]], axis=1)
        lows, middles, highs = lows[bad], middles[bad], highs[bad]
        lows, highs = np.append(lows, middles), np.append(middles, highs)
    return total, error


def _panels(function: Callable[[F64], F64], lows: F64, highs: F64) -> F64:
    """Return the integral of each quantity over each panel."""
    nodes, weights = gauss(_NODES)
    at = lows[:, None] + (highs - lows)[:, None] * nodes
    values = np.asarray(function(at.ravel())).reshape(-1, *at.shape)
    panels: F64 = (values * weights).sum(axis=2) * (highs - lows)
    return panels
