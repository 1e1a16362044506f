"""Apply steps to a table in memory: codebooks are mapped, and the input is never touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.progress import track
from singleout.core.table import Table
from singleout.core.text import names_in_text
from singleout.errors import InputError, UnusableColumn
from singleout.io.yaml.errors import Mistake
from singleout.report.say import say
from singleout.treatment.steps import others
from singleout.treatment.steps.columns import by_code, by_record
from singleout.treatment.steps.log import log_frame
from singleout.treatment.steps.mdav import group_means
from singleout.treatment.steps.models import (
    Drop,
    Generalise,
    Microaggregate,
    Recode,
    Shuffle,
    Step,
    SuppressCells,
    SuppressRecords,
)
from singleout.treatment.steps.recoding import new_values
from singleout.treatment.steps.state import Cover, State
from singleout.treatment.steps.steps import Steps
from singleout.where.condition import parse

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Applied", "apply_steps"]


@dataclass(frozen=True, eq=False)
class Applied:
    """What steps have made of a table.

    Parameters
    ----------
    table
        The table that is published.
    log
        Every change: step (from 1), column, from, to, records. Values of direct identifiers are
        never in it.
    rows
        The original record of each published one, from 0.
    kept
        For each original record whether it is still there; None if all are.
    order
        The same as ``rows`` where the order of the records was changed; otherwise None.
    shares
        For each column and published code the share of the original values that it may stand for.
    values
        How many original values each of these columns has.
    notes
        What a reader should know, one sentence each.
    """

    table: Table
    log: pl.DataFrame = field(repr=False)
    rows: I64 = field(repr=False)
    kept: Flags | None = field(repr=False)
    order: I64 | None = field(repr=False)
    shares: Mapping[str, F64] = field(repr=False)
    values: Mapping[str, int] = field(repr=False)
    notes: tuple[str, ...] = ()

    def suppressed(self, original: Table, names: Sequence[str]) -> Flags:
        """Return the published records that say nothing any more in some columns.

        What said nothing before says as much as it did.
        """
        left = [name for name in names if name in set(self.table.columns)]
        if not left:
            return np.ones(self.table.rows, dtype=np.bool_)
        blank = np.all([self.table[name].is_missing for name in left], axis=0)
        before = np.all([original[name].is_missing for name in names], axis=0)
        return np.asarray(blank & ~before[self.rows])

    def shares_of_records(self, original: Table, name: str, suppressed: Flags) -> F64:
        """Return for each published record the share of a column's values that its value covers.

        A value that was missing before tells as much as it did, unless the record is suppressed.
        """
        column = self.table[name]
        still = column.is_missing & original[name].is_missing[self.rows]
        shares = np.where(still, 1 / self.values[name], self.shares[name][column.codes])
        return np.where(suppressed, 1.0, shares)


def apply_steps(table: Table, steps: Steps, *, folder: Path | None = None) -> Applied:
    """Return what the steps make of a table, which itself stays as it is.

    Parameters
    ----------
    table
        The table.
    steps
        The steps.
    folder
        Where relative paths of hierarchies start; if not given, the folder of the steps' file.
    """
    steps.check(table.columns)
    state = State(table)
    files = Files(steps.folder if folder is None else folder)
    for index, step in enumerate(track(list(steps), say("steps.progress.applying"))):
        try:
            _apply(step, state, index + 1, files)
        except (Mistake, InputError) as error:
            raise steps.refusal(index, error) from None
    return Applied(
        state.table,
        log_frame(state.entries),
        state.rows,
        _kept(state, table.rows),
        _order(state),
        {name: cover.shares() for name, cover in state.covers.items()},
        {name: cover.size for name, cover in state.covers.items()},
        tuple(state.notes),
    )


@dataclass(frozen=True)
class Files:
    """Where the files are that steps name."""

    folder: Path | None

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        from singleout.core.paths import expanded

        return (self.folder or Path()) / expanded(name)


def _kept(state: State, rows: int) -> Flags | None:
    if len(state.rows) == rows:
        return None
    kept = np.zeros(rows, dtype=np.bool_)
    kept[state.rows] = True
    return kept


def _order(state: State) -> I64 | None:
    return None if bool((np.diff(state.rows) > 0).all()) else state.rows


# ---- each kind of step


@singledispatch
def _apply(step: Step, state: State, number: int, files: Files) -> None:
    raise NotImplementedError(type(step).__name__)


@_apply.register
def _(step: Recode, state: State, number: int, files: Files) -> None:
    column = state.table[step.recode]
    hierarchy = None
    if step.hierarchy is not None:
        hierarchy = others.hierarchy_of(step.hierarchy, column, files.path)
    new = new_values(step, column, hierarchy)
    changed = by_code(column, new.values)
    if new.leaves is None or new.size is None or state.covers[column.name].touched:
        state.map_codes(number, column.name, changed)
        return
    leaves = np.zeros(changed.column.levels)
    there = column.sizes > 0
    leaves[changed.codes[there]] = new.leaves[there]
    state.replace(number, column.name, changed.column, Cover(leaves, new.size, touched=True))


@_apply.register
def _(step: Drop, state: State, number: int, files: Files) -> None:  # noqa: ARG001
    for name in step.drop:
        state.drop(number, name)


@_apply.register
def _(step: SuppressRecords, state: State, number: int, files: Files) -> None:  # noqa: ARG001
    table = state.table
    if step.k is not None:
        chosen = others.breaking(table, step)
    elif step.numbers is not None:
        chosen = _numbered(step.numbers, table.rows)
    else:
        chosen = parse(step.where or "").mask(table)
    if step.rows == "remove":
        _remove(state, number, chosen)
    else:
        _blank(state, number, dict.fromkeys(step.columns or (), chosen))
        if step.k is not None and chosen.any():
            _note_few_blank(state, step.columns or (), step.k)


def _note_few_blank(state: State, names: Sequence[str], k: int) -> None:
    """Note blank records that are too few to hide in each other."""
    blank = int(np.all([state.table[name].is_missing for name in names], axis=0).sum())
    if 0 < blank < k:
        columns = names_in_text(names)
        state.notes.append(say("steps.notes.few_blank", n=blank, columns=columns, k=k))


def _numbered(numbers: list[int], rows: int) -> Flags:
    if max(numbers) > rows:
        raise Mistake(
            ("numbers",), f"there is no record {max(numbers):,}: the table has {rows:,} here."
        )
    chosen = np.zeros(rows, dtype=np.bool_)
    chosen[np.array(numbers) - 1] = True
    return chosen


@_apply.register
def _(step: SuppressCells, state: State, number: int, files: Files) -> None:  # noqa: ARG001
    if step.where is not None:
        masks: Mapping[str, Flags] = dict.fromkeys(
            step.columns, parse(step.where).mask(state.table)
        )
    else:
        masks, notes = others.cells_to_blank(state.table, step)
        state.notes += notes
    _blank(state, number, masks)


def _blank(state: State, number: int, masks: Mapping[str, Flags]) -> None:
    for name, mask in masks.items():
        if mask.any():
            state.blank(number, name, mask)


@_apply.register
def _(step: Generalise, state: State, number: int, files: Files) -> None:
    # records go last: classes were made of all of them
    suppressed = np.zeros(state.table.rows, dtype=np.bool_)
    for published in others.local_recoding(state.table, step, files.path):
        suppressed = published.suppressed
        column = state.table[published.name]
        changed = by_record(column, published.codes, published.labels)
        leaves = np.zeros(changed.column.levels)
        used = np.bincount(published.codes, minlength=len(published.labels)) > 0
        # a label may stand on several levels of a hierarchy: it covers the most that it can
        np.maximum.at(leaves, changed.codes[used], (published.shares * published.size)[used])
        cover = Cover(leaves, published.size, touched=True)
        state.replace(number, column.name, changed.column, cover)
    most, gone = others.most_suppressed(step, state.table.rows), int(suppressed.sum())
    if gone > most:
        state.notes.append(say("steps.notes.more_suppressed", n=gone, most=most))
    if step.rows == "remove":
        _remove(state, number, suppressed)
    elif gone:
        _note_few_blank(state, step.generalise, step.k)


def _remove(state: State, number: int, chosen: Flags) -> None:
    if chosen.all():
        raise Mistake((), "every record would be removed; nothing could be published.")
    state.keep(number, ~chosen)


@_apply.register
def _(step: Shuffle, state: State, number: int, files: Files) -> None:  # noqa: ARG001
    order = np.random.default_rng(step.seed).permutation(state.table.rows)
    if step.of_records:
        state.move(number, order)
        return
    for name in step.columns_changed:
        column = state.table[name].take(order)
        state.replace(number, name, column, state.covers[name])


@_apply.register
def _(step: Microaggregate, state: State, number: int, files: Files) -> None:  # noqa: ARG001
    columns = [state.table[name] for name in step.microaggregate]
    for column in columns:
        _require_numbers(column.values, column.name)
    numbers = np.stack([column.numbers() for column in columns], axis=1)
    there = ~np.isnan(numbers).any(axis=1)
    if int(there.sum()) < step.k:
        raise Mistake((), f"groups of {step.k:,} cannot be made of {int(there.sum()):,} records.")
    means = numbers.copy()
    means[there] = group_means(numbers[there], step.k)
    for index, column in enumerate(columns):
        found, codes = np.unique(means[:, index], return_inverse=True)
        as_text = bool(len(column.values)) and isinstance(column.values[0], str)
        values = [None if np.isnan(v) else repr(v) if as_text else v for v in found.tolist()]
        changed = by_record(column, codes.reshape(-1), values)
        cover = Cover(np.ones(changed.column.levels), state.covers[column.name].size, touched=True)
        state.replace(number, column.name, changed.column, cover)
    if not there.all():
        names = ", ".join(column.name for column in columns)
        state.notes.append(say("steps.notes.not_averaged", column=names, n=int((~there).sum())))


def _require_numbers(values: object, name: str) -> None:
    for value in values if isinstance(values, list | tuple) else ():
        if isinstance(value, bool):
            raise UnusableColumn(f"Column {name!r} must hold numbers, but one value is {value!r}.")
