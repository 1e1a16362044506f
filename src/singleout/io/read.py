"""Read any table: a file of any known format, a data frame of any library, or a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from singleout.core.frames import refuse_lost_threads
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.encode import encode
from singleout.io.files import checked_file, extension_by_content, first_bytes, looks_like
from singleout.io.formats.excel import read_excel
from singleout.io.formats.frames import read_frame
from singleout.io.formats.r import read_r
from singleout.io.formats.statistical import STATISTICAL, read_statistical
from singleout.io.formats.typed import read_arrow, read_json, read_parquet
from singleout.io.names import pick
from singleout.io.source import Source
from singleout.io.text.delimited import read_delimited
from singleout.io.together import read_together
from singleout.io.unpack import refuse_what_unpacks_too_large, require_unchanged, state_of

__all__ = ["EXTENSIONS", "options_of", "read"]


@dataclass(frozen=True)
class _Format:
    """A file format: its name in words, its reader, the options that apply to it.

    ``unpacks`` says whether the reader unpacks all of a file at once.
    """

    words: str
    reader: Callable[..., Source]
    options: tuple[str, ...] = ()
    unpacks: bool = False


_ROWS = ("header_row", "skip_rows")
_DELIMITED = _Format("delimited text", read_delimited, (*_ROWS, "delimiter", "quote", "encoding"))
_WORKBOOK = _Format("a workbook", read_excel, ("sheet", *_ROWS, "range"), unpacks=True)
_ARROW = _Format("an Arrow file", read_arrow)
_JSON = _Format("a JSON file", read_json)
_R = _Format("an R data file", read_r, ("name", "encoding"), unpacks=True)

_FORMATS: Mapping[str, _Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".tab"), _DELIMITED),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), _WORKBOOK),
    **dict.fromkeys((".arrow", ".arrows", ".feather", ".ipc"), _ARROW),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), _JSON),
    **dict.fromkeys((".rds", ".rda", ".rdata"), _R),
    **{
        extension: _Format(words, partial(read_statistical, extension=extension), ("encoding",))
        for extension, (_, words) in STATISTICAL.items()
    },
    ".parquet": _Format("a Parquet file", read_parquet),
    ".pq": _Format("a Parquet file", read_parquet),
}

EXTENSIONS = tuple(_FORMATS)


def read(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    missing_values: Sequence[Any] = (),
    missing: str | None = None,
    roles: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip_rows: Any = None,
    range: str | None = None,  # noqa: A002 - the word that users know
    name: str | None = None,
) -> Table:
    """Read a table and encode it, ready for counting.

    Values stay as their source typed them: in a text file ``01`` and ``1`` are different.

    The arguments are those of `singleout.engines.reading.read`, which also takes remote data.
    """
    named: dict[str, Any] = {"delimiter": delimiter, "quote": quote, "encoding": encoding}
    named |= {"sheet": sheet, "header_row": header_row, "skip_rows": skip_rows, "range": range}
    named |= {"name": name}
    options = {option: value for option, value in named.items() if value is not None}
    if isinstance(data, Table):
        if missing_values:
            raise BadChoice(
                "missing_values cannot be given with a Table, whose values are encoded already; "
                "give them where the data are read."
            )
        _refuse(options, (), "a Table")
        return _adjusted(data, columns, missing, roles)
    refuse_lost_threads()
    if isinstance(data, str | os.PathLike):
        source = _read_file(checked_file(data), columns, options)
    elif _are_paths(data):
        paths = [checked_file(path) for path in data]
        source = read_together(paths, lambda path: _read_file(path, columns, options))
    else:
        _refuse(options, (), f"a {type(data).__name__}")
        working_on("Reading the data frame")
        source = read_frame(data, columns)
    if isinstance(missing_values, str) or not isinstance(missing_values, Iterable):
        missing_values = [missing_values]
    return encode(source, missing_values=missing_values, missing=missing or "value", roles=roles)


def _are_paths(data: Any) -> bool:
    """Whether data is several files, to be read as one table."""
    listed = isinstance(data, list | tuple) and len(data) > 0
    return listed and all(isinstance(one, str | os.PathLike) for one in data)


def _read_file(path: Path, columns: Sequence[str] | None, options: Mapping[str, Any]) -> Source:
    working_on(f"Reading {path.name}")
    kind = _format(path)
    _refuse(options, kind.options, f"{path.name}, {kind.words}")
    state = state_of(path)
    if kind.unpacks:
        refuse_what_unpacks_too_large(path)
    try:
        return kind.reader(path, columns, **options)
    finally:  # an error may come from a file that is being written
        require_unchanged(path, state)


def options_of(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return the format of a file in words, and the options that it can be read with."""
    kind = _format(path)
    return kind.words, kind.options


def _format(path: Path) -> _Format:
    """Return the format of a file: by its extension, or by its content if that is unknown."""
    extensions = [part.lower() for part in path.suffixes]
    if extensions[-1:] == [".gz"]:
        inner = _FORMATS.get(extensions[-2], _DELIMITED) if len(extensions) > 1 else _DELIMITED
        if inner in (_DELIMITED, _JSON):
            return inner
        raise UnreadableFile(
            f"{path.name} is compressed with gzip, which only text files may be; unpack it first."
        )
    extension = extensions[-1] if extensions else ""
    if extension in _FORMATS:
        return _FORMATS[extension]
    by_content = extension_by_content(path)
    if by_content is not None:
        return _FORMATS[by_content]
    seems = looks_like(first_bytes(path))
    if seems is not None and seems != "a gzip archive":
        raise UnreadableFile(
            f"{path.name} looks like {seems}, which cannot be read as a table; "
            f"files that can be read are {', '.join(EXTENSIONS)}."
        )
    return _DELIMITED


def _refuse(options: Mapping[str, Any], allowed: Sequence[str], what: str) -> None:
    """Refuse an option that does not apply: none is accepted and ignored."""
    unused = [option for option in options if option not in allowed]
    if unused:
        usable = f"options for it: {', '.join(allowed)}" if allowed else "it has no such options"
        raise BadChoice(f"{unused[0]} has no meaning for {what}; {usable}.")


def _adjusted(
    table: Table,
    columns: Sequence[str] | None,
    missing: str | None,
    roles: Mapping[str, str] | None,
) -> Table:
    if columns is not None:
        table = table.select(pick(columns, table.columns))
    if roles:
        table = table.with_roles(roles)
    return table if missing is None else table.with_missing(missing)
