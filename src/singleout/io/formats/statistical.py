"""Files of statistical packages: SPSS, Stata and SAS, with their labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from singleout.errors import BadChoice, UnreadableFile
from singleout.io.files import damaged
from singleout.io.names import all_different, pick
from singleout.io.source import Source
from singleout.io.values import blank_as_missing

__all__ = ["STATISTICAL", "read_statistical"]

# extension: the function of pyreadstat, the format in words
STATISTICAL: Mapping[str, tuple[str, str]] = {
    ".sav": ("read_sav", "an SPSS file"),
    ".zsav": ("read_sav", "an SPSS file"),
    ".por": ("read_por", "an SPSS portable file"),
    ".dta": ("read_dta", "a Stata file"),
    ".sas7bdat": ("read_sas7bdat", "a SAS file"),
    ".xpt": ("read_xport", "a SAS transport file"),
}


def read_statistical(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    extension: str,
    encoding: str | None = None,
) -> Source:
    """Read the selected columns, with their labels and the labels of their values.

    Values that the file declares missing are missing, and so is empty text: these packages have
    no other missing text.
    """
    import pyreadstat

    function, kind = STATISTICAL[extension]
    read: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, function)
    options = {} if encoding is None else {"encoding": encoding}
    try:
        about = read(path, metadataonly=True, output_format="dict", **options)[1]
        wanted = pick(columns, all_different(about.column_names, path.name))
        frame, about = read(path, usecols=wanted, output_format="polars", **options)
    # OverflowError: a date beyond the year 9999
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OverflowError) as error:
        if encoding is not None and "character set" in str(error):
            raise BadChoice(
                f"{encoding!r} is not an encoding that {path.name} can be read in; "
                "try 'utf-8' or 'windows-1252', or leave encoding out."
            ) from None
        raise damaged(path.name, kind, f" ({error})") from None
    except UnicodeDecodeError:
        raise UnreadableFile(
            f"{path.name} has text in another encoding than it says; give the encoding, "
            "such as 'windows-1252'."
        ) from None
    frame = blank_as_missing(frame.select(wanted))
    return Source(
        frame,
        path.name,
        labels=_labels(frame, about.variable_value_labels),
        descriptions={name: words for name, words in about.column_names_to_labels.items() if words},
    )


def _labels(
    frame: pl.DataFrame, labels_in_file: Mapping[str, Mapping[Any, str]]
) -> dict[str, dict[Any, str]]:
    """Return the labels by values of the column's type, without those of missing codes."""
    labels = {}
    for name, words in labels_in_file.items():
        if name not in frame.columns:
            continue
        kind = frame.schema[name]
        convert = str if kind == pl.String else int if kind.is_integer() else float
        labels[name] = {
            convert(value): text
            for value, text in words.items()
            if isinstance(value, str) == (kind == pl.String)
        }
    return labels
