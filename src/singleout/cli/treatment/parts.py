"""What the commands on treatments share: options, names of files, and lists of steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import options
from singleout.cli.shared.output import tell
from singleout.core.paths import expanded
from singleout.core.text import printable
from singleout.core.wording import percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.treatment.steps.steps import Steps

__all__ = [
    "After",
    "Before",
    "HierarchyFiles",
    "LogFile",
    "ReportFile",
    "files_of",
    "hierarchy_files",
    "log_beside",
    "measured",
    "share",
    "shortened",
    "tell_steps",
    "tell_written",
]

_LONGEST = 400  # characters of a sentence on the screen
_RULES = 8  # of a step, that are shown

Before = Annotated[
    str, typer.Argument(metavar="BEFORE", help="The original: a file, folder or table.")
]
After = Annotated[str, typer.Argument(metavar="AFTER", help="What was made of it.")]
HierarchyFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="What the values of a column become on each level: a CSV file in ARX's format, or the "
        "folder of files that singleout hierarchies has written. Repeatable.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="REPORT.html",
        help="Also write a report on the treated data, with what was done and what it cost.",
    ),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="LOG.csv",
        help="Where the log of changes goes; OUT.log.csv beside OUT if not given.",
    ),
]


# ---- what is given


def share(text: str | None, option: str) -> float | None:
    """Return a share that is given as 0.02 or as 2%."""
    if text is None:
        return None
    number, sign, rest = text.strip().partition("%")
    try:
        value = float(number) / (100 if sign else 1)
    except ValueError:
        value = -1.0
    if rest or not 0 <= value <= 1:
        raise BadChoice(f"{option} is a share from 0 to 1, such as 0.02 or 2%, not {text!r}.")
    return value


def hierarchy_files(texts: Sequence[str] | None, columns: Sequence[str] | None) -> dict[str, str]:
    """Return the files of hierarchies by column: those that are named, and those in a folder.

    A folder holds files as `singleout hierarchies` names them, for some of the columns.
    """
    folders = [text for text in texts or () if "=" not in text and expanded(text).is_dir()]
    named = [text for text in texts or () if text not in folders]
    found = options.pairs(named, "--hierarchy", "a column and a file", "age=age.csv")
    for folder in folders:
        found = {**_in_folder(folder, columns), **found}
    return found


def _in_folder(folder: str, columns: Sequence[str] | None) -> dict[str, str]:
    from singleout.treatment.hierarchies.proposals import file_names

    if columns is None:
        raise BadChoice(
            f"The files of {folder!r} are for columns that are named; add --qi or --plan, or write "
            "--hierarchy age=age.csv."
        )
    files = {name: expanded(folder) / file for name, file in file_names(columns).items()}
    found = {name: str(file) for name, file in files.items() if file.is_file()}
    if not found:
        raise BadChoice(
            f"The folder {folder!r} has no hierarchy of these columns; their files are named as "
            f"{next(iter(files.values())).name!r}."
        )
    return found


def files_of(steps: Steps) -> list[Path]:
    """Return the files that steps read: hierarchies."""
    named = [source for step in steps for source in _sources(step)]
    return [steps.file(name) for name in named if isinstance(name, str)]


def _sources(step: Any) -> Iterable[Any]:
    yield getattr(step, "hierarchy", None)
    yield from getattr(step, "hierarchies", {}).values()


def log_beside(out: Path | None, log: Path | None) -> Path | None:
    """Return where the log of a treatment goes: beside what is published, unless it is a stream."""
    from singleout.core.targets import target_of

    if log is not None or out is None or target_of(out).is_stream:
        return log
    stem = out.name.removesuffix(".gz")
    return out.with_name(f"{Path(stem).stem}.log.csv")


# ---- the screen


def tell_steps(sentences: Sequence[str], effects: Sequence[str] = ()) -> None:
    """Print what each step does, with what it changed; a long sentence in several lines."""
    told = [*effects, *[""] * (len(sentences) - len(effects))]
    for number, (sentence, effect) in enumerate(zip(sentences, told, strict=True), start=1):
        first, *rules = printable(sentence).split("; ")
        end = ":" if rules else ""
        tell(f" {number}. {shortened(first)} {effect}".rstrip() + end)
        for rule in rules[:_RULES]:
            tell(f"    – {shortened(rule)}")
        if len(rules) > _RULES:
            tell(f"    – {say('screen.treat.more_rules', n=len(rules) - _RULES)}")


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text that a screen can hold: the middle of a long one is left out."""
    if len(text) <= longest:
        return text
    half = (longest - 3) // 2
    return f"{text[:half]} … {text[-half:]}"


def tell_written(*files: tuple[str, Path | None]) -> None:
    """Print which files were written, each under its key of the catalogue."""
    tell(*(say(key, file=file) for key, file in files if file is not None))


def measured(value: float | None) -> str:
    """Return a share in percent; a dash where there is none."""
    return "–" if value is None else percent(value)
