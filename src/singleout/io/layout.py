"""Where the table is among the rows of a sheet or a text: titles above it, totals and notes below.

People put a title above the names of columns, and a total, a source or a remark below the records.
A row is left out on clear evidence only, as a normal file must be read whole. Rows are lists of
text, None where a cell is blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from singleout.report.say import say

__all__ = [
    "LOOKED_AT",
    "Below",
    "Row",
    "below_table",
    "cells_of",
    "filled_cells",
    "header_index",
    "in_words",
    "left_out_note",
    "looks_like_table",
    "may_end_below",
]

Row = Sequence[str | None]

LOOKED_AT = 200  # rows at either end
_ABOVE = 50  # rows that may stand above the names
_BODY = 2  # rows that must be alike, at least
_LONG = 40  # characters of the label of a total
_ENOUGH_FOR_SUMS = 4  # records: of the numbers 1, 2 and 3 the last is the sum of the others

_TOTAL = re.compile(
    r"(grand|sub|overall|column)?[\s-]*(total|totals|totaal|totale|totaux|sum|summe|gesamt|"
    r"gesamtsumme|insgesamt|ensemble|somme|suma|som|average|mean|mittelwert|moyenne)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"[*†‡§¹²³©]|(sources?|notes?|remarks?|comments?|legend|quellen?|hinweise?|anmerkung(en)?|"
    r"stand|remarques?|fuentes?|notas?|bron(nen)?|opmerking(en)?|n\.?b\.?|p\.?s\.?)\s*[:.–-]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(19|20)\d\d")
_GAP = re.compile(r"[\s'’]")


class Below(NamedTuple):
    """The rows below a table, by their indexes, and the index at which the table ends."""

    end: int
    totals: tuple[int, ...] = ()
    remarks: tuple[int, ...] = ()


def cells_of(row: Iterable[object]) -> list[str | None]:
    """Return the cells of a row, those without a printed character as None."""
    texts = ("" if cell is None else str(cell).strip() for cell in row)
    return [text or None for text in texts]


def filled_cells(row: Row) -> dict[int, str]:
    """Return the cells of a row that are not blank, by column."""
    return {index: cell for index, cell in enumerate(row) if cell is not None}


# ---- above


def header_index(rows: Sequence[Row], merged: frozenset[int] = frozenset()) -> int:
    """Return the index of the row of names: the first that is not blank, unless it is a title.

    ``merged`` are the rows with a cell that reaches over several columns, where that is known.
    """
    first = next((index for index, row in enumerate(rows) if filled_cells(row)), 0)
    for index in range(first + 1, min(len(rows), first + _ABOVE)):
        if _are_titles(rows[first:index], rows[index], merged, first) and _are_names(rows, index):
            return index
    return first


def _are_titles(above: Sequence[Row], names: Row, merged: frozenset[int], first: int) -> bool:
    """Whether every row above has one cell, or a merged one, or clearly is no record.

    Several cells are no record if they are at most half as many as the names and a blank row
    follows before these or the line of a text ends after them, or if there are fewer and both hold.
    """
    width = len(filled_cells(names))
    apart = not filled_cells(above[-1])
    if width < 2:
        return False
    for index, row in enumerate(above, start=first):
        size = len(filled_cells(row))
        if size and not any(map(_has_letter, filled_cells(row).values())):
            return False
        short = len(row) < len(names)
        few = 2 * size <= width and (size < 2 or apart or short)
        few = few or (apart and short and size < width)
        if not few and not (index in merged and size < width):
            return False
    return True


def _are_names(rows: Sequence[Row], index: int) -> bool:
    """Whether a row holds names: different texts over all columns, none of them found below."""
    names = filled_cells(rows[index])
    body = [cells for row in rows[index + 1 :] if len(cells := filled_cells(row)) > 1]
    alike = [cells for cells in body if 2 * len(cells) > len(names)]
    if not _are_different_texts(names) or len(alike) < _BODY or 2 * len(alike) < len(body):
        return False
    if any(set(cells) - set(names) for cells in body):
        return False
    if any(cells.get(column) == name for cells in body for column, name in names.items()):
        return False
    # of two columns, one may lack a name and the first record may look like names
    apart = index > 0 and not filled_cells(rows[index - 1])
    return len(names) > 2 or apart or _contrasts(names, body)


def _are_different_texts(names: dict[int, str]) -> bool:
    texts = list(filter(_has_letter, names.values()))
    years = sum(_YEAR.fullmatch(name) is not None for name in names.values())
    return bool(texts) and len(texts) + years == len(names) == len(set(names.values()))


def _contrasts(names: dict[int, str], body: Sequence[dict[int, str]]) -> bool:
    """Whether a column has only numbers or dates below its name."""
    return any(_is_column_of_values(body, column) for column in names)


def _is_column_of_values(body: Sequence[dict[int, str]], column: int) -> bool:
    cells = [cells[column] for cells in body if column in cells]
    return bool(cells) and all(map(_is_value, cells))


def _is_value(text: str) -> bool:
    """Whether a text is a number or a date: it has a digit and no letter."""
    return any(map(str.isdigit, text)) and not _has_letter(text)


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def looks_like_table(rows: Sequence[Row], merged: frozenset[int] = frozenset()) -> bool:
    """Whether rows have names of several columns, and a record below that has several values."""
    index = header_index(rows, merged)
    names = filled_cells(rows[index]) if rows else {}
    below = [filled_cells(row) for row in rows[index + 1 :]]
    records = [cells for cells in below if 2 * len(cells) >= len(names) and len(cells) > 1]
    filled = [cells for cells in below if cells]
    return (
        len(names) > 1
        and _are_different_texts(names)
        and bool(records)
        and 2 * len(records) >= len(filled)
    )


# ---- below


def may_end_below(row: Row, width: int) -> bool:
    """Whether the last row of a file may stand below its table: it is to be looked at."""
    cells = filled_cells(row)
    label = next(iter(cells.values()), "")
    return 2 * len(cells) <= max(width, 2) or _TOTAL.match(label) is not None


def below_table(rows: Sequence[Row], width: int, *, whole: bool) -> Below:
    """Return which of the last rows are remarks and totals; ``whole``: whether no record lacks.

    ``rows`` begin below the names, of which there are ``width``.
    """
    end = _without_blanks(rows, len(rows))
    start = _start_of_remarks(rows, end, width)
    remarks = tuple(index for index in range(start, end) if filled_cells(rows[index]))
    end, totals = _without_blanks(rows, start), []
    while end and _is_total(rows, end - 1, whole=whole):
        totals.append(end - 1)
        end = _without_blanks(rows, end - 1)
    return Below(end if totals or remarks else len(rows), tuple(totals[::-1]), remarks)


def _without_blanks(rows: Sequence[Row], end: int) -> int:
    while end and not filled_cells(rows[end - 1]):
        end -= 1
    return end


def _start_of_remarks(rows: Sequence[Row], end: int, width: int) -> int:
    """Return the index of the first remark below the table, or ``end`` if there is none."""
    start = end
    while start and len(filled_cells(rows[start - 1])) < 2:
        start -= 1
    apart = start < end and not filled_cells(rows[start])
    body = [cells for row in rows[:start] if (cells := filled_cells(row))]
    remarks = [cells for row in rows[start:end] if (cells := filled_cells(row))]
    # a record with a single value among the others: then the last may be such records as well
    single = any(len(cells) < 2 for cells in body)
    if not remarks or len(body) < _BODY or single or width < 2:
        return end
    left = min(min(cells) for cells in body)
    texts = [text for cells in remarks for text in cells.values()]
    if any(min(cells) > left for cells in remarks) or not all(map(_has_letter, texts)):
        return end
    clear = [_is_remark(cells, body, width) for cells in remarks]
    return start if all(clear) or (apart and width > 2) else end


def _is_remark(cells: dict[int, str], body: Sequence[dict[int, str]], width: int) -> bool:
    """Whether the only cell of a row is marked, a sentence, or words among values."""
    ((column, text),) = cells.items()
    others = [len(row[column]) for row in body if column in row]
    if _REMARK.match(text):
        return True
    if len(text.split()) > 2 and len(text) > max(others, default=0):
        return True
    words = len(text.split()) > 1 and not _is_value(text)
    return width > 2 and words and _is_column_of_values(body, column)


def _is_total(rows: Sequence[Row], index: int, *, whole: bool) -> bool:
    """Whether a row adds up those above: it is called so, or it has nothing but their sums."""
    cells = filled_cells(rows[index])
    filled = [above for row in rows[:index] if (above := filled_cells(row))]
    body = [above for above in filled if not _TOTAL.match(next(iter(above.values())))]
    if len(body) < _BODY or not cells:
        return False
    always = {column for column in body[0] if all(column in row for row in body)}
    lacks = bool(always - set(cells))
    adds_up = whole and _adds_up(cells, body)
    label = next(iter(cells.values()))
    if _TOTAL.match(label) and len(label) <= _LONG and not _is_value(label):
        apart = index > 0 and not filled_cells(rows[index - 1])
        return lacks or apart or adds_up
    numbers_only = all(_number(cell) is not None for cell in cells.values())
    return lacks and numbers_only and adds_up and len(body) >= _ENOUGH_FOR_SUMS


def _adds_up(cells: dict[int, str], body: Sequence[dict[int, str]]) -> bool:
    """Whether every number of a row is the sum of the column above it, and there is one."""
    compared = []
    for column, cell in cells.items():
        total = _number(cell)
        above = [_number(row[column]) for row in body if column in row]
        numbers = [number for number in above if number is not None]
        if total is not None and len(numbers) > 1 and len(numbers) == len(above):
            compared.append(abs(total - sum(numbers)) <= 1e-9 * max(1.0, *map(abs, numbers)))
    return bool(compared) and all(compared)


def _number(text: str) -> float | None:
    try:
        return float(_GAP.sub("", text).replace(",", "."))
    except ValueError:
        return None


# ---- in words


@dataclass(frozen=True)
class _Kind:
    key: str
    rows: Sequence[int]


def left_out_note(
    source: str, titles: Sequence[int], totals: Sequence[int], remarks: Sequence[int]
) -> str:
    """Return the sentence that says which rows, by number, were left out and how to keep them."""
    kinds = [_Kind("titles", titles), _Kind("totals", totals), _Kind("remarks", remarks)]
    parts = [
        say(f"reading.{kind.key}", n=len(kind.rows), rows=in_words(kind.rows))
        for kind in kinds
        if kind.rows
    ]
    n = sum(len(kind.rows) for kind in kinds)
    return say("reading.left_out", source=source, parts=", ".join(parts), n=n)


def in_words(numbers: Iterable[int]) -> str:
    """Return numbers as text, those that follow one another as a range.

    >>> in_words([1, 2, 3, 7])
    '1-3, 7'
    """
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in spans)
