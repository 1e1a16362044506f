"""`so.hierarchies`: a hierarchy for each column, shown, and saved as CSV for editing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from singleout.core.frame_kinds import Frame, framed
from singleout.core.output_files import write_together
from singleout.core.paths import expanded
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.core.text import names_in_text
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.errors import UnknownColumns, UnwritableOutput
from singleout.io.names import pick
from singleout.report.say import say
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.propose import Proposal, proposal
from singleout.treatment.hierarchies.write import hierarchy_text

__all__ = ["Hierarchies", "file_names", "hierarchies"]

_UNSAFE = re.compile(r"[^\w-]+", re.ASCII)
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_LONGEST_NAME = 80
_ARROW = " → "


@dataclass(frozen=True, eq=False)
class Hierarchies(Result, Mapping[str, Hierarchy]):
    """A hierarchy for each column: ``found["age"]`` is that of a column.

    Parameters
    ----------
    proposals
        For each column its hierarchy and how it was made.
    """

    proposals: Mapping[str, Proposal] = field(repr=False)

    def __getitem__(self, column: str) -> Hierarchy:
        if column not in self.proposals:
            raise UnknownColumns([column], tuple(self.proposals))
        return self.proposals[column].hierarchy

    def __contains__(self, column: object) -> bool:
        return column in self.proposals

    def __iter__(self) -> Iterator[str]:
        return iter(self.proposals)

    def __len__(self) -> int:
        return len(self.proposals)

    def __str__(self) -> str:
        return say("hierarchies.summary", n=len(self), columns=names_in_text(self))

    @property
    def sentences(self) -> tuple[str, ...]:
        """How each was made."""
        return tuple(proposal.sentence for proposal in self.proposals.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold: for each column its rows, and how it was made."""
        return {
            name: {
                "kind": str(found.kind),
                "sentence": found.sentence,
                "levels": found.hierarchy.levels,
                "labels": [len(labels) for labels in found.hierarchy.labels],
                "rows": [list(map(spelling, row)) for row in found.hierarchy.rows],
            }
            for name, found in self.proposals.items()
        }

    def to_frame(self) -> Frame:
        """Return a row for each column: how many labels each level has, and an example."""
        from singleout.core.frames import pl

        rows = [_row(name, found) for name, found in self.proposals.items()]
        heads = ("column", "kind", "levels", "labels", "example")
        return pl.DataFrame({head: [row[head] for row in rows] for head in heads})

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> dict[str, Path]:
        """Write each hierarchy as CSV in ARX's format; return the file of each column."""
        target = expanded(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableOutput(
                f"The folder {str(target)!r} cannot be made: {error.strerror}."
            ) from None
        files = {name: target / file for name, file in file_names(list(self)).items()}
        contents = {files[name]: hierarchy_text(self[name]).encode("utf-8") for name in self}
        writers = {
            path: lambda part, content=content: Path(part).write_bytes(content)
            for path, content in contents.items()
        }
        write_together(writers, force=force, private=list(writers))
        return files


def _row(name: str, found: Proposal) -> dict[str, Any]:
    hierarchy = found.hierarchy
    return {
        "column": name,
        "kind": str(found.kind),
        "levels": hierarchy.levels,
        "labels": _ARROW.join(str(len(labels)) for labels in hierarchy.labels),
        "example": found.example,
    }


def file_names(columns: Sequence[str]) -> dict[str, str]:
    """Return for each column the name of a file that every system can have, all different.

    >>> file_names(["age", "Age", "../etc", "con"])
    {'age': 'age.csv', 'Age': 'Age-2.csv', '../etc': 'etc.csv', 'con': 'con_.csv'}
    """
    taken: set[str] = set()
    names = {}
    for column in columns:
        stem = _UNSAFE.sub("_", column)[:_LONGEST_NAME].strip("_-") or "column"
        if _RESERVED.fullmatch(stem):
            stem += "_"
        own, number = stem, 1
        while own.casefold() in taken:
            number += 1
            own = f"{stem}-{number}"
        taken.add(own.casefold())
        names[column] = f"{own}.csv"
    return names


@framed
def hierarchies(
    data: Any,
    columns: Sequence[str] | str | None = None,
    *,
    ordinal: Sequence[str] | str = (),
    nominal: Sequence[str] | str = (),
    engine: Any = None,
    where: Any = None,
) -> Hierarchies:
    """Propose a hierarchy for each column: what its values become on each level, up to ``*``.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns
        The columns; all of them if not given.
    ordinal, nominal
        Columns whose values have an order, or have none. Of others dates, ranges, and numbers that
        are no codes and stand for no words have one.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Hierarchies
        By column; ``.write(folder)`` saves each as CSV in ARX's format, to be edited and given
        back.

    Examples
    --------
    >>> import singleout as so
    >>> found = so.hierarchies(so.demo(), ["AGEP", "SEX"])
    >>> found["SEX"].rows
    [['1', '*'], ['2', '*']]
    >>> [len(labels) for labels in found["AGEP"].labels]
    [93, 19, 10, 5, 3, 1]
    """
    scales = dict.fromkeys(_named(ordinal), True) | dict.fromkeys(_named(nominal), False)
    wanted = None if columns is None else list(_named(columns))
    with taken_as_said(), open_data(data, engine, where, wanted) as counter:
        names = pick(wanted, counter.columns)
        pick([*names, *scales], counter.columns)
        table = counter.records(names).table
        found = {
            name: proposal(table[name], scales.get(name))
            for name in track(names, "Proposing hierarchies")
        }
    return Hierarchies(found)


def _named(columns: Sequence[str] | str) -> Sequence[str]:
    return [columns] if isinstance(columns, str) else columns
