"""The files of a report: their names, and how they are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from singleout.core.output_files import write_safely
from singleout.core.paths import expanded
from singleout.core.targets import target_of
from singleout.errors import BadChoice

__all__ = ["HTML", "JSON", "checked_path", "write_text"]

HTML = (".html", ".htm")
JSON = (".json",)


def checked_path(path: str | os.PathLike[str], kinds: tuple[str, ...]) -> Path:
    """Return the path of a report, or say what it should be; a stream may have any name.

    Its name must end in one of ``kinds``, so that a report does not replace a data file by mistake.
    """
    file = expanded(path)
    if file.suffix.lower() not in kinds and not target_of(file).is_stream:
        raise BadChoice(f"A report cannot be written as {file.name!r}; end the name in {kinds[0]}.")
    return file


def write_text(file: Path, text: str, *, private: bool = False) -> Path:
    """Write a report over a file that exists or to a new one, and return where it is.

    ``private`` lets nobody but its owner read a new one.
    """

    def write(part: Path) -> None:
        part.write_text(text, encoding="utf-8", newline="\n")

    write_safely(file, write, force=True, private=private)
    return file
