"""What every question about the risk of a table starts with: its columns, its choices, its room."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.api.selection import columns_to_combine, kept_records, left_out_note
from singleout.core.choices import MissingPolicy, choose
from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.io.read import read
from singleout.kernels.prepared import record_bytes
from singleout.kernels.threads import thread_count
from singleout.measure.pareto import Estimator

__all__ = ["MAX_COMBINATIONS", "RiskQuestion", "check_shares", "risk_question"]

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
    """
    chosen = choose(Estimator, estimator, "known estimator")
    named = [columns] if isinstance(columns, str) else columns and list(dict.fromkeys(columns))
    given = _given(data, None if whole else named)
    policy = given.missing
    if missing is not None:
        policy = choose(MissingPolicy, missing, "missing-value policy")
    names, notes = _columns(given, named)
    _check_size(size, names)
    kept = kept_records(given, names, policy, purpose="count", wildcards=_NO_GROUPS)
    table = given.select(names)
    if not kept.all():
        table = table.take(kept)
    notes += left_out_note(given, table)
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


def _given(data: Any, named: Sequence[str] | None) -> Table:
    """Read what is needed and no more: a file with a hundred columns may have ten that count."""
    return data if isinstance(data, Table) else read(data, columns=named or None)


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
