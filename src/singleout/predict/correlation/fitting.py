"""A joint table from the tables that are known: iterative proportional fitting.

Statistical offices publish age by sex and sex by town, seldom all three. Of all joint tables with
the known margins the one of largest entropy adds no dependence that nobody reported; it is found
by scaling a uniform table to each margin in turn (Deming and Stephan 1940).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.errors import BadChoice, UnusableTable
from singleout.report.say import say

__all__ = ["Fitted", "Margin", "fit_margins", "read_margins", "shares_table"]


_EXACT = 1e-12  # a difference that only rounding in floats makes
_ROUNDED = 0.005  # published tables may disagree by as much, being rounded
_MOST_ROUNDS = 5000
_STALLED = 50  # rounds without getting nearer by a tenth


@dataclass(frozen=True, eq=False)
class Margin:
    """A table over some of the attributes, as shares of all people."""

    names: tuple[str, ...]  # in the order of the axes
    table: F64

    def over(self, wanted: Sequence[str]) -> F64:
        """Return the shares over some of its attributes, in the order wanted."""
        drop = tuple(axis for axis, name in enumerate(self.names) if name not in wanted)
        left = [name for name in self.names if name in wanted]
        summed: F64 = self.table.sum(axis=drop)
        return summed.transpose([left.index(name) for name in wanted])


@dataclass(frozen=True, eq=False)
class Fitted:
    """The joint table of largest entropy with these margins.

    Parameters
    ----------
    names
        The attributes, in the order of the axes.
    joint
        The share of all people in each cell.
    rounds
        How many times the table was scaled to all margins.
    misfit
        The largest share of people that a margin would have to move to agree with the table.
    """

    names: tuple[str, ...]
    joint: F64
    rounds: int
    misfit: float

    def __post_init__(self) -> None:
        self.joint.flags.writeable = False

    @property
    def converged(self) -> bool:
        """Whether the table has the margins, but for rounding in floats."""
        return self.misfit <= 1e-9


def shares_table(values: Any, what: str) -> F64:
    """Return a table of counts or shares as shares of its sum."""
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(f"{what} must hold numbers only.") from None
    if table.size == 0 or table.ndim == 0:
        raise UnusableTable(f"{what} is empty; give a number for each cell.")
    if not (np.isfinite(table) & (table >= 0)).all():
        raise BadChoice(f"{what} must hold finite numbers that are not negative.")
    if not table.any():
        raise UnusableTable(f"{what} holds only zeros, so there is nobody to predict for.")
    shares: F64 = table / table.sum()
    return shares


def read_margins(tables: Any) -> list[Margin]:
    """Check the tables by the attributes they are over, and that they agree on their sizes."""
    if not isinstance(tables, Mapping):
        raise BadChoice(
            "margins must be a mapping from attributes to tables, such as "
            f"{{('age', 'sex'): [[…]]}}, not a {type(tables).__name__}."
        )
    margins = []
    for key, table in tables.items():
        names = (key,) if isinstance(key, str) else tuple(key) if isinstance(key, tuple) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise BadChoice(
                f"margins are tables by the name of an attribute or a tuple of names, not by "
                f"{key!r}."
            )
        if len(set(names)) < len(names):
            raise BadChoice(f"An attribute occurs twice in {names}.")
        shares = shares_table(table, f"The table for {_named(names)}")
        if shares.ndim != len(names):
            raise BadChoice(
                f"The table for {_named(names)} has {shares.ndim} axes; it needs one for each of "
                f"its {len(names)} attributes."
            )
        margins.append(Margin(names, shares))
    if not margins:
        raise BadChoice("margins is empty; give a table for each attribute or pair of attributes.")
    _sizes(margins)
    return margins


def fit_margins(margins: Sequence[Margin]) -> tuple[Fitted, tuple[str, ...]]:
    """Return the joint table of largest entropy that has the margins, and warnings."""
    sizes = _sizes(margins)
    warnings = _disagreements(margins)
    names, shape = tuple(sizes), tuple(sizes.values())
    cells = math.prod(shape)
    require_memory(32 * cells, f"A joint table of {cells:,} cells", "give fewer or coarser columns")
    joint = np.full(shape, 1 / cells)
    axes = [tuple(names.index(name) for name in margin.names) for margin in margins]
    best, since, rounds, misfit = math.inf, 0, 0, math.inf
    while rounds < _MOST_ROUNDS and misfit > _EXACT and since < _STALLED:
        rounds += 1
        misfit = max(_scale(joint, margin, at) for margin, at in zip(margins, axes, strict=True))
        since = 0 if misfit < 0.9 * best else since + 1
        best = min(best, misfit)
        working_on(say("progress.fitting"), rounds)
    joint /= joint.sum() or 1.0  # empty where the zeros of the margins leave no cell
    misfit = max(_misfit(joint, m, at) for m, at in zip(margins, axes, strict=True))
    fitted = Fitted(names, joint, rounds, misfit)
    if misfit > _ROUNDED:
        raise UnusableTable(
            f"No joint table has these margins: after {rounds:,} rounds one of them is off by "
            f"{misfit:.1%} of the people; check the tables for cells of 0 and for their source."
        )
    if not fitted.converged and not warnings:
        warnings = (say("predict.correlation.margins_met", misfit=misfit, rounds=rounds),)
    return fitted, warnings


def _scale(joint: F64, margin: Margin, axes: tuple[int, ...]) -> float:
    """Scale a joint table to a margin, in-place, and return its misfit before."""
    table, others = _aligned(joint, margin, axes)
    sums = joint.sum(axis=others, keepdims=True)
    joint *= np.divide(table, sums, out=np.zeros_like(sums), where=sums > 0)
    return float(np.abs(sums - table).sum()) / 2


def _misfit(joint: F64, margin: Margin, axes: tuple[int, ...]) -> float:
    table, others = _aligned(joint, margin, axes)
    return float(np.abs(joint.sum(axis=others, keepdims=True) - table).sum()) / 2


def _aligned(joint: F64, margin: Margin, axes: tuple[int, ...]) -> tuple[F64, tuple[int, ...]]:
    """Return a margin with the axes of the joint table, and the axes it does not have."""
    others = tuple(axis for axis in range(joint.ndim) if axis not in axes)
    ordered = margin.table.transpose(np.argsort(axes))
    return np.expand_dims(ordered, others), others


def _sizes(margins: Sequence[Margin]) -> dict[str, int]:
    """Return how many values each attribute has, in order of appearance."""
    sizes: dict[str, int] = {}
    for margin in margins:
        for name, size in zip(margin.names, margin.table.shape, strict=True):
            if sizes.setdefault(name, size) != size:
                raise BadChoice(
                    f"{name!r} has {sizes[name]} values in one table and {size} in another; give "
                    "the same values in the same order."
                )
    return sizes


def _disagreements(margins: Sequence[Margin]) -> tuple[str, ...]:
    """Warn where two tables differ a little on what both of them hold, and refuse if by more."""
    worst = 0.0
    for one, other in combinations(margins, 2):
        shared = [name for name in one.names if name in other.names]
        if not shared:
            continue
        misfit = float(np.abs(one.over(shared) - other.over(shared)).sum()) / 2
        if misfit > worst:
            worst = misfit
            names = [_named(each) for each in (one.names, other.names, shared)]
    if worst > _ROUNDED:
        raise UnusableTable(
            f"The margins contradict each other: the tables for {names[0]} and {names[1]} disagree "
            f"on {names[2]} by {worst:.2%} of the people."
        )
    if worst <= 1e-9:
        return ()
    tables = dict(zip(("first", "second", "shared"), names, strict=True))
    return (say("predict.correlation.margins_disagree", misfit=worst, **tables),)


def _named(names: Sequence[Hashable]) -> str:
    return " × ".join(repr(name) for name in names)
