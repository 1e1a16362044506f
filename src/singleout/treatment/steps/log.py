"""The log of a treatment: what became what, and in how many records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.choices import Role
from singleout.core.table import Column
from singleout.report.say import say
from singleout.treatment.hierarchies.hierarchy import spelling

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Entry", "changes_of", "entries_of", "log_frame"]

_MOST = 1000  # rows for a column in a step; the most frequent are shown
_DENSE = 1 << 22  # pairs of codes that are counted by a table


@dataclass(frozen=True)
class Entry:
    """A row of the log; values are None where they are missing or must not be shown."""

    step: int
    column: str | None
    before: str | None
    after: str | None
    records: int


def changes_of(step: int, old: Column, new: Column) -> list[Entry]:
    """Return what changed from one version of a column to another, most frequent first."""
    before, after, counts = _pairs(old, new)
    changed = _unchanged(old, new)[before] != after
    before, after, counts = before[changed], after[changed], counts[changed]
    order = np.argsort(-counts, kind="stable")
    shown = [
        (old.value(int(before[row])), new.value(int(after[row])), int(counts[row]))
        for row in order[:_MOST].tolist()
    ]
    rest = counts[order[_MOST:]]
    hidden = old.role == Role.DIRECT_IDENTIFIER
    return entries_of(
        step, old.name, shown, hidden=hidden, more=len(rest), more_records=int(rest.sum())
    )


def _unchanged(old: Column, new: Column) -> I64:
    """Return for each old code the new one of the same value; -1 if there is none."""
    code_of = {(type(value), value): code for code, value in enumerate(new.values)}
    same = [code_of.get((type(value), value), -1) for value in old.values]
    missing = new.missing_code if new.has_missing else -1
    return np.array([*same, missing], dtype=np.int64)


def entries_of(
    step: int,
    column: str,
    changes: Sequence[tuple[Any, Any, int]],
    *,
    hidden: bool,
    more: int = 0,
    more_records: int = 0,
) -> list[Entry]:
    """Return changes from, to and of how many records as rows, most frequent first.

    Of a column that is ``hidden`` no value is shown. ``more`` rarer changes are in one row.
    """
    if hidden:
        total = sum(count for *_, count in changes) + more_records
        return [Entry(step, column, None, None, total)] if total else []
    found = sorted(changes, key=lambda row: -row[2])
    rows = [Entry(step, column, _shown(was), _shown(now), n) for was, now, n in found[:_MOST]]
    more += len(found[_MOST:])
    more_records += sum(count for *_, count in found[_MOST:])
    if more:
        words = say("steps.log.rest", n=more)
        rows.append(Entry(step, column, words, words, more_records))
    return rows


def _pairs(old: Column, new: Column) -> tuple[I64, I64, I64]:
    """Return the pairs of codes before and after, and how many records have each."""
    levels = max(new.levels, 1)
    keys = old.codes.astype(np.int64) * levels + new.codes
    if old.levels * levels <= _DENSE:
        counted = np.bincount(keys, minlength=1)
        distinct = np.flatnonzero(counted)
        counts = counted[distinct]
    else:
        distinct, counts = np.unique(keys, return_counts=True)
    return distinct // levels, distinct % levels, counts.astype(np.int64)


def _shown(value: Any) -> str | None:
    return None if value is None else spelling(value)


def log_frame(entries: Sequence[Entry]) -> pl.DataFrame:
    """Return the log: step (from 1), column, from, to, records."""
    from singleout.core.frames import pl

    rows = [(one.step, one.column, one.before, one.after, one.records) for one in entries]
    schema: dict[str, Any] = {
        "step": pl.Int64,
        "column": pl.String,
        "from": pl.String,
        "to": pl.String,
        "records": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
