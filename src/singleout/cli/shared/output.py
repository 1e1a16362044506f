"""The output of every command: files are checked before any work, and written together.

A command makes `Outputs` first, which refuses what could not be written. It then works under
`shown_if_slow`, writes its files, and shows the result as tables or as JSON. The words on the
screen come from the catalogue, under ``[screen]``.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from singleout import __version__
from singleout.cli.shared.streams import screen_beside
from singleout.cli.shared.talk import is_quiet
from singleout.core.output_files import write_safely, write_together
from singleout.core.progress import working_on
from singleout.core.results import check_finite
from singleout.core.targets import STANDARD_OUTPUT, free_target, target_of
from singleout.core.text import json_text, printable, spreadsheet_safe
from singleout.core.wording import figure, in_english, in_figures, percent
from singleout.errors import BadChoice
from singleout.report.say import say, speaking

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "Outputs",
    "check_chart",
    "number",
    "print_json",
    "print_table",
    "share_of",
    "show_table",
    "tell",
    "write_chart",
    "write_rows",
]

_CHART_KINDS = (".html", ".json", ".pdf", ".png", ".svg")
_WIDTH_OF_A_PIPE = 160
_TOO_LONG = 1e15  # of a number to be read digit by digit

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where the result of a command goes; making it refuses what could not be written later.

    ``files`` are outputs other than a CSV file and a picture. ``read`` is everything that is read,
    data and other files: not even ``force`` writes over it. ``engine`` is the one that the user
    chose.
    """

    json: bool = False
    csv: Path | None = None
    plot: Path | None = None
    files: Sequence[Path | None] = ()
    force: bool = False
    read: Sequence[str | Path | None] = ()
    engine: str | None = None

    def __post_init__(self) -> None:
        paths = [self.csv, *self.files]
        check_free(paths, force=self.force, read=self.read, engine=self.engine, plot=self.plot)
        piped = [path for path in (*paths, self.plot) if path == STANDARD_OUTPUT]
        if len(piped) + (self.json and bool(piped)) > 1:
            raise BadChoice(
                "Only one result can go to the standard output; give '-' once, without --json."
            )
        if piped:
            screen_beside()

    def write(
        self,
        *,
        rows: Callable[[], Sequence[Row]] | None = None,
        chart: Callable[[], alt.TopLevelMixin] | None = None,
        files: Mapping[Path | None, Callable[[Path], Any]] | None = None,
        private: Collection[Path | None] = (),
    ) -> None:
        """Write all files that were asked for, or none: rows as CSV, a chart and others.

        New files that are ``private`` can be read by their owner only.
        """
        writers = list((files or {}).items())
        if rows is not None:
            writers.append((self.csv, lambda part: _write_rows(part, rows)))
        if chart is not None:
            writers.append((self.plot, lambda part: write_chart(part, chart())))
        once: dict[Path, Callable[[Path], Any]] = {}
        again = []
        for path, write in writers:
            if path in once:
                again.append((path, write))
            elif path is not None:
                once[path] = write
        if once:
            working_on("Writing")
            write_together(once, force=self.force, private=[path for path in private if path])
        for path, write in again:  # only a stream can be given twice
            write_safely(path, write, force=self.force)

    def show(self, plain: Row | Callable[[], Row], for_people: Callable[[], object]) -> None:
        """Print the result as JSON, with the version of singleout, or as people read it.

        ``plain`` is what JSON holds, or a function that returns it where that takes a while.
        """
        if not self.json:
            for_people()
            return
        with speaking("en"):  # programs read the same in every language
            answer = plain() if callable(plain) else plain
        print_json(answer if "singleout" in answer else {"singleout": __version__, **answer})

    def tell_written(self) -> None:
        """Print which files were written."""
        paths = filter(None, [*self.files, self.csv, self.plot])
        tell(*(say("screen.written", file=path) for path in paths))


# ---- files, checked before any work


def check_chart(path: Path | None) -> None:
    """Refuse the name of a picture whose format cannot be written."""
    if path is not None and path.suffix.lower() not in _CHART_KINDS:
        raise BadChoice(
            f"A picture cannot be written as {path.name!r}; end the name in one of "
            f"{', '.join(_CHART_KINDS)}."
        )


def check_free(
    paths: Iterable[Path | None],
    *,
    force: bool,
    read: Sequence[str | Path | None] = (),
    engine: str | None = None,
    plot: Path | None = None,
) -> None:
    """Refuse, before any work is done, outputs that cannot be written or would overwrite data."""
    from singleout.engines.inputs import Inputs

    inputs = Inputs(read, spark=engine == "spark")
    taken: list[Path] = []
    for path in filter(None, [*paths, plot]):
        target = target_of(path)
        if inputs.hold(target):
            raise BadChoice(
                f"{str(path)!r} is the data itself, or another file that is read here; choose "
                "another name."
            )
        if inputs.would_hold(target):
            raise BadChoice(
                f"{str(path)!r} would be a part of the data the next time it is read; choose "
                "another name or folder."
            )
        if target.file in taken:
            raise BadChoice(f"{str(path)!r} is asked for twice; choose another name.")
        free_target(path, force=force)
        taken += [] if target.is_stream else [target.file]
    check_chart(plot)


# ---- their content


def write_rows(part: Path, rows: Sequence[Row], heads: Sequence[str] = ()) -> None:
    """Write the content of a CSV file that is harmless in a spreadsheet.

    ``heads`` are needed where there may be no rows.
    """
    check_finite(rows)
    rows = in_english(rows)
    with part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([spreadsheet_safe(name) for name in heads or rows[0]])
        writer.writerows([spreadsheet_safe(cell) for cell in row.values()] for row in rows)


def _write_rows(part: Path, rows: Callable[[], Sequence[Row]]) -> None:
    with speaking("en"):  # programs read the same in every language
        write_rows(part, rows())


def write_chart(part: Path, chart: alt.TopLevelMixin) -> None:
    """Write the content of a picture, in the format that the name asks for."""
    from singleout.report.offline import offline

    kind = part.suffix.lower()
    options: dict[str, Any] = {"format": kind[1:]}
    if kind == ".png":
        options["ppi"] = 144
    offline(chart).save(str(part), **options)


def print_json(answer: Any) -> None:
    """Print a result as JSON."""
    check_finite(answer)
    sys.stdout.write(json_text(in_english(answer)))


# ---- the screen


class _Screen(Console):
    """A console for untrusted text: no control character gets through, whoever prints."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(_shown(o) if isinstance(o, str) else o for o in objects), **options)


def _shown(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def screen() -> Console:
    """Return where tables go: the terminal's width, or a generous one for a pipe or a file."""
    return _Screen(
        width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE, highlight=False, markup=False
    )


def tell(*sentences: str, warnings: Iterable[str] = (), notes: Iterable[str] = ()) -> None:
    """Print sentences, then warnings and notes, each of these once."""
    out = screen()
    warned = [say("screen.warning", text=text) for text in dict.fromkeys(warnings)]
    kept = () if is_quiet() else dict.fromkeys(notes)
    remarks = [say("screen.note", text=text) for text in kept]
    for line in (*sentences, *warned, *remarks):
        out.print(line, soft_wrap=True)


def show_table(key: str, rows: Iterable[Sequence[str]], **values: Any) -> None:
    """Print a table whose title and heads the catalogue has under this key."""
    heads = say(f"{key}.heads", **values).split(" | ")
    print_table(say(f"{key}.title", **values), heads, rows)


def print_table(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, narrow: bool = False
) -> None:
    """Print a table whose first column is text and whose others are numbers.

    A ``narrow`` one has no room between columns but a blank: for many columns of few digits.
    """
    table = RichTable(
        title=Text(printable(title)),
        title_justify="left",
        box=box.SIMPLE,
        pad_edge=False,
        padding=(0, 0) if narrow else (0, 1),
    )
    table.add_column(Text(printable(heads[0])), overflow="fold")
    for head in heads[1:]:
        table.add_column(Text(printable(head)), justify="right")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    screen().print(table)


def share_of(part: int, whole: int) -> str:
    """Return a measured share in percent; a dash where there is nothing to be a share of."""
    return percent(part / whole) if whole else "–"


def number(value: float | None) -> str:
    """Return a number as people read it; a dash where there is none."""
    if value is None:
        return "–"
    check_finite(value, "A number")
    if abs(value) >= _TOO_LONG:
        return in_figures(value)
    if isinstance(value, int) or float(value).is_integer():
        return figure(int(value))
    return figure(value, ",.2f" if abs(value) < 1000 else ",.0f")
