"""Minimal sample uniques of chosen records, of all sizes, on as many columns as a word has bits.

What is counted for all records together needs bits for each set of columns, of which there are 2^m.
One record needs its differences from the others only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Timer

import numpy as np

from singleout.core.arrays import I64, U64
from singleout.kernels.threads import in_parallel
from singleout.kernels.uniques import cover_loops, result_loops
from singleout.kernels.uniques.search import Columns, differences_of

__all__ = ["ExactCounts", "exact_counts"]


@dataclass(frozen=True, eq=False)
class ExactCounts:
    """How many minimal uniques of each size (row) one record has that hold each column."""

    counts: I64
    complete: bool  # whether all were found before the time was over


def exact_counts(
    codes: Columns,
    records: Sequence[int],
    max_size: int,
    *,
    never: Sequence[int] | None = None,
    seconds: float | None = None,
    what: str | None = None,
) -> list[ExactCounts]:
    """Count the minimal uniques of some records, until the time is over.

    ``never`` is for each column the code that takes part in no unique, or -1. Records are begun in
    their order; those that are not finished in time are not complete.
    """
    halt = np.zeros(1, dtype=np.bool_)
    size = min(max_size, len(codes))

    def count(record: int) -> ExactCounts:
        counts = np.zeros((size, len(codes)), dtype=np.int64)
        if halt[0]:
            return ExactCounts(counts, complete=False)
        masks = _decisive(differences_of(codes, record, never))
        if masks is None:
            return ExactCounts(counts, complete=True)
        if not len(masks):  # nobody to differ from: any column will do
            taking_part = [c for c in range(len(codes)) if not _is_never(codes, never, c, record)]
            counts[0, taking_part] = 1
            return ExactCounts(counts, complete=True)
        done = cover_loops.count_minimal_covers(masks, len(codes), size, counts, halt)
        return ExactCounts(counts, complete=bool(done))

    timer = None if seconds is None else Timer(seconds, halt.__setitem__, (0, True))
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        return in_parallel(count, records, what, halt)
    finally:
        if timer is not None:
            timer.cancel()


def _is_never(codes: Columns, never: Sequence[int] | None, column: int, record: int) -> bool:
    return never is not None and int(codes[column][record]) == never[column]


def _decisive(differences: U64) -> U64 | None:
    """Return the differences that contain no other; None if some record is the same."""
    if len(differences) and differences[0] == 0:
        return None
    by_size = differences[np.argsort(np.bitwise_count(differences), kind="stable")]
    masks: U64 = result_loops.smallest_masks(by_size, len(by_size))
    return masks
