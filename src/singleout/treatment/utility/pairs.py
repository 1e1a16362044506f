"""Pairs of columns before and after: distances of their tables, association and correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from singleout.core.arrays import F64, sums
from singleout.core.progress import track
from singleout.core.table import Codes
from singleout.report.say import say
from singleout.treatment.utility.common import Common, reduced
from singleout.treatment.utility.margins import distances

__all__ = ["MOST_COLUMNS", "CorrelationChange", "PairChange", "correlations", "pair_changes"]

MOST_COLUMNS = 25  # the pairs of so many columns are compared
CATEGORIES = 20  # of a column in a table of two


@dataclass(frozen=True)
class PairChange:
    """The table of two columns before and after.

    Parameters
    ----------
    first, second
        The columns.
    hellinger, total_variation
        Distances of the two tables, from 0 to 1.
    association_before, association_after
        Cramér's V of the two columns, from 0 to 1.
    """

    first: str
    second: str
    hellinger: float
    total_variation: float
    association_before: float
    association_after: float


@dataclass(frozen=True)
class CorrelationChange:
    """The correlation of two columns of numbers before and after.

    Parameters
    ----------
    first, second
        The columns.
    pearson_before, pearson_after
        Their linear correlation; None where one of them is constant.
    spearman_before, spearman_after
        The correlation of their ranks.
    """

    first: str
    second: str
    pearson_before: float | None
    pearson_after: float | None
    spearman_before: float | None
    spearman_after: float | None

    @property
    def change(self) -> float:
        """The larger change of the two; 0 where one is not defined."""
        pairs = [
            (self.pearson_before, self.pearson_after),
            (self.spearman_before, self.spearman_after),
        ]
        known = [abs(a - b) for a, b in pairs if a is not None and b is not None]
        return max(known, default=0.0)


def pair_changes(columns: Sequence[Common], weights: tuple[F64, F64]) -> list[PairChange]:
    """Return the pairs of which a column changed, the most changed first.

    A pair of columns that nobody touched is the same as before.
    """
    small = [reduced(column, CATEGORIES) for column in columns]
    wanted = [
        (i, j)
        for i, j in combinations(range(len(columns)), 2)
        if columns[i].changed or columns[j].changed
    ]
    found = []
    for i, j in track(wanted, say("utility.progress_pairs")):
        rows, across = small[i][2], small[j][2]
        tables = [
            sums(small[i][0] * across + small[j][0], weights[0], rows * across),
            sums(small[i][1] * across + small[j][1], weights[1], rows * across),
        ]
        before, after = (table.reshape(rows, across) for table in tables)
        found.append(
            PairChange(
                columns[i].name,
                columns[j].name,
                *distances(tables[0], tables[1]),
                cramers_v(before),
                cramers_v(after),
            )
        )
    return sorted(found, key=lambda pair: -pair.total_variation)


def cramers_v(table: F64) -> float:
    """Return Cramér's V of a table of counts; 0 where one of the two is constant.

    >>> cramers_v(np.array([[5.0, 0.0], [0.0, 5.0]]))
    1.0
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(table.shape) - 1
    if least < 1:
        return 0.0
    shares = table / table.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    phi = float((shares * shares / expected).sum()) - 1
    return math.sqrt(min(max(phi, 0.0) / least, 1.0))


def correlations(columns: Sequence[Common], weights: tuple[F64, F64]) -> list[CorrelationChange]:
    """Return all pairs of columns of numbers, the most changed first."""
    numeric = [column for column in columns if column.is_number]
    if len(numeric) < 2:
        return []
    found: list[tuple[F64, F64]] = []
    for side in (0, 1):
        sides = [_side(column, side) for column in numeric]
        values = np.column_stack([book[codes] for book, codes in sides])
        ranks = np.column_stack(
            [ranked(book, codes, weights[side])[codes] for book, codes in sides]
        )
        found.append((pearson(values, weights[side]), pearson(ranks, weights[side])))
    (linear, rank), (linear_after, rank_after) = found
    changes = [
        CorrelationChange(
            numeric[i].name,
            numeric[j].name,
            *(_defined(matrix[i, j]) for matrix in (linear, linear_after, rank, rank_after)),
        )
        for i, j in combinations(range(len(numeric)), 2)
    ]
    return sorted(changes, key=lambda pair: -pair.change)


def _side(column: Common, side: int) -> tuple[F64, Codes]:
    """Return the number of each code, and the code of each record."""
    book = column.numbers_after if side else column.numbers_before
    assert book is not None  # it holds numbers
    return book, column.after.codes if side else column.before.codes


def pearson(values: F64, weights: F64) -> F64:
    """Return the correlations of columns over the records that have both; NaN if undefined."""
    there = np.isfinite(values)
    means = [
        np.average(values[ok, j], weights=weights[ok]) if weights[ok].sum() else 0.0
        for j, ok in enumerate(there.T)
    ]
    x = np.where(there, values - means, 0.0)
    w = weights[:, None]
    mask = there.astype(np.float64)
    total = np.maximum(mask.T @ (w * mask), 1e-300)
    sum_x = x.T @ (w * mask)
    cross = x.T @ (w * x) / total - sum_x / total * (sum_x / total).T
    square = (x * x).T @ (w * mask) / total - (sum_x / total) ** 2
    scale = np.sqrt(np.maximum(square, 0.0) * np.maximum(square.T, 0.0))
    answer = np.full(cross.shape, np.nan)
    np.divide(cross, scale, out=answer, where=scale > 1e-12 * np.abs(square).max(initial=0.0))
    return np.asarray(np.clip(answer, -1.0, 1.0))


def ranked(book: F64, codes: Codes, weights: F64) -> F64:
    """Return for each code the middle rank of its number, records counting by their weight.

    NaN stays NaN.
    """
    answer = np.full(len(book), np.nan)
    there = np.isfinite(book)
    _, which = np.unique(book[there], return_inverse=True)
    held = sums(which, sums(codes, weights, len(book))[there])
    answer[there] = (np.cumsum(held) - held / 2)[which]
    return answer


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
