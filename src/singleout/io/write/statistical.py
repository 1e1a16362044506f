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

# extension: the reader and the writer of pyreadstat, the options of the writer and the
# attributes of the metadata they come from
WRITABLE: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    ".sav": (
        "read_sav",
        "write_sav",
        {
            "note": "notes",
            "missing_ranges": "missing_ranges",
            "variable_value_labels": "variable_value_labels",
            "variable_display_width": "variable_display_width",
            "variable_measure": "variable_measure",
        },
    ),
    ".dta": (
        "read_dta",
        "write_dta",
        {
            "missing_user_values": "missing_user_values",
            "variable_value_labels": "variable_value_labels",
        },
    ),
    ".xpt": ("read_xport", "write_xport", {"table_name": "table_name"}),
}


def copy_statistical(
    source: Path, kept: pl.Series, to: Path, *, extension: str, encoding: str | None = None
) -> None:
    """Copy the kept records with numbers and dates as the file stores them."""
    import pyreadstat

    reader, writer, described = WRITABLE[_base(extension)]
    options: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    if reader != "read_xport":  # values that the file declares missing must not become null
        options["user_missing"] = True
    frame, about = getattr(pyreadstat, reader)(
        source, output_format="polars", disable_datetime_conversion=True, **options
    )
    labels = {option: getattr(about, attribute) for option, attribute in described.items()}
    formats = {name: form for name, form in about.original_variable_types.items() if form}
    _save(
        writer,
        frame.filter(kept),
        to,
        file_label=about.file_label or "",
        column_labels=about.column_names_to_labels,
        variable_format=formats,
        **{option: value for option, value in labels.items() if value},
        **_compression(extension),
    )


def write_statistical(frame: pl.DataFrame, table: Table, to: Path, *, extension: str) -> None:
    """Write a table that was read from another format, with its labels."""
    _, writer, described = WRITABLE[_base(extension)]
    labels = {column.name: dict(column.labels) for column in table if column.labels}
    has_labels = labels and "variable_value_labels" in described
    _save(
        writer,
        frame,
        to,
        column_labels={column.name: column.description for column in table if column.description},
        **({"variable_value_labels": labels} if has_labels else {}),
        **_compression(extension),
    )


def _base(extension: str) -> str:
    return ".sav" if extension == ".zsav" else extension


def _compression(extension: str) -> dict[str, bool]:
    return {"compress": True} if extension == ".zsav" else {}


def _save(writer: str, frame: pl.DataFrame, to: Path, **options: Any) -> None:
    import pyreadstat

    try:
        getattr(pyreadstat, writer)(frame, to, **options)
    # a name or a value that the format does not allow
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        require_room(to)
        raise UnreadableFile(
            f"The reduced table cannot be written as {to.suffix}: {error}; write it as .csv or "
            ".parquet instead."
        ) from None
    require_room(to)  # readstat does not report a truncated transport file
