"""Why a record stands out: the column combinations in which no other record is like it."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64

__all__ = ["combination_columns", "unique_combinations"]

_CELLS_AT_ONCE = 1 << 22


def combination_columns(numbers: I64, width: int, size: int) -> I64:
    """Return the columns of combinations that are numbered in lexicographic order, a row for each.

    Counted from the last combination, the numbers are sums of binomial coefficients with one term
    for each column: the columns follow from the largest terms that fit.
    """
    rest = comb(width, size) - 1 - np.asarray(numbers, dtype=np.int64)
    answer = np.empty((len(rest), size), dtype=np.int64)
    for member in range(size):
        terms = np.array([comb(column, size - member) for column in range(width)], dtype=np.int64)
        largest = np.searchsorted(terms, rest, side="right") - 1
        answer[:, member] = width - 1 - largest
        rest = rest - terms[largest]
    return answer


def unique_combinations(
    codes: Sequence[NDArray[Any]], size: int, record: int, order: I64, limit: int
) -> I64:
    """Return the first ``limit`` combinations of an order in which a record (from 0) is alone."""
    alike = np.stack([column == column[record] for column in codes])
    alike[:, record] = False
    # only who agrees on enough columns can match
    close = np.packbits(alike[:, alike.sum(axis=0) >= size], axis=1)
    at_once = max(1, _CELLS_AT_ONCE // max(1, close.shape[1]))
    parts: list[I64] = []
    left = limit
    for begin in range(0, len(order), at_once):
        if left <= 0:
            break
        numbers = order[begin : begin + at_once]
        members = combination_columns(numbers, len(codes), size)
        matches = close[members[:, 0]]
        for column in members.T[1:]:
            matches &= close[column]
        alone = numbers[~matches.any(axis=1)][:left]
        parts.append(alone)
        left -= len(alone)
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
