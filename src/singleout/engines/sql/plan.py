"""Which column sets are counted by the same statement.

Where few combinations of some columns can occur, all sets within these columns are rolled up from
the combinations of all of them, so that the records are passed over once for many sets. Blocks of
such columns are chosen greedily: each starts at a set that is not counted yet and takes in the
column that brings most other sets with it, for the combinations it may add. All other sets share a
pass by grouping sets, as many as a statement should have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "planned"]

# A block may have as many combinations as records divided by this, were its columns independent;
# columns of people are not, so that they have far fewer.
_WORTH_ROLLING_UP = 16
_MANY = 128  # sets that one statement may have at most
_BITS = 64


@dataclass(frozen=True)
class Block:
    """Column sets for one statement, by their places in the question; and whether to roll up."""

    sets: tuple[int, ...]
    rolled: bool


def planned(
    sets: Sequence[frozenset[str]],
    levels: Mapping[str, int],
    rows: int,
    *,
    at_once: int,
) -> list[Block]:
    """Return the statements that count all the sets.

    Parameters
    ----------
    sets
        The column sets, all different.
    levels
        How many different values each column has; empty if that is not known.
    rows
        How many records there are.
    at_once
        How many sets share a statement that rolls nothing up.
    """
    names = list(dict.fromkeys(name for members in sets for name in sorted(members)))
    blocks: list[Block] = []
    left = list(range(len(sets)))
    if levels and len(names) <= _BITS:
        blocks, left = _rolled(sets, names, levels, rows / _WORTH_ROLLING_UP)
    left.sort(key=lambda place: sorted(sets[place]))
    plain = [left[at : at + at_once] for at in range(0, len(left), at_once)]
    return blocks + [Block(tuple(places), rolled=False) for places in plain]


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
    for start in sorted(range(len(sets)), key=lambda place: -len(sets[place])):
        if not waiting[start]:
            continue
        first = int(masks[start])
        held = prod(float(sizes[at]) for at in _bits(first))
        if held > room:
            continue
        block = _grown(first, held, masks[waiting], sizes, room)
        inside = np.flatnonzero(waiting & _within(masks, block))[:_MANY]
        if len(inside) == 1:
            continue
        waiting[inside] = False
        blocks.append(Block(tuple(inside.tolist()), rolled=True))
    return blocks, np.flatnonzero(waiting).tolist()


def _grown(
    block: int, held: float, masks: NDArray[np.uint64], sizes: NDArray[np.float64], room: float
) -> int:
    """Take in columns as long as the combinations that may occur have room."""
    while True:
        best, gain = None, 0.0
        now = int(_within(masks, block).sum())
        if now >= _MANY:
            return block
        for at in range(len(sizes)):
            if block >> at & 1 or held * sizes[at] > room:
                continue
            more = int(_within(masks, block | 1 << at).sum()) - now
            if more / log(sizes[at]) > gain:
                best, gain = at, more / log(sizes[at])
        if best is None:
            return block
        block |= 1 << best
        held *= float(sizes[best])


def _within(masks: NDArray[np.uint64], block: int) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (masks & ~np.uint64(block)) == 0
    return inside


def _bits(mask: int) -> list[int]:
    return [at for at in range(mask.bit_length()) if mask >> at & 1]
