"""The files of `singleout suda`, and which record a user means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout import __version__
from singleout.cli.shared.data import with_ids
from singleout.cli.shared.output import Outputs, tell
from singleout.core.text import json_text, spreadsheet_safe
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Table
    from singleout.engines.counter import Records
    from singleout.methods.suda.exact import ExactUniques
    from singleout.methods.suda.one_record import RecordUniques
    from singleout.methods.suda.result import Suda

__all__ = ["Files", "numbers_of", "parts_of", "show_part", "singled_out", "write_csv"]

_TABLES = ("variables", "values", "sets")
_AT_ONCE = 100_000  # minimal uniques that are written together


def parts_of(output: Path | None, uniques: Path | None = None) -> dict[str, Path]:
    """Return the files to write: the records under the name that was given, the rest beside it."""
    for path in filter(None, (output, uniques)):
        if path.suffix.lower() != ".csv":
            raise BadChoice(f"Records are written as CSV; end the name {path.name!r} in .csv.")
    parts = {} if uniques is None else {"uniques": uniques}
    if output is None:
        return parts
    return {
        "records": output,
        **{name: output.with_name(f"{output.stem}-{name}.csv") for name in _TABLES},
        "summary": output.with_name(f"{output.stem}-summary.json"),
        **parts,
    }


def numbers_of(
    asked: Sequence[str] | None, table: Table, identifier: str | None
) -> Iterator[tuple[int, str | None]]:
    """Yield the number of each record that was asked for, and its name if it has one."""
    for text in asked or ():
        if identifier is None:
            if not text.strip().isdecimal():
                raise BadChoice(
                    f"--record {text!r} is no number of a record; give one, or name the column of "
                    "the names with --id."
                )
            yield int(text), None
            continue
        column = table[identifier]
        names = [column.label(column.value(code)) for code in range(column.levels)]
        rows = [] if text not in names else (column.codes == names.index(text)).nonzero()[0]
        if len(rows) != 1:
            many = "no record" if not len(rows) else f"{len(rows):,} records"
            raise BadChoice(f"--record {text!r}: {many} has this value of {identifier!r}.")
        yield int(rows[0]) + 1, text


def singled_out(
    result: Suda, asked: Sequence[tuple[int, str | None]], seconds: float | None
) -> tuple[list[tuple[RecordUniques, str | None]], ExactUniques | None]:
    """Return the records that were asked for, and what was searched exactly, if anything was."""
    if seconds is None:
        return [(result.of_record(number), name) for number, name in asked], None
    exact = result.exact([number for number, _ in asked] or None, seconds)
    return [(exact[number], name) for number, name in asked], exact


def show_part(
    records: Records,
    wanted: Sequence[str] | None,
    part: str,
    folder: Path | None,
    choices: dict[str, Any],
    outputs: Outputs,
) -> None:
    """Search one part of several, and say what was done."""
    from singleout.methods.suda.function import suda

    if folder is None:
        raise BadChoice(
            "A part is kept in a folder that all parts share; give it as --checkpoint FOLDER."
        )
    asked = {name: choices[name] for name in ("max_size", "missing")}
    done = suda.part(records, wanted, part, folder, **asked)  # type: ignore[attr-defined]
    outputs.show(done.to_dict, lambda: tell(f"{done}."))


@dataclass(frozen=True)
class Files:
    """The parts of a result as files."""

    result: Suda
    table: Table
    identifier: str | None
    in_percent: bool = False

    def writers(self, parts: dict[str, Path]) -> dict[Path | None, Callable[[Path], Any]]:
        """Return what writes each part."""
        result = self.result
        writers: dict[str, Callable[[Path], Any]] = {
            "records": lambda part: write_csv(part, self._with_ids(self._records())),
            "variables": lambda part: self._write(part, result.variable_contributions),
            "values": lambda part: self._write(part, result.value_contributions),
            "sets": lambda part: self._write(part, result.set_contributions.drop("columns")),
            "summary": self._summary,
            "uniques": self._uniques,
        }
        return {path: writers[name] for name, path in parts.items()}

    def _records(self) -> pl.DataFrame:
        frame: pl.DataFrame = self.result.to_frame(in_percent=self.in_percent)
        return frame

    def _with_ids(self, frame: pl.DataFrame) -> pl.DataFrame:
        return with_ids(frame, self.table, self.identifier)

    def _write(self, part: Path, frame: pl.DataFrame) -> None:
        """Write a table of contributions, in percent if that was asked for."""
        import polars as pl

        if self.in_percent:
            shares = [name for name in frame.columns if name.startswith("share")]
            frame = frame.with_columns(pl.col(shares) * 100)
            frame = frame.rename({name: name.replace("share", "percent") for name in shares})
        write_csv(part, frame)

    def _summary(self, part: Path) -> None:
        facts = {"singleout": __version__, "data": self.table.source, **self.result.summary}
        part.write_text(json_text(facts), encoding="utf-8")

    def _uniques(self, part: Path) -> None:
        """Write every minimal unique, some at a time."""
        with part.open("wb") as stream:
            first = True
            for frame in self.result.listed_uniques(_AT_ONCE):
                write_csv(stream, self._with_ids(frame), header=first)
                first = False


def write_csv(part: Any, frame: pl.DataFrame, *, header: bool = True) -> None:
    """Write a frame as a CSV file that is harmless in a spreadsheet."""
    from singleout.core.frames import pl

    safe = [
        pl.Series(column.name, map(spreadsheet_safe, column), dtype=pl.String)
        for column in frame.select(pl.col(pl.String)).get_columns()
    ]
    heads = {name: str(spreadsheet_safe(name)) for name in frame.columns}
    frame.with_columns(safe).rename(heads).write_csv(part, include_header=header)
