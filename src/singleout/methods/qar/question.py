"""The checked arguments of every question about the risk of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import share, whole
from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy, choose
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.engines.local.counted import CountedCounter
from singleout.engines.local.counter import require_room
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.qar.copies import Copies, copies_of
from singleout.methods.qar.pareto import Estimator
from singleout.methods.qar.result import DatasetRisk
from singleout.methods.selection import (
    columns_to_combine,
    kept_rows,
    left_out_note,
    named_columns,
    policy_of,
)

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = [
    "MAX_COMBINATIONS",
    "RecordQuestion",
    "check_shares",
    "record_question",
    "risk_question",
]

MAX_COMBINATIONS = 50_000_000

_NO_GROUPS = (
    "the distinct values of a combination cannot be counted; let missing be a value (value) or "
    "leave such records out (drop)."
)


@dataclass(frozen=True)
class RiskQuestion:
    """How to combine the columns of a table, checked."""

    columns: tuple[str, ...]
    rows: int  # all records
    records: int  # those that are counted
    size: int
    tail: float
    estimator: Estimator
    missing: MissingPolicy
    notes: tuple[str, ...]  # besides those of the counter

    @property
    def dropped(self) -> int:
        """How many records were left out."""
        return self.rows - self.records

    def answer(self, distinct: I64, alpha: float, relative_error: float = 0.0) -> DatasetRisk:
        """Return the risk from the distinct counts of all combinations."""
        return DatasetRisk(
            self.columns,
            self.size,
            self.records,
            distinct,
            alpha=alpha,
            tail=self.tail,
            estimator=self.estimator,
            missing=self.missing,
            dropped=self.dropped,
            notes=self.notes,
            relative_error=relative_error,
        )


def risk_question(
    counter: Counter,
    *,
    columns: list[str] | None,
    size: int,
    tail: float,
    estimator: str,
    missing: str | None,
) -> RiskQuestion:
    """Check the choices, which are those of `qar`; refuse what has no meaning."""
    chosen = choose(Estimator, estimator, "known estimator")
    policy = policy_of(counter, missing)
    names, notes = _columns(counter, columns)
    rows = counter.rows
    records = kept_rows(counter, names, policy, purpose="count", wildcards=_NO_GROUPS)
    return RiskQuestion(
        names,
        rows,
        records,
        size=_checked_size(size, names),
        tail=float(tail),
        estimator=chosen,
        missing=policy,
        notes=(*notes, *left_out_note(rows, records)),
    )


@dataclass(frozen=True, eq=False)
class RecordQuestion(RiskQuestion):
    """The same with the records in memory, for methods that look at each of them."""

    table: Table  # the columns to combine, without the records that were dropped
    kept: Flags  # for each record that was read, whether it is in the table
    number: I64  # of each record of the table in the data, from 1
    lines: int  # rows of the data that was read
    in_source: Flags | None  # for each record of the source, whether it was read; None if all were
    people: I64 | None = None  # of a table of counts, how many people each of its rows stands for
    count: str | None = None  # the column that said so

    @property
    def codes(self) -> list[NDArray[Any]]:
        """The codes of each column."""
        return [column.codes for column in self.table]

    @property
    def levels(self) -> list[int]:
        """For each column how many codes there can be."""
        return [column.levels for column in self.table]

    @property
    def copies(self) -> Copies:
        """The records as they are looked at one by one."""
        return copies_of(self.codes, self.people)


def record_question(
    data: Any,
    *,
    columns: Sequence[str] | str | None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
    **choices: Any,
) -> RecordQuestion:
    """Read or fetch the records, check the choices, and refuse what has no room in memory.

    The rows of a table of counts are taken once each, with how many people they stand for.
    """
    named = named_columns(columns, "columns")
    with open_data(data, engine, where, named or None, count=count) as counter:
        records = counter.repeated(named or None, 1)
        counted = counter.count
    table, people, lines = records.table, records.people, records.table.rows
    of_people: Counter = records
    numbers = np.arange(lines)
    if people is not None:
        assert records.row is not None
        assert records.lines is not None
        of_people, numbers, lines = (
            CountedCounter(table, people, counted or ""),
            records.row,
            records.lines,
        )
    asked = risk_question(of_people, columns=named, **choices)
    table, kept = table.select(asked.columns), np.ones(table.rows, dtype=np.bool_)
    if asked.dropped:
        kept = local.complete_records(table, asked.columns)
        table = table.take(kept)
    choices = vars(asked) | {"notes": (*records.notes, *asked.notes)}
    question = RecordQuestion(
        **choices,
        table=table,
        kept=kept,
        number=numbers[kept] + 1,
        lines=lines,
        in_source=records.in_source,
        people=None if people is None else people[kept],
        count=counted,
    )
    require_room(question.levels, asked.size, table.rows)
    return question


def check_shares(alpha: float, tail: float) -> float:
    """Return alpha if both are shares and alpha is not the larger one."""
    alpha, tail = share(alpha, "alpha"), share(tail, "tail")
    if alpha > tail:
        raise BadChoice(
            f"alpha is {alpha} and tail is {tail}; the risk is estimated within the tail, so alpha "
            "must not be larger."
        )
    return alpha


def _columns(
    counter: Counter, named: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and notes on those that are not."""
    if named is not None:
        if not named:
            raise BadChoice(f"No columns were given. The table has: {list(counter.columns)}.")
        return tuple(pick(named, counter.columns)), ()
    names, notes = columns_to_combine(counter)
    if not names:
        raise BadChoice(
            "Every column is a direct identifier, a weight or a household; name the columns to "
            f"combine. The table has: {list(counter.columns)}."
        )
    return names, notes


def _checked_size(size: int, names: Sequence[str]) -> int:
    width = whole(size, "size", of="columns")
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
    return width
