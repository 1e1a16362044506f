"""How results leave the command line: tables for people, JSON for programs, files for both."""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from singleout.core.text import printable, spreadsheet_safe
from singleout.errors import BadChoice, UnreadableFile

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "check_chart",
    "check_free",
    "number",
    "print_json",
    "print_table",
    "save_chart",
    "screen",
    "share",
    "write_csv",
    "write_safely",
]

_CHART_KINDS = (".html", ".json", ".pdf", ".png", ".svg")
_WIDTH_OF_A_PIPE = 160


def screen() -> Console:
    """Return where tables go: the terminal's width, or a generous one for a pipe or a file."""
    return Console(
        width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE, highlight=False, markup=False
    )


def share(part: int, whole: int) -> str:
    """Return a share as a percentage that is never rounded to nothing or to everything."""
    if whole == 0:
        return "–"
    for digits in range(1, 8):
        text = f"{part / whole:.{digits}%}"
        if (float(text[:-1]) == 0) == (part == 0) and (float(text[:-1]) == 100) == (part == whole):
            return text
    return text


def number(value: float | None) -> str:
    """Return a number as people read it; a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is text and whose others are numbers."""
    table = RichTable(title=Text(title), title_justify="left", box=box.SIMPLE, pad_edge=False)
    table.add_column(Text(heads[0]), overflow="fold")
    for head in heads[1:]:
        table.add_column(Text(head), justify="right")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    screen().print(table)


def print_json(answer: Any) -> None:
    """Print a result as JSON."""
    sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def write_csv(path: Path, rows: Sequence[dict[str, Any]], *, force: bool) -> None:
    """Write rows as a CSV file that is harmless in a spreadsheet."""

    def write(part: Path) -> None:
        with part.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([spreadsheet_safe(name) for name in rows[0]])
            writer.writerows([spreadsheet_safe(cell) for cell in row.values()] for row in rows)

    write_safely(path, write, force=force)


def save_chart(path: Path, chart: alt.TopLevelMixin, *, force: bool) -> None:
    """Write a picture, in the format that the name asks for."""
    check_chart(path)
    kind = path.suffix.lower()
    options: dict[str, Any] = {"format": kind[1:]}
    if kind == ".html":
        options["inline"] = True  # the page must open without a network
    if kind == ".png":
        options["ppi"] = 144
    write_safely(path, lambda part: chart.save(str(part), **options), force=force)


def check_chart(path: Path | None) -> None:
    """Refuse the name of a picture whose format cannot be written."""
    if path is not None and path.suffix.lower() not in _CHART_KINDS:
        raise BadChoice(
            f"A picture cannot be written as {path.name!r}; end the name in one of "
            f"{', '.join(_CHART_KINDS)}."
        )


def check_free(paths: Iterable[Path | None], *, force: bool, data: str | None) -> None:
    """Refuse, before any work is done, what could not be written after it, or would lose data.

    ``data`` is the file that is read, which not even force writes over; None if there is none.
    """
    taken = [Path(data).expanduser().resolve()] if data else []
    for path in filter(None, paths):
        if path.resolve() in taken:
            raise BadChoice(
                f"{str(path)!r} is the data itself, or is asked for twice; choose another name."
            )
        taken.append(path.resolve())
        if path.is_dir():
            raise BadChoice(f"{str(path)!r} is a folder; give the name of a file.")
        if path.exists() and not force:
            raise BadChoice(f"{str(path)!r} exists already; choose another name, or add --force.")
        if not path.parent.is_dir():
            raise UnreadableFile(
                f"There is no folder {str(path.parent)!r} to write {path.name!r} to."
            )


def _umask() -> int:
    mask = os.umask(0)  # it can only be read by setting it
    os.umask(mask)
    return mask


def write_safely(path: Path, write: Callable[[Path], None], *, force: bool) -> None:
    """Write a file whole or not at all, and never over another one unless forced."""
    check_free([path], force=force, data=None)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".singleout-", suffix=path.suffix)
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())  # a temporary file is for its owner only
        part.replace(path)
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
