"""Normal attributes on grids of intervals of the same width, at fixed offsets or on average.

The mean over all offsets is the mean over windows that slide along a finer grid: each window is an
interval of the width asked for. The finer grid is refined until that changes nothing, which is
soon, since everything is as smooth as the normal density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.memory import require_memory
from singleout.predict.correlation.normal_cells import (
    FAR,
    MOST_VALUES,
    cell_masses,
    normal_steps,
    values_needed,
)
from singleout.predict.correlation.normal_closed import conditional_deviations
from singleout.predict.set_sizes.shares import set_shares

__all__ = ["fixed_masses", "grid_work", "mixture_shares", "window_shares"]


_STEP = 0.5  # of the finer grid, in conditional standard deviations
_CONVERGED = 1e-8  # a change this small was the last: the error falls faster than geometrically
_MOST_PRODUCTS = 1 << 23


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
        if values_needed(widths / deviations / parts, correlation) > MOST_VALUES:
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
    return values_needed(steps, correlation) / MOST_VALUES


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
    first = math.floor((-FAR - begin) / step)
    last = math.ceil((FAR - begin) / step)
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
    low, high = means - FAR * deviations, means + FAR * deviations
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
            share * normal_steps((edge - mean) / deviation)
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
