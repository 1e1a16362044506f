"""Read files and frames into this process's memory, and count them here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from singleout.core.memory import available_memory, in_words, require_memory
from singleout.core.paths import expanded
from singleout.core.table import Table
from singleout.engines.local.counter import LocalCounter
from singleout.errors import UnusableTable
from singleout.io.names import Wanted, pick
from singleout.io.read import read
from singleout.io.size import memory_to_read

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["Local", "filtered_note", "nobody_meets", "require_room", "room_for"]


@dataclass(frozen=True)
class Local:
    """The engine that reads and counts in this process."""

    name: ClassVar[str] = "local"

    @staticmethod
    def claims(data: Any) -> bool:  # noqa: ARG004
        """Whether the engine is the default for data: for all that no other engine claims."""
        return True

    def counter(
        self,
        data: Any,
        where: Condition | None = None,
        columns: Sequence[str] | None = None,
        **parsing: Any,
    ) -> LocalCounter:
        """Read the columns, all if not given, of the records that meet the condition.

        A `Table` keeps its other columns: they cost nothing. ``parsing`` are options of the reader.
        """
        needed = None if isinstance(data, Table) else columns
        if where is None:
            return LocalCounter(read(data, needed, **parsing))
        wanted = None if needed is None else _named(needed)
        both = None if wanted is None else list(dict.fromkeys([*wanted, *where.columns]))
        if both is not None and isinstance(needed, Wanted):
            both = Wanted(both, needed.also)
        table = read(data, both, **parsing)
        mask = where.mask(table)
        if not mask.any():
            raise nobody_meets(table.source, where)
        if needed is not None:
            table = table.select(pick(needed, table.columns))
        filtered = Table(
            (column.only(mask) for column in table),
            missing=table.missing,
            source=table.source,
            notes=[*table.notes, filtered_note(where)],
        )
        return LocalCounter(filtered, mask)


class Room(NamedTuple):
    """Whether a file fits into free memory; if not, why, unless no memory is free at all."""

    fits: bool
    too_large: str | None = None


def room_for(data: Any) -> Room:
    """Estimate whether a file fits into the memory that is free; other data does."""
    needed = memory_to_read(data)
    free = None if needed is None else available_memory()
    if needed is None or free is None or needed <= free:
        return Room(fits=True)
    if not free:  # a database would not even start
        return Room(fits=False)
    path = expanded(os.fsdecode(data))
    size = in_words(path.stat().st_size)
    reason = f"{path.name} has {size}, too much for the {in_words(free)} of memory that are free"
    return Room(fits=False, too_large=reason)


def require_room(data: Any, columns: Sequence[str] | None) -> None:
    """Refuse a file whose columns do not fit into free memory."""
    needed = memory_to_read(data, columns)
    if needed is not None:
        require_memory(needed, f"Reading {Path(os.fsdecode(data)).name}")


def filtered_note(condition: Condition) -> str:
    """Return the note that only some records were counted."""
    return f"Only the records that meet the condition were looked at: {condition}."


def nobody_meets(source: str, condition: Any) -> UnusableTable:
    """Return the error for a condition that leaves no record."""
    return UnusableTable(
        f"No record of {source} meets the condition {condition}: there is nobody to single out."
    )


def _named(columns: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    return names or pick(names, ())  # says that no columns were asked for
