"""A stand-in with whole cells: the same sums of powers, from cells that can be counted.

Gauss quadrature gives groups of 1.4 or 12.7 cells. That is enough for averages, which are sums over
cells, but not for the law of the number of unique people: a product over cells has no meaning for
part of one. So the parts of cells are put together to whole ones, and the probabilities are moved,
as little as needed, until all sums are right again (Gauss-Newton).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.predict.distribution.surrogate import Surrogate, described, surrogate_from_power_sums

__all__ = ["stand_in_from_power_sums", "whole_cells"]


_STEPS = 100
# how far the halves of a group begin from it: not every start leads to the goal
_APART = (0.0, 0.02, 0.1, 0.3, 0.5)
_TILTS = (0.02, 0.1, 0.3, 0.5, 0.8)  # of cells one by one
_HALVINGS = 12
_CLOSE = 1e-10  # relative, of every sum; steps go on while they lead nearer
_NEAREST = 1e-15
_FEW_CELLS = 200  # that can be moved one by one
_PARTS = (
    "No whole cells were found with these sums: the stand-in has groups with part of a cell, for "
    "which only averages have a meaning."
)
_ROUNDING = 1e-9  # of a number of cells


def stand_in_from_power_sums(cells: float, power_sums: Sequence[float]) -> Surrogate:
    """Return groups of cells with all of these sums; of whole cells where some were found.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    power_sums
        The sums of the squares, cubes and so on of the probabilities, from the square on.

    Returns
    -------
    tuple
        The probability of a cell in each group, how many cells the group has, and what a reader
        should know. Where no whole cells were found, the groups of `surrogate_from_power_sums`.

    Examples
    --------
    >>> likely, many, _ = stand_in_from_power_sums(3, [0.46, 0.244])
    >>> many.tolist(), likely.round(3).tolist()
    ([1.0, 1.0, 1.0], [0.6, 0.3, 0.1])
    """
    every = surrogate_from_power_sums(cells, power_sums)
    given = list(power_sums)
    if len(given) == 1 or len(every[0]) == 1:
        return every
    # an odd number of sums leaves a group open: it starts from one less
    likely, many, _ = surrogate_from_power_sums(cells, given[: len(given) - len(given) % 2])
    # a quadrature with fewer groups than asked for has all further sums as well
    determined = 2 * len(likely) - 2 < len(given) - len(given) % 2
    found = whole_cells(likely, many, given[: 2 * len(likely) - 2] if determined else given)
    if found is None:
        return every[0], every[1], (*every[2], _PARTS)
    order = np.argsort(-found[0])
    return found[0][order], found[1][order], (described(len(order), len(given)),)


def whole_cells(likely: F64, many: F64, power_sums: Sequence[float]) -> tuple[F64, F64] | None:
    """Return groups of whole cells with the same sums; None where none were found.

    Parameters
    ----------
    likely, many
        The probability of a cell in each group, and how many cells it has: any positive numbers
        with a whole sum.
    power_sums
        The sums of the squares, cubes and so on that the cells have, from the square on.

    Examples
    --------
    >>> import numpy as np
    >>> likely, many = whole_cells(np.array([0.61, 0.195]), np.array([0.96, 2.04]), [0.46, 0.244])
    >>> sorted(likely.round(3).tolist()), many.tolist()
    ([0.1, 0.3, 0.6], [1.0, 1.0, 1.0])
    """
    if _near_whole(many).all():
        return likely, np.rint(many)
    wanted = np.array([1.0, *power_sums])
    for apart in _APART:
        start, times = _put_together(likely, many, apart)
        found = _moved(start, times, wanted)
        if found is not None:
            return found, times
    if many.sum() > _FEW_CELLS:
        return None
    for apart in _TILTS:
        start = _one_by_one(likely, many, apart)
        found = _moved(start, np.ones(len(start)), wanted)
        if found is not None:
            return found, np.ones(len(start))
    return None


def _one_by_one(likely: F64, many: F64, apart: float) -> F64:
    """Return a probability for each cell: its part of the groups in order, and then tilted."""
    upto, mass = np.cumsum(np.append(0.0, many)), np.cumsum(np.append(0.0, many * likely))
    cells = int(np.rint(upto[-1]))
    shares = np.diff(np.interp(np.arange(cells + 1), upto, mass))
    tilted: F64 = shares * np.exp(apart * np.linspace(1, -1, cells))
    return np.asarray(tilted / tilted.sum())


def _put_together(likely: F64, many: F64, apart: float) -> tuple[F64, F64]:
    """Return the whole cells of each group, and cells made of the parts that are left over."""
    near = _near_whole(many)
    whole = np.where(near, np.rint(many), np.floor(many))
    parts = np.where(near, 0.0, many - whole)
    upto = np.concatenate([[0.0], np.cumsum(parts)])
    cells = int(np.rint(upto[-1]))
    # neighbouring parts make a cell, whose probability is their sum
    mass = np.interp(np.arange(cells + 1), upto, np.concatenate([[0.0], np.cumsum(parts * likely)]))
    # each group in two halves, or there would be fewer probabilities to move than sums
    upper = np.ceil(whole / 2)
    halves = np.concatenate([upper, whole - upper])
    split = np.concatenate([likely * (1 + apart), likely * (1 - apart)])
    kept = halves > 0
    return (
        np.concatenate([split[kept], np.diff(mass)]),
        np.concatenate([halves[kept], np.ones(cells)]),
    )


def _near_whole(many: F64) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = np.abs(many - np.rint(many)) <= _ROUNDING * np.maximum(many, 1.0)
    return near


def _moved(start: F64, times: F64, wanted: F64) -> F64 | None:
    """Return probabilities that have the sums, as near to the first ones as the steps lead."""
    powers = np.arange(1, len(wanted) + 1)[:, None]

    def away(logs: F64) -> F64:
        reached: F64 = (times * np.exp(powers * logs)).sum(axis=1) / wanted - 1
        return reached

    logs = np.log(np.maximum(start, 1e-300))
    off = away(logs)
    for _ in range(_STEPS):
        if np.abs(off).max() <= _NEAREST:
            break
        slopes = powers * times * np.exp(powers * logs) / wanted[:, None]
        step = np.linalg.lstsq(slopes, -off, rcond=1e-13)[0]
        step /= max(1.0, float(np.abs(step).max()))
        for halving in range(_HALVINGS):
            tried = logs + step * 0.5**halving
            nearer = away(tried)
            if np.abs(nearer).sum() < np.abs(off).sum():
                break
        else:
            break
        logs, off = tried, nearer
    found: F64 = np.exp(logs)
    return found if np.abs(off).max() <= _CLOSE and found.max() <= 1 else None
