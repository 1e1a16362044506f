"""Values that give someone away: what each lets others infer, the surest first.

Sondeck and Laurent rate values, not only attributes: at a rate of 1 "it is sufficient to know the
quasi-identifier value to guess the sensitive value". Values that very few records have point at
people, so they are masked, and taken together, unless records may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64
from singleout.methods.levels import DIGITS, inference_levels
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Codes, Column
    from singleout.methods.discrimination.result import Combinations

__all__ = ["RARE", "Severities", "in_words", "told_frame"]

RARE = 3  # a value that fewer records have is masked

# by value, or a function of its text and its label
Severities = Mapping[str, int] | Callable[[str, str], int | None]


def told_frame(
    combinations: Combinations,
    rates: F64,
    *,
    severities: Severities | None,
    show_records: bool,
    rare: int,
) -> pl.DataFrame:
    """Return for each value: records, rate, what is inferred and how severe that is.

    Rates that are equal are ordered by severity, then by records.
    """
    from singleout.core.frames import pl

    inferred, share, severity = _inferred(combinations, severities, 1 if show_records else rare)
    sizes = combinations.inference.sizes
    frame = pl.DataFrame(
        {
            "values": np.ones(len(sizes), dtype=np.int64),
            "records": sizes.astype(np.int64),
            "rate": np.round(rates, DIGITS) + 0.0,
            "inferred": inferred,
            "share": share,
            "severity": severity,
        }
    )
    # only values that are shown are put into words
    shown = np.arange(len(sizes)) if show_records else np.flatnonzero(sizes >= rare)
    known = [in_words(column, column.codes[shown]) for column in combinations.columns]
    words = pl.select(pl.concat_str(known, separator=", ").alias("value")).to_series()
    masked = _masked(frame.filter(pl.col("records") < rare)) if not show_records else None
    frame = frame[shown].insert_column(0, words)
    if masked is not None:
        frame = pl.concat([frame, masked.select(frame.columns)])
    frame = frame.sort(
        "rate", "severity", "records", "value", "inferred",
        descending=[True, True, True, False, False], nulls_last=True,
    )  # fmt: skip
    return frame.with_columns(pl.Series("level", inference_levels(frame["rate"].to_numpy())))


def _masked(few: pl.DataFrame) -> pl.DataFrame:
    """Return rare values without their words, those that tell the same taken together."""
    from singleout.core.frames import pl

    together = few.group_by("rate", "inferred", "share", "severity").agg(
        pl.col("values").sum(), pl.col("records").sum()
    )
    return together.with_columns(pl.lit(say("discrimination.rare")).alias("value"))


def _inferred(
    combinations: Combinations, severities: Severities | None, rare: int
) -> tuple[pl.Series, F64, pl.Series]:
    """Return the commonest sensitive value of each combination, its share and its severity.

    Of values that are equally common the most severe counts. One that fewer than ``rare`` records
    have is masked.
    """
    from singleout.core.frames import pl

    target, parents = combinations.target, combinations.pair_parents
    values = [target.value(code) for code in range(target.levels)]
    words = [target.label(value) for value in values]
    levels = [_severity(severities, value, word) for value, word in zip(values, words, strict=True)]
    held = np.bincount(target.codes, combinations.pair_sizes, minlength=target.levels)
    words = [
        say("discrimination.rare") if records < rare else word
        for word, records in zip(words, held.tolist(), strict=True)
    ]
    # the commonest of each combination, then the most severe, then the first value: the largest key
    severe = np.array([level or 0 for level in levels])
    preferred = np.empty(target.levels, dtype=np.int64)
    preferred[np.lexsort((-np.arange(target.levels), severe))] = np.arange(target.levels)
    key = combinations.pair_sizes.astype(np.int64) * target.levels + preferred[target.codes]
    largest = np.zeros(len(combinations.inference.sizes), dtype=np.int64)
    np.maximum.at(largest, parents, key)
    chosen = np.flatnonzero(key == largest[parents])
    last = np.zeros(len(largest), dtype=np.int64)
    last[parents[chosen]] = chosen
    codes = target.codes[last].astype(np.int64)
    share: F64 = combinations.pair_sizes[last] / combinations.inference.sizes
    inferred = pl.Series(words, dtype=pl.String).gather(codes)
    return inferred, share, pl.Series(levels, dtype=pl.Int64).gather(codes)


def in_words(column: Column, codes: Codes) -> pl.Series:
    """Return the values of codes in words; each value is looked up once."""
    from singleout.core.frames import pl

    # codes are small numbers: marking those that occur is far faster than sorting them
    occurs = np.bincount(codes, minlength=1) > 0
    words = [column.label(column.value(code)) for code in np.flatnonzero(occurs).tolist()]
    return pl.Series(words, dtype=pl.String).gather((np.cumsum(occurs) - 1)[codes])


def _severity(severities: Severities | None, value: Any, word: str) -> int | None:
    if severities is None:
        return None
    if isinstance(severities, Mapping):
        return severities.get(str(value), severities.get(word))
    return 1 if value is None else severities(str(value), word)
