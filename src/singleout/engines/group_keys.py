"""Groups of records by keys that are unique in Python, so that no group replaces another.

To Python 1, 1.0 and True are one key, though not one value, and timestamps that differ by less than
a microsecond are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.kernels.grouping.group import group_records

__all__ = ["members_by_group"]


def _unique_keys(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the keys, each that equals an earlier one as text, numbered if need be.

    >>> _unique_keys([(1,), (1.0,), (True,), (True,)])
    [(1,), ('1.0',), ('True',), ('True (2)',)]
    """
    unique: dict[tuple[Any, ...], None] = {}
    for key in keys:
        chosen, number = key, 1
        while chosen in unique:
            end = f" ({number})" if number > 1 else ""
            chosen, number = tuple(f"{value!r}{end}" for value in key), number + 1
        unique[chosen] = None
    return list(unique)


def members_by_group(
    codes: Sequence[NDArray[Any]], levels: Sequence[int], value: Callable[[int, int], Any]
) -> Iterator[tuple[tuple[Any, ...], I64]]:
    """Yield the values and the rows of each group of rows with equal codes, in code order.

    ``codes`` and ``levels`` are as for `group_records`; ``value(index, code)`` decodes the code of
    a column.
    """
    groups = group_records(codes, levels)
    first = [column[groups.first] for column in codes]
    order = np.lexsort(first[::-1]).tolist()
    alike = np.argsort(groups.ids, kind="stable")
    ends = np.cumsum(groups.sizes)
    keys = _unique_keys(
        tuple(value(index, int(column[group])) for index, column in enumerate(first))
        for group in order
    )
    for key, group in zip(keys, order, strict=True):
        yield key, alike[ends[group] - groups.sizes[group] : ends[group]]
