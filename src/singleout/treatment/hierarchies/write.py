"""Write hierarchies as CSV in ARX's format: a line for each value, from itself to ``*``.

Values are data and written as they are, also those that a spreadsheet would take for a formula.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from singleout.core.output_files import write_safely
from singleout.core.paths import expanded
from singleout.core.text import whole_characters
from singleout.errors import BadChoice
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling

__all__ = ["hierarchy_text", "write_hierarchy"]

_QUOTED = re.compile(r'[;"\r\n\t,|\ufeff]|^\s|\s$|^$')


def write_hierarchy(
    hierarchy: Hierarchy, path: str | os.PathLike[str], *, force: bool = False
) -> None:
    """Write a hierarchy, whole or not at all, and over another file only by force."""
    text = hierarchy_text(hierarchy)
    write_safely(
        expanded(path),
        lambda file: Path(file).write_bytes(text.encode("utf-8")),
        force=force,
        private=True,  # it holds every value of the column
    )


def hierarchy_text(hierarchy: Hierarchy) -> str:
    r"""Return a hierarchy as the text of a CSV file.

    >>> hierarchy_text(Hierarchy.of_rows("sex", [["f", "*"], ["m; w", "*"]]))
    'f;*\n"m; w";*\n'
    """
    cells = [[_cell(label, hierarchy) for label in level] for level in hierarchy.labels]
    maps = hierarchy.maps.tolist()
    lines = zip(
        *([level[i] for i in row] for level, row in zip(cells, maps, strict=True)), strict=True
    )
    return "".join(f"{';'.join(line)}\n" for line in lines)


def _cell(label: Any, hierarchy: Hierarchy) -> str:
    if label is None:
        return ""
    text = spelling(label)
    if whole_characters(text) != text:
        raise BadChoice(
            f"The value {text!r} of {hierarchy.column!r} holds half of a character, which cannot "
            "be written."
        )
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
