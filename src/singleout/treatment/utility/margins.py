"""Single columns before and after: distances of their distributions, means and quantiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, sums
from singleout.core.table import Column
from singleout.treatment.published import blank_codes
from singleout.treatment.utility.common import Common

__all__ = ["QUANTILES", "ColumnUtility", "Numbers", "column_utility", "distances"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Numbers:
    """What describes a column of numbers.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the values that are there.
    quantiles
        The values below which 5, 25, 50, 75 and 95 of 100 records are.
    """

    mean: float
    sd: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class ColumnUtility:
    """One column before and after.

    Parameters
    ----------
    name
        The column.
    changed
        Whether some record may show another value than it had.
    values
        How many different values it had.
    categories
        How many of them the two versions still tell apart.
    blank_before, blank_after
        Blank cells / all cells.
    hellinger, total_variation
        Distances of the two distributions over these categories, from 0 to 1.
    spread_variation
        Total variation over the original values, if each published cell is spread evenly over the
        values that it stands for, and blank ones are left out; None where numbers were published
        that no record had.
    before, after
        What describes its numbers; None if it holds none.
    """

    name: str
    changed: bool
    values: int
    categories: int
    blank_before: float
    blank_after: float
    hellinger: float
    total_variation: float
    spread_variation: float | None
    before: Numbers | None = None
    after: Numbers | None = None


def distances(first: F64, second: F64) -> tuple[float, float]:
    """Return the Hellinger distance and the total variation of two tables of counts.

    >>> distances(np.array([1.0, 1.0]), np.array([2.0, 0.0]))[1]
    0.5
    """
    p, q = first / first.sum(), second / second.sum()
    common = float(np.sqrt(p * q).sum())
    variation = float(np.abs(p - q).sum()) / 2
    # a hair above 1 where both are the same
    return (math.sqrt(max(1 - common, 0.0)) if variation > 0 else 0.0), min(variation, 1.0)


def column_utility(column: Common, weights: tuple[F64, F64]) -> ColumnUtility:
    """Return a column before and after."""
    before = sums(column.coded_before(), weights[0], column.size)
    after = sums(column.coded_after(), weights[1], column.size)
    hellinger, variation = distances(before, after)
    described: list[Numbers | None] = [None, None]
    if column.numbers_before is not None and column.numbers_after is not None:
        described = [
            _described(column.numbers_before, column.before, weights[0]),
            _described(column.numbers_after, column.after, weights[1]),
        ]
    return ColumnUtility(
        column.name,
        column.changed,
        int((column.before.sizes > 0).sum()),
        int(((before > 0) | (after > 0)).sum()),
        _blanks(column.before, weights[0]),
        _blanks(column.after, weights[1]),
        hellinger,
        variation,
        _spread(column, weights) if column.changed else 0.0,
        *described,
    )


def _blanks(column: Column, weights: F64) -> float:
    return float(weights[blank_codes(column)[column.codes]].sum() / weights.sum())


def _spread(column: Common, weights: tuple[F64, F64]) -> float | None:
    if column.grouped:
        return None
    levels = column.before.levels
    was = sums(column.before.codes, weights[0], levels)
    cells = sums(column.after.codes, weights[1], column.after.levels)
    none = np.empty(0, dtype=np.int64)
    members = [
        none if under is None or column.match.blank[code] else under
        for code, under in enumerate(column.match.members)
    ]
    lengths = np.array([len(under) for under in members], dtype=np.int64)
    parts = np.repeat(cells / np.maximum(lengths, 1), lengths)
    now = sums(np.concatenate([none, *members]), parts, levels)
    if column.blank >= 0:
        was = np.where(column.of_before == column.blank, 0.0, was)
    if not was.sum() or not now.sum():
        return 1.0 if was.sum() or now.sum() else 0.0
    return distances(was, now)[1]


def _described(book: F64, column: Column, weights: F64) -> Numbers | None:
    held = sums(column.codes, weights, column.levels)
    there = np.isfinite(book) & (held > 0)
    x, w = book[there], held[there]
    if not len(x):
        return None
    mean = float(np.average(x, weights=w))
    variance = float(np.average((x - mean) ** 2, weights=w))
    order = np.argsort(x, kind="stable")
    x, below = x[order], np.cumsum(w[order])
    at = np.searchsorted(below, np.array(QUANTILES) * below[-1])
    return Numbers(mean, math.sqrt(variance), tuple(x[np.minimum(at, len(x) - 1)].tolist()))
