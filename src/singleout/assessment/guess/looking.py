"""Look at the values of a column: a sample of them, taken by how many records have each.

The sample depends on counts only, so it is the same wherever the data is and in whatever order its
records are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from singleout.assessment.guess.values import Look
from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.engines.suspected import step_of

__all__ = ["look_at", "look_of", "look_of_all"]

_LONGEST = 400  # signs of a text that are looked at


def look_at(column: Column) -> Look:
    """Return what the values of a column look like.

    Parameters
    ----------
    column
        The column.

    Examples
    --------
    >>> import singleout as so
    >>> look = look_at(so.read({"sex": ["f", "m", None, "m"]})["sex"])
    >>> look.records, look.distinct, look.sexes
    (3, 2, True)
    """
    held = np.bincount(column.codes, minlength=column.levels)[: len(column.values)]
    used = np.flatnonzero(held)  # a part of a table keeps the whole codebook
    held = held[used]
    chosen = _sampled(held)
    return look_of(
        [column.values[code] for code in used[chosen].tolist()],
        held[chosen],
        records=int(held.sum()),
        distinct=len(used),
        ascending=int(held.sum()) == len(used) and _ascends(column),
    )


def look_of(
    values: Sequence[Any], held: I64, *, records: int, distinct: int, ascending: bool = False
) -> Look:
    """Return what values look like of which there is a sample.

    Parameters
    ----------
    values
        The values of the sample in order, the first and the last of all among them.
    held
        How many records have each.
    records
        How many records have a value.
    distinct
        How many different values there are.
    ascending
        Whether each record has a higher value than the record before it.
    """
    texts = tuple(map(_text, values))
    return Look(
        records=records,
        distinct=distinct,
        texts=texts,
        held=tuple(held.tolist()),
        dated=bool(texts) and all(isinstance(value, date) for value in values),
        ends=(texts[0], texts[-1]) if texts else ("", ""),
        ascending=ascending,
    )


def look_of_all(values: Sequence[Any], held: I64) -> Look:
    """Return what values look like of which there are all, in order, with their numbers."""
    chosen = _sampled(held)
    return look_of(
        [values[index] for index in chosen.tolist()],
        held[chosen],
        records=int(held.sum()),
        distinct=len(values),
    )


def _sampled(held: I64) -> I64:
    """Return the indexes of the values that are looked at.

    These are the values of every so many records in the order of their values, and the last one.
    """
    if not len(held):
        return np.empty(0, dtype=np.int64)
    after = np.cumsum(held)
    records = int(after[-1])
    at = np.append(np.arange(0, records, step_of(records)), records - 1)
    return np.unique(np.searchsorted(after, at, side="right"))


def _ascends(column: Column) -> bool:
    codes = column.codes[~column.is_missing] if column.has_missing else column.codes
    return len(codes) > 1 and bool((codes[1:] > codes[:-1]).all())


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # spreadsheets and SPSS know no whole numbers
    return str(value)[:_LONGEST].strip()
