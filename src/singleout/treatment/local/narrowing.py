"""Cut classes by the order of their values, where they publish intervals of their own values.

The bands of a hierarchy are no finer than people need to read them, so that a class may have many
more records than asked for. Intervals of its own values can be cut anywhere: a class becomes two
parts that both hold, by the column and at the place that save most loss, as long as there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.progress import working_on
from singleout.report.say import say
from singleout.treatment.lattice import Lattice
from singleout.treatment.local.classes import Ground, numbered, tightened
from singleout.treatment.local.recode import LocalRecoding
from singleout.treatment.local.sensitive import Criteria, Sensitive, criteria_of

__all__ = ["cut_by_order"]

_ROUNDS = 64  # each halves classes, as a rule
_AT_ONCE = 1 << 24  # cells of histograms


def cut_by_order(
    lattice: Lattice,
    recoding: LocalRecoding,
    k: int,
    ranks: Sequence[I64 | None],
    sensitive: Sensitive | Sequence[Sensitive] | None = None,
) -> LocalRecoding:
    """Return a recoding whose classes are cut as far as k and the criteria allow.

    Parameters
    ----------
    lattice, recoding
        The combinations, and their classes.
    k
        How many records each class must have.
    ranks
        For each column the rank of each code, -1 for one that has none; None for a column that is
        not published as intervals of a class's own values.
    sensitive
        What each class must hold of sensitive columns.
    """
    criteria, _ = criteria_of(lattice, sensitive)
    cutting = _Cutting(lattice, k, ranks, criteria, numbered(recoding.of_group))
    for _ in range(_ROUNDS):
        working_on(say("local_recoding.splitting"))
        if not cutting.round():
            break
    ground = Ground.of(lattice)
    classes = tightened(ground, cutting.of_group)
    lost = float((classes.sizes * classes.per_record).sum()) + recoding.suppressed
    return replace(
        recoding,
        of_group=classes.of_group,
        levels=classes.levels,
        sizes=classes.sizes,
        loss=lost / lattice.records,
    )


@dataclass(frozen=True, eq=False)
class _Cuts:
    """For each class the place in a column that saves most: the last rank of its first part."""

    saved: F64  # 0 where there is no place
    last: I64


@dataclass(eq=False)
class _Cutting:
    """Classes that are cut round by round."""

    lattice: Lattice
    k: int
    ranks: Sequence[I64 | None]
    criteria: Criteria
    of_group: I64
    is_open: Flags = field(init=False)

    def __post_init__(self) -> None:
        classes = int(self.of_group.max(initial=-1)) + 1
        self.is_open = np.ones(classes, dtype=np.bool_)

    def round(self) -> bool:
        """Cut each class once, where that is possible; return whether any was cut."""
        classes = len(self.is_open)
        members = np.flatnonzero(self.of_group >= 0)
        members = members[self.is_open[self.of_group[members]]]
        if not len(members):
            return False
        best = np.zeros(classes)
        beyond = np.zeros(len(self.of_group), dtype=np.bool_)
        for j, ranks in enumerate(self.ranks):
            weight = self._weight(j)
            if ranks is None or not weight:
                continue
            of_member = ranks[self.lattice.groups[members, j]]
            found = self._cuts(members, of_member)
            after = of_member > found.last[self.of_group[members]]
            saved = found.saved * weight * self._holds(members, after, found.saved > 0)
            better = saved > best
            chosen = better[self.of_group[members]]
            beyond[members[chosen]] = after[chosen]
            best = np.where(better, saved, best)
        cut = best > 0
        number = np.cumsum(cut) - 1 + classes
        self.of_group = np.where(beyond & cut[self.of_group], number[self.of_group], self.of_group)
        self.is_open = np.concatenate([cut, np.ones(int(cut.sum()), dtype=np.bool_)])
        return bool(cut.any())

    def _weight(self, j: int) -> float:
        """Return what one rank less saves a record."""
        size = self.lattice.trees[j].size
        return float(self.lattice.importance[j]) / (size - 1) if size > 1 else 0.0

    def _cuts(self, members: I64, ranks: I64) -> _Cuts:
        """Return where a column cuts each class into two parts of at least k records."""
        classes = self.of_group[members]
        order = np.lexsort((ranks, classes))
        of, rank = classes[order], ranks[order]
        counts = self.lattice.sizes[members[order]]
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        lengths = np.diff(starts, append=len(of))
        up_to = np.cumsum(counts)

        def each(values: I64) -> I64:
            return np.repeat(values, lengths)

        size = each(np.add.reduceat(counts, starts))
        left = up_to - each(up_to[starts] - counts[starts])
        low, high = each(rank[starts]), each(rank[starts + lengths - 1])
        following = np.append(rank[1:], -1)
        is_last = np.append(of[1:] != of[:-1], True)
        allowed = ~is_last & (following > rank) & (low >= 0)
        allowed &= (left >= self.k) & (size - left >= self.k)
        saved = size * (high - low) - left * (rank - low) - (size - left) * (high - following)
        saved = np.where(allowed, saved, 0)
        most = np.maximum.reduceat(saved, starts)
        # the first of several places
        place = np.where(saved == each(most), np.arange(len(of)), len(of))
        place = np.minimum.reduceat(place, starts)
        answer = _Cuts(np.zeros(len(self.is_open)), np.full(len(self.is_open), -1))
        answer.saved[of[starts]] = most
        answer.last[of[starts]] = rank[place]
        return answer

    def _holds(self, members: I64, after: Flags, wanted: Flags) -> Flags:
        """Return the wanted classes both of whose parts hold the criteria."""
        if not self.criteria.asked:
            return wanted
        holds = np.zeros_like(wanted)
        numbers = np.flatnonzero(wanted)
        step = max(1, _AT_ONCE // (2 * len(self.criteria.caps)))
        for begin in range(0, len(numbers), step):
            some = numbers[begin : begin + step]
            part_of = np.full(len(wanted), -1)
            part_of[some] = 2 * np.arange(len(some))
            part = part_of[self.of_group[members]]
            here = part >= 0
            parts = np.full(len(self.of_group), -1)
            parts[members[here]] = part[here] + after[here]
            histograms = self.criteria.histograms(parts, 2 * len(some))
            sizes = np.bincount(parts[members[here]], self.lattice.sizes[members[here]])
            lacking = self.criteria.lacks(histograms, sizes.astype(np.int64))
            holds[some] = (lacking == 0).reshape(-1, 2).all(axis=1)
        return holds
