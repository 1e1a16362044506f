"""Peel a table by blanking cells until every published combination has k records.

Sets of columns to blank are tried with the cheapest first: records that share their other values
with enough others become a class, and are done with. Then records move where they lose less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from singleout.core.arrays import F64, I32, I64, U64
from singleout.core.progress import track, working_on
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.suppression import gather_loops, improve_loops
from singleout.kernels.suppression.classes import TINY, State

__all__ = [
    "EVERY_SET_OF",
    "MAX_COLUMNS",
    "Pieces",
    "hashes_of",
    "masks_to_try",
    "peel",
    "table_size",
]

MAX_COLUMNS = 62  # blank columns are the bits of a signed word
EVERY_SET_OF = 12  # columns of which every set is tried
_MOST_SETS = 1 << 12
_SMALL = 20_000  # combinations times sets of columns up to which several orders are tried
_ATTEMPTS, _SEED = 16, 20240117
_THOROUGH = 20_000_000  # pieces times sets of columns up to which each class is tried in full
_STEPS = 6  # of the number of records that a new class must have of its own
_WHAT = "Suppressing cells"


@dataclass(frozen=True, eq=False)
class Pieces:
    """What is blanked: so many records of a combination, and their blank columns as bits."""

    group: I64
    blank: I64
    amount: I64
    left: I64  # combinations whose records could not be brought into a class
    cost: float


def masks_to_try(weights: F64, values: Sequence[int]) -> tuple[I64, F64]:
    """Return sets of columns to blank as bits, and what they cost, the cheapest first.

    Every set of up to 12 columns. Of more columns the small sets, and then columns one after the
    other, those that cost least and have most values first, each time with one more of the others.
    Among equally expensive sets those whose columns have many values come first.
    """
    width = len(weights)
    if width <= EVERY_SET_OF:
        masks = set(range(1 << width))
    else:
        masks = _some_sets(width, np.lexsort((-np.asarray(values), weights)).tolist())
    chosen = np.array(sorted(masks), dtype=np.int64)
    bits = (chosen[:, None] >> np.arange(width)) & 1
    cost = _costs(chosen, np.asarray(weights, dtype=np.float64))
    # rounding must not decide the order
    order = np.lexsort((chosen, -(bits @ np.asarray(values, dtype=np.int64)), np.round(cost, 9)))
    return chosen[order], cost[order]


def _some_sets(width: int, by_cost: Sequence[int]) -> set[int]:
    masks, room = {0}, _MOST_SETS
    for size in range(1, width):
        room -= comb(width, size)
        if room < 0:
            break
        masks |= {sum(1 << j for j in some) for some in combinations(range(width), size)}
    base = 0
    for column in by_cost:
        base |= 1 << column
        masks |= {base} | {base | 1 << other for other in range(width)}
    return masks


def peel(
    codes: I32, missing: I64, sizes: I64, weights: F64, values: Sequence[int], k: int
) -> Pieces:
    """Blank cells of combinations so that at least k records are published alike.

    Parameters
    ----------
    codes, missing, sizes
        Of each combination: its codes, its columns without a value as bits, its records.
    weights
        What a blanked cell of each column costs.
    values
        How many values each column has.
    k
        The least number of records that are published alike.
    """
    announce_compiling(gather_loops.gather)
    masks, costs = masks_to_try(weights, values)
    best = _Peel(codes, missing, sizes, weights, masks, costs, k).run(borrowing=True)
    if len(sizes) * len(masks) > _SMALL or best.cost == 0:
        return best
    # where it takes no time, other orders among equally expensive sets, and without borrowing
    rng = np.random.default_rng(_SEED)
    for attempt in range(_ATTEMPTS):
        shuffled = np.lexsort((rng.permutation(len(masks)), np.round(costs, 9)))
        other = _Peel(codes, missing, sizes, weights, masks[shuffled], costs[shuffled], k)
        found = other.run(borrowing=attempt % 2 == 0)
        if found.cost < best.cost - TINY:
            best = found
    return best


class _Peel:
    """The classes of one run."""

    def __init__(
        self, codes: I32, missing: I64, sizes: I64, weights: F64, masks: I64, costs: F64, k: int
    ) -> None:
        self.sizes, self.masks, self.costs, self.k = sizes, masks, costs, k
        groups = len(sizes)
        room = max(64, 2 * groups)
        self.s = State(
            np.ascontiguousarray(codes, dtype=np.int32), hashes_of(codes), missing,
            np.asarray(weights, dtype=np.float64),
            np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(room, np.int64),
            np.full(table_size(room), -1, np.int64), np.array([0, 0, k], np.int64),
            np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64),
        )  # fmt: skip

    def run(self, *, borrowing: bool) -> Pieces:
        """Form the classes and improve them."""
        left = self._gathered(borrowing=borrowing)
        self._improve()
        s = self.s
        used = int(s.used[1])
        group, owner, count = s.group[:used], s.owner[:used], s.amount[:used]
        blank = s.masks[owner] & ~s.missing[group]
        cost = float((_costs(blank, s.weights) * count).sum())
        return Pieces(group.copy(), blank, count.copy(), left, cost)

    def _gathered(self, *, borrowing: bool) -> I64:
        """Form classes with ever more blanks, and return the combinations that are left."""
        groups = len(self.sizes)
        rest, sums = np.arange(groups), np.empty(groups, dtype=np.int64)
        table = np.empty(table_size(groups), dtype=np.int64)
        left = groups
        for node, least in track(self._events(borrowing=borrowing), _WHAT):
            self._make_room(left + int(self.s.used[1]))
            left = gather_loops.gather(
                self.s, rest, left, self.sizes, self.masks[node], least, table, sums
            )
            if left == 0:
                break
        return self._joined(rest[:left])

    def _events(self, *, borrowing: bool) -> list[tuple[int, int]]:
        """Return which sets are tried, each with the records that a class must have of its own.

        In the order of what it costs to bring a record into a class, the records included that
        others spare for it.
        """
        k = self.k
        own = {k}
        if borrowing:
            own |= {max(1, round(k * step / _STEPS)) for step in range(_STEPS)}
        events = [
            (round(float(cost) * k / least, 9), node, least)
            for node, cost in enumerate(self.costs)
            for least in own
            if least == k or cost > 0
        ]
        return [
            (node, least) for _, node, least in sorted(events, key=lambda e: (e[0], -e[2], e[1]))
        ]

    def _joined(self, rest: I64) -> I64:
        """Bring the last few into the class that loses least by it; return who is left."""
        for place, g in enumerate(rest.tolist()):
            s = self.s
            classes = int(s.used[0])
            filled = np.flatnonzero(s.totals[:classes])
            if len(filled) == 0:
                return rest[place:]
            heads = s.codes[s.heads[filled]]
            differ = ((heads != s.codes[g]).astype(np.int64) << np.arange(heads.shape[1])).sum(1)
            blank = s.masks[filled] | differ | s.missing[g]
            costs = _costs(blank & ~s.masks[filled], s.weights) * s.totals[filled]
            costs += _costs(blank & ~s.missing[g], s.weights) * self.sizes[g]
            chosen = int(np.argmin(np.round(costs, 9)))
            self._make_room(2)
            gather_loops.join(self.s, g, self.sizes[g], filled[chosen], blank[chosen])
        return rest[:0]

    def _improve(self) -> None:
        """Let records lose less, as long as some can; the cost falls each time."""
        rounds = 0
        while self._opened() + self._moved() + self._published_again():
            rounds += 1
            working_on(_WHAT, rounds)

    def _moved(self) -> int:
        order, starts, pieces, masks, costs = self._listed()
        return int(improve_loops.move_members(self.s, order, starts, pieces, masks, costs))

    def _published_again(self) -> int:
        order, starts, pieces, _, _ = self._listed()
        values = int(self.s.codes.max()) + 1
        return int(improve_loops.publish_again(self.s, order, starts, pieces, values))

    def _opened(self) -> int:
        opened = 0
        s, used = self.s, int(self.s.used[1])
        owner = s.owner[:used]
        donors = np.flatnonzero((s.masks[owner] != 0) & (s.totals[owner] > self.k))
        thorough = used * len(self.masks) <= _THOROUGH
        for mask in self.masks[1:]:
            self._make_room(len(donors) + int(self.s.used[1]))
            table = np.full(table_size(len(donors)), -1, dtype=np.int64)
            opened += improve_loops.open_classes(self.s, donors, mask, table, thorough)
        return opened

    def _listed(self) -> tuple[I64, I64, I64, I64, F64]:
        """Merge pieces that belong together; return classes by cost, their pieces, and masks."""
        s = self.s
        classes, used = int(s.used[0]), int(s.used[1])
        keep = s.amount[:used] > 0
        group, owner, count = (part[:used][keep] for part in (s.group, s.owner, s.amount))
        order = np.lexsort((group, owner))
        group, owner, count = group[order], owner[order], count[order]
        first = np.ones(len(group), dtype=np.bool_)
        first[1:] = (group[1:] != group[:-1]) | (owner[1:] != owner[:-1])
        used = int(first.sum())
        s.amount[:used] = np.add.reduceat(count, np.flatnonzero(first)) if used else 0
        s.group[:used], s.owner[:used] = group[first], owner[first]
        s.used[1] = used
        self._make_room(used)
        s = self.s
        starts = np.searchsorted(s.owner[:used], np.arange(classes + 1))
        costs = _costs(s.masks[:classes], s.weights)
        filled = np.flatnonzero((s.totals[:classes] > 0) & (s.masks[:classes] != 0))
        by_cost = filled[np.lexsort((filled, -costs[filled]))]
        active = np.unique(s.masks[:classes][s.totals[:classes] > 0])
        prices = _costs(active, s.weights)
        ranks = np.lexsort((active, np.round(prices, 9)))
        return by_cost, starts, np.arange(used), active[ranks], prices[ranks]

    def _make_room(self, more: int) -> None:
        """Make sure that there is room for so many more classes and pieces."""
        s = self.s
        classes, pieces = int(s.used[0]) + more, int(s.used[1]) + more
        if classes > len(s.masks):
            room = 2 * classes
            s = s._replace(
                masks=_longer(s.masks, room),
                heads=_longer(s.heads, room),
                totals=_longer(s.totals, room),
                slots=np.full(table_size(room), -1, dtype=np.int64),
            )
            gather_loops.index_classes(s)
        if pieces > len(s.group):
            room = 2 * pieces
            s = s._replace(
                group=_longer(s.group, room),
                owner=_longer(s.owner, room),
                amount=_longer(s.amount, room),
            )
        self.s = s


def _longer(array: I64, room: int) -> I64:
    longer = np.zeros(room, dtype=np.int64)
    longer[: len(array)] = array
    return longer


def table_size(entries: int) -> int:
    """Return the size of a hash table with room for so many entries."""
    return 1 << max(6, int(2 * entries - 1).bit_length())


def _costs(masks: I64, weights: F64) -> F64:
    bits = (masks[:, None] >> np.arange(len(weights))) & 1
    costs: F64 = bits @ weights
    return costs


def hashes_of(codes: I32) -> U64:
    """Return a random word for each value of each column; their sums fit into 64 bits."""
    rng = np.random.default_rng(_SEED)
    words = np.empty(codes.shape, dtype=np.uint64)
    for j in range(codes.shape[1]):
        book = rng.integers(1 << 57, size=int(codes[:, j].max()) + 1, dtype=np.uint64)
        words[:, j] = book[codes[:, j]]
    return words
