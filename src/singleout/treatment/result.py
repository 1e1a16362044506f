"""The outcome of removing records: which, in what order, and what it did to the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64, sums
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.table import Table
from singleout.core.wording import count, figure, percent
from singleout.errors import BadChoice
from singleout.methods.qar.pareto import Estimator
from singleout.report.say import say
from singleout.treatment.backward import Criterion
from singleout.treatment.lowered import lowered

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Elimination", "draw"]


@dataclass(frozen=True, eq=False)
class Elimination(Result):
    """Records removed one after the other, and the risk of what remained.

    ``removed``, ``risk``, ``reduction`` and the bounds have one element for each point of the
    curve: first the table as it was, then after each block of removals.

    Parameters
    ----------
    criterion
        What decided which record was removed next.
    every
        After how many removals it was computed anew; None if it was computed once.
    order
        The records in the order of their removal, by their numbers in the data, from 1. Of a table
        of counts, its rows: a row may come again.
    removed
        How many records were gone.
    risk
        T, the risk of what remained.
    bound
        The largest reduction of the risk that any removal of so many records could bring: rigorous,
        and larger than what can be reached.
    bound_top
        The largest reduction of the mean theta of the combinations that were above the threshold,
        whichever records are removed: rigorous, and nearly reached by a good choice.
    achieved_top
        By what share of it that mean theta was reduced.
    columns, size, alpha, tail, estimator, missing
        How the risk was measured.
    records
        How many records were counted at the start.
    rows
        How many records the data have, those dropped included.
    lines
        How many rows the data have: as many, or fewer if it is a table of counts.
    times, count
        Of a table of counts, how many people of each row in ``order`` went, and the column that
        said how many people a row stands for; otherwise None.
    notes
        What a reader should know, one sentence each.
    """

    criterion: Criterion
    every: int | None
    order: I64 = field(repr=False)
    removed: I64 = field(repr=False)
    risk: F64 = field(repr=False)
    bound: F64 = field(repr=False)
    bound_top: F64 = field(repr=False)
    achieved_top: F64 = field(repr=False)
    columns: tuple[str, ...]
    size: int
    alpha: float
    tail: float
    estimator: Estimator
    records: int
    rows: int
    lines: int
    times: I64 | None = field(default=None, repr=False)
    count: str | None = None
    missing: MissingPolicy = MissingPolicy.VALUE
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("order", "times", "removed", "risk", "bound", "bound_top", "achieved_top"):
            if getattr(self, name) is not None:
                getattr(self, name).flags.writeable = False

    @property
    def gone(self) -> int:
        """How many records were removed in the end."""
        return int(self.removed[-1])

    @property
    def reduction(self) -> F64:
        """1 - risk / risk at the start; negative where the risk has grown."""
        return np.asarray(1 - self.risk / self.risk[0])

    @property
    def share(self) -> float:
        """Records removed in the end / records counted at the start."""
        return self.gone / self.records

    @property
    def dropped(self) -> int:
        """Records left out from the start because a value is missing (policy ``drop``)."""
        return self.rows - self.records

    @property
    def lowest(self) -> int:
        """After how many removals the risk was lowest; 0 if it was never lower than at the start.

        Looked up at the points of the curve.
        """
        return int(self.removed[self.risk.argmin()])

    @property
    def worth_trying(self) -> bool:
        """Whether removing so many records can do more good than it costs.

        That is, whether some choice of so many records might lower the mean theta of the riskiest
        combinations by a larger share than the share of the records that it takes.
        """
        return bool(self.bound_top[-1] > self.share)

    def table(self, data: Any, n: int | None = None) -> Table:
        """Return a table without the removed records; of counts, with what is left of each row.

        A row of which nobody is left is left out.

        Parameters
        ----------
        data
            The data that the records were removed from: a `Table`, a data frame or a path.
        n
            How many to leave out, those removed first; all of them if not given.
        """
        from singleout.io.read import read

        table = read(data)
        if table.rows != self.lines:
            what = "records" if self.times is None else "rows"
            raise BadChoice(
                f"The table has {table.rows:,} {what}, but records were removed from one of "
                f"{self.lines:,}; give the same data."
            )
        many = self.gone if n is None else n
        if not 0 <= many <= self.gone:
            raise BadChoice(f"n must be from 0 to {self.gone:,}, not {n}.")
        if self.times is not None and self.count is not None:
            return lowered(table, self.count, self._taken(many))
        remain = np.ones(table.rows, dtype=np.bool_)
        remain[self.order[:many] - 1] = False
        return table.take(remain)

    def _taken(self, many: int) -> I64:
        """Return how many people of each row are among so many that went first."""
        assert self.times is not None
        before = np.cumsum(self.times) - self.times
        some = np.clip(many - before, 0, self.times)
        return sums(self.order - 1, some, self.lines).astype(np.int64)

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The criterion and how often it was computed, in words."""
        key = "eliminate.once" if self.every is None else "eliminate.every"
        return say(key, criterion=self.criterion, n=self.every)

    def to_frame(self) -> Frame:
        """Return one row for each point of the curve."""
        from singleout.core.frames import pl

        points = len(self.removed)
        return pl.DataFrame(
            {
                "criterion": [str(self.criterion)] * points,
                "every": pl.Series([self.every] * points, dtype=pl.Int64),
                "removed": self.removed.copy(),
                "risk": self.risk.copy(),
                "reduction": self.reduction,
                "bound": self.bound.copy(),
                "achieved_top": self.achieved_top.copy(),
                "bound_top": self.bound_top.copy(),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "criterion": str(self.criterion),
            "every": self.every,
            "columns": list(self.columns),
            "size": self.size,
            "alpha": self.alpha,
            "tail": self.tail,
            "estimator": str(self.estimator),
            "missing": str(self.missing),
            "records": self.records,
            "dropped": self.dropped,
            "share": self.share,
            "lowest": self.lowest,
            "worth_trying": self.worth_trying,
            "order": self.order.tolist(),
            **({} if self.times is None else {"times": self.times.tolist()}),
            "removed": self.removed.tolist(),
            "risk": self.risk.tolist(),
            "reduction": self.reduction.tolist(),
            "bound": self.bound.tolist(),
            "achieved_top": self.achieved_top.tolist(),
            "bound_top": self.bound_top.tolist(),
            "notes": list(self.notes),
        }

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the reduction of the risk against the records removed, with its bound."""
        return draw([self])

    def __str__(self) -> str:
        change = 0.0 - self.reduction[-1]
        moved = "lowers" if change < 0 else "raises" if change > 0 else "leaves"
        return say(
            "eliminate.summary",
            removed=count(self.gone),
            records=count(self.records),
            share=percent(self.share),
            name=self.name,
            moved=say(f"eliminate.{moved}"),
            before=figure(self.risk[0], ".4f"),
            after=figure(self.risk[-1], ".4f"),
            change=f"{'+' if change > 0 else ''}{percent(change)}",
            bound=percent(self.bound[-1]),
        )


def draw(eliminations: Sequence[Elimination]) -> alt.LayerChart | alt.FacetChart:
    """Return one picture of several eliminations of the same data: the paper's Fig. 10."""
    from singleout.treatment.chart import Curve, curves

    longest = max(eliminations, key=lambda one: one.gone)
    return curves(
        [Curve(one.name, one.removed, one.reduction) for one in eliminations],
        bound=Curve("bound", longest.removed, longest.bound),
        records=longest.records,
    )
