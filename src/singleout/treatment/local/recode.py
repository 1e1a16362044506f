"""Local recoding by peeling: every class of at least k records has its own levels.

Nodes of the lattice are taken in the order of their loss; at each, every class of at least k
among the remaining records is fixed. Classes are then tightened to the lowest labels that cover
their members, and split where that is possible, so that none can be generalised less. Classes that
break a criterion on sensitive values merge until they hold it, and are split again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import I32, I64
from singleout.errors import BadChoice
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.peel import class_loops, peel_loops
from singleout.treatment.lattice import Lattice
from singleout.treatment.local.classes import Classes, Ground, tightened
from singleout.treatment.local.peeling import all_nodes, is_small, peeled, typical_nodes
from singleout.treatment.local.repair import repaired
from singleout.treatment.local.sensitive import (
    Blocked,
    Criteria,
    Sensitive,
    criteria_of,
    nothing_asked,
)
from singleout.treatment.local.splitting import split_and_unite
from singleout.treatment.local.wanted import on_wanted_levels

__all__ = ["LocalRecoding", "local_recode"]

_REST = 0.02  # share of the records that a large lattice leaves to top-down recoding


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """Classes of combinations, each with its own levels.

    Parameters
    ----------
    of_group
        The class of each combination of the lattice; -1 if it is suppressed.
    levels
        For each class and column the level that is published.
    sizes
        How many records each class has.
    loss
        The arithmetic loss, weighted by importance; a suppressed record loses all.
    suppressed
        How many records are suppressed.
    blocked
        Criteria that the table itself does not hold; they were left out.
    complete
        Whether it was not stopped on the way; if it was, it holds all the same.
    """

    of_group: I64 = field(repr=False)
    levels: I32 = field(repr=False)
    sizes: I64 = field(repr=False)
    loss: float
    suppressed: int
    blocked: tuple[Blocked, ...] = ()
    complete: bool = True

    def __len__(self) -> int:
        return len(self.sizes)

    def groups_of_class(self, number: int) -> I64:
        """Return the combinations of a class."""
        return np.flatnonzero(self.of_group == number)


def local_recode(
    lattice: Lattice,
    k: int,
    sensitive: Sensitive | Sequence[Sensitive] | None = None,
    *,
    max_suppressed: int = 0,
    stop: Callable[[], bool] | None = None,
) -> LocalRecoding:
    """Return a recoding where every class has at least k records and holds the criteria.

    Parameters
    ----------
    lattice
        The combinations and the trees over their columns.
    k
        How many records each class must have.
    sensitive
        What each class must hold of sensitive columns.
    max_suppressed
        How many records may be suppressed where that costs less.
    stop
        Asked now and then whether to come to an end; the records not yet placed are then recoded
        top-down.

    Raises
    ------
    BadChoice
        If the table has fewer than k records.
    """
    if not 1 <= k <= lattice.records:
        raise BadChoice(
            f"Classes of {k:,} records cannot be made of {lattice.records:,}; "
            f"k can be 1 to {lattice.records:,}."
        )
    announce_compiling(peel_loops.peel)
    ground = Ground.of(lattice)
    criteria, blocked = criteria_of(lattice, sensitive)
    stopping = _Stopping(stop)
    of_group = _peeled(ground, k, stopping)
    # suppressing the first records that it pays for need not pay in the end
    tries = [_recoded(ground, of_group, k, criteria, most) for most in sorted({0, max_suppressed})]
    classes = min(tries, key=lambda classes: (_lost(ground, classes), -classes.sizes.sum()))
    suppressed = _suppressed(ground, classes)
    return LocalRecoding(
        classes.of_group,
        classes.levels,
        classes.sizes,
        _lost(ground, classes) / ground.records,
        suppressed,
        blocked,
        not stopping.stopped,
    )


class _Stopping:
    """Asks whether to stop, and remembers the answer."""

    def __init__(self, ask: Callable[[], bool] | None) -> None:
        self._ask = ask
        self.stopped = False

    def __call__(self) -> bool:
        if self._ask is not None and not self.stopped:
            self.stopped = self._ask()
        return self.stopped


def _suppressed(ground: Ground, classes: Classes) -> int:
    return int(ground.counts[classes.of_group < 0].sum())


def _lost(ground: Ground, classes: Classes) -> float:
    """Return the loss of all records; a suppressed one loses all."""
    return float((classes.sizes * classes.per_record).sum()) + _suppressed(ground, classes)


def _recoded(
    ground: Ground, of_group: I64, k: int, criteria: Criteria, max_suppressed: int
) -> Classes:
    """Return classes that have at least k records and hold the criteria."""
    # with criteria, what may be suppressed is kept for the classes that do not hold them
    of_group = _placed(ground, of_group, k, 0 if criteria.asked else max_suppressed)
    free = nothing_asked(len(ground.counts))
    classes = split_and_unite(ground, of_group, k, free)
    wanted = on_wanted_levels(ground, classes, k)
    if wanted is not None:
        classes = split_and_unite(ground, wanted, k, free)
    if not criteria.asked or not len(classes):
        return classes
    of_group = repaired(ground, classes, criteria, max_suppressed)
    return split_and_unite(ground, of_group, k, criteria)


def _peeled(ground: Ground, k: int, stop: Callable[[], bool]) -> I64:
    """Return classes of at least k records; -1 for combinations that are yet to be placed."""
    if is_small(ground):
        return peeled(ground, all_nodes(ground), k, k - 1, stop)
    free = nothing_asked(len(ground.counts))
    whole = np.zeros(len(ground.counts), dtype=np.int64)
    top_down = split_and_unite(ground, whole, k, free)
    enough = max(k - 1, int(_REST * ground.records))
    of_group = peeled(ground, typical_nodes(ground, top_down), k, enough, stop)
    found = _recoded(ground, of_group, k, free, 0)
    better = _lost(ground, found) < _lost(ground, top_down)
    return of_group if better else top_down.of_group


def _placed(ground: Ground, of_group: I64, k: int, max_suppressed: int) -> I64:
    """Return a class also for the combinations that remain; -1 for those that are suppressed."""
    of_group = of_group.copy()
    rest = np.flatnonzero(of_group < 0)
    if int(ground.counts[rest].sum()) >= k:
        of_group[rest] = of_group.max() + 1  # one class: splitting it is top-down recoding
        return of_group
    classes = tightened(ground, of_group)
    for g in rest.tolist():
        count = int(ground.counts[g])
        best, cost = class_loops.join(
            ground.codes, g, count, ground.maps, ground.losses,
            classes.first, classes.levels, classes.sizes, classes.per_record,
        )  # fmt: skip
        if cost > count and count <= max_suppressed:
            max_suppressed -= count
            continue
        of_group = classes.of_group.copy()
        of_group[g] = best
        classes = tightened(ground, of_group)
    return classes.of_group
