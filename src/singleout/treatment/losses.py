"""How much a treatment took away: the measures of loss that ARX and sdcMicro report.

Where their formulas are wrong, these are right: the entropy charges a suppressed record log2(n/a),
a single one too; the Kullback-Leibler divergence counts each distinct combination once; the
discernibility of large classes does not overflow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64, Flags, sums
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.table import Table, smallest_codes
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.kernels.grouping.group import Groups, group_records
from singleout.report.say import say
from singleout.treatment.loss_columns import LossColumn, entropy_of_chain, information_loss

if TYPE_CHECKING:
    import altair as alt

__all__ = ["ColumnLoss", "Losses", "losses"]


@dataclass(frozen=True)
class ColumnLoss:
    """What one column lost.

    Parameters
    ----------
    name
        The column.
    loss
        (sum of shares - n/D) / (n - n/D): 0 if every value is published, 1 if none is.
    entropy
        Non-uniform entropy in bits: -sum log2(records with the value / records it may be).
    entropy_share
        The same / what it were if nothing was published.
    blank
        Cells that say nothing / all cells of the column.
    precision
        Mean level / height of the hierarchy; None where levels are not known.
    il1, il1s
        sum 100 |x - x'| / |x|, and sum |x - x'| / (sqrt 2 sd); None where it holds no numbers.
    """

    name: str
    loss: float
    entropy: float
    entropy_share: float
    blank: float
    precision: float | None = None
    il1: float | None = None
    il1s: float | None = None


@dataclass(frozen=True)
class Losses(Result):
    """All measures of loss between a table and what was published of it.

    Parameters
    ----------
    columns
        What each column lost.
    records, suppressed
        How many records there were, and how many of them say nothing or were removed.
    loss, geometric
        The arithmetic (by importance) and geometric mean of the losses of the columns.
    entropy, entropy_share
        Non-uniform entropy in bits, summed over columns, and the mean share of the largest one.
    arx_entropy, arx_entropy_share
        The same as ARX defines it, where nothing is charged for a single suppressed record; None
        where it is not known which label a suppressed record had.
    discernibility
        Sum of squared sizes of classes; a suppressed record counts all records.
    average_class
        Records / classes, all suppressed records being one.
    average_kept
        Records that are not suppressed / their classes; None if all are.
    ambiguity
        Sum over records of how many combinations of values each may be.
    precision
        Mean over columns of level / height; None where levels are not known.
    divergence
        Kullback-Leibler divergence from the original to the published distribution, in bits.
    il1, il1s
        Sums over the columns of numbers; None if there is none.
    """

    columns: tuple[ColumnLoss, ...] = field(repr=False)
    records: int
    suppressed: int
    loss: float
    geometric: float
    entropy: float
    entropy_share: float
    arx_entropy: float | None
    arx_entropy_share: float | None
    discernibility: int
    average_class: float
    average_kept: float | None
    ambiguity: float
    precision: float | None
    divergence: float
    il1: float | None
    il1s: float | None

    def to_frame(self) -> Frame:
        """Return one row for each column."""
        from singleout.core.frames import pl

        names = list(ColumnLoss.__dataclass_fields__)
        rows = [[getattr(column, name) for name in names] for column in self.columns]
        schema = dict.fromkeys(names[1:], pl.Float64)
        return pl.DataFrame(rows, schema={"name": pl.String, **schema}, orient="row").rename(
            {"name": "column"}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        names = [name for name in self.__dataclass_fields__ if name != "columns"]
        columns = [
            {name: getattr(one, name) for name in ColumnLoss.__dataclass_fields__}
            for one in self.columns
        ]
        return {**{name: getattr(self, name) for name in names}, "columns": columns}

    def plot(self) -> alt.Chart:
        """Return the picture: what each column lost."""
        from singleout.treatment.column_chart import by_column

        lost = {column.name: column.loss for column in self.columns}
        return by_column(lost, say("losses.chart.title"), say("losses.chart.across"), "%")

    def __str__(self) -> str:
        return say(
            "losses.summary", loss=self.loss, suppressed=self.suppressed, records=self.records
        )


def losses(
    original: Table,
    treated: Table,
    columns: Sequence[str] | None = None,
    *,
    shares: Mapping[str, F64] | None = None,
    leaves: Mapping[str, int] | None = None,
    suppressed: Flags | None = None,
    unsuppressed: Table | None = None,
    levels: Mapping[str, int | I64] | None = None,
    heights: Mapping[str, int] | None = None,
    kept: Flags | None = None,
    importance: Mapping[str, float] | None = None,
) -> Losses:
    """Measure what a treatment took away.

    Parameters
    ----------
    original, treated
        The tables before and after, with the same records in the same order, but for those that
        ``kept`` says were removed.
    columns
        The columns to measure; those that both have if not given.
    shares
        For each column and record the share of its values that the published one covers. If not
        given, a published value covers the values that its records had, and a blank one all.
    leaves
        D, how many values each column could have; those that occur if not given.
    suppressed
        Which original records are suppressed; those that are blank in all columns if not given.
    unsuppressed
        The table as it was before records were suppressed, which ARX's entropy needs.
    levels, heights
        The level of each column, or of each original record in it, and the level of its ``*``.
    kept
        Which original records the treated table has; all if not given.
    importance
        The weight of columns in the arithmetic mean; equal if not given.

    Returns
    -------
    Losses
        All measures, in all and by column.
    """
    _check_records(original, treated, kept)
    both = [name for name in original.columns if name in set(treated.columns)]
    names = pick(both if columns is None else columns, original.columns)
    treated.require(names)
    parts = [
        LossColumn.of(
            original[name],
            treated[name],
            kept=kept,
            leaves=(leaves or {}).get(name),
            shares=(shares or {}).get(name),
            unsuppressed=None if unsuppressed is None else unsuppressed[name],
        )
        for name in names
    ]
    gone = np.logical_and.reduce([part.blank for part in parts])
    gone = gone if suppressed is None else np.asarray(suppressed, dtype=np.bool_)
    gone = gone if kept is None else gone | ~kept
    by_column = tuple(
        _column(part, gone, original, treated, levels, heights, kept) for part in parts
    )
    weights = np.array([(importance or {}).get(name, 1.0) for name in names])
    classes = _classes(parts)
    sizes = np.bincount(classes.ids[~gone], minlength=len(classes.sizes)).astype(np.int64)
    chained = _chained(parts, unsuppressed, gone)
    n, lost = len(gone), int(gone.sum())
    loss = np.array([column.loss for column in by_column])
    return Losses(
        columns=by_column,
        records=n,
        suppressed=lost,
        loss=float(np.average(loss, weights=weights)),
        geometric=float(np.expm1(np.log1p(loss).mean())),
        entropy=float(sum(column.entropy for column in by_column)),
        entropy_share=float(np.mean([column.entropy_share for column in by_column])),
        arx_entropy=None if chained is None else chained[0],
        arx_entropy_share=None if chained is None else chained[1],
        discernibility=int((sizes * sizes).sum()) + n * lost,
        average_class=n / (int((sizes > 0).sum()) + (lost > 0)),
        average_kept=None if lost == n else (n - lost) / int((sizes > 0).sum()),
        ambiguity=float(np.exp(_log_leaves(parts, gone)).sum()),
        precision=_mean_of([column.precision for column in by_column]),
        divergence=_divergence(parts, classes, gone),
        il1=_sum_of([column.il1 for column in by_column]),
        il1s=_sum_of([column.il1s for column in by_column]),
    )


def _check_records(original: Table, treated: Table, kept: Flags | None) -> None:
    expected = original.rows if kept is None else int(kept.sum())
    if treated.rows != expected or (kept is not None and len(kept) != original.rows):
        raise BadChoice(
            f"The treated table has {treated.rows:,} records, but {expected:,} are expected of "
            f"{original.rows:,}; give the same records in the same order, or say by kept which "
            "were removed."
        )


def _column(
    part: LossColumn,
    gone: Flags,
    original: Table,
    treated: Table,
    levels: Mapping[str, int | I64] | None,
    heights: Mapping[str, int] | None,
    kept: Flags | None,
) -> ColumnLoss:
    most, entropy = part.most_entropy, part.entropy(gone)
    change = information_loss(original[part.name], treated[part.name], kept)
    precision = None
    if levels is not None and heights is not None and heights.get(part.name):
        level = np.broadcast_to(levels[part.name], gone.shape) / heights[part.name]
        precision = float(np.where(gone, 1.0, level).mean())
    return ColumnLoss(
        part.name,
        part.loss(gone),
        entropy,
        entropy / most if most > 0 else 0.0,
        float((part.blank | gone).mean()),
        precision,
        *(change or (None, None)),
    )


def _classes(parts: Sequence[LossColumn]) -> Groups:
    levels = [part.published_levels for part in parts]
    codes = [smallest_codes(part.published, part.published_levels) for part in parts]
    return group_records(codes, levels)


def _log_leaves(parts: Sequence[LossColumn], gone: Flags) -> F64:
    """Return for each record the logarithm of how many combinations of values it may be."""
    total = np.zeros(len(gone))
    for part in parts:
        total += np.log(np.where(gone, 1.0, part.shares) * part.size)
    return total


def _divergence(parts: Sequence[LossColumn], classes: Groups, gone: Flags) -> float:
    """Return sum p log2(p / q) over the distinct original combinations.

    A class spreads its records evenly over the combinations that it covers; q adds up the classes
    that the records of a combination are published in.
    """
    tuples = group_records(
        [smallest_codes(part.original, part.levels) for part in parts],
        [part.levels for part in parts],
    )
    n, count = len(gone), len(classes.sizes)
    ids = np.where(gone, count, classes.ids).astype(np.int64)  # what is suppressed is one class
    sizes = np.bincount(ids, minlength=count + 1)
    different, first = np.unique(tuples.ids.astype(np.int64) * (count + 1) + ids, return_index=True)
    density = sizes[ids[first]] / n * np.exp(-_log_leaves(parts, gone)[first])
    q = sums(different // (count + 1), density, len(tuples.sizes))
    p = tuples.sizes / n
    return float((p * np.log2(p / q)).sum())


def _chained(
    parts: Sequence[LossColumn], unsuppressed: Table | None, gone: Flags
) -> tuple[float, float] | None:
    if unsuppressed is None:
        return None
    by_column = [entropy_of_chain(part, unsuppressed[part.name], gone) for part in parts]
    most = [part.most_entropy for part in parts]
    shares = [one / top if top > 0 else 0.0 for one, top in zip(by_column, most, strict=True)]
    return float(sum(by_column)), float(np.mean(shares))


def _mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _sum_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(sum(known)) if known else None
