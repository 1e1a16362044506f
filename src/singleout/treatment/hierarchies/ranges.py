"""Hierarchies of values in an order: neighbours are taken together, two by two.

Labels that are ranges become wider ranges, ``5-9`` and ``10-14`` together ``5-14``; others are
written from the first to the last, ``bad to fair``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.errors import BadChoice, UnusableColumn, did_you_mean
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.intervals import Interval, figure, parse_interval, span
from singleout.treatment.hierarchies.levels import (
    MOST_LEVELS,
    Level,
    assembled,
    in_words,
    merged,
    with_values_apart,
)
from singleout.treatment.hierarchies.order import few_apart, ranks_of

__all__ = ["codes_in_order", "from_order", "joined", "neighbours_merged", "range_order"]

_MOST_RANGES = 1000  # nobody writes more


def from_order(column: Column, order: Sequence[Any] | None = None) -> Hierarchy:
    """Return the hierarchy of values in an order, neighbours merged two by two.

    Parameters
    ----------
    column
        The column of ordered values.
    order
        The values in their order; if not given, that of the numbers they begin with. A value that
        it does not name stays by itself.

    Examples
    --------
    >>> import singleout as so
    >>> age = so.read({"age": ["5-9", "10-14", "<5", "15+"]})["age"]
    >>> from_order(age).rows[age.values.index("10-14")]
    ['10-14', '10+', '*']
    """
    codes = codes_in_order(column) if order is None else _named(column, order)
    if codes is None:
        raise UnusableColumn(
            f"The values of {column.name!r} have no order that could be told, such as "
            f"{next(iter(column.values), None)!r}; name them in their order."
        )
    return assembled(column, neighbours_merged(column, codes))


def _named(column: Column, order: Sequence[Any]) -> I64:
    code_of = {spelling(value): code for code, value in enumerate(column.values)}
    for code, value in enumerate(column.values):
        code_of.setdefault(in_words(column, value), code)
    names = [spelling(value) for value in order]
    for name in names:
        if name not in code_of:
            raise BadChoice(
                f"The order of {column.name!r} names {name!r}, which is no value of it."
                + did_you_mean(name, code_of)
            )
    times = Counter(code_of[name] for name in names)
    twice = next((name for name in names if times[code_of[name]] > 1), None)
    if twice is not None:
        raise BadChoice(f"The order of {column.name!r} names {twice!r}, which stands there twice.")
    return np.array([code_of[name] for name in names], dtype=np.int64)


def codes_in_order(column: Column) -> I64 | None:
    """Return the codes of a column in their order, without those that have no rank in it."""
    found = range_order(column)
    if found is not None:
        return found
    ranks = ranks_of(column)
    if ranks is None:
        return None
    return np.array(sorted(ranks, key=ranks.__getitem__), dtype=np.int64)


def range_order(column: Column) -> I64 | None:
    """Return the codes of values that are ranges, or are labelled so, in order; None if not so.

    >>> import singleout as so
    >>> age = so.read({"age": ["5-9", "10-14", "<5", "15+"]})["age"]
    >>> [age.values[code] for code in range_order(age)]
    ['<5', '5-9', '10-14', '15+']
    """
    if len(column.values) > _MOST_RANGES:
        return None
    texts = [in_words(column, value) for value in column.values]
    found = {code: parse_interval(text) for code, text in enumerate(texts)}
    ranges = {code: (i.low, i.high) for code, i in found.items() if i is not None}
    wide = sum(low < high for low, high in ranges.values())
    if 2 * wide <= len(ranges) or not few_apart(len(texts), len(ranges)):
        return None
    codes = sorted(ranges, key=ranges.__getitem__)
    # 25-00503 and 25-00703 are codes: ranges follow each other
    if any(ranges[before][1] > ranges[after][0] for before, after in pairwise(codes)):
        return None
    return np.array(codes, dtype=np.int64)


def neighbours_merged(column: Column, codes: I64) -> list[Level]:
    """Return levels of 2, 4, 8 … neighbours; where there would be too many, only the widest."""
    count = len(codes)
    steps = max(count - 1, 1).bit_length() - 1  # levels that still have two groups
    first = max(1, steps - (MOST_LEVELS - 2) + 1)
    words = [in_words(column, column.values[int(code)]) for code in codes]
    answer = []
    for step in range(first, steps + 1):
        size = 2**step

        def label(group: int, size: int = size) -> str:
            last = min((group + 1) * size, count) - 1
            return joined(words[group * size], words[last])

        level = merged(np.arange(count) // size, label)
        answer.append(with_values_apart(column, codes, level))
    return answer


def joined(first: str, last: str) -> str:
    """Return the label of all values from the first to the last.

    >>> joined("5-9", "10-14"), joined("60-64", "65+"), joined("bad", "fair"), joined("a", "a")
    ('5-14', '60+', 'bad to fair', 'a')
    """
    if first == last:
        return first
    low, high = parse_interval(first), parse_interval(last)
    both = None if low is None or high is None else _written(low, high)
    return f"{first} to {last}" if both is None else both


def _written(low: Interval, high: Interval) -> str | None:
    start, end = low.low, high.high
    if math.isinf(start) or math.isinf(end):
        return _open(low, high)
    if not low.low_closed:
        return f"({figure(start)}, {figure(end)}{']' if high.high_closed else ')'}"
    if not high.high_closed:
        return f"{figure(start)} to <{figure(end)}"
    return span(start, end, whole=start.is_integer() and end.is_integer())


def _open(low: Interval, high: Interval) -> str | None:
    if math.isinf(low.low) and math.isinf(high.high):
        return None
    if math.isinf(low.low):
        return f"<{'=' if high.high_closed else ''}{figure(high.high)}"
    return f"{figure(low.low)}+" if low.low_closed else f">{figure(low.low)}"
