"""Read files and frames into this process's memory, and count them here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from singleout.core.memory import available_memory, in_words, require_memory
from singleout.core.paths import expanded
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local.counter import LocalCounter
from singleout.errors import UnusableTable
from singleout.io.names import pick
from singleout.io.read import read
from singleout.io.size import memory_to_read

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["Local", "filtered_note", "nobody_meets", "require_room", "too_large"]


@dataclass(frozen=True)
class Local:
    """The engine that reads and counts in this process."""

    name: ClassVar[str] = "local"

    @staticmethod
    def claims(data: Any) -> bool:  # noqa: ARG004
        """Whether data is read here if nobody says otherwise: all that no other engine claims."""
        return True

    def counter(
        self,
        data: Any,
        where: Condition | None = None,
        columns: Sequence[str] | None = None,
        **parsing: Any,
    ) -> LocalCounter:
        """Read what is needed, leave out those who do not meet the condition, and count the rest.

        ``columns`` are those that will be asked about, all if not given; a `Table` keeps the
        others as well, for they cost nothing. ``parsing`` says how a file is written.
        """
        needed = None if isinstance(data, Table) else columns
        if where is None:
            return LocalCounter(read(data, needed, **parsing))
        wanted = None if needed is None else _named(needed)
        both = None if wanted is None else list(dict.fromkeys([*wanted, *where.columns]))
        table = read(data, both, **parsing)
        kept = where.mask(table)
        if not kept.any():
            raise nobody_meets(table.source, where)
        if wanted is not None:
            table = table.select(wanted)
        found = Table(
            (_taken(column, kept) for column in table),
            missing=table.missing,
            source=table.source,
            notes=[*table.notes, filtered_note(where)],
        )
        return LocalCounter(found, kept)


def too_large(data: Any) -> str | None:
    """Return what is too large about a file for the memory that is free, None if it is not."""
    needed = memory_to_read(data)
    free = None if needed is None else available_memory()
    # with nothing left, a database would not even start, and the reader says so
    if needed is None or not free or needed <= free:
        return None
    path = expanded(os.fsdecode(data))
    return (
        f"{path.name} has {in_words(path.stat().st_size)}, too much for the {in_words(free)} of "
        "memory that are free"
    )


def require_room(data: Any, columns: Sequence[str] | None) -> None:
    """Refuse a file that does not fit into memory, where nobody asked for it to be read here."""
    needed = memory_to_read(data, columns)
    if needed is not None:
        require_memory(needed, f"Reading {Path(os.fsdecode(data)).name}")


def filtered_note(condition: Condition) -> str:
    """Return the note that only some records were looked at."""
    return f"Only the records that meet the condition were looked at: {condition}."


def nobody_meets(source: str, condition: Any) -> UnusableTable:
    """Return the error for a condition that leaves no record."""
    return UnusableTable(
        f"No record of {source} meets the condition {condition}: there is nobody to single out."
    )


def _named(columns: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    return names or pick(names, ())  # says that no columns were asked for


def _taken(column: Column, kept: NDArray[np.bool_]) -> Column:
    """Return a column for some records, with the values that they have and no others."""
    codes = column.codes[kept]
    there = np.bincount(codes, minlength=column.levels) > 0
    new = (np.cumsum(there) - 1).astype(np.uint32)
    held = np.flatnonzero(there[: len(column.values)])
    book = list(column.values)
    has_missing = column.has_missing and bool(there[-1])
    return Column(
        column.name,
        smallest_codes(new[codes], len(held) + has_missing),
        [book[code] for code in held.tolist()],
        has_missing,
        role=column.role,
        labels=column.labels,
        description=column.description,
    )
