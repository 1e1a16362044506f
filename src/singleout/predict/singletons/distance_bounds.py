"""Proven limits of a mean, from the number of cells and the distance to uniform.

Take a person at random, and let u = ln(N p) for the probability p of the person's cell. Whatever
the distribution is, E u is its Kullback-Leibler distance to uniform, and E exp(-u) is the share of
the cells that are possible at all, so at most 1. The least mean of a function of u under these two
conditions is a linear program, and every line α + β u - γ exp(-u) with γ ≥ 0 that lies below the
function proves a lower limit: α + β κ - γ. The best such line is found by the simplex method on a
grid that is refined where the line touches; it is then lowered until it lies below everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from singleout.core.arrays import F64

__all__ = ["Function", "highest", "least_mean", "mean_limits"]

Function = Callable[[F64], F64]

_FAR_LEFT = -45.0  # people in cells so unlikely are below the precision of floats
_STEPS = 160  # of the grid to each side
_REFINEMENTS = 8
_PIVOTS = 200
_ZOOMS = 7  # into the points where the line touches, each eightfold
_SAME = 1e-7
_FRACTIONS = np.linspace(0, 1, 17)  # of a zoomed interval
_CLOSE = 1e-8  # relative: a line that gains less is good enough
_ROUNDING = 1e-9  # a limit from floats is widened by this share of it,
_LAST_DIGITS = 1e-14  # and by this share of the largest value
_NO_DISTANCE = 1e-14  # nats: cells differ by less than a ten-millionth


def mean_limits(function: Function, cells: float, kl: float, people: int) -> tuple[float, float]:
    """Return the least and the largest mean over people of a function of their cell's probability.

    The function takes an array of probabilities; it is smooth and bounded, and changes most where
    there is about one person per cell.

    Examples
    --------
    >>> low, high = mean_limits(lambda p: (1 - p) ** 94, cells=95, kl=0.1, people=95)
    >>> round(95 * low, 1), round(95 * high, 1)
    (31.1, 34.7)
    """
    low = least_mean(function, cells, kl, people)
    high = -least_mean(lambda likely: -function(likely), cells, kl, people)
    return low, high


def least_mean(function: Function, cells: float, kl: float, people: int) -> float:
    """Return a lower limit of the mean over people of a function of their cell's probability."""
    if cells == 1 or kl <= _NO_DISTANCE:
        even = float(function(np.array([1 / cells]))[0])
        return even - 10 * _ROUNDING * abs(even)

    def value(at: F64) -> F64:
        return function(np.minimum(np.exp(at) / cells, 1.0))

    top = highest(cells, kl)
    grid = _grid(top, kl, cells / people)
    basis = np.array([kl, 0.0, np.inf])  # all people in one kind of cell
    best = -np.inf
    for _ in range(_REFINEMENTS):
        values = value(grid)
        line, basis = _best_line(grid, values, kl, basis)
        height, touching = _lowered(value, line, grid)
        limit = height + (line[1] + line[2]) * kl
        done = limit - best <= _CLOSE * abs(limit)
        best = max(best, limit)
        if done:
            break
        grid = _refined(grid, touching, min(1.0, np.sqrt(kl)))
    return float(best - _ROUNDING * abs(best) - _LAST_DIGITS * np.abs(values).max())


def highest(cells: float, kl: float) -> float:
    """Return the largest u that a cell can have: one heavy cell, and all others equal."""
    low, high = 1 / cells, 1.0
    for _ in range(80):
        heavy = (low + high) / 2
        rest = 1 - heavy
        distance = heavy * np.log(heavy * cells)
        if rest > 0:
            distance += rest * np.log(rest * (cells / (cells - 1)))
        low, high = (low, heavy) if distance > kl else (heavy, high)
    return float(np.log(high * cells))


def _grid(top: float, kl: float, per_person: float) -> F64:
    """Return the first grid: around uniform, and where cells have from few to many people."""
    scale = min(1.0, np.sqrt(kl))
    near = np.geomspace(1e-3 * scale, max(-_FAR_LEFT, top), _STEPS)
    crowded = np.log(np.geomspace(0.01, 100, _STEPS // 2) * per_person)
    around = kl + scale * np.array([-1e-2, -1e-3, -1e-4, 0.0, 1e-4, 1e-3, 1e-2])
    every = np.concatenate([[0.0, top], around, near, -near, crowded])
    return np.unique(np.clip(every, _FAR_LEFT, top))


def _refined(grid: F64, points: F64, scale: float) -> F64:
    """Return the grid with further points, without those that nearly coincide with another."""
    after = np.clip(np.searchsorted(grid, points), 1, len(grid) - 1)
    gap = np.minimum(np.abs(points - grid[after - 1]), np.abs(grid[after] - points))
    return np.union1d(grid, points[gap > _SAME * scale * (1 + np.abs(points))])


def _curved(at: F64) -> F64:
    """Return exp(-u) - 1 + u, whose mean is at most the distance."""
    near = at * at * (0.5 - at * (1 / 6 - at * (1 / 24 - at / 120)))
    return np.where(np.abs(at) < 1e-3, near, np.expm1(-at) + at)


def _best_line(grid: F64, values: F64, kl: float, basis: F64) -> tuple[F64, F64]:
    """Return the line under the values on the grid that is highest at the distance.

    By the simplex method. Columns are the points of the grid, and last the share of the cells that
    are impossible. Rows are that shares sum to 1, and the means of u and of exp(-u) - 1 + u. It
    starts from the points in the basis, infinite for the last column, and returns the final basis.
    """
    columns = np.vstack([np.ones(len(grid)), grid, _curved(grid)])
    scale = 1 / (1 + columns[2] + np.abs(grid))
    columns = np.column_stack([columns * scale, [0.0, 0.0, 1.0]])
    costs = np.append(values * scale, 0.0)
    unscaled = np.append(1 / scale, 1.0)
    enough = -_LAST_DIGITS * float(np.abs(values).max())
    wanted = np.array([1.0, kl, kl])
    chosen = np.searchsorted(grid, basis)
    for _ in range(_PIVOTS):
        inverse = np.linalg.inv(columns[:, chosen])
        line: F64 = costs[chosen] @ inverse
        spare = (costs - line @ columns) * unscaled
        entering = int(spare.argmin())
        change = inverse @ columns[:, entering]
        falling = change > 1e-14
        if spare[entering] >= enough or entering in chosen or not falling.any():
            break
        weights = np.maximum(inverse @ wanted, 0.0)
        steps = np.where(falling, weights / np.where(falling, change, 1.0), np.inf)
        chosen[int(steps.argmin())] = entering
    line[2] = min(line[2], 0.0)
    return line, np.append(grid, np.inf)[chosen]


def _lowered(value: Function, line: F64, grid: F64) -> tuple[float, F64]:
    """Return the height at which the line lies below the function, and where they touch."""

    def above(at: F64) -> F64:
        return np.asarray(value(at) - line[1] * at - line[2] * _curved(at))

    middles = (grid[1:] + grid[:-1]) / 2
    # left of the grid the function is flat, and a falling line has one highest point
    bent = line[1] < 0 and line[2] < 0
    far = -np.log1p(line[1] / line[2]) if bent else grid[0]
    at = np.union1d(np.append(middles, min(far, grid[0])), grid)
    heights = above(at)
    padded = np.concatenate([[np.inf], heights, [np.inf]])
    lowest = np.flatnonzero((heights <= padded[:-2]) & (heights <= padded[2:]))
    left, right = at[np.maximum(lowest - 1, 0)], at[np.minimum(lowest + 1, len(at) - 1)]
    for _ in range(_ZOOMS):
        points = left[:, None] + (right - left)[:, None] * _FRACTIONS
        best = above(points).argmin(axis=1)
        each = np.arange(len(lowest))
        left = points[each, np.maximum(best - 1, 0)]
        right = points[each, np.minimum(best + 1, len(_FRACTIONS) - 1)]
    touching = (left + right) / 2
    height = float(min(above(touching).min(), heights.min()))
    if line[1] < 0 and not bent:  # nearly straight: lower it to lie below far to the left as well
        room = float(value(grid[:1])[0]) - height
        height += line[1] * np.exp(min(room / line[1] - 1, 700.0))
    return height, touching
