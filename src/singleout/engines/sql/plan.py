"""Which column sets are counted by the same statement.

Where few combinations of some columns can occur, all sets within these columns are rolled up from
the combinations of all of them, so that the records are passed over once for many sets. Blocks of
such columns are chosen greedily: each starts at a set that is not counted yet and adds the column
that includes most other sets for the combinations it may add. All other sets share a pass by
grouping sets, as many as a statement should have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np

from singleout.core.arrays import F64, U64, Flags

__all__ = ["planned"]

# A block may have as many combinations as records divided by this, were its columns independent;
# columns of people are not, so that they have far fewer.
_WORTH_ROLLING_UP = 16
_MANY = 128  # sets that one statement may have at most
_BITS = 64


@dataclass(frozen=True)
class Block:
    """Column sets for one statement."""

    sets: tuple[int, ...]  # indexes
    rolled: bool  # up from the combinations of all their columns


def planned(
    sets: Sequence[frozenset[str]],
    levels: Mapping[str, int],
    rows: int,
    *,
    at_once: int,
) -> list[Block]:
    """Return the statements that count all the sets, which are different.

    ``levels`` are the numbers of distinct values of the columns, empty if unknown; ``at_once`` sets
    share a statement that rolls nothing up.
    """
    names = list(dict.fromkeys(name for members in sets for name in sorted(members)))
    blocks: list[Block] = []
    left = list(range(len(sets)))
    if levels and len(names) <= _BITS:
        blocks, left = _rolled(sets, names, levels, rows / _WORTH_ROLLING_UP)
    left.sort(key=lambda index: sorted(sets[index]))
    plain = [left[start : start + at_once] for start in range(0, len(left), at_once)]
    return blocks + [Block(tuple(indexes), rolled=False) for indexes in plain]


def _rolled(
    sets: Sequence[frozenset[str]], names: list[str], levels: Mapping[str, int], room: float
) -> tuple[list[Block], list[int]]:
    """Return the blocks that are rolled up, and the sets that are in none."""
    masks = np.array(
        [sum(1 << names.index(name) for name in members) for members in sets], dtype=np.uint64
    )
    sizes = np.array([max(levels[name], 2) for name in names], dtype=np.float64)
    waiting = np.ones(len(sets), dtype=np.bool_)
    blocks: list[Block] = []
    # the largest first: smaller ones are within them
    for start in sorted(range(len(sets)), key=lambda index: -len(sets[index])):
        if not waiting[start]:
            continue
        first = int(masks[start])
        combinations = prod(float(size) for bit, size in enumerate(sizes) if first >> bit & 1)
        if combinations > room:
            continue
        block = _grown(first, combinations, masks[waiting], sizes, room)
        inside = np.flatnonzero(waiting & _within(masks, block))[:_MANY]
        if len(inside) == 1:
            continue
        waiting[inside] = False
        blocks.append(Block(tuple(inside.tolist()), rolled=True))
    return blocks, np.flatnonzero(waiting).tolist()


def _grown(block: int, combinations: float, masks: U64, sizes: F64, room: float) -> int:
    """Add columns to a block while its possible combinations are at most ``room``."""
    while True:
        best, gain = None, 0.0
        now = int(_within(masks, block).sum())
        if now >= _MANY:
            return block
        for bit in range(len(sizes)):
            if block >> bit & 1 or combinations * sizes[bit] > room:
                continue
            more = int(_within(masks, block | 1 << bit).sum()) - now
            if more / log(sizes[bit]) > gain:
                best, gain = bit, more / log(sizes[bit])
        if best is None:
            return block
        block |= 1 << best
        combinations *= float(sizes[best])


def _within(masks: U64, block: int) -> Flags:
    inside: Flags = (masks & ~np.uint64(block)) == 0
    return inside
