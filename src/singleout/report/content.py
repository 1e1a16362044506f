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
    "Glossary",
    "Heading",
    "Level",
    "Matrix",
    "MatrixCell",
    "Message",
    "Paragraph",
    "Part",
    "Report",
    "ReportTable",
    "Section",
    "TableColumn",
    "Verdict",
]


@dataclass(frozen=True)
class Level:
    """A level of a scale, 1 to 4, and its name."""

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
    """Sentences that a reader should not miss: urgent if something is wrong, steps if numbered."""

    part: ClassVar[str] = "message"
    title: str
    sentences: tuple[str, ...]
    urgent: bool = False
    numbered: bool = False
    below: str = ""  # a sentence


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
class Glossary:
    """Terms to unfold on a screen, where they are first used; in print the appendix has them."""

    part: ClassVar[str] = "glossary"
    title: str
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table."""

    title: str
    kind: str = "text"  # or number, level (levels, told by colour too), step (levels in words)
    meaning: str = ""  # of a term of the trade, in plain words


@dataclass(frozen=True)
class ReportTable:
    """A table whose first column names its rows."""

    part: ClassVar[str] = "table"
    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: tuple[str, ...] = ()  # for each row the target of links; none if there are no links
    below: str = ""  # a sentence


@dataclass(frozen=True)
class Bars:
    """Shares of a whole as bars, each with its level, its number and its share, 0 to 1."""

    part: ClassVar[str] = "bars"
    caption: str
    heads: tuple[TableColumn, TableColumn, TableColumn]
    bars: tuple[tuple[Level, int, float], ...]


@dataclass(frozen=True)
class MatrixCell:
    """A cell of a matrix."""

    level: Level
    marks: tuple[tuple[str, str], ...] = ()  # in it: the row to link to, or "", and a short name
    more: str = ""  # how many more are in it


@dataclass(frozen=True)
class Matrix:
    """Two scales across each other, and what falls into each cell."""

    part: ClassVar[str] = "matrix"
    caption: str
    across: str  # what the columns stand for
    down: str  # what the rows stand for
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]
    below: str = ""  # a sentence


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
    Paragraph
    | Heading
    | Message
    | Facts
    | Definitions
    | Glossary
    | ReportTable
    | Bars
    | Matrix
    | Figure
    | Code
)


# ---- the whole


@dataclass(frozen=True)
class Section:
    """A section with a name that links find it by."""

    name: str
    title: str
    parts: tuple[Part, ...]
    appendix: bool = False  # counted by letters, after all others


@dataclass(frozen=True)
class Verdict:
    """The answer, before everything else: a page that stands alone."""

    title: str
    level: Level | None  # the risk; None if it is not rated
    scale: tuple[str, ...]  # the names of all levels of risk, from 1
    sentence: str
    parts: tuple[Part, ...]  # what follows from it
    highest: int = 0  # the risk if what is not known is as bad as it can be


@dataclass(frozen=True)
class Report:
    """A whole report."""

    language: str  # the code, as in ``en``
    title: str
    above: str  # what kind of document it is
    below: str  # a line below the title
    verdict: Verdict
    sections: tuple[Section, ...]
    words: Mapping[str, str]  # of the page itself, such as the heading of its contents
    colophon: str
