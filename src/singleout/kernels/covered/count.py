"""Count for each person the published rows that may be hers, cell by cell.

Published rows are taken a few thousand at a time. For each original value a word says which of
sixty-four rows are compatible with it; the bitwise and over a person's values says which rows may
be hers. n people and r rows take n r / 64 steps for each column.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import I32, I64, Flags
from singleout.core.progress import track
from singleout.kernels.covered import loops
from singleout.kernels.threads import in_parallel, slices

__all__ = ["Compatible", "covering"]

_ROWS = 1 << 12  # published rows at a time
_PEOPLE = 1 << 10  # fewer are not worth a thread


@dataclass(frozen=True, eq=False)
class Compatible:
    """Which original values each published value stands for; columns one after the other.

    Parameters
    ----------
    blank
        For each published code whether it stands for every value of its column.
    starts, members
        ``members[starts[p]:starts[p + 1]]`` are the original codes that p stands for otherwise.
    begins
        Where the original codes of each column begin, and where those of the last end.
    """

    blank: Flags = field(repr=False)
    starts: I64 = field(repr=False)
    members: I32 = field(repr=False)
    begins: I64 = field(repr=False)


def covering(
    original: I32, published: I32, weights: I64, compatible: Compatible
) -> tuple[I64, I64]:
    """Return for each original combination how many records of published rows may be it.

    ``original`` and ``published`` have a row of codes for each different combination, numbered over
    all columns; ``weights`` is how many records each published one has. The second answer is the
    weight of the rarest of the compatible rows, 0 if there is none.
    """
    counts = np.zeros(len(original), dtype=np.int64)
    none = np.iinfo(np.int64).max
    smallest = np.full(len(original), none, dtype=np.int64)
    words = min(-(-len(published) // 64), _ROWS // 64)
    bits = np.zeros((int(compatible.begins[-1]), words), dtype=np.uint64)
    parts = slices(len(original), _PEOPLE)
    for begin in track(range(0, len(published), _ROWS), "Comparing people with rows"):
        rows = slice(begin, begin + _ROWS)
        loops.rows_as_bits(
            published[rows],
            compatible.blank,
            compatible.starts,
            compatible.members,
            compatible.begins,
            bits,
        )
        block = np.ascontiguousarray(weights[rows])

        def work(part: slice, block: I64 = block) -> None:
            loops.add_covering(original[part], bits, block, counts[part], smallest[part])

        in_parallel(work, parts)
    smallest[smallest == none] = 0
    return counts, smallest
