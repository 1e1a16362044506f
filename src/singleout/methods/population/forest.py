"""Log-linear models with a closed form: main effects, and pairs of columns that make no circle.

The fitted counts are products of margins: the columns are independent but for the pairs, and each
column depends on at most one before it. No cell is stored but those that occur, and cells are
drawn from the model one column after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.forest import (
    add_keys,
    add_records,
    draw_column,
    multiply_chances,
    start_searches,
)

__all__ = ["Cells", "Drawn", "Forest", "Pair", "pairs_by_information"]

Pair = tuple[int, int]
PAIR_LIMIT = 4_000_000  # entries of the table of two columns


@dataclass(frozen=True, eq=False)
class Cells:
    """The value combinations that occur: codes by column, levels of each column, records."""

    codes: tuple[I32, ...]
    levels: tuple[int, ...]
    sizes: F64
    _chances: dict[tuple[int, int | None], F64] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        narrow = tuple(np.ascontiguousarray(code, dtype=np.int32) for code in self.codes)
        object.__setattr__(self, "codes", narrow)

    @property
    def records(self) -> float:
        """How many records there are."""
        return float(self.sizes.sum())

    @property
    def possible(self) -> float:
        """How many value combinations there could be."""
        return float(np.prod([float(count) for count in self.levels]))

    def table(self, pair: tuple[int | None, int]) -> F64:
        """Return the records of each pair of values of two columns; without the first, one row."""
        before, column = pair
        return _table(self.codes, self.levels, self.sizes, before, column)

    def chances(self, column: int, before: int | None) -> F64:
        """Return the share of each value of a column, given that of the column before it."""
        if (column, before) not in self._chances:
            self._chances[column, before] = _shares(self.table((before, column)))
        return self._chances[column, before]


def _table(
    codes: Sequence[I32], levels: Sequence[int], amounts: F64, before: int | None, column: int
) -> F64:
    table = np.zeros((1 if before is None else levels[before], levels[column]))
    add_records(_codes_before(codes, before), codes[column], amounts, table)
    return table


def _codes_before(codes: Sequence[I32], before: int | None) -> I32:
    """Return the codes of the column before another: all alike if there is none."""
    return np.zeros(len(codes[0]), dtype=np.int32) if before is None else codes[before]


def _shares(table: F64) -> F64:
    shares: F64 = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
    return shares


def pairs_by_information(cells: Cells) -> list[Pair]:
    """Return the pairs of columns by what one tells about the other, most first, without circles.

    The order is that in which each pair adds most to the likelihood.
    """
    known = []
    for a, b in combinations(range(len(cells.codes)), 2):
        if cells.levels[a] * cells.levels[b] > PAIR_LIMIT:
            continue
        joint = cells.table((a, b))
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0) / joint.sum()
        seen = joint > 0
        known.append((-float((joint[seen] * np.log(joint[seen] / apart[seen])).sum()), (a, b)))
    part = list(range(len(cells.codes)))
    chosen: list[Pair] = []
    for _, (a, b) in sorted(known):
        if part[a] != part[b]:
            part = [part[a] if of == part[b] else of for of in part]
            chosen.append((a, b))
    return chosen


@dataclass(frozen=True, eq=False)
class Drawn:
    """Records drawn from a model: their codes by column, and the fitted count of their cells."""

    codes: list[I32]
    fitted: F64

    def alone(self, marks: Sequence[I64]) -> I64:
        """Return the records that no other equals, by the sums of the marks of their values."""
        keys = np.zeros(len(self.fitted), dtype=np.int64)
        for code, mark in zip(self.codes, marks, strict=True):
            add_keys(code, mark, keys)
        order = np.argsort(keys)
        changes = np.flatnonzero(np.diff(keys[order])) + 1
        first = np.concatenate(([0], changes))
        sizes = np.diff(first, append=len(keys))
        found: I64 = order[first[sizes == 1]]
        return found


class Forest:
    """A fitted model of main effects and pairs without circles."""

    def __init__(self, cells: Cells, pairs: Sequence[Pair]) -> None:
        self.records = cells.records
        self.levels = cells.levels
        # each column, the one before it if there is one, and the chances of its values given that
        self.steps = [
            (column, before, cells.chances(column, before))
            for column, before in _order(len(cells.codes), pairs)
        ]
        self._searches: list[tuple[F64, I32]] = []

    def refitted(self, drawn: Drawn) -> Forest:
        """Return the same model, fitted to records that were drawn."""
        ones = np.ones(len(drawn.fitted))
        again = copy(self)
        again.records = float(len(ones))
        again.steps = [
            (column, before, _shares(_table(drawn.codes, self.levels, ones, before, column)))
            for column, before, _ in self.steps
        ]
        again._searches = []
        return again

    def expected(self, codes: Sequence[I32]) -> F64:
        """Return the fitted number of records in some cells."""
        fitted = np.full(len(codes[0]), self.records)
        for column, before, chances in self.steps:
            multiply_chances(fitted, _codes_before(codes, before), codes[column], chances)
        return fitted

    def draw(self, count: int, rng: np.random.Generator) -> list[I32]:
        """Draw the cells of some records."""
        return self.sample(count, rng).codes

    def sample(self, count: int, rng: np.random.Generator) -> Drawn:
        """Draw some records, with the fitted counts of their cells."""
        codes = [np.empty(count, dtype=np.int32) for _ in self.levels]
        fitted, points = np.full(count, self.records), np.empty(count)
        if not self._searches:
            self._searches = [_search(chances) for _, _, chances in self.steps]
        for (column, before, chances), search in zip(self.steps, self._searches, strict=True):
            rng.random(out=points)
            parents = _codes_before(codes, before)
            draw_column(points, parents, *search, chances, codes[column], fitted)
        return Drawn(codes, fitted)


def _order(columns: int, pairs: Sequence[Pair]) -> Iterator[tuple[int, int | None]]:
    """Yield each column and the one before it, along the pairs, from the first of each tree."""
    near: dict[int, list[int]] = {column: [] for column in range(columns)}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    done: set[int] = set()
    for root in range(columns):
        if root in done:
            continue
        yield root, None
        done.add(root)
        waiting = [root]
        while waiting:
            before = waiting.pop()
            for column in near[before]:
                if column not in done:
                    yield column, before
                    done.add(column)
                    waiting.append(column)


def _search(chances: F64) -> tuple[F64, I32]:
    """Return the limits of each value, and where the search for a point among them begins."""
    rows, levels = chances.shape
    limits = np.cumsum(chances, axis=1) + np.arange(rows)[:, None]
    limits[:, -1] = np.inf  # a sum may be a little below 1
    starts = np.empty((rows, 4 << int(levels - 1).bit_length()), dtype=np.int32)
    start_searches(limits, starts)
    return limits, starts
