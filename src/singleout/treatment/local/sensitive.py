"""What every class must hold of sensitive values, besides k records.

Caps on shares and (alpha, k); distinct, entropy and recursive l-diversity (Machanavajjhala et al.,
2007); t-closeness (Li, Li, Venkatasubramanian, 2007). All are functions of a class's histogram, and
hold for a union of classes that hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice
from singleout.kernels.peel import repair_loops, shared
from singleout.treatment.lattice import Lattice

__all__ = ["Blocked", "Criteria", "Sensitive", "below", "criteria_of", "nothing_asked"]

_MOST_CELLS = 1 << 28  # of histograms: 2 GB


def below(share: float) -> float:
    """Return a cap that a share holds only if it is below this one, not if it is equal.

    >>> 0.5 <= below(0.5), 0.49 <= below(0.5)
    (False, True)
    """
    return share * (1 - 1e-7)


@dataclass(frozen=True, eq=False)
class Sensitive:
    """A sensitive column, and what each class must hold of it.

    Parameters
    ----------
    codes
        The value of each record, as a code from 0.
    caps
        For each code the largest share that it may have in a class; 1 or more is no cap.
    column
        The column's name.
    values
        What the codes stand for, to name them.
    distinct_l
        How many different values each class must have.
    entropy_l
        The least exp(entropy) of each class: as diverse as so many equally frequent values.
    recursive
        (c, l): the most frequent value stays below c times the values from the l-th on.
    t
        The largest distance between a class and the table.
    ordered
        Whether the codes are in order, so that distances count how far values are apart.
    """

    codes: I64 = field(repr=False)
    caps: F64 | None = field(default=None, repr=False)
    column: str = ""
    values: Sequence[Any] = field(default=(), repr=False)
    distinct_l: int = 1
    entropy_l: float = 1.0
    recursive: tuple[float, int] | None = None
    t: float = np.inf
    ordered: bool = False


@dataclass(frozen=True)
class Blocked:
    """A criterion that the whole table does not hold, so that no recoding can make classes hold it.

    Parameters
    ----------
    column
        The sensitive column.
    criterion
        ``caps``, ``distinct_l``, ``entropy_l`` or ``recursive``.
    value
        The value whose cap is broken; None for other criteria.
    found
        What the table has: the share of the value, or how diverse the column is.
    wanted
        What was asked for.
    """

    column: str
    criterion: str
    value: Any
    found: float
    wanted: float


@dataclass(frozen=True, eq=False)
class Criteria:
    """Criteria as arrays that loops take, with the sensitive values of each combination.

    Parameters
    ----------
    starts
        Where the values of each sensitive column begin.
    caps
        For each value the largest share it may have in a class.
    usual
        For each value its share in the table.
    limits
        For each column its limits, in the order of `singleout.kernels.peel.shared`.
    value_starts
        Where the values of each combination begin.
    values
        The values that occur in each combination.
    value_counts
        How many records of the combination have each of them.
    """

    starts: I64 = field(repr=False)
    caps: F64 = field(repr=False)
    usual: F64 = field(repr=False)
    limits: F64 = field(repr=False)
    value_starts: I64 = field(repr=False)
    values: I64 = field(repr=False)
    value_counts: I64 = field(repr=False)

    @property
    def arrays(self) -> tuple[I64, F64, F64, F64]:
        """What a class is judged by."""
        return self.starts, self.caps, self.usual, self.limits

    @property
    def asked(self) -> bool:
        """Whether anything is asked for."""
        return len(self.limits) > 0

    def histograms(self, of_group: I64, classes: int) -> I64:
        """Return how often each value occurs in each class.

        Raises
        ------
        BadChoice
            If there are too many classes and values to count each pair.
        """
        wide = len(self.caps)
        if classes * wide > _MOST_CELLS:
            raise BadChoice(
                f"{classes:,} classes and {wide:,} sensitive values are too many to count every "
                "pair; take rare values together, or use a larger k."
            )
        of_value = np.repeat(of_group, np.diff(self.value_starts))
        has = of_value >= 0
        cells = of_value[has] * wide + self.values[has]
        counted = np.bincount(cells, self.value_counts[has], minlength=classes * wide)
        return counted.astype(np.int64).reshape(classes, wide)

    def lacks(self, histograms: I64, sizes: I64) -> F64:
        """Return what each class lacks, in records; 0 where it holds."""
        found = np.zeros(len(sizes))
        repair_loops.lacks(histograms, sizes, *self.arrays, found)
        return found


def nothing_asked(groups: int) -> Criteria:
    """Return criteria that every class holds."""
    none, empty = np.zeros(0, dtype=np.int64), np.zeros(0)
    limits = np.zeros((0, shared.LIMITS))
    starts = np.zeros(1, dtype=np.int64)
    return Criteria(starts, empty, empty, limits, np.zeros(groups + 1, dtype=np.int64), none, none)


def criteria_of(
    lattice: Lattice, sensitive: Sensitive | Sequence[Sensitive] | None
) -> tuple[Criteria, tuple[Blocked, ...]]:
    """Return the criteria that can be met, and those that the table itself does not hold."""
    columns = [sensitive] if isinstance(sensitive, Sensitive) else list(sensitive or ())
    groups = len(lattice.sizes)
    if not columns:
        return nothing_asked(groups), ()
    blocked: list[Blocked] = []
    starts, caps, usual, limits, cells = [0], [], [], [], []
    for column in columns:
        if len(column.codes) != lattice.records:
            raise BadChoice(
                f"The sensitive column {column.column!r} has {len(column.codes):,} values for "
                f"{lattice.records:,} records; give one for each."
            )
        # values that do not occur are no part of any distance
        found, codes, counts = np.unique(column.codes, return_inverse=True, return_counts=True)
        shares = counts / counts.sum()
        own_caps, own_limits, stuck = _possible(column, found, shares)
        blocked += stuck
        cells.append((lattice.of_record, codes.reshape(-1) + starts[-1]))
        starts.append(starts[-1] + len(found))
        caps.append(own_caps)
        usual.append(shares)
        limits.append(own_limits)
    wide = starts[-1]
    keys = np.concatenate([group * wide + value for group, value in cells])
    keys, value_counts = np.unique(keys, return_counts=True)
    value_starts = np.searchsorted(keys, np.arange(groups + 1) * wide)
    return Criteria(
        np.array(starts, dtype=np.int64),
        np.concatenate(caps),
        np.concatenate(usual),
        np.array(limits),
        value_starts.astype(np.int64),
        keys % wide,
        value_counts.astype(np.int64),
    ), tuple(blocked)


def _possible(column: Sensitive, found: I64, shares: F64) -> tuple[F64, F64, list[Blocked]]:
    """Return the caps and limits of a column that its own table holds, and those it does not."""
    blocked = []
    caps = np.full(len(found), np.inf) if column.caps is None else column.caps[found].copy()
    for v in np.flatnonzero(shares > caps + 1e-12):
        value = column.values[found[v]] if len(column.values) else int(found[v])
        blocked.append(Blocked(column.column, "caps", value, float(shares[v]), float(caps[v])))
        caps[v] = np.inf
    limits = np.zeros(shared.LIMITS)
    c, l = column.recursive or (0.0, 0)  # noqa: E741 - the name that the paper gives it
    falling = np.sort(shares)[::-1]
    tail = float(falling[max(l - 1, 0) :].sum())
    diversity = float(np.exp(-(shares * np.log(shares)).sum()))
    for name, has, wanted, holds in (
        ("distinct_l", len(found), column.distinct_l, len(found) >= column.distinct_l),
        ("entropy_l", diversity, column.entropy_l, diversity >= column.entropy_l - 1e-9),
        ("recursive", falling[0] / tail if tail else np.inf, c, not c or falling[0] < c * tail),
    ):
        if not holds:
            blocked.append(Blocked(column.column, name, None, float(has), float(wanted)))
            continue
        if name == "distinct_l":
            limits[shared.DISTINCT] = wanted
        elif name == "entropy_l":
            limits[shared.ENTROPY] = np.log(max(wanted, 1.0))
        else:
            limits[shared.RECURSIVE_C], limits[shared.RECURSIVE_L] = c, l
    limits[shared.T] = max(column.t, 0.0)
    limits[shared.ORDERED] = column.ordered
    return caps, limits, blocked
