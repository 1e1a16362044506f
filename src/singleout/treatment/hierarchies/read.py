"""Read hierarchies: CSV in ARX's format, a data frame, or rows; each from the value to ``*``.

A line for each value, without a header: ``34;30-39;20-39;*``. A value without text is missing.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from singleout.core.frames import refuse_lost_threads
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.io.files import checked_file, first_bytes, looks_like
from singleout.io.formats.frames import read_frame
from singleout.treatment.hierarchies.checks import check_tree
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling

__all__ = ["read_hierarchy"]

_LARGEST = 100_000_000
_DELIMITERS = (";", "\t", ",", "|")


@dataclass(frozen=True)
class _Rows:
    """The rows of a hierarchy with the number of the line or row that each starts in."""

    rows: list[list[Any]]
    numbers: list[int]


def read_hierarchy(source: Any, column: str) -> Hierarchy:
    """Return the hierarchy of a column.

    Parameters
    ----------
    source
        A path of a CSV file in ARX's format, delimited by semicolons, commas or tabs; a data frame
        whose columns are the levels in their order; rows; or a `Hierarchy`.
    column
        The column that it is for.

    Raises
    ------
    UnreadableFile, BadChoice
        If the file cannot be read, or if it is no tree; the sentence names line and value.

    Examples
    --------
    >>> read_hierarchy([["34", "<50", "*"], ["66", ">=50", "*"]], "age").labels[1]
    ('<50', '>=50')
    """
    if isinstance(source, Hierarchy):
        return Hierarchy(column, source.labels, source.maps)
    if isinstance(source, str | os.PathLike):
        path = checked_file(source)
        return _built(column, _of_file(path), f"{path.name}, line")
    is_rows = isinstance(source, Sequence) and not isinstance(source, bytes)
    found = _of_rows(source, column) if is_rows else _of_frame(source, column)
    what = f"The hierarchy of {column!r}, row"
    return _built(column, found, what)


def _built(column: str, found: _Rows, where: str) -> Hierarchy:
    check_tree(found.rows, found.numbers, where)
    seen: set[str] = set()
    rows = []
    for row in found.rows:
        value = spelling(row[0])
        if value not in seen:
            seen.add(value)
            rows.append([row[0] if value else None, *(label or None for label in row[1:])])
    return Hierarchy.of_rows(column, rows)


# ---- files


def _of_file(path: Path) -> _Rows:
    kind = looks_like(first_bytes(path))
    if kind is not None:
        raise UnreadableFile(f"{path.name} is {kind}; a hierarchy is a CSV file of text in UTF-8.")
    with path.open("rb") as stream:
        raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise UnreadableFile(
            f"{path.name} is too large for a hierarchy: more than {_LARGEST // 1_000_000} MB."
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"{path.name}, line {line}: this is not text in UTF-8; save the hierarchy as UTF-8."
        ) from None
    return _parsed(text, path.name)


def _parsed(text: str, name: str) -> _Rows:
    """Return the rows of a text, by the delimiter that gives the most regular ones."""
    candidates = [_split(text, delimiter, name) for delimiter in _DELIMITERS]
    if not candidates[0].rows:
        raise UnreadableFile(f"{name} has no lines; a hierarchy has a line for each value.")
    best = max(candidates, key=_regularity)
    if max(map(len, best.rows)) == 1:
        raise UnreadableFile(
            f"{name}, line {best.numbers[0]}: {best.rows[0][0]!r} has one column only; a line goes "
            "from the value to *, delimited by semicolons, commas or tabs, such as 34;30-39;*."
        )
    return best


def _regularity(found: _Rows) -> tuple[bool, bool, bool, int]:
    """Return how much rows look like a hierarchy; of equal ones the first delimiter counts."""
    lengths = {len(row) for row in found.rows}
    several = max(lengths) > 1
    one_root = len({row[-1] for row in found.rows}) == 1
    return several and len(lengths) == 1, several and one_root, several, 0


def _split(text: str, delimiter: str, name: str) -> _Rows:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    found = _Rows([], [])
    try:
        for number, row in _numbered(reader):
            if row:
                found.rows.append(list(row))
                found.numbers.append(number)
    except csv.Error as error:
        raise UnreadableFile(
            f"{name}, line {reader.line_num}: this is no CSV: {error}; is a quote not closed?"
        ) from None
    return found


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    number = 1
    for row in reader:
        yield number, row
        number = reader.line_num + 1


# ---- frames and rows


def _of_frame(source: Any, column: str) -> _Rows:
    refuse_lost_threads()
    try:
        frame = read_frame(source).frame
    except UnusableTable as error:
        raise BadChoice(f"The hierarchy of {column!r} cannot be used: {error}") from None
    return _of_rows(frame.rows(), column)


def _of_rows(rows: Sequence[Any], column: str) -> _Rows:
    if not len(rows):
        raise BadChoice(f"The hierarchy of {column!r} has no rows; it has one for each value.")
    wrong = next((row for row in rows if isinstance(row, str) or not hasattr(row, "__len__")), None)
    if wrong is not None:
        raise BadChoice(
            f"A row of the hierarchy of {column!r} is {wrong!r}; a row is a list from the value "
            "to *, such as ['34', '30-39', '*']."
        )
    found = [[row[0], *map(spelling, row[1:])] if len(row) else [] for row in rows]
    return _Rows(found, list(range(1, len(found) + 1)))
