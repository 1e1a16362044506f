"""Cells of correlated normal attributes: their probabilities, at fixed offsets or on average.

All attributes but the last are integrated by Gauss-Legendre rules, with as many nodes as all digits
need, and the last by the normal distribution function. Nothing is sampled.

The mean over all offsets is the mean over windows that slide along a finer grid: each window is an
interval of the width asked for. The finer grid is refined until that changes nothing, which is
soon, since everything is as smooth as the normal density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.errors import UndefinedMeasure
from singleout.predict.correlation.normal_closed import conditional_deviations
from singleout.predict.intervals.quadrature import gauss
from singleout.predict.set_sizes.shares import set_shares
from singleout.report.say import say

__all__ = ["cell_masses", "fixed_masses", "grid_work", "mixture_shares", "window_shares"]


_FAR = 7.5  # standard deviations beyond which nobody is: 6e-14
_MOST_VALUES = 1e8  # of the normal distribution function: some seconds
_AT_ONCE = 1 << 20  # values of a block
# widths in conditional standard deviations, and the nodes that give all digits up to there
_NODES = ((0.1, 4), (0.5, 6), (1.0, 8), (2.0, 12))
_STEP = 0.5  # of the finer grid, in conditional standard deviations
_CONVERGED = 1e-8  # a change this small was the last: the error falls faster than geometrically
_MOST_PRODUCTS = 1 << 23


def cell_masses(edges: Sequence[F64], correlation: F64) -> F64:
    """Return the probability of every cell between edges, for standard normal attributes.

    Edges are ascending, in standard deviations from the mean; the ends may be infinite.
    """
    first = edges[:-1]
    narrow = conditional_deviations(correlation)
    rules = [_rule(e, step) for e, step in zip(first, narrow[:-1], strict=True)]
    last = np.asarray(edges[-1])
    inner = correlation[:-1, :-1]
    # the regression of the last attribute on the others
    slopes: F64 = np.linalg.solve(inner, correlation[:-1, -1]).astype(np.float64, copy=False)
    deviation = math.sqrt(max(correlation[-1, -1] - slopes @ correlation[:-1, -1], 0.0))
    if not first:
        return _normal_steps(last / deviation)
    _check_work(len(last) * math.prod(len(rule[0]) for rule in rules), len(edges))
    masses = np.empty([len(e) - 1 for e in edges])
    for row, rule in track(_blocks(rules, len(last)), say("progress.integration")):
        grid = [rule, *rules[1:]]
        weights, means = _density(grid, inner, slopes)
        steps = _normal_steps((last - means[..., None]) / deviation) * weights[..., None]
        for axis, (_, _, starts) in enumerate(grid):
            steps = np.add.reduceat(steps, starts, axis=axis)
        masses[row : row + steps.shape[0]] = steps
    return masses


def _values_needed(steps: F64, correlation: F64) -> float:
    """Return how many values the exact cells need: nodes of all attributes but the last."""
    cells = 2 * _FAR / steps + 1
    ratio = steps / conditional_deviations(correlation)
    panels = np.maximum(1.0, ratio / _NODES[-1][0])
    nodes = [next((n for most, n in _NODES if r <= most), _NODES[-1][1]) for r in ratio]
    return float(np.prod((cells * panels * nodes)[:-1]) * cells[-1])


def _check_work(values: int, attributes: int) -> None:
    if values > 10 * _MOST_VALUES:
        raise UndefinedMeasure(
            f"The cells of {attributes} attributes that depend on each other need {values:.1e} "
            "values of the normal distribution; take fewer attributes, or fewer values."
        )


Rule = tuple[F64, F64, I64]  # nodes, weights, index of the first node of each cell


def _rule(edges: F64, deviation: float) -> Rule:
    """Return nodes and weights to integrate over each cell in turn."""
    edges = np.clip(edges, -_FAR, _FAR)
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


def _normal_steps(edges: F64) -> F64:
    """Return the normal probability between neighbouring edges, small ones with all digits."""
    from scipy.special import ndtr

    tail = ndtr(-np.abs(edges))
    up = edges > 0
    low, high = tail[..., :-1], tail[..., 1:]
    crosses = up[..., 1:] & ~up[..., :-1]
    steps: F64 = np.where(crosses, 1 - low - high, np.abs(low - high))
    return steps


# ---- grids of intervals of the same width


def fixed_masses(covariance: F64, widths: F64, starts: F64) -> F64:
    """Return the probability of every cell; ``starts`` are edges relative to the means."""
    deviations, correlation = _standard(covariance)
    steps, begins = widths / deviations, starts / deviations
    edges = [_edges(step, begin) for step, begin in zip(steps, begins, strict=True)]
    return cell_masses(edges, correlation)


def window_shares(
    covariance: F64, widths: F64, people: int, weight: float = 1.0
) -> tuple[F64, float]:
    """Return the shares in sets of 1, 2 and 3 as the mean over offsets, and the error.

    The grid gets finer until that changes nothing.
    """
    deviations, correlation = _standard(covariance)
    ratio = widths / deviations / conditional_deviations(correlation)
    parts = np.maximum(1, np.ceil(ratio / _STEP)).astype(np.int64)
    shares = _windows(correlation, widths / deviations, parts, people, weight)
    error = math.inf
    for _ in range(6):
        parts = np.where(parts < 3, parts + 1, np.ceil(parts * 1.5)).astype(np.int64)
        if _values_needed(widths / deviations / parts, correlation) > _MOST_VALUES:
            break
        finer = _windows(correlation, widths / deviations, parts, people, weight)
        error = float(np.abs(finer - shares).max())
        shares = finer
        if error <= _CONVERGED:
            break
    return shares, error


def grid_work(covariance: F64, widths: F64, *, sliding: bool) -> float:
    """Return the cost of exact cells, relative to the largest that is accepted."""
    deviations, correlation = _standard(covariance)
    steps = widths / deviations
    if sliding:
        finer = np.ceil(steps / conditional_deviations(correlation) / _STEP)
        steps = steps / np.where(finer < 3, finer + 1, 1.5 * finer)
    return _values_needed(steps, correlation) / _MOST_VALUES


def _windows(correlation: F64, steps: F64, parts: I64, people: int, weight: float) -> F64:
    fine = cell_masses([_edges(step, 0.0) for step in steps / parts], correlation)
    windows = math.prod(n + 2 * p for n, p in zip(fine.shape, parts.tolist(), strict=True))
    require_memory(
        24 * windows, "Sliding the intervals over all offsets", "give a larger width, or an offset"
    )
    for axis, part in enumerate(parts.tolist()):
        fine = _slide(fine, part, axis)
    shares: F64 = set_shares(np.maximum(weight * fine, 0.0), people) / float(parts.prod())
    return shares


def _slide(masses: F64, parts: int, axis: int) -> F64:
    """Return the sums over all windows of this many neighbours, also those that reach outside."""
    if parts == 1:
        return masses
    room = [(parts, parts - 1) if a == axis else (0, 0) for a in range(masses.ndim)]
    upto = np.cumsum(np.pad(masses, room), axis=axis)
    length = upto.shape[axis]
    high = upto.take(range(parts, length), axis=axis)
    low = upto.take(range(length - parts), axis=axis)
    windows: F64 = high - low
    return windows


def _edges(step: float, begin: float) -> F64:
    first = math.floor((-_FAR - begin) / step)
    last = math.ceil((_FAR - begin) / step)
    return begin + step * np.arange(first, last + 1, dtype=np.float64)


def _standard(covariance: F64) -> tuple[F64, F64]:
    deviations = np.sqrt(np.diag(covariance))
    return deviations, covariance / np.outer(deviations, deviations)


# ---- a category that is independent of the numbers


def mixture_shares(
    shares: F64,
    means: F64,
    deviations: F64,
    widths: F64,
    offsets: F64 | None,
    people: int,
) -> F64 | None:
    """Return the shares in sets of 1, 2 and 3 if groups and all numbers were independent.

    Each number then has the mixture of its distributions in the groups, whose means and deviations
    are rows. None where there are too many cells.
    """
    if offsets is not None:
        edges = _mixture_edges(means, deviations, widths, offsets)
        return _product_shares(shares, _mixture(shares, means, deviations, edges), people)
    parts = np.ceil(widths / (_STEP * deviations.min(axis=0))).astype(np.int64)
    coarser: F64 | None = None
    for _ in range(8):
        edges = _mixture_edges(means, deviations, widths / parts, np.zeros(len(widths)))
        masses = _mixture(shares, means, deviations, edges)
        slid = [_slide(m, p, 0) for m, p in zip(masses, parts.tolist(), strict=True)]
        finer = _product_shares(shares, slid, people)
        if finer is None:
            return coarser
        finer = finer / float(parts.prod())
        if coarser is not None and np.abs(finer - coarser).max() <= _CONVERGED:
            return finer
        coarser, parts = finer, np.ceil(1.5 * parts).astype(np.int64)
    return coarser


def _mixture_edges(means: F64, deviations: F64, steps: F64, begins: F64) -> list[F64]:
    low, high = means - _FAR * deviations, means + _FAR * deviations
    first = np.floor((low.min(axis=0) - begins) / steps).astype(np.int64)
    last = np.ceil((high.max(axis=0) - begins) / steps).astype(np.int64)
    return [
        begin + step * np.arange(a, b + 1)
        for begin, step, a, b in zip(begins, steps, first, last, strict=True)
    ]


def _mixture(shares: F64, means: F64, deviations: F64, edges: Sequence[F64]) -> list[F64]:
    """Return for each attribute the probabilities of its intervals over all groups."""
    return [
        sum(
            share * _normal_steps((edge - mean) / deviation)
            for share, mean, deviation in zip(
                shares, means[:, axis], deviations[:, axis], strict=True
            )
        )
        for axis, edge in enumerate(edges)
    ]


def _product_shares(shares: F64, masses: Sequence[F64], people: int) -> F64 | None:
    if len(shares) * math.prod(len(m) for m in masses) > _MOST_PRODUCTS:
        return None
    cells = shares
    for mass in masses:
        cells = np.multiply.outer(cells, mass)
    return set_shares(np.maximum(cells, 0.0).ravel(), people)
