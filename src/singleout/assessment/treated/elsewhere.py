"""Data treated where it is: SQL text, and a file that is streamed; no record is held here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.treated.files import refuse_input, write_log
from singleout.core.results import finite, records_not_held
from singleout.core.text import json_text
from singleout.engines.open import open_data
from singleout.report.say import say
from singleout.treatment.files.rules import Rules
from singleout.treatment.steps.log import log_frame
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import polars as pl

    from singleout.engines.sql.treated import Selected

__all__ = ["TreatedElsewhere"]


@dataclass(frozen=True, eq=False, repr=False)
class TreatedElsewhere:
    """What steps make of data that is in a database, in many files, or too large for memory.

    Parameters
    ----------
    steps
        What is done.
    source
        Where the data is, in words.
    records
        How many records there are.
    rules
        What the values of columns become.
    """

    steps: Steps
    source: str
    records: int
    rules: Rules
    _opening: tuple[Any, Any, Any] = field(repr=False)  # data, engine, where: may hold a password

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are published."""
        return self.rules.columns

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return self.steps.sentences

    @property
    def log(self) -> pl.DataFrame:
        """Every change: step (from 1), column, from, to, records."""
        return log_frame(self.rules.entries)

    @contextmanager
    def _selected(self) -> Iterator[Selected]:
        from singleout.engines.sql.treated import selected

        data, engine, where = self._opening
        with open_data(data, engine, where) as counter:
            yield selected(counter, self.rules.columns, self.rules.values)

    def sql(self, dialect: str | None = None) -> str:
        """Return the statement that selects the published data.

        Parameters
        ----------
        dialect
            The dialect of SQL, such as ``postgres`` or ``snowflake``; that of the data if not
            given.
        """
        with self._selected() as found:
            return found.sql(dialect)

    def write(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Stream the published data into a Parquet or CSV file.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that exists is written over; never one that is read.
        """
        from singleout.core.output_files import write_safely

        to = Path(path)
        refuse_input(to, self._opening[0])
        with self._selected() as found:
            write_safely(
                to, lambda part: found.stream(part, target=to.name), force=force, private=True
            )
        return to

    def write_log(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the log to a CSV file, for whoever keeps the original: it shows original values.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that exists is written over; never one that is read.
        """
        return write_log(self.log, self.steps, path, self._opening[0], force=force)

    def to_frame(self) -> pl.DataFrame:
        """Refuse: the records are not held here."""
        raise records_not_held("The published data")

    @finite
    def to_dict(self) -> dict[str, Any]:
        """Return what is done as plain values that JSON can hold."""
        return {
            "source": self.source,
            "records": self.records,
            "columns": list(self.columns),
            "steps": self.steps.outline(),
            "sentences": list(self.sentences),
        }

    def to_json(self) -> str:
        """Return the plain values as the text of a JSON file."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        return say("treated.elsewhere", source=self.source, n=len(self.steps))

    def __repr__(self) -> str:
        return f"TreatedElsewhere({self})"

    def _repr_html_(self) -> str:
        return str(self.log._repr_html_())
