"""For holders who may not install anything: two statements to run, and their answer read back.

The first statement gives how many cells hold each number of people, the second how many values each
column has. Neither shows a value. What comes back is a file with the columns ``size`` and
``cells``.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from singleout.core.counts import SizeProfile
from singleout.core.paths import expanded
from singleout.errors import BadChoice, UnreadableFile
from singleout.repository.documents.coding import IDENTITY, Coding
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.publishing.coded import groups_of
from singleout.repository.publishing.question import quasi_identifiers_of

__all__ = ["SQL_DIALECTS", "print_sql", "read_profile"]

_LARGEST_FILE = 50_000_000  # bytes
_COMPARED = {"from": ">=", "above": ">", "to": "<=", "below": "<"}


@dataclass(frozen=True)
class _Dialect:
    """How a database writes names, texts, truths and doubles."""

    quotes: tuple[str, str]
    double: str  # what a division must start from
    truths: tuple[str, str] = ("0", "1")
    escapes: bool = False  # whether a backslash has a meaning in a text

    def name(self, text: str) -> str:
        start, end = self.quotes
        return f"{start}{text.replace(end, 2 * end)}{end}"

    def table(self, text: str) -> str:
        """Return the name of a table; what stands before a dot is its schema."""
        return ".".join(self.name(part) for part in text.split("."))

    def text(self, value: str) -> str:
        plain = value.replace("\\", "\\\\") if self.escapes else value
        return "'" + plain.replace("'", "''") + "'"

    def literal(self, value: Any) -> str:
        if isinstance(value, bool):
            return self.truths[value]
        return self.text(value) if isinstance(value, str) else repr(value)


SQL_DIALECTS = {
    "postgresql": _Dialect(('"', '"'), "double precision", ("FALSE", "TRUE")),
    "mysql": _Dialect(("`", "`"), "double", escapes=True),
    "sqlserver": _Dialect(("[", "]"), "float"),
}


def print_sql(
    table: str,
    quasi_identifier: Any,
    population: Any = None,
    vocabulary: Any = None,
    *,
    dialect: str = "postgresql",
    counts: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> str:
    """Return the two statements whose answers a record is made of.

    Parameters
    ----------
    table
        The name of the table, with its schema before a dot.
    quasi_identifier, population, vocabulary, counts, columns
        As for `publishable`; all terms of the population must be columns of the table.
    dialect
        ``postgresql``, ``mysql`` (also MariaDB) or ``sqlserver``.

    Examples
    --------
    >>> import singleout as so
    >>> print(so.repository.print_sql("people", ["sex", "age:width=5"], {"city": "Delft"}))
    -- How many cells hold each number of people; save it with the columns size and cells.
    SELECT size, COUNT(*) AS cells
    FROM (
      SELECT COUNT(*) AS size
      FROM "people"
      WHERE "city" = 'Delft'
      GROUP BY FLOOR(CAST("age" AS double precision) / 5), "sex"
    ) AS sizes
    GROUP BY size
    ORDER BY size;
    <BLANKLINE>
    -- How many values each column has; multiplied, they are the possible cells.
    SELECT
      (SELECT COUNT(*) FROM (SELECT DISTINCT FLOOR(CAST("age" AS double precision) / 5) AS v FROM \
"people" WHERE "city" = 'Delft') AS a1) AS "age:width=5",
      (SELECT COUNT(*) FROM (SELECT DISTINCT "sex" AS v FROM "people" WHERE "city" = 'Delft') \
AS a2) AS "sex";
    """
    if dialect not in SQL_DIALECTS:
        raise BadChoice(
            f"{dialect!r} is no dialect that is known; choose one of {', '.join(SQL_DIALECTS)}."
        )
    chosen = SQL_DIALECTS[dialect]
    (attributes, *others), _ = quasi_identifiers_of(quasi_identifier)
    if others:
        raise BadChoice("The statements are those of one record; give one quasi-identifier.")
    words = None if vocabulary is None else Vocabulary.of(vocabulary)
    names = columns or {}
    terms = DeclaredPopulation.of(population).to_dict()
    conditions = [_condition(chosen, names.get(name, name), term) for name, term in terms.items()]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    keys = [_key(chosen, one, names, words) for one in attributes]
    size = "COUNT(*)" if counts is None else f"SUM({chosen.name(counts)})"
    inner = [f"SELECT {size} AS size", f"FROM {chosen.table(table)}", where]
    inner.append(f"GROUP BY {', '.join(keys)}")
    source = f"FROM {chosen.table(table)} {where}".rstrip()
    values = [
        f"  (SELECT COUNT(*) FROM (SELECT DISTINCT {key} AS v {source}) AS a{index}) "
        f"AS {chosen.name(str(one))}"
        for index, (key, one) in enumerate(zip(keys, attributes, strict=True), 1)
    ]
    return "\n".join(
        [
            "-- How many cells hold each number of people; save it with the columns size and "
            "cells.",
            "SELECT size, COUNT(*) AS cells",
            "FROM (",
            *(f"  {line}" for line in inner if line),
            ") AS sizes",
            "GROUP BY size",
            "ORDER BY size;",
            "",
            "-- How many values each column has; multiplied, they are the possible cells.",
            "SELECT",
            ",\n".join(values) + ";",
        ]
    )


def _key(
    dialect: _Dialect, coded: CodedAttribute, names: Mapping[str, str], words: Vocabulary | None
) -> str:
    column = dialect.name(names.get(coded.attribute, coded.attribute))
    if coded.coding == IDENTITY:
        return column
    if coded.coding.startswith("width="):
        width, offset = Coding(name=coded.coding).interval
        number = f"CAST({column} AS {dialect.double})"
        shifted = f"({number} - {_number(offset)})" if offset else number
        return f"FLOOR({shifted} / {_number(width)})"
    groups = groups_of(coded, words)
    cases = " ".join(
        f"WHEN {column} IN ({', '.join(map(dialect.text, values))}) THEN {index}"
        for index, values in enumerate(groups.values())
    )
    return f"CASE {cases} WHEN {column} IS NULL THEN NULL ELSE -1 END"


def _number(value: Any) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _condition(dialect: _Dialect, column: str, term: Any) -> str:
    name = dialect.name(column)
    if isinstance(term, Mapping) and "not_in" in term:
        return f"(NOT ({_any_of(dialect, name, term['not_in'])}) OR {name} IS NULL)"
    if isinstance(term, Mapping) and "in" in term:
        return f"({_any_of(dialect, name, term['in'])})"
    return _any_of(dialect, name, [term])


def _any_of(dialect: _Dialect, name: str, items: Sequence[Any]) -> str:
    values = [dialect.literal(item) for item in items if not isinstance(item, Mapping)]
    ranges = [item for item in items if isinstance(item, Mapping)]
    parts = [
        " AND ".join(
            f"{name} {_COMPARED[end]} {dialect.literal(value)}" for end, value in item.items()
        )
        for item in ranges
    ]
    if len(values) == 1:
        parts.append(f"{name} = {values[0]}")
    elif values:
        parts.append(f"{name} IN ({', '.join(values)})")
    return " OR ".join(
        f"({part})" if " AND " in part and len(parts) > 1 else part for part in parts
    )


def read_profile(path: str | PathLike[str]) -> SizeProfile:
    """Return counts of counts from a text file with the columns ``size`` and ``cells``.

    Raises
    ------
    UnreadableFile
        If it has no such columns, or a number that is no whole number of 0 or more.
    """
    file = expanded(path)
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise UnreadableFile(f"{file.name} is larger than 50 MB; is it the right file?")
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UnreadableFile(f"{file.name} is not text in UTF-8.") from None
    return _profile(text, file.name)


def _profile(text: str, name: str) -> SizeProfile:
    lines = [line for line in text.splitlines() if line.strip()]
    delimiter = max(",;\t|", key=lines[0].count) if lines else ","
    rows = list(csv.reader(lines, delimiter=delimiter))
    heads = [head.strip().casefold() for head in rows[0]] if rows else []
    if not {"size", "cells"} <= set(heads):
        raise UnreadableFile(
            f"{name} must have a first line with the columns size and cells, as the statements of "
            "print_sql give them."
        )
    at = heads.index("size"), heads.index("cells")
    found: dict[int, int] = {}
    for number, row in enumerate(rows[1:], 2):
        size, cells = (_whole(row, index, name, number) for index in at)
        if size in found:
            raise UnreadableFile(f"{name}, line {number}: the size {size} stands there twice.")
        if size and cells:
            found[size] = cells
    if not found:
        raise UnreadableFile(f"{name} counts nobody.")
    sizes = sorted(found)
    if sum(size * found[size] for size in sizes) > 2**53:
        raise UnreadableFile(f"{name} counts more people than can be.")
    return SizeProfile(
        np.array(sizes, dtype=np.int64), np.array([found[size] for size in sizes], dtype=np.int64)
    )


def _whole(row: Sequence[str], index: int, name: str, line: int) -> int:
    text = row[index].strip() if index < len(row) else ""
    whole_part, _, rest = text.partition(".")
    if not whole_part.isascii() or not whole_part.isdigit() or rest.strip("0") or len(text) > 18:
        raise UnreadableFile(f"{name}, line {line}: {text!r} is no whole number of 0 or more.")
    return int(whole_part)
