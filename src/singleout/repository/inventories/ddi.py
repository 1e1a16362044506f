"""DDI Codebook: how data archives describe a study and its variables, in XML.

Only the few elements that an inventory needs are read, as they pass by. A document type is refused:
with it go external entities, which would read other files, and entities that expand without end.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from singleout.errors import UnreadableFile
from singleout.repository.inventories.description import (
    MOST_COLUMNS,
    DescribedColumn,
    Description,
    read_bounded,
)

__all__ = ["read_ddi"]

_DEEPEST = 100
_LONGEST = 500  # characters of a text that is kept
_TITLE = ("codeBook", "stdyDscr", "citation", "titlStmt", "titl")
_HOLDERS = (
    ("codeBook", "stdyDscr", "citation", "prodStmt", "producer"),
    ("codeBook", "stdyDscr", "citation", "rspStmt", "AuthEnty"),
    ("codeBook", "stdyDscr", "citation", "distStmt", "distrbtr"),
)
_UNIVERSE = ("codeBook", "stdyDscr", "stdyInfo", "sumDscr", "universe")
_VARIABLE = ("codeBook", "dataDscr", "var")
_KEPT = {_TITLE, *_HOLDERS, _UNIVERSE, (*_VARIABLE, "labl")}


def read_ddi(path: str | Path) -> Description:
    """Read a DDI Codebook file, of any version from 1.2 to 2.5."""
    raw = read_bounded(path, "a codebook")
    name = Path(path).name
    reader = _Codebook(name)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(raw, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else error
        raise UnreadableFile(f"{name} is not an XML file: {reason}.") from None
    return reader.description()


class _Codebook:
    """Collects what an inventory needs while a codebook passes by."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns: list[DescribedColumn] = []
        self._path: list[str] = []
        self._texts: dict[tuple[str, ...], str] = {}
        self._variable = ""
        self._label = ""
        self._categories = 0

    def refuse(self, *_: object) -> None:
        raise UnreadableFile(
            f"{self.name} has a document type, which could make a reader open other files; "
            "remove the line that begins with <!DOCTYPE."
        )

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        self._path.append(element.rpartition(" ")[2])
        if len(self._path) > _DEEPEST:
            raise UnreadableFile(f"{self.name} is nested too deeply for a codebook.")
        path = tuple(self._path)
        if path == _VARIABLE:
            self._variable = attributes.get("name") or attributes.get("ID", "")
            self._label, self._categories = "", 0
        elif path == (*_VARIABLE, "catgry") and attributes.get("missing") != "Y":
            self._categories += 1

    def text(self, text: str) -> None:
        path = tuple(self._path)
        if path == (*_VARIABLE, "labl"):
            self._label = (self._label + text)[:_LONGEST]
        elif path in _KEPT:
            self._texts[path] = (self._texts.get(path, "") + text)[:_LONGEST]

    def end(self, _: str) -> None:
        if tuple(self._path) == _VARIABLE and self._variable:
            if len(self.columns) >= MOST_COLUMNS:
                raise UnreadableFile(
                    f"{self.name} has more than {MOST_COLUMNS:,} variables; give fewer."
                )
            label = " ".join(self._label.split())
            self.columns.append(DescribedColumn(self._variable, label, self._categories or None))
        self._path.pop()

    def description(self) -> Description:
        if not self.columns:
            raise UnreadableFile(
                f"{self.name} is no DDI codebook, or describes no variables: it should have "
                "codeBook/dataDscr/var."
            )
        holders = filter(None, map(self._said, _HOLDERS))
        return Description(
            title=self._said(_TITLE) or self.name,
            columns=tuple(self.columns),
            holder=next(holders, ""),
            universe=self._said(_UNIVERSE),
        )

    def _said(self, path: tuple[str, ...]) -> str:
        return " ".join(self._texts.get(path, "").split())
