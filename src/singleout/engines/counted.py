"""Tables of counts: a row stands for as many records as a column of whole numbers says.

Statistical offices publish such tables: 58,666 rows may stand for 11 million people. They are
counted as the table with each row repeated would be, but nothing is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singleout.errors import BadChoice, UnusableColumn, UnusableTable
from singleout.report.say import say

__all__ = ["MOST_PEOPLE", "CountFacts", "cells_of", "no_records"]

MOST_PEOPLE = 2**53  # up to which doubles hold all whole numbers


@dataclass(frozen=True)
class CountFacts:
    """What a column of counts holds, in numbers of rows."""

    rows: int
    missing: int
    negative: int
    other: int  # rows with a fraction, or with something that is no number
    zero: int
    people: float  # the sum

    def check(self, column: str, source: str) -> None:
        """Refuse a column that does not say how many people each row stands for."""
        found = {
            "no value": self.missing,
            "a negative number": self.negative,
            "a fraction or no number": self.other,
        }
        wrong = [_rows(rows, what) for what, rows in found.items() if rows]
        if wrong:
            raise UnusableColumn(
                f"Column {column!r} cannot say how many people a row stands for: "
                f"{' and '.join(wrong)}; every row needs a whole number of 0 or more."
            )
        if self.people > MOST_PEOPLE:
            raise UnusableColumn(
                f"Column {column!r} counts more than {MOST_PEOPLE:,} people together, which is "
                "more than can be added up exactly."
            )
        if self.zero == self.rows:
            raise UnusableTable(
                f"{source} has no people: column {column!r} is 0 in every row, so there is nobody "
                "to single out."
            )

    def notes(self, column: str, cells: Sequence[str], different: int) -> tuple[str, ...]:
        """Return what was made of the rows; ``different`` is how many cells they make."""
        filled = self.rows - self.zero
        notes = [say("counts.note", column=column, rows=filled, people=round(self.people))]
        if self.zero:
            notes.append(say("counts.zero", n=self.zero, column=column))
        if different < filled:
            names = ", ".join(cells)
            notes.append(say("counts.repeated", rows=filled, cells=different, columns=names))
        return tuple(notes)


def _rows(rows: int, what: str) -> str:
    return f"{rows:,} {'row has' if rows == 1 else 'rows have'} {what} there"


def cells_of(column: str, columns: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the columns that make a cell: those asked about, or all but the count."""
    if asked is not None and column in asked:
        raise BadChoice(
            f"Column {column!r} says how many people a row stands for, so it cannot be combined "
            "with others, too; leave it out of the other columns."
        )
    cells = [name for name in columns if name != column and (asked is None or name in asked)]
    if not cells:
        raise BadChoice(
            f"There is no column beside {column!r}, which says how many people a row stands for."
        )
    return cells


def no_records(column: str) -> BadChoice:
    """Return the error of what needs every record, where a table has none."""
    return BadChoice(
        f"This looks at each record, and a table of counts has none: its rows stand for the people "
        f"that {column!r} counts; repeat each row as often as {column!r} says, leave that column "
        "out, and give that table."
    )
