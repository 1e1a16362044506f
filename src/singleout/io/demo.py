"""The demo table: 7,634 people of five areas of Massachusetts, real and public."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from singleout.core.table import Table
from singleout.io.read import read

__all__ = ["copy_demo", "demo", "demo_files"]

_FOLDER = files("singleout.demo_data")


def demo() -> Table:
    """Return the demo table, with a role and a description for every column.

    An excerpt of the American Community Survey 2019 for five areas of Massachusetts (NIST Diverse
    Community Excerpts, a work of the United States government). The literal ``N`` in it means "not
    applicable" and is a value like another.

    Examples
    --------
    >>> import singleout as so
    >>> so.demo()
    Table(demo: 7,634 records x 24 columns)
    """
    columns: dict[str, dict[str, Any]] = json.loads(
        (_FOLDER / "dictionary.json").read_text(encoding="utf-8")
    )["columns"]
    with as_file(_FOLDER / "ma2019.csv") as path:
        table = read(path, roles={name: about["role"] for name, about in columns.items()})
    return Table(table, missing=table.missing, source="demo").with_descriptions(
        {name: about["description"] for name, about in columns.items()},
        {name: about["labels"] for name, about in columns.items()},
    )


def demo_files() -> list[Path]:
    """Return the files of the demo, which must not be written to."""
    return [file for file in _FOLDER.iterdir() if isinstance(file, Path)]


def copy_demo(path: Path) -> None:
    """Copy the file of the demo table."""
    path.write_bytes((_FOLDER / "ma2019.csv").read_bytes())
