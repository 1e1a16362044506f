"""What a published column shows: its blank codes, and the original values that codes stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, Flags
from singleout.core.table import Column
from singleout.treatment.hierarchies.hierarchy import EVERYTHING, spelling

__all__ = [
    "Pairs",
    "all_values",
    "blank_codes",
    "is_blank",
    "observed_pairs",
    "removed_as_blank",
    "same_value",
]


def is_blank(value: Any) -> bool:
    """Whether a published value says nothing: missing, an empty text or ``*``.

    >>> [is_blank(value) for value in (None, "", "*", "0", 0)]
    [True, True, True, False, False]
    """
    return value is None or (isinstance(value, str) and value.strip() in ("", EVERYTHING))


def all_values(column: Column) -> list[Any]:
    """Return the value of each code, None for missing."""
    return [*column.values, None] if column.has_missing else list(column.values)


def blank_codes(column: Column) -> Flags:
    """Return for each code of a column whether it is blank; the code of missing is."""
    return np.array([is_blank(value) for value in all_values(column)], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Different pairs of a published and an original code, sorted by both.

    Parameters
    ----------
    published, original
        The codes of each pair.
    records
        How many records have each pair.
    """

    published: I64
    original: I64
    records: I64


def observed_pairs(published: NDArray[Any], original: NDArray[Any], levels: int) -> Pairs:
    """Return which original codes, fewer than ``levels``, records with a published code have."""
    keys = published.astype(np.int64) * levels + original
    room = (int(published.max(initial=0)) + 1) * levels
    if room <= max(1 << 16, 4 * len(keys)):  # counting is quicker than sorting
        counted = np.bincount(keys, minlength=room)
        different = np.flatnonzero(counted)
        records = counted[different]
    else:
        different, records = np.unique(keys, return_counts=True)
    return Pairs(different // levels, different % levels, records.astype(np.int64))


def removed_as_blank(column: Column, kept: Flags | None) -> tuple[I64, int]:
    """Return a published code for each original record, and how many codes there are.

    Records that were not kept get a code of their own, the last one.
    """
    if kept is None or bool(kept.all()):
        return column.codes.astype(np.int64), column.levels
    codes = np.full(len(kept), column.levels, dtype=np.int64)
    codes[kept] = column.codes
    return codes, column.levels + 1


def same_value(published: Any, original: Any) -> bool:
    """Whether a published value is the original one, as a hierarchy writes them."""
    return spelling(published) == spelling(original)
