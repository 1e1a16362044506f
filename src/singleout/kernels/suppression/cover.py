"""Count the published rows that could belong to each person.

A row could belong to a person if each of its cells is blank or holds the person's value. Rows are
looked up by their blanks, one pattern after the other, or compared one by one where that is less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I32, I64
from singleout.core.progress import track
from singleout.kernels.compiling import kernel
from singleout.kernels.suppression.classes import State, find_class
from singleout.kernels.suppression.gather_loops import index_classes
from singleout.kernels.suppression.match import count_compatible
from singleout.kernels.suppression.peel import hashes_of, table_size

__all__ = ["count_covering"]

_LOOKUP = 8  # comparisons that take as long as looking up a row
_AT_ONCE = 1 << 20  # lookups between two looks at the keyboard


def count_covering(codes: I32, rows: I64, blanks: I64, counts: I64, who: I64) -> I64:
    """Return for the combinations ``who`` how many published rows could belong to them.

    ``rows``, ``blanks`` and ``counts`` are the combinations, the blank columns as bits and the
    numbers of the published rows; values that are missing are blank.
    """
    patterns = np.unique(blanks)
    if len(patterns) * _LOOKUP > len(rows):
        nothing = np.zeros(len(who), dtype=np.int64)
        return count_compatible(codes, rows, blanks, counts, who, nothing)
    nobody = np.zeros(0, dtype=np.int64)
    state = State(
        codes, hashes_of(codes), nobody, np.zeros(0), blanks, rows, counts,
        np.full(table_size(len(rows)), -1, dtype=np.int64),
        np.array([len(rows), 0, 0]), nobody, nobody, nobody,
    )  # fmt: skip
    index_classes(state)
    totals = np.zeros(len(who), dtype=np.int64)
    step = max(1, _AT_ONCE // len(patterns))
    starts = range(0, len(who), step)
    for begin in track(starts, "Counting rows that could belong to a person"):
        part = slice(begin, begin + step)
        _look_up(state, patterns, who[part], totals[part])
    return totals


@kernel
def _look_up(s: Any, patterns: I64, who: I64, totals: I64) -> None:
    for x in range(who.size):
        for blank in patterns:
            c = find_class(s, who[x], blank)
            if c >= 0:
                totals[x] += s.totals[c]
