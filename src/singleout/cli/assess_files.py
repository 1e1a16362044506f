"""Several files at once: each is assessed alone, and a table shows one line for each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from singleout.assessment.report.json import report_json
from singleout.assessment.result import Assessment
from singleout.cli.assess import NOT_MET
from singleout.cli.shared.advice import as_options, without_passwords
from singleout.cli.shared.output import number, print_json, share_of, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.output_files import write_safely
from singleout.core.paths import expanded
from singleout.core.progress import working_on
from singleout.core.text import printable
from singleout.errors import BadChoice, SingleoutError, UnwritableOutput
from singleout.report.say import say, speaking
from singleout.report.translation import translated

__all__ = ["assess_each", "data_files", "report_paths"]

_BAD_FILE = 2  # the exit code if a file cannot be assessed

_INDEX = "index.html"  # nobody's report: a server shows it in place of the folder
_NAMES = 5  # of files that are left out
_KEY = "screen.assess.files"


# ---- which files


def data_files(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the data with the files of folders in place of these, and notes on what is left out.

    A folder with Parquet files is one table and stays as it is.
    """
    files: list[str] = []
    notes: list[str] = []
    for one in given:
        if not _is_folder(one):
            files.append(one)
            continue
        held, others = _in_folder(one)
        files += held
        if others:
            more = ["…"] if len(others) > _NAMES else []
            names = ", ".join([*others[:_NAMES], *more])
            notes.append(say(f"{_KEY}.left_out", n=len(others), names=names))
    return list(dict.fromkeys(files)), notes


def _is_folder(text: str) -> bool:
    """Whether a text is a folder of files that are tables of their own."""
    from singleout.engines.sql.engine import Database
    from singleout.io.files import scheme_of

    if scheme_of(text) is not None or not text.strip() or "\0" in text:
        return False
    try:
        return expanded(text).is_dir() and not Database.claims(text)
    except (OSError, RuntimeError):  # a name too long, or no home folder: the reader says so
        return False


def _in_folder(text: str) -> tuple[list[str], list[str]]:
    """Return the paths of the data files in a folder, and the names of other files."""
    from singleout.io.read import EXTENSIONS

    try:
        entries = sorted(entry for entry in expanded(text).iterdir() if entry.is_file())
    except OSError as error:
        raise BadChoice(f"The folder {text!r} cannot be read: {error.strerror}.") from None
    seen = [entry for entry in entries if not entry.name.startswith((".", "~$"))]
    named = {entry: entry.name.lower().removesuffix(".gz") for entry in seen}
    held = [entry for entry, name in named.items() if name.endswith(EXTENSIONS)]
    if not held:
        raise BadChoice(
            f"There is no data file in the folder {text!r}; files that can be read are "
            f"{', '.join(EXTENSIONS)}."
        )
    return [str(entry) for entry in held], [one.name for one in seen if one not in held]


# ---- where their reports go


def report_paths(
    folder: Path | None, files: Sequence[str], alone: Mapping[str, Any]
) -> dict[str, Path | None]:
    """Return the report of each file; refuse outputs that only one file can have."""
    given = [option for option, value in alone.items() if value is not None]
    if given:
        raise BadChoice(
            f"{given[0]} is for one table, and {len(files):,} are given; leave it out, assess one "
            "file at a time, or add --together if they are one table."
        )
    if folder is None:
        return dict.fromkeys(files)
    if folder.suffix.lower() in (".html", ".htm") or (folder.exists() and not folder.is_dir()):
        raise BadChoice(
            f"{len(files):,} files have a report each, so --output is a folder, not "
            f"{str(folder)!r}; give the name of a folder."
        )
    if not folder.parent.is_dir():
        raise BadChoice(f"There is no folder {str(folder.parent)!r} to make {folder.name!r} in.")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UnwritableOutput(
            f"The folder {str(folder)!r} cannot be made: {error.strerror}."
        ) from None
    taken = {_INDEX}
    return {file: folder / _free_name(Path(file).name, taken) for file in files}


def _free_name(name: str, taken: set[str]) -> str:
    """Return the name of a report; files of the same name are in different folders."""
    free, at = f"{name}.html", 1
    while free.lower() in taken:  # some systems do not tell upper case from lower
        at += 1
        free = f"{name}-{at}.html"
    taken.add(free.lower())
    return free


# ---- one by one


@dataclass(frozen=True)
class _Line:
    """What is shown of a file: its assessment, without the records, or why there is none."""

    file: str
    error: str = ""
    cells: tuple[str, ...] = ()
    plain: Mapping[str, Any] | None = None  # of the JSON
    gate: str = ""
    met: bool | None = None
    warnings: tuple[str, ...] = ()
    guessed: bool = False
    report: Path | None = None


def assess_each(
    reports: Mapping[str, Path | None],
    measure: Callable[[str], Assessment],
    *,
    json: bool,
    show_records: bool,
    force: bool,
    notes: Sequence[str],
) -> None:
    """Assess files one by one, show a line for each, and leave with the code that fits.

    ``reports`` has the data and where its report goes. A file that cannot be assessed does not
    keep the others from it.
    """
    lines = []
    with shown_if_slow():
        for at, (file, report) in enumerate(reports.items(), start=1):
            working_on(say(f"{_KEY}.progress", at=at, n=len(reports)))
            try:
                found = measure(file)
            except UnwritableOutput:
                raise
            except SingleoutError as error:
                lines.append(_Line(file, _sentence(error, json=json)))
                continue
            if report is not None:
                _write(found, report, show_records=show_records, force=force)
            lines.append(_line(file, found, report, json=json))
    if json:
        print_json([_plain(line) for line in lines])
    else:
        _show(lines, notes)
    _tell_ends(lines, quietly=json)
    code = max(map(_code, lines))
    if code:
        raise typer.Exit(code)


def _write(found: Assessment, report: Path, *, show_records: bool, force: bool) -> None:
    from singleout.assessment.report.content import report_of
    from singleout.report.page import write_page

    page = report_of(found, show_records=show_records)
    write_safely(report, lambda part: write_page(page, part), force=force, private=show_records)


def _code(line: _Line) -> int:
    if line.error:
        return _BAD_FILE
    return NOT_MET if line.met is False else 0


def _sentence(error: SingleoutError, *, json: bool) -> str:
    from singleout.cli.main import command  # which imports this module first

    sentence = str(error) if json else translated(str(error))

    return without_passwords(as_options(sentence, command(), sys.argv[1:]))


def _line(file: str, found: Assessment, report: Path | None, *, json: bool) -> _Line:
    from singleout.assessment.gate import gate_line
    from singleout.assessment.report.levels import risk_range

    found_here = found.findings
    met = {True: "met", False: "not_met", None: "no_policy"}[found.met]
    with speaking("en" if json else None):  # programs read the same in every language
        plain = {"file": without_passwords(file), **report_json(found)} if json else None
    return _Line(
        file,
        cells=(
            number(found.facts.rows),
            risk_range(found_here.level, found_here.highest_level),
            f"{number(found_here.at_risk)} ({share_of(found_here.at_risk, found_here.rated)})",
            number(found_here.k),
            share_of(found.anonymity.unique, found.anonymity.records),
            say(f"{_KEY}.{met}"),
        ),
        plain=plain,
        gate=gate_line(found) or "",
        met=found.met,
        warnings=found.warnings,
        guessed=found.guessed,
        report=report,
    )


def _plain(line: _Line) -> Mapping[str, Any]:
    if line.plain is not None:
        return line.plain
    return {"file": without_passwords(line.file), "error": line.error}


# ---- the screen


def _show(lines: Sequence[_Line], notes: Sequence[str]) -> None:
    blank = (*["–"] * 5, say(f"{_KEY}.unreadable"))
    rows = [[without_passwords(line.file), *(line.cells or blank)] for line in lines]
    show_table(_KEY, rows, n=len(lines))
    warnings = [_of(line, text) for line in lines for text in line.warnings]
    guessed = [line.file for line in lines if line.guessed]
    advice = [say(f"{_KEY}.guessed", file=without_passwords(guessed[0]))] if guessed else []
    tell(warnings=warnings, notes=[*notes, *advice])
    tell(*(say("screen.written", file=line.report) for line in lines if line.report is not None))


def _tell_ends(lines: Sequence[_Line], *, quietly: bool) -> None:
    """Say of each file whether its policy is kept; what is met only to people."""
    for line in lines:
        if line.gate and not (quietly and line.met):
            typer.echo(printable(_of(line, line.gate)), err=quietly)
    for line in lines:
        if line.error:
            typer.echo(printable(_of(line, line.error)), err=True)


def _of(line: _Line, text: str) -> str:
    return say(f"{_KEY}.of_file", file=without_passwords(line.file), text=text)
