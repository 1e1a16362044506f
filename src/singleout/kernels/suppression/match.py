"""Suppress cells where a blank matches everything, and count what covers each person.

Greedy, as sdcMicro's localSuppression: record by record the cheapest cells such that k rows match.
Then cells that nobody needs are published again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I32, I64, Flags
from singleout.core.progress import track
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.suppression import match_loops as loops

__all__ = ["Blanked", "blank_for_matches", "count_compatible"]

_COMPARISONS = 200_000_000  # between two looks at the keyboard: less than a second
_WHAT = "Suppressing cells"


@dataclass(frozen=True, eq=False)
class Blanked:
    """Records with blanked cells: their combinations, and the columns as bits."""

    rows: I64
    blanks: I64


def blank_for_matches(
    codes: I32, missing: I64, sizes: I64, weights: F64, k: int, masks: I64
) -> Blanked:
    """Blank cells until at least k rows match each record, a blank cell matching everything.

    ``masks`` are all sets of columns, the cheapest first; empty where there are too many columns to
    try all.
    """
    announce_compiling(loops.blank_rows)
    everybody = np.arange(len(sizes))
    before = count_compatible(codes, everybody, missing, sizes, everybody, missing)
    needy = before < k
    order = np.repeat(everybody[needy], sizes[needy])
    counts = sizes.copy()
    rows, blanks = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    done = 0
    for begin, end in _parts(len(order), len(sizes) + len(order)):
        done = loops.blank_rows(
            codes, missing, counts, order, rows, blanks, done, k, weights, masks, begin, end
        )
    return _without_needless(
        codes, missing, counts, needy, Blanked(rows[:done], blanks[:done]), weights, k
    )


def _without_needless(
    codes: I32, missing: I64, counts: I64, needy: Flags, found: Blanked, weights: F64, k: int
) -> Blanked:
    """Publish cells again that nobody needs, until there is none."""
    whole = np.flatnonzero(counts)
    rows = np.concatenate([whole, found.rows])
    blanks = np.concatenate([missing[whole], found.blanks])
    amounts = np.concatenate([counts[whole], np.ones(len(found.rows), dtype=np.int64)])
    wanting = np.concatenate([needy[whole], np.ones(len(found.rows), dtype=np.bool_)])
    matches = count_compatible(codes, rows, blanks, amounts, rows, blanks)
    columns = np.lexsort((np.arange(len(weights)), -weights))
    while True:
        again = 0
        for begin, end in _parts(len(found.rows), len(rows)):
            again += loops.publish_cells_again(
                codes, missing, rows, blanks, amounts, wanting, matches, k, columns,
                len(whole) + begin, len(whole) + end,
            )  # fmt: skip
        if again == 0:
            return Blanked(found.rows, blanks[len(whole) :])


def count_compatible(codes: I32, rows: I64, blanks: I64, counts: I64, who: I64, whose: I64) -> I64:
    """Return for some combinations how many published rows match them.

    ``rows``, ``blanks`` and ``counts`` are the combinations, the blank columns and the numbers of
    the published rows; ``whose`` are the columns that are blank in the combinations ``who``.
    """
    totals = np.zeros(len(who), dtype=np.int64)
    for begin, end in _parts(len(who), len(rows)):
        loops.compatible_rows(codes, rows, blanks, counts, who, whose, begin, end, totals)
    return totals


def _parts(length: int, work: int) -> Iterator[tuple[int, int]]:
    """Cut work into parts between which it can be interrupted."""
    step = max(1, _COMPARISONS // max(1, 8 * work))
    parts = [(begin, min(begin + step, length)) for begin in range(0, length, step)]
    return iter(parts) if len(parts) == 1 else track(parts, _WHAT)
