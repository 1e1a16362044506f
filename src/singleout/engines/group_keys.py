"""Keys of groups that Python tells apart, so that no group takes the place of another.

To Python 1, 1.0 and True are one key, though not one value, and moments that differ by less than a
microsecond are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.kernels.grouping.group import group_records

__all__ = ["different_keys", "members_by_group"]


def different_keys(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return keys with each that equals an earlier one written out, numbered if need be.

    Examples
    --------
    >>> different_keys([(1,), (1.0,), (True,), (True,)])
    [(1,), ('1.0',), ('True',), ('True (2)',)]
    """
    found: dict[tuple[Any, ...], None] = {}
    for key in keys:
        chosen, number = key, 1
        while chosen in found:
            end = f" ({number})" if number > 1 else ""
            chosen, number = tuple(f"{value!r}{end}" for value in key), number + 1
        found[chosen] = None
    return list(found)


def members_by_group(
    codes: Sequence[NDArray[Any]], levels: Sequence[int], value: Callable[[int, int], Any]
) -> Iterator[tuple[tuple[Any, ...], NDArray[np.int64]]]:
    """Yield each group of rows that share their codes: its values, and its rows; in code order.

    Parameters
    ----------
    codes, levels
        One array of codes for each column, and a number above its largest code.
    value
        What the code of a column, by its index, stands for.
    """
    groups = group_records(codes, levels)
    first = [column[groups.first] for column in codes]
    order = np.lexsort(first[::-1]).tolist()
    alike = np.argsort(groups.ids, kind="stable")
    ends = np.cumsum(groups.sizes)
    keys = different_keys(
        tuple(value(at, int(column[group])) for at, column in enumerate(first)) for group in order
    )
    for key, group in zip(keys, order, strict=True):
        yield key, alike[ends[group] - groups.sizes[group] : ends[group]]
