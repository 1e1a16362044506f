"""Files of statistical packages without some of their records, with all labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.part_files import require_room
from singleout.core.table import Table
from singleout.errors import UnreadableFile

__all__ = ["WRITABLE", "copy_statistical", "write_statistical"]

_LABELS = "variable_value_labels"
# extension: the suffix of the functions of pyreadstat, the metadata that can be written
WRITABLE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    ".sav": (
        "sav",
        ("notes", "missing_ranges", _LABELS, "variable_display_width", "variable_measure"),
    ),
    ".dta": ("dta", ("missing_user_values", _LABELS)),
    ".xpt": ("xport", ("table_name",)),
}


def copy_statistical(
    source: Path, kept: pl.Series, to: Path, *, extension: str, encoding: str | None = None
) -> None:
    """Copy the kept records with numbers and dates as the file stores them."""
    import pyreadstat

    function, attributes = WRITABLE[_base(extension)]
    options: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    if function != "xport":  # values that the file declares missing must not become null
        options["user_missing"] = True
    frame, about = getattr(pyreadstat, f"read_{function}")(
        source, output_format="polars", disable_datetime_conversion=True, **options
    )
    metadata = {name: getattr(about, name) for name in attributes}
    metadata["note"] = metadata.pop("notes", None)
    formats = {name: form for name, form in about.original_variable_types.items() if form}
    _save(
        function,
        frame.filter(kept),
        to,
        file_label=about.file_label or "",
        column_labels=about.column_names_to_labels,
        variable_format=formats,
        **{option: value for option, value in metadata.items() if value},
        **_compression(extension),
    )


def write_statistical(frame: pl.DataFrame, table: Table, to: Path, *, extension: str) -> None:
    """Write a table that was read from another format, with its labels."""
    function, attributes = WRITABLE[_base(extension)]
    labels = {column.name: dict(column.labels) for column in table if column.labels}
    has_labels = labels and _LABELS in attributes
    _save(
        function,
        frame,
        to,
        column_labels={column.name: column.description for column in table if column.description},
        **({_LABELS: labels} if has_labels else {}),
        **_compression(extension),
    )


def _base(extension: str) -> str:
    return ".sav" if extension == ".zsav" else extension


def _compression(extension: str) -> dict[str, bool]:
    return {"compress": True} if extension == ".zsav" else {}


def _save(function: str, frame: pl.DataFrame, to: Path, **options: Any) -> None:
    import pyreadstat

    try:
        getattr(pyreadstat, f"write_{function}")(frame, to, **options)
    # a name or a value that the format does not allow
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        require_room(to)
        raise UnreadableFile(
            f"The reduced table cannot be written as {to.suffix}: {error}; write it as .csv or "
            ".parquet instead."
        ) from None
    require_room(to)  # readstat does not report a truncated transport file
