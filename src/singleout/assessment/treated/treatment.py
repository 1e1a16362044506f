"""What every treatment has, wherever its data is: sentences, a log, and plain values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.treated.files import log_content, refuse_input
from singleout.core.frame_kinds import Framed
from singleout.core.results import finite, in_one_line
from singleout.core.text import json_text
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Treatment"]


class Treatment(Framed):
    """Steps, and what they make of data.

    Not a `Result`: its frame is the data itself, where a number may be infinite.
    """

    steps: Steps
    _read: Any  # the data as it was given: may hold a password

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return self.steps.sentences

    @property
    def log(self) -> pl.DataFrame:
        """Every change: step (from 1), column, from, to, records."""
        raise NotImplementedError

    def write_log(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the log to a CSV file, for whoever keeps the original: it shows original values.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that exists is written over; never one that was read.
        """
        from singleout.core.output_files import write_safely

        to = Path(path)
        refuse_input(to, self._read)
        write_safely(to, log_content(self.log, self.steps).write_csv, force=force, private=True)
        return to

    def _values(self) -> dict[str, Any]:
        raise NotImplementedError

    @finite
    def to_dict(self) -> dict[str, Any]:
        """Return what is done as plain values that JSON can hold, without any record."""
        return self._values()

    def to_json(self) -> str:
        """Return the plain values as the text of a JSON file."""
        return json_text(self.to_dict())

    def __repr__(self) -> str:
        return in_one_line(self)
