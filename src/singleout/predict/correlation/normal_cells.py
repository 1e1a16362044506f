"""The probability of every cell between edges, for normal attributes that are correlated.

All attributes but the last are integrated by Gauss-Legendre rules, with as many nodes as all digits
need, and the last by the normal distribution function. Nothing is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.progress import track
from singleout.errors import UndefinedMeasure
from singleout.predict.correlation.normal_closed import conditional_deviations
from singleout.predict.intervals.quadrature import gauss

__all__ = ["FAR", "MOST_VALUES", "cell_masses", "normal_steps", "values_needed"]


FAR = 7.5  # standard deviations beyond which nobody is: 6e-14
MOST_VALUES = 1e8  # of the normal distribution function: some seconds
_AT_ONCE = 1 << 20  # values of a block
# up to so many conditional standard deviations, so many nodes give all digits
_NODES = ((0.1, 4), (0.5, 6), (1.0, 8), (2.0, 12))


def cell_masses(edges: Sequence[F64], correlation: F64) -> F64:
    """Return the probability of every cell between edges, for standard normal attributes.

    Edges are ascending, in standard deviations from the mean; the ends may be infinite.
    """
    first = edges[:-1]
    narrow = conditional_deviations(correlation)
    rules = [_rule(e, step) for e, step in zip(first, narrow[:-1], strict=True)]
    last = np.asarray(edges[-1])
    slopes = _slopes(correlation)
    deviation = math.sqrt(max(correlation[-1, -1] - slopes @ correlation[:-1, -1], 0.0))
    if not first:
        return normal_steps(last / deviation)
    _check_work(len(last) * math.prod(len(rule[0]) for rule in rules), len(edges))
    inner = correlation[:-1, :-1]
    masses = np.empty([len(e) - 1 for e in edges])
    for row, rule in track(_blocks(rules, len(last)), "Cells"):
        grid = [rule, *rules[1:]]
        weights, means = _density(grid, inner, slopes)
        steps = normal_steps((last - means[..., None]) / deviation) * weights[..., None]
        for axis, (_, _, starts) in enumerate(grid):
            steps = np.add.reduceat(steps, starts, axis=axis)
        masses[row : row + steps.shape[0]] = steps
    return masses


def values_needed(steps: F64, correlation: F64) -> float:
    """Return how many values the exact cells need: nodes of all attributes but the last."""
    cells = 2 * FAR / steps + 1
    ratio = steps / conditional_deviations(correlation)
    panels = np.maximum(1.0, ratio / _NODES[-1][0])
    nodes = [next((n for most, n in _NODES if r <= most), _NODES[-1][1]) for r in ratio]
    return float(np.prod((cells * panels * nodes)[:-1]) * cells[-1])


def _check_work(values: int, attributes: int) -> None:
    if values > 10 * MOST_VALUES:
        raise UndefinedMeasure(
            f"The cells of {attributes} attributes that depend on each other need {values:.1e} "
            "values of the normal distribution; take fewer attributes, or fewer values."
        )


Rule = tuple[F64, F64, I64]  # nodes, weights, index of the first node of each cell


def _rule(edges: F64, deviation: float) -> Rule:
    """Return nodes and weights to integrate over each cell in turn."""
    edges = np.clip(edges, -FAR, FAR)
    lengths = np.diff(edges)
    panels = np.maximum(1, np.ceil(lengths / (_NODES[-1][0] * deviation))).astype(np.int64)
    widest = float((lengths / panels).max()) / deviation
    count = next((n for most, n in _NODES if widest <= most), _NODES[-1][1])
    nodes, weights = gauss(count)
    length = np.repeat(lengths / panels, panels)
    first = np.cumsum(panels) - panels
    number = np.arange(panels.sum()) - np.repeat(first, panels)
    begin = np.repeat(edges[:-1], panels) + number * length
    at = (begin[:, None] + length[:, None] * nodes).ravel()
    return at, (length[:, None] * weights).ravel(), first * count


def _blocks(rules: Sequence[Rule], edges: int) -> list[tuple[int, Rule]]:
    """Cut the cells of the first attribute into blocks of bounded memory."""
    nodes, weights, starts = rules[0]
    rest = edges * math.prod(len(rule[0]) for rule in rules[1:])
    ends = np.append(starts[1:], len(nodes))
    blocks, begin = [], 0
    for cell in range(len(starts)):
        if cell + 1 < len(starts) and (ends[cell + 1] - starts[begin]) * rest <= _AT_ONCE:
            continue
        inside = slice(int(starts[begin]), int(ends[cell]))
        block = (nodes[inside], weights[inside], starts[begin : cell + 1] - starts[begin])
        blocks.append((begin, block))
        begin = cell + 1
    return blocks


def _slopes(correlation: F64) -> F64:
    """Return the regression coefficients of the last attribute on the others."""
    inner = correlation[:-1, :-1]
    if not len(inner):
        return np.empty(0)
    return np.asarray(np.linalg.solve(inner, correlation[:-1, -1]), dtype=np.float64)


def _density(grid: Sequence[Rule], inner: F64, slopes: F64) -> tuple[F64, F64]:
    """Return on a grid the weighted density, and the conditional mean of the last attribute."""
    axes = np.meshgrid(*(rule[0] for rule in grid), indexing="ij", sparse=True)
    precision = np.linalg.inv(inner)
    distance: Any = 0.0
    mean: Any = 0.0
    for i, x in enumerate(axes):
        mean = mean + slopes[i] * x
        for j, y in enumerate(axes):
            distance = distance + precision[i, j] * x * y
    scale = 1 / math.sqrt(np.linalg.det(2 * math.pi * inner))
    weights = scale * np.exp(-distance / 2)
    for axis, (_, weight, _) in enumerate(grid):
        weights = weights * weight.reshape([-1 if a == axis else 1 for a in range(len(grid))])
    return weights, mean


def normal_steps(edges: F64) -> F64:
    """Return the normal probability between neighbouring edges, small ones with all digits."""
    from scipy.special import ndtr

    tail = ndtr(-np.abs(edges))
    up = edges > 0
    low, high = tail[..., :-1], tail[..., 1:]
    crosses = up[..., 1:] & ~up[..., :-1]
    steps: F64 = np.where(crosses, 1 - low - high, np.abs(low - high))
    return steps
