"""How results of diversity are listed: values, numbers and groups as cells of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, Flags
from singleout.core.table import Column
from singleout.core.wording import in_figures
from singleout.methods.diversity.columns import MEASURES, WHOLE, ColumnDiversity
from singleout.methods.levels import DIGITS

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "figure",
    "frame_of",
    "head_of",
    "in_words",
    "listed_numbers",
    "worst_first",
]


def figure(number: float | None) -> str:
    """Return a number in words; a dash where there is none."""
    return "–" if number is None else in_figures(number, 3)


def in_words(column: Column, rows: I64) -> pl.Series:
    """Return the values of some rows in words."""
    from singleout.core.frames import pl

    codes, indexes = np.unique(column.codes[rows], return_inverse=True)
    words = [column.label(column.value(code)) for code in codes.tolist()]
    return pl.Series(words, dtype=pl.String).gather(indexes)


def listed_numbers(name: str, numbers: NDArray[Any]) -> pl.Series:
    """Return numbers of a measure as a column of a frame, null where they are not finite."""
    from singleout.core.frames import pl

    series = pl.Series(numbers.astype(np.float64))
    series = series.set(~series.is_finite(), None)
    return series.cast(pl.Int64) if name in (*WHOLE, "k") else series


def head_of(name: str) -> str:
    """Return the head of a column of values, which no measure may have."""
    taken = ("sensitive", "records", "k", "breaks", *MEASURES)
    return f"{name} (value)" if name in taken else name


def worst_first(known: Sequence[Column], records: I64, column: ColumnDiversity) -> I64:
    """Return the classes: fewest values first, then farthest, largest, and by their values."""
    codes = [one.codes for one in reversed(known)]
    # numbers that differ by the rounding of sums only are the same on every engine
    far = np.round(column.per_class["t"], DIGITS)
    return np.lexsort((*codes, -records, -far, column.pairs.distinct))


def frame_of(
    numbers: Mapping[str, NDArray[Any]], ids: NDArray[Any], counted: Flags | None
) -> pl.DataFrame:
    """Return numbers of classes for each record; null for records that were not counted."""
    from singleout.core.frames import pl

    every: F64 | None = None if counted is None else np.full(len(counted), np.nan)
    columns = {}
    for name, of_class in numbers.items():
        of_record = of_class[ids].astype(np.float64)
        if every is not None:
            every[counted] = of_record
            of_record = every.copy()
        columns[name] = listed_numbers(name, of_record)
    return pl.DataFrame(columns)
