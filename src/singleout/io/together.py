"""Several files of the same columns as one table, such as one workbook for each month."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.memory import require_memory
from singleout.errors import UnreadableFile
from singleout.io.size import memory_to_read
from singleout.io.source import Source
from singleout.report.say import say

__all__ = ["read_together"]

_SHOWN = 3  # notes are of single files; those of many would hide the rest


def read_together(paths: Sequence[Path], read_one: Callable[[Path], Source]) -> Source:
    """Return the records of all files, in the order of the files and of the first file's columns.

    A column keeps its type; one that is text in one file and a number in another is refused.
    """
    needed = sum(memory_to_read(path) or 0 for path in paths)
    require_memory(needed, f"Reading {len(paths):,} files")
    sources = [read_one(path) for path in paths]
    first = sources[0]
    for source in sources[1:]:
        _require_same_columns(first, source)
    names = first.frame.columns
    columns = [_column(name, sources) for name in names]
    labels: dict[str, dict[Any, str]] = {}
    for source in reversed(sources):  # those of the first file win
        for name, words in source.labels.items():
            labels.setdefault(name, {}).update(words)
    notes = [f"{source.name}: {note}" for source in sources for note in source.notes]
    more = [say("reading.more_notes", n=len(notes) - _SHOWN)] if len(notes) > _SHOWN else []
    return Source(
        pl.DataFrame(columns),
        say("reading.together", n=len(paths), first=first.name),
        labels,
        {name: text for one in reversed(sources) for name, text in one.descriptions.items()},
        (*notes[:_SHOWN], *more),
    )


def _require_same_columns(first: Source, other: Source) -> None:
    one, two = set(first.frame.columns), set(other.frame.columns)
    for has, lacks, name in (
        (first, other, min(one - two, default=None)),
        (other, first, min(two - one, default=None)),
    ):
        if name is not None:
            raise UnreadableFile(
                f"Files that are read as one table have the same columns: {has.name} has "
                f"{name!r}, and {lacks.name} has not; assess them one by one, or give others."
            )


def _column(name: str, sources: Sequence[Source]) -> pl.Series:
    kinds = [source.frame[name].dtype for source in sources]
    held = [at for at, kind in enumerate(kinds) if kind != pl.Null]  # that of no values fits all
    for at in held:
        one, other = kinds[held[0]], kinds[at]
        # a number is not turned into text: 1 and 1.0 would be two values
        if one != other and not (one.is_numeric() and other.is_numeric()):
            raise UnreadableFile(
                f"Column {name!r} holds values of one kind in {sources[held[0]].name} ({one}) and "
                f"of another in {sources[at].name} ({other}), so that the files are not one table; "
                "give it the same kind in both."
            )
    parts = [source.frame.select(name) for source in sources]
    return pl.concat(parts, how="vertical_relaxed").to_series()
