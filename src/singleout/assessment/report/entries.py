"""Every record with its values and its risk: Table 6 of Sondeck and Laurent, as a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.table import Column

if TYPE_CHECKING:
    import polars as pl

    from singleout.assessment.result import Assessment

__all__ = ["SEVERE", "entries_frame"]

SEVERE = 3  # from this severity on an entry is highlighted


def entries_frame(assessment: Assessment, columns: Sequence[Column]) -> pl.DataFrame:
    """Return the records with the values of the columns that were rated."""
    from singleout.core.frames import pl

    found = assessment.records
    personal = set(assessment.direct_identifiers)
    taken = {*found.columns, "severe"}
    values = {
        f"{column.name} (value)" if column.name in taken else column.name: _in_words(column)
        for column in columns
        if column.name not in personal
    }
    return found.select(
        "record",
        *(series.alias(name) for name, series in values.items()),
        "sensitive",
        "severity",
        (pl.col("severity") >= SEVERE).alias("severe"),
        "exploitability",
        "risk",
        "set_size",
    )


def _in_words(column: Column) -> pl.Series:
    from singleout.core.frames import pl

    codes, indexes = np.unique(column.codes, return_inverse=True)
    words = [column.label(column.value(code)) for code in codes.tolist()]
    return pl.Series(words, dtype=pl.String).gather(indexes)
