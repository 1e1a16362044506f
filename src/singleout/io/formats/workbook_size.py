"""The size of a workbook before it is opened, from its cells.

The reader of workbooks allocates the bounding rectangle of the cells of a sheet, and ends the
program if the memory is too small: one stray cell in the last corner of a sheet makes 17 billion
cells. The dimension that a sheet declares may be wrong.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I32, U8
from singleout.core.memory import in_words
from singleout.errors import UnusableTable
from singleout.io.archive import members, memory, unpacked, unpacked_within_memory
from singleout.io.files import damaged

__all__ = ["MergedCell", "check_open_document", "check_parts", "check_rows", "check_sheet"]

_BYTES_OF_A_CELL = 40
# a larger rectangle must have a value in one of so many cells
_MANY = 100_000_000
_NEARLY_EMPTY = 1000
_READ = (".xml", ".rels", ".bin")
_SHEETS = "xl/worksheets/"
_CONTENT = "content.xml"
_REFERENCE = re.compile(r"([A-Z]+)([0-9]+)")
_BEGIN = np.uint64(int.from_bytes(b'<c r="', "little"))
_BEGIN_BITS = np.uint64((1 << 48) - 1)
_PADDING = bytes(20)  # longer than a reference, so that none is looked for beyond the end
_MERGED = re.compile(rb'<mergeCell ref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')
_LONGEST_REFERENCE = 40
_MOST_MERGED = 100_000
_PREFIXED = re.compile(rb":c[\s/>]")


class MergedCell(NamedTuple):
    """A cell that reaches over several: columns and rows from 1, both ends included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass
class _Extent:
    """The bounding rectangle of the cells of a sheet, from its first row and column on."""

    rows: int = 0
    columns: int = 0
    cells: int = 0

    def add(self, rows: int, columns: int, cells: int = 1) -> None:
        self.rows, self.columns = max(self.rows, rows), max(self.columns, columns)
        self.cells += cells

    @property
    def bytes(self) -> int:
        return self.rows * self.columns * _BYTES_OF_A_CELL

    @property
    def fits(self) -> bool:
        area = self.rows * self.columns
        return self.bytes <= memory() and area <= max(_MANY, self.cells * _NEARLY_EMPTY)

    def require_memory(self, name: str) -> None:
        if self.fits:
            return
        cells = "1 cell that holds" if self.cells == 1 else f"{self.cells:,} cells that hold"
        raise UnusableTable(
            f"{name} reaches over {self.rows:,} rows and {self.columns:,} columns for {cells} "
            f"something, which would need {in_words(self.bytes)} of memory; delete "
            "the rows and columns beyond the table and save it again, or save the sheet as CSV."
        )


def check_parts(raw: bytes, name: str) -> None:
    """Refuse a workbook whose parts other than sheets, such as shared strings, fill the memory.

    Any file but an archive passes.
    """
    parts = [
        member
        for part, member in members(raw).items()
        if part.endswith(_READ) and part != _CONTENT and not part.startswith(_SHEETS)
    ]
    for _ in unpacked_within_memory(raw, parts, name):
        pass


# ---- the cells of a sheet


def check_sheet(raw: bytes, title: str, name: str) -> tuple[MergedCell, ...]:
    """Refuse a sheet whose bounding rectangle fills the memory; any file but an .xlsx passes.

    Returns the merged cells that were met on the way.
    """
    parts, references = members(raw), set[bytes]()
    for part in _parts_of(raw, parts, title):
        pieces = unpacked_within_memory(raw, [parts[part]], name)
        extent = _regular(_watched(pieces, references))
        if extent is None or not extent.fits:
            extent = _Sheet().read(unpacked_within_memory(raw, [parts[part]], name), name)
        extent.require_memory(f"{name}, sheet {title!r},")
    return tuple(sorted(map(_merged_cell, references)))


def _watched(pieces: Iterator[bytes], references: set[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a sheet, and collect the references of its merged cells."""
    rest = b""
    for piece in pieces:
        text = rest + piece
        if b"<mergeCell " in text and len(references) < _MOST_MERGED:
            references.update(_MERGED.findall(text))
        rest = text[-_LONGEST_REFERENCE:]
        yield piece


def _merged_cell(reference: bytes) -> MergedCell:
    first, _, last = reference.decode().partition(":")
    corners = [_REFERENCE.fullmatch(corner) for corner in (first, last)]
    (left, top), (right, bottom) = (
        (_column_of(corner[1]), int(corner[2])) for corner in corners if corner is not None
    )
    return MergedCell(left, top, right, bottom)


def check_rows(rows: int, columns: int, cells: int, name: str) -> None:
    """Refuse more rows than fit into memory, or far more than there are cells."""
    _Extent(rows, columns, cells).require_memory(name)


def _parts_of(raw: bytes, parts: dict[str, zipfile.ZipInfo], title: str) -> list[str]:
    """Return the part that holds a sheet; all sheets if the workbook does not list it."""
    sheets = [part for part in parts if part.startswith(_SHEETS) and part.endswith(".xml")]
    try:
        book = ElementTree.fromstring(_whole(raw, parts["xl/workbook.xml"]))
        relations = ElementTree.fromstring(_whole(raw, parts["xl/_rels/workbook.xml.rels"]))
    except (KeyError, ElementTree.ParseError):
        return sheets
    targets = {one.get("Id"): one.get("Target", "") for one in relations}
    named = [one for one in book.iter() if _local(one.tag) == "sheet" and one.get("name") == title]
    keys = [value for one in named for key, value in one.attrib.items() if _local(key) == "id"]
    paths = [targets.get(key, "").removeprefix("/").removeprefix("xl/") for key in keys]
    return [f"xl/{path}" for path in paths if f"xl/{path}" in parts] or sheets


def _whole(raw: bytes, member: zipfile.ZipInfo) -> bytes:
    return b"".join(unpacked(raw, member))


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def _regular(pieces: Iterator[bytes]) -> _Extent | None:
    """Return the extent of all cells, blank ones included; None if a tag is not ``<c r="…"``.

    Quick, and enough for nearly every sheet.
    """
    extent, rest = _Extent(), b""
    for piece in pieces:
        text = b"".join((rest, piece, _PADDING))
        last = max(text.rfind(b"<"), 0)  # this tag may go on in the next piece
        rest = text[last : -len(_PADDING)]
        if not _add_regular(extent, text, last):
            return None
    return extent if _add_regular(extent, rest + _PADDING, len(rest)) else None


def _add_regular(extent: _Extent, text: bytes, size: int) -> bool:
    """Add the cells whose tags begin within a size of padded text, unless one is not regular."""
    signs = np.frombuffer(text, np.uint8)
    words = np.ndarray(len(text) - 7, np.dtype("<u8"), text, strides=(1,))  # from every byte on
    begin = np.flatnonzero((signs[:size] == ord("<")) & (signs[1 : size + 1] == ord("c")))
    regular = words[begin] & _BEGIN_BITS == _BEGIN
    other = signs[begin[~regular] + 2]
    # not <cols>
    if ((other < ord("a")) | (other > ord("z"))).any() or _PREFIXED.search(text):
        return False
    begin = begin[regular]
    if len(begin) == 0:
        return True
    columns, at = _number(signs, begin + 6, zero=ord("A") - 1, base=26, least=1, most=3)
    # the cells of a row repeat its number
    repeated = np.append(False, words[at[1:]] == words[at[:-1]])
    rows, end = _number(signs, at[~repeated], zero=ord("0"), base=10, least=0, most=7)
    if columns.min() < 1 or rows.min() < 1 or (signs[end] != ord('"')).any():
        return False
    extent.add(int(rows.max()), int(columns.max()), len(begin))
    return True


def _number(
    signs: U8,
    at: NDArray[np.intp],
    *,
    zero: int,
    base: int,
    least: int,
    most: int,
) -> tuple[I32, NDArray[np.intp]]:
    """Return the numbers that begin at some indices, and the indices of their ends."""
    numbers = np.zeros(len(at), np.int32)
    going = np.ones(len(at), np.bool_)
    for _ in range(most):
        digit = signs[at].astype(np.int32) - zero
        going &= (digit >= least) & (digit < base + least)
        if not going.any():
            break
        numbers = np.where(going, numbers * base + digit, numbers)
        at = at + going
    return numbers, at


class _CellCounter:
    """Reads XML element by element, and counts the cells that have a value."""

    def __init__(self) -> None:
        self.extent = _Extent()
        self.row = self.column = 0

    def read(self, pieces: Iterator[bytes], name: str) -> _Extent:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        try:
            for piece in pieces:
                parser.Parse(piece)
            parser.Parse(b"", True)
        except expat.ExpatError:
            raise damaged(name, "a workbook") from None
        return self.extent

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def end(self, tag: str) -> None:
        """Do nothing, unless a format needs it."""


class _Sheet(_CellCounter):
    """A sheet of an .xlsx workbook: a cell has a reference, or follows the one before it."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = _local(tag)
        if kind == "row":
            number = attributes.get("r", "")
            self.row = int(number) if number.isdecimal() else self.row + 1
            self.column = 0
        elif kind == "c":
            reference = _REFERENCE.fullmatch(attributes.get("r", ""))
            self.column += 1
            if reference:
                self.row, self.column = int(reference[2]), _column_of(reference[1])
        elif kind in ("v", "is"):
            self.extent.add(self.row, self.column)


def _column_of(letters: str) -> int:
    number = 0
    for letter in letters[:8]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


# ---- OpenDocument


def check_open_document(raw: bytes, name: str) -> None:
    """Refuse an .ods workbook with a sheet that fills the memory; any other file passes.

    All sheets are read when such a workbook is opened.
    """
    parts = members(raw)
    if _CONTENT in parts:
        content = unpacked_within_memory(raw, [parts[_CONTENT]], name)
        _Tables(name).read(content, name).require_memory(name)


class _Tables(_CellCounter):
    """The sheets of an .ods workbook, whose cells and rows have numbers of repetitions."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.repeated = self.filled = self.reach = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table:table":
            self.extent.require_memory(self.name)
            self.extent, self.row = _Extent(), 0
        elif tag == "table:table-row":
            self.repeated = _times(attributes, "table:number-rows-repeated")
            self.column = self.filled = self.reach = 0
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            times = _times(attributes, "table:number-columns-repeated")
            self.column += times
            if any(key.startswith("office:") or key == "table:formula" for key in attributes):
                self.filled, self.reach = self.filled + times, self.column

    def end(self, tag: str) -> None:
        if tag != "table:table-row":
            return
        self.row += self.repeated
        if self.filled:
            self.extent.add(self.row, self.reach, self.filled * self.repeated)


def _times(attributes: dict[str, str], key: str) -> int:
    number = attributes.get(key, "1")
    return int(number[:12]) if number.isdecimal() else 1
