"""How results leave the command line: tables for people, JSON for programs, files for both."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from singleout.cli.files import check_chart, check_free
from singleout.core.output_files import write_safely
from singleout.core.results import check_finite
from singleout.core.text import json_text, printable, spreadsheet_safe
from singleout.core.wording import in_figures

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
    "write_chart",
    "write_csv",
    "write_rows",
    "write_safely",
]

_WIDTH_OF_A_PIPE = 160
_TOO_LONG = 1e15  # of a number to be read digit by digit


class _Screen(Console):
    """A console for text from strangers: no control character gets through, whoever prints."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(_shown(o) if isinstance(o, str) else o for o in objects), **options)


def _shown(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def screen() -> Console:
    """Return where tables go: the terminal's width, or a generous one for a pipe or a file."""
    return _Screen(
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
    check_finite(value, "A number")
    if abs(value) >= _TOO_LONG:
        return in_figures(value)
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is text and whose others are numbers."""
    table = RichTable(
        title=Text(printable(title)), title_justify="left", box=box.SIMPLE, pad_edge=False
    )
    table.add_column(Text(printable(heads[0])), overflow="fold")
    for head in heads[1:]:
        table.add_column(Text(printable(head)), justify="right")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    screen().print(table)


def print_json(answer: Any) -> None:
    """Print a result as JSON."""
    check_finite(answer)
    sys.stdout.write(json_text(answer))


def write_csv(
    path: Path, rows: Sequence[dict[str, Any]], *, force: bool, private: bool = False
) -> None:
    """Write rows as a CSV file; a new one that is private is for its owner only."""
    check_finite(rows)
    write_safely(path, lambda part: write_rows(part, rows), force=force, private=private)


def write_rows(part: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the content of a CSV file that is harmless in a spreadsheet."""
    with part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([spreadsheet_safe(name) for name in rows[0]])
        writer.writerows([spreadsheet_safe(cell) for cell in row.values()] for row in rows)


def save_chart(path: Path, chart: alt.TopLevelMixin, *, force: bool, private: bool = False) -> None:
    """Write a picture, in the format that the name asks for."""
    check_chart(path)
    write_safely(path, lambda part: write_chart(part, chart), force=force, private=private)


def write_chart(part: Path, chart: alt.TopLevelMixin) -> None:
    """Write the content of a picture, in the format that the name asks for."""
    from singleout.report.offline import offline

    kind = part.suffix.lower()
    options: dict[str, Any] = {"format": kind[1:]}
    if kind == ".png":
        options["ppi"] = 144
    offline(chart).save(str(part), **options)
