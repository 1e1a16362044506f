"""The files of a report: their names, and what is said where they cannot be written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from singleout.errors import BadChoice, UnreadableFile

__all__ = ["HTML", "JSON", "checked_path", "json_text", "write_text"]

HTML = (".html", ".htm")
JSON = (".json",)


def checked_path(path: str | os.PathLike[str], kinds: tuple[str, ...]) -> Path:
    """Return the path of a report, or say what it should be.

    Parameters
    ----------
    path
        Where to write.
    kinds
        How the name may end: a report never takes the place of a file of data by mistake.
    """
    file = Path(path).expanduser()
    if file.suffix.lower() not in kinds:
        raise BadChoice(f"A report cannot be written as {file.name!r}; end the name in {kinds[0]}.")
    return file


def write_text(file: Path, text: str) -> Path:
    """Write a report to a file, over one that exists, and return where it is."""
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnreadableFile(f"{str(file)!r} cannot be written: {error.strerror}.") from None
    return file


def json_text(content: dict[str, Any]) -> str:
    """Return plain values as the text of a JSON file."""
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
