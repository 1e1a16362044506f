"""Count the records that each record matches when a missing value matches everything.

Matching is not transitive (a matches b and b matches c, yet a need not match c), so there are no
groups: there is a number for each combination. Two exact ways, by what they cost: join the
combinations of every two patterns of missing cells on the columns that both have, or compare the
combinations with missing cells one by one with all others that agree on the complete columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, U32, Flags
from singleout.core.progress import track
from singleout.kernels.compiling import kernel
from singleout.kernels.grouping.group import group_records
from singleout.kernels.threads import in_parallel

__all__ = ["matching"]

# rough costs in nanoseconds, only to choose between two ways to the same answer
_PAIR_OF_PATTERNS = 150_000
_JOINED_COMBINATION = 60
_COMPARISON = 4

_MISSING = np.uint32(0xFFFFFFFF)
_CHUNK = 1 << 12  # combinations compared at a time, between two reports of progress


def matching(
    columns: Sequence[NDArray[Any]],
    levels: Sequence[int],
    missing: Sequence[int | None],
    amounts: F64,
) -> F64:
    """Return, for each of some distinct combinations, the total amount of all that match it.

    ``levels`` is for each column a number above its largest code, ``missing`` the code that means
    missing, if it has one, and ``amounts`` what each combination counts for.
    """
    absent = [
        np.zeros(len(codes), np.bool_) if code is None else codes == code
        for codes, code in zip(columns, missing, strict=True)
    ]
    patterns = group_records([flags.view(np.uint8) for flags in absent], [2] * len(absent))
    blocks = _Blocks(columns, levels, absent)
    kinds = len(patterns.sizes)
    joining = _PAIR_OF_PATTERNS * kinds**2 / 2 + _JOINED_COMBINATION * kinds * len(amounts)
    if joining <= _COMPARISON * blocks.comparisons:
        return _joined(columns, levels, absent, patterns.ids, amounts)
    return blocks.totals(amounts)


def _joined(
    columns: Sequence[NDArray[Any]],
    levels: Sequence[int],
    absent: Sequence[Flags],
    pattern: U32,
    amounts: F64,
) -> F64:
    """Join the combinations of every two patterns on the columns that both have."""
    members = [np.flatnonzero(pattern == kind) for kind in range(int(pattern.max()) + 1)]
    lacks = [[bool(flags[of[0]]) for flags in absent] for of in members]
    totals = np.zeros(len(amounts))
    pairs = list(combinations_with_replacement(range(len(members)), 2))
    for a, b in track(pairs, "Matching records with missing values"):
        both = [c for c in range(len(columns)) if not (lacks[a][c] or lacks[b][c])]
        rows = np.concatenate([members[a], members[b]])
        if both:
            ids = group_records([columns[c][rows] for c in both], [levels[c] for c in both]).ids
        else:
            ids = np.zeros(len(rows), dtype=np.uint32)
        of_a, of_b = ids[: len(members[a])], ids[len(members[a]) :]
        groups = int(ids.max()) + 1
        totals[members[a]] += np.bincount(of_b, amounts[members[b]], groups)[of_a]
        if a != b:
            totals[members[b]] += np.bincount(of_a, amounts[members[a]], groups)[of_b]
    return totals


class _Blocks:
    """Combinations that agree on the columns without missing cells, ready to be compared."""

    def __init__(
        self, columns: Sequence[NDArray[Any]], levels: Sequence[int], absent: Sequence[Flags]
    ) -> None:
        whole = [c for c, flags in enumerate(absent) if not flags.any()]
        if whole:
            block = group_records([columns[c] for c in whole], [levels[c] for c in whole]).ids
        else:
            block = np.zeros(len(absent[0]), dtype=np.uint32)
        complete = ~np.logical_or.reduce(absent)
        # by block, and in each block the combinations with missing cells first
        self._order = np.lexsort((complete, block))
        in_order = block[self._order]
        members = np.bincount(block)
        lacking = np.bincount(block, ~complete).astype(np.int64)
        ends = np.cumsum(members)
        self._begin = (ends - members)[in_order]
        self._end = np.where(
            complete[self._order], (ends - members + lacking)[in_order], ends[in_order]
        )
        self._complete = complete[self._order]
        loose = [c for c in range(len(columns)) if c not in whole]
        self._rows = np.empty((len(block), len(loose)), dtype=np.uint32)
        for position, c in enumerate(loose):
            self._rows[:, position] = np.where(absent[c], _MISSING, columns[c])[self._order]

    @property
    def comparisons(self) -> int:
        """How many pairs of combinations have to be compared."""
        return int((self._end - self._begin).sum())

    def totals(self, amounts: F64) -> F64:
        """Return the total amount of all that match each combination."""
        ordered = amounts[self._order]
        # a complete combination matches itself, and of the rest only some with missing cells
        totals = np.where(self._complete, ordered, 0.0)
        starts = range(0, len(ordered), _CHUNK)
        waves = [starts[begin : begin + 64] for begin in range(0, len(starts), 64)]

        def compare(start: int) -> None:
            part = slice(start, start + _CHUNK)
            _compare(self._rows, start, self._begin[part], self._end[part], ordered, totals[part])

        for wave in track(waves, "Matching records with missing values"):
            in_parallel(compare, wave)
        by_record = np.empty(len(ordered))
        by_record[self._order] = totals
        return by_record


@kernel
def _compare(
    rows: U32,
    start: int,
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    amounts: F64,
    totals: F64,
) -> None:
    """Add to each combination from ``start`` on what it matches between ``begin`` and ``end``."""
    width = rows.shape[1]
    for k in range(totals.size):
        i = start + k
        for j in range(begin[k], end[k]):
            same = True
            for c in range(width):
                a = rows[i, c]
                b = rows[j, c]
                if a != b and a != _MISSING and b != _MISSING:  # noqa: PLR1714
                    same = False
                    break
            if same:
                totals[k] += amounts[j]
