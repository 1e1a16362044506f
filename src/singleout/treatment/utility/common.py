"""The coarsest coding that two versions of a column have in common.

A published interval stands for several original values; values that some published one takes
together are one category. Blank cells, before and after, are a category of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from singleout.core.arrays import F64, I64
from singleout.core.table import Column
from singleout.treatment.covered.compatible import ColumnMatch
from singleout.treatment.hierarchies.hierarchy import spelling
from singleout.treatment.hierarchies.intervals import parse_interval
from singleout.treatment.published import all_values, blank_codes, is_blank

__all__ = ["GROUPS", "Common", "common_coding", "reduced"]

GROUPS = 20  # of numbers that were changed


@dataclass(frozen=True, eq=False)
class Common:
    """A column before and after, on the coding that both have.

    Parameters
    ----------
    before, after
        The two columns.
    match
        What the published values stand for.
    of_before, of_after
        The category of each original and of each published code; in the order of the values.
    size
        How many categories there are.
    blank
        The category of blank cells; -1 if there is none.
    numbers_before, numbers_after
        For each code its number, NaN for blank ones; None if the column does not hold numbers.
    changed
        Whether some record of the treated table may show another value than it had.
    midpoints
        Whether some published interval stands for a number by its middle.
    grouped
        Whether the categories are groups of numbers, since numbers were published that no record
        had.
    """

    before: Column = field(repr=False)
    after: Column = field(repr=False)
    match: ColumnMatch = field(repr=False)
    of_before: I64 = field(repr=False)
    of_after: I64 = field(repr=False)
    size: int
    blank: int
    numbers_before: F64 | None = field(repr=False)
    numbers_after: F64 | None = field(repr=False)
    changed: bool
    midpoints: bool
    grouped: bool

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.before.name

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.numbers_before is not None

    @property
    def coarser(self) -> bool:
        """Whether there are fewer categories than original values."""
        there = (self.before.sizes > 0) & (self.of_before != self.blank)
        return len(np.unique(self.of_before[there])) < int(there.sum())

    def coded_before(self) -> I64:
        """Return the category of each original record."""
        answer: I64 = self.of_before[self.before.codes]
        return answer

    def coded_after(self) -> I64:
        """Return the category of each treated record."""
        answer: I64 = self.of_after[self.after.codes]
        return answer

    def label(self, category: int) -> str:
        """Return a category in words: its value, its widest published label, or its ends."""
        values = np.flatnonzero(self.of_before == category)
        texts = (
            [spelling(self.before.value(int(v))) for v in values[[0, -1]]] if len(values) else []
        )
        if len(values) == 1:
            return texts[0]
        shown = np.flatnonzero(self.of_after == category)
        widths = [self._width(int(code)) for code in shown]
        if widths and (not len(values) or max(widths) >= len(values)):
            return spelling(self.after.value(int(shown[int(np.argmax(widths))])))
        return f"{texts[0]} … {texts[1]}"

    def _width(self, code: int) -> int:
        members = self.match.members[code]
        return 0 if members is None else len(members)


def common_coding(before: Column, after: Column, match: ColumnMatch, *, aligned: bool) -> Common:
    """Return a column on the coding that its two versions have in common."""
    of_before, of_after, blank = _categories(before, after, match)
    numbers, published = _numbers(before), None
    midpoints = grouped = False
    if numbers is not None:
        published, midpoints = _published_numbers(after, match, numbers)
        grouped = _new_numbers(after, match)
        if grouped:
            of_before, of_after, blank = _groups(before, numbers, published)
    return Common(
        before,
        after,
        match,
        of_before,
        of_after,
        int(max(of_before.max(), of_after.max())) + 1,
        blank,
        numbers,
        published,
        not (aligned and bool((match.own[before.codes] == after.codes).all())),
        midpoints,
        grouped,
    )


def _categories(before: Column, after: Column, match: ColumnMatch) -> tuple[I64, I64, int]:
    """Return the category of each original and of each published code, and that of blanks."""
    tops = [
        np.empty(0, dtype=np.int64) if members is None or match.blank[code] else members
        for code, members in enumerate(match.members)
    ]
    lengths = np.array([len(members) for members in tops], dtype=np.int64)
    ends = np.concatenate([*tops, _empty_values(before, match)])
    starts = np.repeat(np.arange(after.levels), lengths) + before.levels
    blanks = np.flatnonzero(match.blank) + before.levels
    # all blank cells hang together, with the values that were blank before
    first = np.full(len(ends) - len(starts), blanks[0] if len(blanks) else 0)
    rows = np.concatenate([starts, first, blanks[:-1]])
    columns = np.concatenate([ends, blanks[1:]])
    nodes = before.levels + after.levels
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(nodes, nodes))
    _, parts = connected_components(graph, directed=False)
    ranked = _in_order(parts.astype(np.int64), int(blanks[0]) if len(blanks) else -1)
    blank = int(ranked[blanks[0]]) if len(blanks) else -1
    return ranked[: before.levels], ranked[before.levels :], blank


def _new_numbers(after: Column, match: ColumnMatch) -> bool:
    """Whether numbers were published that no record had."""
    new = np.ones(after.levels, dtype=np.bool_)
    new[match.own[match.own >= 0]] = False
    values = all_values(after)
    return any(
        not is_blank(values[code]) and _number(values[code]) is not None
        for code in np.flatnonzero(new).tolist()
    )


def _groups(before: Column, numbers: F64, published: F64) -> tuple[I64, I64, int]:
    """Return the group of each original and of each published number, and that of blanks.

    The groups have about as many original records each.
    """
    there = np.isfinite(numbers)
    order = np.argsort(numbers[there], kind="stable")
    held = before.sizes[there][order]
    group = (np.cumsum(held) - held) * GROUPS // max(int(held.sum()), 1)
    edges = numbers[there][order][np.flatnonzero(np.diff(group, prepend=-1))]
    sides = [
        np.maximum(np.searchsorted(edges, side, "right") - 1, 0) for side in (numbers, published)
    ]
    blank = -1
    if not (there.all() and np.isfinite(published).all()):
        blank = len(edges)
    of_before = np.where(there, sides[0], blank)
    return of_before, np.where(np.isfinite(published), sides[1], blank), blank


def _empty_values(before: Column, match: ColumnMatch) -> I64:
    """Return the original codes that are blank, if there are blank published ones to join."""
    if not match.blank.any():
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(blank_codes(before))


def _in_order(parts: I64, blank: int) -> I64:
    """Return parts numbered by their first member; that of the blank node is the last."""
    _, first = np.unique(parts, return_index=True)
    if blank >= 0:
        first[parts[blank]] = len(parts)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    answer: I64 = rank[parts]
    return answer


def _numbers(column: Column) -> F64 | None:
    """Return the number of each code; None if some value is not a finite number."""
    book = np.full(column.levels, np.nan)
    for code, value in enumerate(all_values(column)):
        if is_blank(value):
            continue
        number = _number(value)
        if number is None:
            return None
        book[code] = number
    return book if np.isfinite(book).any() else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def _published_numbers(after: Column, match: ColumnMatch, numbers: F64) -> tuple[F64, bool]:
    """Return a number for each published code, and whether one is the middle of several."""
    book = np.full(after.levels, np.nan)
    midpoints = False
    for code, value in enumerate(all_values(after)):
        if match.blank[code] or is_blank(value):
            continue
        number = _number(value)
        if number is None:
            number = _middle(value, match.members[code], numbers)
            midpoints |= number is not None
        book[code] = np.nan if number is None else number
    return book, midpoints


def _middle(label: Any, members: I64 | None, numbers: F64) -> float | None:
    """Return the middle of the values that a label stands for, or of the interval it spells."""
    under = np.empty(0) if members is None else numbers[members]
    under = under[np.isfinite(under)]
    if len(under):
        return float(under.min() + under.max()) / 2
    interval = parse_interval(spelling(label))
    if interval is None or not np.isfinite([interval.low, interval.high]).all():
        return None
    return (interval.low + interval.high) / 2


def reduced(column: Common, most: int) -> tuple[I64, I64, int]:
    """Return the categories of records before and after, at most so many, and how many there are.

    Numbers are cut into parts of about equal size; of other values the most frequent stay and the
    rest are one category. Blank cells stay a category of their own.
    """
    before, after, size = column.coded_before(), column.coded_after(), column.size
    if size <= most:
        return before, after, size
    counts = np.bincount(before, minlength=size)
    room = most - (column.blank >= 0)
    to = np.zeros(size, dtype=np.int64)
    if column.is_number:
        below = np.cumsum(counts) - counts
        to = np.minimum(below * room // max(int(counts.sum()), 1), room - 1)
    else:
        frequent = np.argsort(-counts, kind="stable")[: room - 1]
        to[:] = room - 1
        to[np.sort(frequent)] = np.arange(len(frequent))
    if column.blank >= 0:
        to[column.blank] = most - 1
    return to[before], to[after], most
