"""Data treated where it is: SQL text, and a file that is streamed; no record is held here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.treated.files import refuse_input
from singleout.assessment.treated.treatment import Treatment
from singleout.core.frame_kinds import Frame
from singleout.core.results import notebook_view, records_not_held
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.report.say import say
from singleout.treatment.files.rules import Rules
from singleout.treatment.steps.log import log_frame
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import polars as pl

    from singleout.engines.sql.treated import Selected

__all__ = ["TreatedElsewhere"]


@dataclass(frozen=True, eq=False, repr=False)
class TreatedElsewhere(Treatment):
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
    _read: Any = field(repr=False)
    _through: tuple[Any, Any] = field(repr=False)  # engine, where

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are published."""
        return self.rules.columns

    @property
    def log(self) -> pl.DataFrame:
        """Every change: step (from 1), column, from, to, records."""
        return log_frame(self.rules.entries)

    @contextmanager
    def _selected(self) -> Iterator[Selected]:
        from singleout.engines.sql.treated import selected

        with taken_as_said(), open_data(self._read, *self._through) as counter:
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
        refuse_input(to, self._read)
        with self._selected() as found:
            write_safely(
                to, lambda part: found.stream(part, target=to.name), force=force, private=True
            )
        return to

    def to_frame(self) -> Frame:
        """Refuse: the records are not held here."""
        raise records_not_held("The published data")

    def _values(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "records": self.records,
            "columns": list(self.columns),
            "steps": self.steps.outline(),
            "sentences": list(self.sentences),
        }

    def __str__(self) -> str:
        return say("treated.elsewhere", source=self.source, n=len(self.steps))

    def _repr_html_(self) -> str:
        return notebook_view(self, str(self), self.log)
