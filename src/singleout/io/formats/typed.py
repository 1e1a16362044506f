"""Files with typed columns: Parquet, Arrow and JSON. The types are preserved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.memory import require_memory
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.files import damaged, first_bytes
from singleout.io.names import all_different, pick
from singleout.io.source import Source
from singleout.io.text.encoding import OtherEncoding, Text, open_text
from singleout.io.values import series_of

__all__ = ["read_arrow", "read_json", "read_parquet"]

_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
_VIEW = 16  # bytes of a cell of text, at least


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Source:
    """Read the selected columns of a Parquet file."""
    with _errors_of_polars(path.name, "a Parquet file"):
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        schema = lazy.collect_schema()
        wanted = pick(columns, all_different(schema.names(), path.name))
        rows = lazy.select(pl.len()).collect().item()
        # a constant column takes almost no space in the file
        least = sum(_VIEW if schema[name] in (pl.String, pl.Binary) else 1 for name in wanted)
        require_memory(rows * least, f"Reading {path.name}")
        return Source(lazy.select(wanted).collect(), path.name)


def read_arrow(path: Path, columns: Sequence[str] | None = None) -> Source:
    """Read the selected columns of an Arrow file (Feather, IPC), or of a stream in a file."""
    head = first_bytes(path)
    if head.startswith(b"FEA1"):
        raise UnreadableFile(
            f"{path.name} is a Feather file of version 1, which is no longer in use; "
            "save it as Feather version 2 or as Parquet."
        )
    # not by its path: polars would map the file into memory, and if a mapped file is truncated
    # meanwhile, the process dies
    require_memory(path.stat().st_size, f"Reading {path.name}")
    raw = path.read_bytes()
    with _errors_of_polars(path.name, "an Arrow file"):
        if head.startswith(b"ARROW1"):
            names = list(pl.read_ipc_schema(BytesIO(raw)))
            wanted = pick(columns, all_different(names, path.name))
            frame = pl.read_ipc(raw, columns=wanted)
        else:
            frame = pl.read_ipc_stream(raw)
            wanted = pick(columns, all_different(frame.columns, path.name))
        return Source(frame.select(wanted), path.name)


def read_json(path: Path, columns: Sequence[str] | None = None) -> Source:
    """Read JSON lines, or one JSON list of objects; an absent key is a missing value."""
    text = open_text(path)
    listed = text.head.lstrip().startswith("[")
    # as bytes: polars would not skip a byte order mark, and would take brackets for a glob
    try:
        data = text.everything()
    except OtherEncoding:
        text = text.as_western()
        data = text.everything()
    frame = None
    # polars reads true in a list as 1, and a lone surrogate as a zero byte
    if not listed and not _LONE_SURROGATE.search(data):
        try:
            frame = pl.scan_ndjson(data, infer_schema_length=None).collect()
        except (pl.exceptions.PolarsError, OSError):
            frame = None  # not JSON, or mixed types in a column: Python decides
    if frame is None or _may_have_merged(frame):
        frame = _by_python(text, listed=listed)
    frame = frame.select(pick(columns, all_different(frame.columns, text.name)))
    return Source(frame, text.name, notes=text.notes)


def _may_have_merged(frame: pl.DataFrame) -> bool:
    """Whether polars may have made two values equal, such as 1 and ``"1"``.

    Text may have been a number, a truth value or a list; a large float an integer.
    """
    bare = r"^(true|false|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[\[{].*)$"
    doubts = frame.select(
        pl.col(pl.String).str.contains(bare).any(), (pl.col(pl.Float64).abs() >= 2**53).any()
    )
    return any(doubts.row(0)) if doubts.width else False


def _by_python(text: Text, *, listed: bool) -> pl.DataFrame:
    objects = list(_members(text) if listed else _lines(text))
    keys = dict.fromkeys(name for member in objects for name in member)
    names = all_different(keys, text.name)
    return pl.DataFrame(
        [series_of(name, [member.get(name) for member in objects]) for name in names]
    )


def _members(text: Text) -> Iterator[dict[str, Any]]:
    with text.opened() as file:
        try:
            members = json.load(file)
        except (ValueError, RecursionError) as error:
            raise UnreadableFile(
                f"{text.name} is not valid JSON, cut off or damaged: {error}."
            ) from None
    for number, member in enumerate(members, 1):
        if not isinstance(member, dict):
            raise UnusableTable(
                f"{text.name}, item {number} of the list is not an object; "
                'each must be one record, such as {"age": 30}.'
            )
        yield member


def _lines(text: Text) -> Iterator[dict[str, Any]]:
    with text.opened() as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                member = json.loads(line)
            except (ValueError, RecursionError):
                member = None
            if not isinstance(member, dict):
                raise UnreadableFile(
                    f"{text.name}, line {number} is not a JSON object; each line must be one "
                    'record, such as {"age": 30}, or the whole file one list of them.'
                )
            yield member


@contextmanager
def _errors_of_polars(name: str, kind: str) -> Iterator[None]:
    """Turn errors of polars into those of a damaged file."""
    try:
        yield
    except pl.exceptions.DuplicateError:
        raise UnusableTable(
            f"{name} has more than one column of the same name; column names must be different."
        ) from None
    except pl.exceptions.PanicException:  # not an Exception, hence on its own
        raise UnreadableFile(
            f"{name} cannot be read as {kind}: it is damaged, or holds something unusual such as "
            "two columns of the same name."
        ) from None
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise damaged(name, kind, f" ({reason})") from None
