"""Counts of answers from a file that a questionnaire names: of one question, or of several jointly.

The file is any table that singleout reads, with a column for each question and one that says how
many people a row stands for. Rows with the same answers are added up, so that one table of postcode
by age by sex serves each of the three questions and their joint table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.paths import expanded
from singleout.errors import SingleoutError, did_you_mean
from singleout.io.read import read
from singleout.io.yaml.file import Location, Mistake
from singleout.predict.questionnaire.file import MOST_OPTIONS, CodingEntry, QuestionEntry

__all__ = ["CellCounts", "CountFiles", "nested_counts"]

_COUNT = "count"  # the column of the numbers, unless another one is named


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Numbers of cells: for each axis the labels, and for each number the indices of its labels."""

    labels: tuple[tuple[str, ...], ...]
    codes: tuple[I64, ...] = field(repr=False)
    numbers: F64 = field(repr=False)

    def laid_out(self, options: Sequence[Sequence[str]]) -> F64:
        """Return the sums of the numbers by options; each axis has its labels among them."""
        table: F64 = np.zeros([len(names) for names in options])
        cells = []
        for names, labels, codes in zip(options, self.labels, self.codes, strict=True):
            index = {name: number for number, name in enumerate(names)}
            cells.append(np.array([index[label] for label in labels], dtype=np.int64)[codes])
        np.add.at(table, tuple(cells), self.numbers)
        return table


def nested_counts(cells: Mapping[tuple[str, ...], float]) -> CellCounts:
    """Return the cells of a table that stands in the questionnaire itself."""
    labels, codes = [], []
    for names in zip(*cells, strict=True):
        index = {name: number for number, name in enumerate(dict.fromkeys(names))}
        labels.append(tuple(index))
        codes.append(np.array([index[name] for name in names], dtype=np.int64))
    return CellCounts(tuple(labels), tuple(codes), np.array(list(cells.values()), dtype=np.float64))


class CountFiles:
    """Reads the files that a questionnaire names; their names are relative to its folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = Path() if folder is None else folder
        self.read: list[Path] = []

    def taken(self, entry: CodingEntry, path: Location, question: QuestionEntry) -> CodingEntry:
        """Return a coding with the counts of the file that it names, or as it is."""
        if not isinstance(entry.counts, str):
            key = next((key for key in ("value", "count") if getattr(entry, key) is not None), None)
            if key is not None:
                raise Mistake(
                    (*path, key),
                    f"{key} of {question.name!r} names a column of a file; give that as well, as "
                    "in counts: people.csv.",
                )
            return entry
        where = (*path, "counts")
        columns = [entry.value or question.name]
        found = self.cells(entry.counts, columns, entry.count, where)
        labels = found.labels[0]
        if len(labels) > MOST_OPTIONS:
            raise Mistake(
                where,
                f"column {columns[0]!r} of {entry.counts!r} has {len(labels):,} values; a question "
                f"has at most {MOST_OPTIONS:,} options.",
            )
        counts = dict(zip(labels, found.laid_out([labels]).tolist(), strict=True))
        return entry.model_copy(update={"counts": counts, "value": None, "count": None})

    def cells(
        self, name: str, columns: Sequence[str], count: str | None, path: Location
    ) -> CellCounts:
        """Return how many people each combination of values of some columns has."""
        number = count or _COUNT
        if number in columns:
            raise Mistake(path, f"column {number!r} cannot hold answers and numbers of people.")
        table = self._table(name, path)
        for column in (*columns, number):
            if column not in table.columns:
                raise _no_column(path, name, column, table.columns, is_count=number)
            if table[column].has_missing:
                row = int(table[column].is_missing.argmax()) + 1
                raise Mistake(
                    path,
                    f"column {column!r} of {name!r} is empty in record {row:,}; fill it in, or "
                    "leave the record out.",
                )
        numbers = self._numbers(table, number, name, path)
        labels, codes = zip(*(_labelled(table[column]) for column in columns), strict=True)
        return CellCounts(labels, codes, numbers)

    def _table(self, name: str, path: Location) -> Any:
        file = self._folder / expanded(name)
        try:
            table = read(file)
        except SingleoutError as error:
            raise Mistake(path, str(error)) from None
        if not table.rows:
            raise Mistake(path, f"{name!r} has no records; give a file with counts.")
        self.read.append(file)
        return table

    def _numbers(self, table: Any, column: str, name: str, path: Location) -> F64:
        try:
            numbers: F64 = table[column].numbers()
        except SingleoutError as error:
            raise Mistake(path, f"{name!r}: {error}") from None
        wrong = ~np.isfinite(numbers) | (numbers < 0)
        if wrong.any():
            row = int(wrong.argmax())
            raise Mistake(
                path,
                f"column {column!r} of {name!r} has {numbers[row]:g} in record {row + 1:,}; a "
                "number of people is 0 or more.",
            )
        return numbers


def _no_column(
    path: Any, name: str, column: str, columns: Sequence[str], *, is_count: str
) -> Mistake:
    key = "count" if column == is_count else "value"
    return Mistake(
        path,
        f"{name!r} has no column {column!r}; it has: {', '.join(map(repr, columns[:12]))}. Name "
        f"the column with {key}:.{did_you_mean(column, columns)}",
    )


def _labelled(column: Any) -> tuple[tuple[str, ...], I64]:
    """Return the different values of a column in words, and the index of each record's."""
    words = [column.label(value) for value in column.values]
    index = {word: number for number, word in enumerate(dict.fromkeys(words))}
    codes = np.array([index[word] for word in words], dtype=np.int64)[column.codes]
    return tuple(index), codes
