"""A stand-in with whole numbers of cells and the same sums of powers.

Gauss quadrature gives groups of 1.4 or 12.7 cells. That is enough for averages, which are sums over
cells, but not for the law of the number of unique people, which is a product over whole cells. So
fractions of cells are merged to whole ones, and the probabilities are adjusted by Gauss-Newton
steps until all sums are right again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from singleout.core.arrays import F64, Flags
from singleout.predict.distribution.surrogate import Surrogate, described, surrogate_from_power_sums
from singleout.report.say import say

__all__ = ["stand_in_from_power_sums", "whole_cells"]


_STEPS = 100
# relative distance of the halves of a group at the start: the steps converge from some of them only
_APART = (0.0, 0.02, 0.1, 0.3, 0.5)
_TILTS = (0.02, 0.1, 0.3, 0.5, 0.8)  # the same, where each cell has a probability of its own
_HALVINGS = 12
_CLOSE = 1e-10  # largest relative error of a sum
_NEAREST = 1e-15  # relative error at which the steps stop
_FEW_CELLS = 200  # up to which each cell may have a probability of its own
_ROUNDING = 1e-9  # of a number of cells


def stand_in_from_power_sums(cells: float, power_sums: Sequence[float]) -> Surrogate:
    """Return groups of whole cells with these sums, else those of `surrogate_from_power_sums`.

    >>> likely, many, _ = stand_in_from_power_sums(3, [0.46, 0.244])
    >>> many.tolist(), likely.round(3).tolist()
    ([1.0, 1.0, 1.0], [0.6, 0.3, 0.1])
    """
    fractional = surrogate_from_power_sums(cells, power_sums)
    sums = list(power_sums)
    if len(sums) == 1 or len(fractional[0]) == 1:
        return fractional
    even = len(sums) - len(sums) % 2  # an odd number of sums leaves the number of cells open
    likely, many, _ = surrogate_from_power_sums(cells, sums[:even])
    # a quadrature of fewer groups than asked for has all further sums as well
    determined = 2 * len(likely) - 2 < even
    groups = whole_cells(likely, many, sums[: 2 * len(likely) - 2] if determined else sums)
    if groups is None:
        return fractional[0], fractional[1], (*fractional[2], say("predict.distribution.fractions"))
    order = np.argsort(-groups[0])
    return groups[0][order], groups[1][order], (described(len(order), len(sums)),)


def whole_cells(likely: F64, many: F64, power_sums: Sequence[float]) -> tuple[F64, F64] | None:
    """Return groups of whole cells with the same sums of powers; None where none were found.

    A group has cells of probability ``likely``, as many as ``many`` says: positive numbers that add
    up to a whole one.

    >>> likely, many = whole_cells(np.array([0.61, 0.195]), np.array([0.96, 2.04]), [0.46, 0.244])
    >>> sorted(likely.round(3).tolist()), many.tolist()
    ([0.1, 0.3, 0.6], [1.0, 1.0, 1.0])
    """
    if _near_whole(many).all():
        return likely, np.rint(many)
    wanted = np.array([1.0, *power_sums])
    for apart in _APART:
        start, times = _merged(likely, many, apart)
        adjusted = _adjusted(start, times, wanted)
        if adjusted is not None:
            return adjusted, times
    if many.sum() > _FEW_CELLS:
        return None
    for apart in _TILTS:
        start = _one_by_one(likely, many, apart)
        adjusted = _adjusted(start, np.ones(len(start)), wanted)
        if adjusted is not None:
            return adjusted, np.ones(len(start))
    return None


def _one_by_one(likely: F64, many: F64, apart: float) -> F64:
    """Return a probability for each cell: its part of the groups in order, tilted by ``apart``."""
    upto, mass = np.cumsum(np.append(0.0, many)), np.cumsum(np.append(0.0, many * likely))
    cells = int(np.rint(upto[-1]))
    shares = np.diff(np.interp(np.arange(cells + 1), upto, mass))
    tilted: F64 = shares * np.exp(apart * np.linspace(1, -1, cells))
    return np.asarray(tilted / tilted.sum())


def _merged(likely: F64, many: F64, apart: float) -> tuple[F64, F64]:
    """Return the whole cells of each group, and cells merged from the remaining fractions."""
    near = _near_whole(many)
    whole = np.where(near, np.rint(many), np.floor(many))
    parts = np.where(near, 0.0, many - whole)
    upto = np.concatenate([[0.0], np.cumsum(parts)])
    cells = int(np.rint(upto[-1]))
    # neighbouring fractions make a cell, whose probability is their sum
    mass = np.interp(np.arange(cells + 1), upto, np.concatenate([[0.0], np.cumsum(parts * likely)]))
    # each group in two halves, or there would be fewer probabilities to adjust than sums
    upper = np.ceil(whole / 2)
    halves = np.concatenate([upper, whole - upper])
    split = np.concatenate([likely * (1 + apart), likely * (1 - apart)])
    some = halves > 0
    return (
        np.concatenate([split[some], np.diff(mass)]),
        np.concatenate([halves[some], np.ones(cells)]),
    )


def _near_whole(many: F64) -> Flags:
    near: Flags = np.abs(many - np.rint(many)) <= _ROUNDING * np.maximum(many, 1.0)
    return near


def _adjusted(start: F64, times: F64, wanted: F64) -> F64 | None:
    """Return probabilities with the wanted sums, by Gauss-Newton steps from the first ones."""
    powers = np.arange(1, len(wanted) + 1)[:, None]

    def relative_errors(logs: F64) -> F64:
        errors: F64 = (times * np.exp(powers * logs)).sum(axis=1) / wanted - 1
        return errors

    logs = np.log(np.maximum(start, 1e-300))
    errors = relative_errors(logs)
    for _ in range(_STEPS):
        if np.abs(errors).max() <= _NEAREST:
            break
        slopes = powers * times * np.exp(powers * logs) / wanted[:, None]
        step = np.linalg.lstsq(slopes, -errors, rcond=1e-13)[0]
        step /= max(1.0, float(np.abs(step).max()))
        for halving in range(_HALVINGS):
            tried = logs + step * 0.5**halving
            smaller = relative_errors(tried)
            if np.abs(smaller).sum() < np.abs(errors).sum():
                break
        else:
            break
        logs, errors = tried, smaller
    shares: F64 = np.exp(logs)
    return shares if np.abs(errors).max() <= _CLOSE and shares.max() <= 1 else None
