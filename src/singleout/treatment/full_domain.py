"""Full-domain generalisation: one level for each column, and a limit of suppressed records.

The search returns the optimum. With `metric` ``"loss"`` that is the least mean loss of a cell
(arithmetic), with ``"geometric"`` the least geometric mean, as ARX has it by default, and with
``"entropy"`` the least non-uniform entropy (Gionis and Tassa 2009). Classes that break the policy
are suppressed, and lose everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I64, Flags
from singleout.core.choices import choose
from singleout.errors import BadChoice
from singleout.kernels.lattice import scores
from singleout.kernels.lattice.search import Found, Policy, find
from singleout.kernels.lattice.tables import Base, base_of
from singleout.treatment.lattice import Lattice

__all__ = ["FullDomain", "Metric", "SensitiveCaps", "frontier", "search"]


class Metric(StrEnum):
    """What a search makes as small as it can."""

    LOSS = "loss"
    GEOMETRIC = "geometric"
    ENTROPY = "entropy"


_NUMBERS = {
    Metric.LOSS: scores.LOSS,
    Metric.GEOMETRIC: scores.GEOMETRIC,
    Metric.ENTROPY: scores.ENTROPY,
}

# A share equal to its cap breaks the policy. Caps such as p + 0.25 are sums of rounded numbers, so
# that a share this close below, relative to the cap, counts as equal.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class SensitiveCaps:
    """Caps on the shares of sensitive values in every class.

    A class breaks the policy if the share of a value is as large as its cap, or larger. Values of
    several columns stand side by side, each with its own cap.

    Parameters
    ----------
    counts
        For each combination and value how many records have it.
    caps
        For each value the share that it must stay below; 1 or more: no cap.
    """

    counts: I64 = field(repr=False)
    caps: F64

    def __post_init__(self) -> None:
        if self.counts.ndim != 2 or self.counts.shape[1:] != self.caps.shape:
            raise BadChoice(
                f"There are counts of shape {self.counts.shape} for caps of shape "
                f"{self.caps.shape}; give a row for each combination and a cap for each value."
            )

    @classmethod
    def of_records(cls, lattice: Lattice, columns: Sequence[tuple[I64, F64]]) -> SensitiveCaps:
        """Return the caps of sensitive columns: for each its code by record, its caps by code."""
        counts = []
        for codes, caps in columns:
            cells = lattice.of_record * len(caps) + codes
            size = len(lattice.sizes) * len(caps)
            counts.append(np.bincount(cells, minlength=size).reshape(-1, len(caps)))
        if not counts:
            return cls(np.zeros((len(lattice.sizes), 0), dtype=np.int64), np.empty(0))
        return cls(
            np.concatenate(counts, axis=1).astype(np.int64),
            np.concatenate([caps for _, caps in columns]),
        )


@dataclass(frozen=True, eq=False)
class FullDomain:
    """The node of a lattice that loses least.

    Parameters
    ----------
    levels
        The level of each column, 0 for the values themselves.
    suppressed
        How many records are suppressed: those in classes that break the policy.
    score
        What is lost, by the metric.
    checked
        How many nodes the search looked at.
    kept
        For each combination whether its records are kept.
    complete
        Whether the search went to its end, so that the node is the optimum.
    reached
        Whether the node keeps the limit of suppressed records. If not, none does as far as the
        search went, and this is the one of those it looked at that suppresses fewest.
    k
        The smallest number of records in a class.
    limit
        How many records might be suppressed.
    interrupted
        Whether somebody interrupted the search.
    """

    levels: tuple[int, ...]
    suppressed: int
    score: float
    checked: int
    kept: Flags = field(repr=False)
    complete: bool
    reached: bool
    k: int
    limit: int
    interrupted: bool = False


def search(
    lattice: Lattice,
    k: int,
    limit: int,
    metric: str = "loss",
    sensitive: SensitiveCaps | None = None,
    fixed: Sequence[int] | None = None,
    *,
    stop: Callable[[], bool] | None = None,
    most: int | None = None,
    work: int | None = None,
) -> FullDomain:
    """Find the level of each column that meets a policy and loses least.

    If somebody interrupts it (Ctrl-C), the best node so far is returned.

    Of several nodes with the same score it is the one with the lowest sum of levels, and of those
    the one with the lowest levels in the first columns.

    Parameters
    ----------
    lattice
        The combinations and the hierarchies.
    k
        The smallest number of records in a class.
    limit
        How many records may be suppressed.
    metric
        ``"loss"``, ``"geometric"`` or ``"entropy"``.
    sensitive
        Caps on the shares of sensitive values.
    fixed
        The highest level of each column: 0 leaves it as it is; None sets no limits.
    stop
        Asked during the search; if it says yes, the best node so far is returned.
    most
        How many nodes to look at before the best so far is returned.
    work
        How many groups of records to go through before that; the first walk from the lowest node
        to the highest is not counted.
    """
    [only] = frontier(
        lattice, [k], [limit], metric, sensitive, fixed, stop=stop, most=most, work=work
    )
    return only


def frontier(
    lattice: Lattice,
    ks: Sequence[int],
    limits: Sequence[int],
    metric: str = "loss",
    sensitive: SensitiveCaps | None = None,
    fixed: Sequence[int] | None = None,
    *,
    stop: Callable[[], bool] | None = None,
    most: int | None = None,
    work: int | None = None,
) -> list[FullDomain]:
    """Find the best node for each k and, within it, for each limit, in the order given.

    The arguments are those of `search`; ``most`` and ``work`` are for each of the searches. The
    problem is prepared once, and what one search found bounds the next.
    """
    ks = [whole(k, "k", of="records") for k in ks]
    limits = [whole(limit, "limit", at_least=0, of="records") for limit in limits]
    most = None if most is None else whole(most, "most", of="nodes", instead="None for all")
    base = _base(lattice, metric)
    top = _top(lattice, fixed)
    caps, counts = _capped(lattice, sensitive)
    found: dict[tuple[int, int], Found] = {}
    start = None
    for k in sorted(set(ks)):
        for limit in sorted(set(limits)):
            policy = Policy(k, limit, caps, counts)
            one = find(base, policy, top, start=start, stop=stop, most=most, work=work)
            if one.interrupted and len(ks) * len(limits) > 1:  # the others are wanted as well
                raise KeyboardInterrupt
            found[k, limit] = one
            start = one.levels
    return [_result(found[k, limit], k, limit) for k in ks for limit in limits]


def _result(found: Found, k: int, limit: int) -> FullDomain:
    return FullDomain(
        found.levels,
        found.suppressed,
        found.score,
        found.checked,
        found.kept,
        found.complete,
        found.reached,
        k,
        limit,
        found.interrupted,
    )


def _base(lattice: Lattice, metric: str) -> Base:
    """Return the problem in the form of the kernel."""
    number = _NUMBERS[choose(Metric, metric, "metric")]
    if not lattice.trees or lattice.records == 0:
        raise BadChoice(
            f"There are {lattice.records:,} records in {len(lattice.trees)} columns; a search "
            "needs at least one of each."
        )
    maps = [tree.maps for tree in lattice.trees]
    losses = [
        np.stack([tree.losses(level)[tree.maps[level]] for level in range(tree.levels)])
        for tree in lattice.trees
    ]
    return base_of(lattice.groups, lattice.sizes, maps, losses, lattice.importance, number)


def _top(lattice: Lattice, fixed: Sequence[int] | None) -> I64:
    """Return the highest level of each column."""
    highest = lattice.levels - 1
    if fixed is None:
        return highest
    if len(fixed) != len(highest):
        raise BadChoice(
            f"fixed has {len(fixed)} levels for {len(highest)} columns; give one for each."
        )
    levels = [whole(level, "A level of fixed", at_least=0) for level in fixed]
    return np.minimum(highest, np.array(levels, dtype=np.int64))


def _capped(lattice: Lattice, sensitive: SensitiveCaps | None) -> tuple[F64, I64 | None]:
    """Return the caps below 1, a little lowered, and the counts of their values."""
    if sensitive is None:
        return np.empty(0), None
    if len(sensitive.counts) != len(lattice.sizes):
        raise BadChoice(
            f"The sensitive values are counted in {len(sensitive.counts):,} combinations, but "
            f"there are {len(lattice.sizes):,}; count them in those of the lattice."
        )
    real = sensitive.caps < 1
    counts = np.ascontiguousarray(sensitive.counts[:, real], dtype=np.int64)
    return sensitive.caps[real] * (1 - _EQUAL), counts
