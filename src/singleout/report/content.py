"""What a report holds, as plain data: sections of paragraphs, tables, bars, matrices, pictures.

Everything here is text and numbers. Texts may hold names and values from the data; the page escapes
them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from singleout.report.svg import Picture

__all__ = [
    "Bars",
    "Cell",
    "Code",
    "Definitions",
    "Facts",
    "Figure",
    "Heading",
    "Level",
    "Matrix",
    "MatrixCell",
    "Message",
    "Paragraph",
    "Part",
    "Report",
    "Section",
    "Table",
    "TableColumn",
    "Verdict",
]


@dataclass(frozen=True)
class Level:
    """A level of a scale.

    Parameters
    ----------
    level
        1 to 4.
    word
        What it is called.
    """

    level: int
    word: str


Cell: TypeAlias = str | Level


# ---- parts of a section


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    part: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    part: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Message:
    """Sentences that a reader should not miss.

    Parameters
    ----------
    title
        What kind of sentences they are.
    sentences
        The sentences.
    urgent
        Whether something is wrong, rather than good to know.
    """

    part: ClassVar[str] = "message"
    title: str
    sentences: tuple[str, ...]
    urgent: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for, side by side: shown in a list, or as large figures."""

    part: ClassVar[str] = "facts"
    facts: tuple[tuple[str, str], ...]
    large: bool = False


@dataclass(frozen=True)
class Definitions:
    """Terms with a paragraph each."""

    part: ClassVar[str] = "definitions"
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Parameters
    ----------
    title
        Its heading.
    kind
        ``text``, ``number``, ``level`` (levels, told by colour too) or ``step`` (levels in words).
    """

    title: str
    kind: str = "text"


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Parameters
    ----------
    caption
        What the table shows.
    columns
        Its columns.
    rows
        Its cells, row by row.
    names
        For each row the name by which links find it; none if no link does.
    below
        A sentence below the table.
    """

    part: ClassVar[str] = "table"
    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: tuple[str, ...] = ()
    below: str = ""


@dataclass(frozen=True)
class Bars:
    """Shares of a whole as bars, each with its numbers.

    Parameters
    ----------
    caption
        What the bars show.
    heads
        The headings of the three columns: what a bar is of, its number, its share.
    bars
        For each its level, its number and its share of the whole, 0 to 1.
    """

    part: ClassVar[str] = "bars"
    caption: str
    heads: tuple[str, str, str]
    bars: tuple[tuple[Level, int, float], ...]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of a matrix.

    Parameters
    ----------
    level
        The level that it stands for.
    marks
        What falls into it: the name of a row to link to, empty if there is none, and a short name
        to show.
    more
        How many more fall into it.
    """

    level: Level
    marks: tuple[tuple[str, str], ...] = ()
    more: str = ""


@dataclass(frozen=True)
class Matrix:
    """Two scales across each other, and what falls where.

    Parameters
    ----------
    caption
        What the matrix shows.
    across, down
        What the columns and the rows stand for.
    columns, rows
        The names of the levels, as they are read from left to right and from top to bottom.
    cells
        The cells, row by row.
    below
        A sentence below the matrix.
    """

    part: ClassVar[str] = "matrix"
    caption: str
    across: str
    down: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]
    below: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture with its caption."""

    part: ClassVar[str] = "figure"
    picture: Picture


@dataclass(frozen=True)
class Code:
    """Text to be shown as it is written."""

    part: ClassVar[str] = "code"
    title: str
    text: str


Part: TypeAlias = (
    Paragraph | Heading | Message | Facts | Definitions | Table | Bars | Matrix | Figure | Code
)


# ---- the whole


@dataclass(frozen=True)
class Section:
    """A section with a name that links find it by."""

    name: str
    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Verdict:
    """The answer, before everything else.

    Parameters
    ----------
    title
        The heading of the answer.
    level
        The risk.
    scale
        The names of all levels of risk, from 1.
    sentence
        The verdict in words.
    parts
        What follows from it.
    """

    title: str
    level: Level
    scale: tuple[str, ...]
    sentence: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Report:
    """A whole report.

    Parameters
    ----------
    language
        The language of its sentences, as in ``en``.
    title
        What was assessed.
    above
        What kind of document it is.
    below
        A line below the title.
    verdict
        The answer.
    sections
        Everything else.
    words
        Words of the page itself, such as that for its contents.
    colophon
        The last line.
    """

    language: str
    title: str
    above: str
    below: str
    verdict: Verdict
    sections: tuple[Section, ...]
    words: Mapping[str, str]
    colophon: str
