"""Coarser versions of a column, for trying out what they would do to the risk.

Dates become months or years, numbers and ordered values become intervals, codes lose their last
character, and rare values become one value "other".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.table import Column, smallest_codes

__all__ = ["Coarser", "coarser", "information", "merged_with_neighbour"]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
_CODE = re.compile(r"[0-9A-Za-z]{4,12}")
_MANY = 20  # more values than this deserve a stronger step too
_FEW = 10  # values left by the stronger step
_RARE = 0.05  # share of the records that may end up in "other"

I64 = NDArray[np.int64]


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

    Parameters
    ----------
    column
        The column as it is.
    ordered
        Whether its values have an order, beyond numbers and dates, which always have.
    """
    occurring = int((_sizes(column)[: len(column.values)] > 0).sum())
    if occurring < 3:
        return []
    texts = [str(value) for value in column.values]
    if all(_DATE.fullmatch(text) for text in texts):
        return _dates(column, texts)
    if _are_codes(texts):
        return [_by_key(column, [text[:-1] for text in texts], "drop the last character of")]
    if ordered or all(_reads_as_number(value) for value in column.values):
        return _intervals(column)
    return _rare(column)


def information(column: Column) -> float:
    """Return the entropy of a column in bits."""
    sizes = _sizes(column)
    shares = sizes[sizes > 0] / len(column)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def merged_with_neighbour(column: Column, code: int, *, ordered: bool) -> Column:
    """Return the column with one value merged: with the one beside it, or with the rarest other.

    Parameters
    ----------
    column
        The column as it is.
    code
        The value to merge.
    ordered
        Whether the one beside it is nearest in meaning.
    """
    sizes = _sizes(column)[: len(column.values)]
    others = [place for place in range(len(sizes)) if place != code and sizes[place] > 0]
    if ordered or all(_reads_as_number(value) for value in column.values):
        others = [place for place in others if abs(place - code) == _nearest(others, code)]
    partner = min(others, key=lambda place: int(sizes[place]))
    keys = list(range(len(sizes)))
    keys[code] = partner
    return _merged(column, keys)


def _nearest(others: Sequence[int], code: int) -> int:
    return min(abs(place - code) for place in others)


# ---- ways to do it


def _dates(column: Column, texts: Sequence[str]) -> list[Coarser]:
    months = _by_key(column, [text[:7] for text in texts], "give only the month of")
    years = _by_key(column, [text[:4] for text in texts], "give only the year of")
    return [way for way in (months, years) if len(way.column.values) < len(column.values)]


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether the values look like postcodes or other codes whose last character is the finest."""
    if len(texts) <= _MANY or not all(_CODE.fullmatch(text) for text in texts):
        return False
    same_length = len({len(text) for text in texts}) == 1
    # the years 1950 and 1951 have four digits as well, but none starts with 0
    telling = any(text[0] == "0" or not text.isdigit() for text in texts)
    return same_length and telling and len({text[:-1] for text in texts}) < len(texts)


def _intervals(column: Column) -> list[Coarser]:
    values = len(column.values)
    halves = [place // 2 for place in range(values)]
    ways = [_by_key(column, halves, "halve the number of values of")]
    if values > _MANY:
        up_to = np.cumsum(_sizes(column)[:values])
        # the middle of each value's records decides, so that no value is torn apart
        middle = up_to - _sizes(column)[:values] / 2
        tenths = (middle * _FEW / max(int(up_to[-1]), 1)).astype(np.int64).tolist()
        ways.append(_by_key(column, tenths, f"use {len(set(tenths))} intervals for"))
    return ways


def _rare(column: Column) -> list[Coarser]:
    sizes = _sizes(column)[: len(column.values)]
    order = [place for place in np.argsort(sizes, kind="stable").tolist() if sizes[place] > 0]
    within = int((np.cumsum(sizes[order]) <= _RARE * len(column)).sum())
    taken = order[: max(2, min(within, len(order) - 2))]
    keys: list[Any] = [("kept", place) for place in range(len(column.values))]
    for place in taken:
        keys[place] = "other"
    share = int(sizes[taken].sum()) / len(column)
    how = f'merge the {len(taken):,} rarest values ({share:.1%} of the records) into "other" in'
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


def _sizes(column: Column) -> I64:
    return np.bincount(column.codes, minlength=column.levels)


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
