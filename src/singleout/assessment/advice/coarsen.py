"""Coarser versions of a column, for trying out what they would do to the risk.

Dates become months or years, numbers and ordered values become intervals, codes lose their last
character, and rare values become one value "other". Numbers that a plan calls nominal are codes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.core.table import Column, smallest_codes
from singleout.core.wording import figure
from singleout.report.say import say
from singleout.treatment.hierarchies.dates import DateParts, date_parts
from singleout.treatment.hierarchies.order import are_codes, ranks_of

__all__ = [
    "Coarser",
    "coarser",
    "ladder",
    "merged_with_neighbour",
]

_MANY = 20  # more values than this deserve a stronger step too
_FEW = 10  # values left by the stronger step
_RARE = 0.05  # share of the records that may end up in "other"
_SHARES = (0.2, 0.5)  # the same, where more must be given up
_PARTS = (5, 3, 2)
_SPANS = (5, 10, 25)


@dataclass(frozen=True, eq=False)
class Coarser:
    """A coarser version of a column, and how it was made.

    Parameters
    ----------
    how
        What to do, as the rest of a sentence that names the column.
    column
        The column with fewer values.
    """

    how: str
    column: Column = field(repr=False)


def coarser(column: Column, *, ordered: bool) -> list[Coarser]:
    """Return ways to coarsen a column, the mildest first; none where it has two values or fewer.

    `in_order` says whether it is ``ordered``; the order of dates is always used.
    """
    occurring = int((column.sizes[: len(column.values)] > 0).sum())
    if occurring < 3:
        return []
    texts = [str(value) for value in column.values]
    dates = date_parts(texts)
    if dates is not None:
        return _dates(column, dates)
    ranks = ranks_of(column) if ordered else None
    if ranks is not None:
        return _intervals(column, ranks)
    if are_codes(texts, nominal=True):
        return [_by_key(column, [text[:-1] for text in texts], say("advice.ways.last_character"))]
    return _rare(column)


def ladder(column: Column, *, ordered: bool) -> list[Coarser]:
    """Return coarser and coarser versions of a column, the mildest first, each of fewer values."""
    ways = coarser(column, ordered=ordered)
    if not ways:
        return []
    texts = [str(value) for value in column.values]
    dates = date_parts(texts)
    ranks = ranks_of(column) if ordered else None
    if dates is not None:
        ways += [_years(column, dates, span) for span in _SPANS]
    elif ranks is not None:
        ways += [_of_equal_frequency(column, ranks, parts) for parts in _PARTS]
    elif are_codes(texts, nominal=True):
        longest = len(texts[0])
        ways += [
            _by_key(column, [text[:kept] for text in texts], say("advice.ways.characters", n=kept))
            for kept in range(longest - 2, 0, -1)
        ]
    else:
        ways += [_rare(column, share)[0] for share in _SHARES]
    return list(_each_coarser(column, ways))


def _each_coarser(column: Column, ways: Sequence[Coarser]) -> Iterator[Coarser]:
    left = len(column.values)
    for way in ways:
        if 1 < len(way.column.values) < left:
            left = len(way.column.values)
            yield way


def _years(column: Column, dates: Sequence[DateParts], span: int) -> Coarser:
    keys = [None if date.year is None else int(date.year) // span for date in dates]
    return _by_key(column, keys, say("advice.ways.years", span=span))


def merged_with_neighbour(column: Column, code: int, *, ordered: bool) -> Column:
    """Return the column with one value merged: with the next in order, or with the rarest other."""
    keys = list(range(len(column.values)))
    keys[code] = _neighbour(column, code, ordered=ordered)
    return _merged(column, keys)


def _neighbour(column: Column, code: int, *, ordered: bool) -> int:
    """Return the value to merge another with: the rarer one beside it, or the rarest other."""
    sizes = column.sizes[: len(column.values)]
    others = [other for other in range(len(sizes)) if other != code and sizes[other] > 0]
    ranks = ranks_of(column) if ordered else None
    if ranks is not None and code in ranks:
        below = [other for other in others if ranks.get(other, math.inf) < ranks[code]]
        above = [other for other in others if ranks.get(other, -math.inf) > ranks[code]]
        others = [max(below, key=ranks.__getitem__)] if below else []
        others += [min(above, key=ranks.__getitem__)] if above else []
    return min(others, key=lambda other: int(sizes[other]))


# ---- ways to do it


def _dates(column: Column, dates: Sequence[DateParts]) -> list[Coarser]:
    ways = [_by_key(column, [date.year for date in dates], say("advice.ways.year"))]
    if all(date.month is not None for date in dates):
        months = [(date.year, date.month) for date in dates]
        ways.insert(0, _by_key(column, months, say("advice.ways.month")))
    return [way for way in ways if len(way.column.values) < len(column.values)]


def _intervals(column: Column, ranks: Mapping[int, int]) -> list[Coarser]:
    values = len(ranks)
    in_turn = sorted(ranks, key=ranks.__getitem__)
    halves = [rank // 2 for rank in range(values)]
    ways = [_cut(column, in_turn, halves, say("advice.ways.halves"))]
    if values > _MANY:
        ways.append(_of_equal_frequency(column, ranks, _FEW))
    return ways


def _of_equal_frequency(column: Column, ranks: Mapping[int, int], count: int) -> Coarser:
    in_turn = sorted(ranks, key=ranks.__getitem__)
    sizes = column.sizes[in_turn]
    up_to = np.cumsum(sizes)
    # the middle of each value's records decides, so that no value is torn apart
    middle = up_to - sizes / 2
    parts = (middle * count / max(int(up_to[-1]), 1)).astype(np.int64).tolist()
    return _cut(column, in_turn, parts, say("advice.ways.intervals", n=len(set(parts))))


def _cut(column: Column, in_turn: Sequence[int], parts: Sequence[int], how: str) -> Coarser:
    """Return the column in intervals: the part of each value in turn; others stay as they are."""
    part_of = dict(zip(in_turn, parts, strict=True))
    codes = range(len(column.values))
    return _by_key(column, [part_of.get(code, ("apart", code)) for code in codes], how)


def _rare(column: Column, rare: float = _RARE) -> list[Coarser]:
    sizes = column.sizes[: len(column.values)]
    order = [code for code in np.argsort(sizes, kind="stable").tolist() if sizes[code] > 0]
    within = int((np.cumsum(sizes[order]) <= rare * len(column)).sum())
    taken = order[: max(2, min(within, len(order) - 2))]
    keys: list[Any] = [("kept", code) for code in range(len(column.values))]
    for code in taken:
        keys[code] = "other"
    share = int(sizes[taken].sum()) / len(column)
    how = say("advice.ways.rare", n=len(taken), share=figure(share, ".1%"))
    return [_by_key(column, keys, how)]


# ---- the same column, with fewer values


def _by_key(column: Column, keys: Sequence[Any], how: str) -> Coarser:
    return Coarser(how, _merged(column, keys))


def _merged(column: Column, keys: Sequence[Any]) -> Column:
    """Return the column in which values with the same key are one."""
    number_of: dict[Any, int] = {}
    new = [number_of.setdefault(key, len(number_of)) for key in keys]
    if column.has_missing:
        new.append(len(number_of))
    codes = np.array(new, dtype=np.uint32)[column.codes]
    levels = len(number_of) + column.has_missing
    return Column(
        column.name,
        smallest_codes(codes, levels),
        list(range(len(number_of))),
        column.has_missing,
        role=column.role,
    )
