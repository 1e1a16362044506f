"""What every question about the risk of a table starts with: its columns, its choices, its room."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy, choose
from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.engines.reading import read, require_records
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.kernels.distinct.prepared import record_bytes
from singleout.kernels.threads import thread_count
from singleout.methods.qar.pareto import Estimator
from singleout.methods.selection import (
    columns_to_combine,
    kept_records,
    kept_rows,
    left_out_note,
    named_columns,
)

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = [
    "MAX_COMBINATIONS",
    "CountedQuestion",
    "RiskQuestion",
    "check_shares",
    "counted_question",
    "risk_question",
]

MAX_COMBINATIONS = 50_000_000

_NO_GROUPS = (
    "the distinct values of a combination cannot be counted; let missing be a value (value) or "
    "leave such records out (drop)."
)


@dataclass(frozen=True, eq=False)
class RiskQuestion:
    """A table and how to combine its columns, checked.

    Parameters
    ----------
    table
        The columns to combine, without the records that were dropped.
    whole
        The table as it was read, with all its records.
    kept
        For each record of the whole, whether it is in ``table``.
    size
        How many columns a combination has.
    tail
        The share of the combinations that the distribution is fitted to.
    estimator
        How it is fitted.
    missing
        What a missing value means.
    notes
        What a reader should know, one sentence each.
    """

    table: Table
    whole: Table
    kept: NDArray[np.bool_]
    size: int
    tail: float
    estimator: Estimator
    missing: MissingPolicy
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are combined."""
        return self.table.columns

    @property
    def records(self) -> int:
        """How many records are counted."""
        return self.table.rows

    @property
    def dropped(self) -> int:
        """How many records were left out."""
        return self.whole.rows - self.table.rows

    @property
    def combinations(self) -> int:
        """How many combinations of columns there are."""
        return comb(len(self.columns), self.size)

    @property
    def codes(self) -> list[NDArray[Any]]:
        """The codes of each column."""
        return [column.codes for column in self.table]

    @property
    def levels(self) -> list[int]:
        """For each column how many codes there can be."""
        return [column.levels for column in self.table]


def risk_question(
    data: Any,
    *,
    columns: Sequence[str] | str | None,
    size: int,
    tail: float,
    estimator: str,
    missing: str | None,
    whole: bool = False,
    engine: Any = None,
    where: Any = None,
) -> RiskQuestion:
    """Read the data and check the choices; refuse what has no meaning or no room.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`.
    columns
        The columns to combine; if not given, all but direct identifiers, weights and households.
    size
        How many columns a combination has.
    tail, estimator
        How the distribution is fitted.
    missing
        What a missing value means: ``value`` or ``drop``; if not given, the table's policy.
    whole
        Whether to read the columns that are not combined as well.
    engine, where
        What fetches data that is elsewhere, and the condition that records must meet.
    """
    chosen = choose(Estimator, estimator, "known estimator")
    named = named_columns(columns, "columns")
    # what is needed and no more: a file with a hundred columns may have ten that count
    needed = None if whole or isinstance(data, Table) else named
    given = read(data, needed or None, engine=engine, where=where)
    policy = given.missing
    if missing is not None:
        policy = choose(MissingPolicy, missing, "missing-value policy")
    names, notes = _columns(given, named)
    _check_size(size, names)
    kept = kept_records(given, names, policy, purpose="count", wildcards=_NO_GROUPS)
    table = given.select(names)
    if not kept.all():
        table = table.take(kept)
    notes += left_out_note(given.rows, table.rows)
    question = RiskQuestion(
        table,
        given,
        kept,
        size=operator.index(size),
        tail=float(tail),
        estimator=chosen,
        missing=policy,
        notes=(*given.notes, *notes),
    )
    _require_room(question)
    return question


@dataclass(frozen=True)
class CountedQuestion:
    """How to combine the columns of data that is counted where it is, checked.

    Parameters
    ----------
    columns
        The columns to combine.
    rows, records
        How many records there are, and how many of them are counted.
    size, tail, estimator, missing
        As in `RiskQuestion`.
    notes
        What a reader should know besides what the counter says, one sentence each.
    """

    columns: tuple[str, ...]
    rows: int
    records: int
    size: int
    tail: float
    estimator: Estimator
    missing: MissingPolicy
    notes: tuple[str, ...]

    @property
    def dropped(self) -> int:
        """How many records were left out."""
        return self.rows - self.records


def counted_question(
    counter: Counter,
    *,
    columns: Sequence[str] | str | None,
    size: int,
    tail: float,
    estimator: str,
    missing: str | None,
    where: Any = None,
) -> CountedQuestion:
    """Check the choices for data that is counted where it is.

    Parameters
    ----------
    counter
        What counts the data.
    columns, size, tail, estimator, missing
        As in `risk_question`.
    where
        The condition that records must meet, which the counter knows already: to speak of it.
    """
    chosen = choose(Estimator, estimator, "known estimator")
    policy = choose(MissingPolicy, missing or MissingPolicy.VALUE, "missing-value policy")
    named = named_columns(columns, "columns")
    if named is not None and not named:
        raise BadChoice(f"No columns were given. The table has: {list(counter.columns)}.")
    names = tuple(pick(named, counter.columns))
    _check_size(size, names)
    require_records(counter, where)
    rows = counter.rows
    records = kept_rows(counter, names, policy, purpose="count", wildcards=_NO_GROUPS)
    return CountedQuestion(
        names,
        rows,
        records,
        size=operator.index(size),
        tail=float(tail),
        estimator=chosen,
        missing=policy,
        notes=left_out_note(rows, records),
    )


def check_shares(alpha: float, tail: float) -> float:
    """Return alpha if both are shares and alpha is not the larger one."""
    for name, given in (("alpha", alpha), ("tail", tail)):
        if isinstance(given, bool) or not isinstance(given, float | int | np.number):
            raise BadChoice(f"{name} must be a number between 0 and 1, not {given!r}.")
        if not 0 < given < 1:
            raise BadChoice(f"{name} must lie between 0 and 1, both excluded, not {given}.")
    if alpha > tail:
        raise BadChoice(
            f"alpha is {alpha} and tail is {tail}; the risk is estimated within the tail, so alpha "
            "must not be larger."
        )
    return float(alpha)


def _columns(table: Table, named: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and notes on those that are not."""
    if named is not None:
        names = table.require(named)
        if not names:
            raise BadChoice(f"No columns were given. The table has: {list(table.columns)}.")
        return names, ()
    names, notes = columns_to_combine(table)
    if not names:
        raise BadChoice(
            "Every column is a direct identifier, a weight or a household; name the columns to "
            f"combine. The table has: {list(table.columns)}."
        )
    return names, notes


def _check_size(size: int, names: Sequence[str]) -> None:
    try:
        width = operator.index(size)
    except TypeError:
        width = 0
    if width < 1 or isinstance(size, bool):
        raise BadChoice(f"size must be a whole number of columns, 1 or more, not {size!r}.")
    if width > len(names):
        raise BadChoice(
            f"size is {width}, larger than the number of columns to combine, {len(names)}; choose "
            "a smaller size or more columns."
        )
    sets = comb(len(names), width)
    if sets > MAX_COMBINATIONS:
        raise BadChoice(
            f"There are {sets:,} combinations of {width} of {len(names):,} columns, and at most "
            f"{MAX_COMBINATIONS:,} are counted; choose fewer columns or a smaller size."
        )


def _require_room(question: RiskQuestion) -> None:
    """Refuse a table that cannot be laid out in memory."""
    fixed, a_thread = record_bytes(question.levels)
    a_record = fixed + thread_count() * a_thread
    a_combination = 24 * question.size + 96
    sets = f"{question.combinations:,} combinations of {question.size} columns"
    require_memory(
        a_record * question.records + a_combination * question.combinations,
        f"Counting {sets} on {question.records:,} records",
    )
