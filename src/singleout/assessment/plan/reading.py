"""How the data file of a plan is read: the options of the reader, stored with the plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from singleout.core.paths import expanded
from singleout.errors import BadChoice
from singleout.io.rows import row_choice
from singleout.io.yaml.document import Part
from singleout.io.yaml.errors import Mistake

__all__ = ["PlanReading"]


class PlanReading(Part):
    """How a data file is read; what is not given is found out."""

    sheet: str | int | None = Field(
        default=None, description="The sheet of a workbook, by name or by number from 1."
    )
    header_row: int | None = Field(
        default=None, description="The row, or the line of a text, that has the names, from 1."
    )
    skip_rows: int | str | list[int] | None = Field(
        default=None,
        description="Rows to leave out: 3 for the first three, 1-3,57 or a list for rows by their "
        "numbers, 0 to keep all.",
    )
    range: str | None = Field(
        default=None, description="The cells that hold the table of a workbook, as B3:F20."
    )
    delimiter: str | None = Field(default=None, description="What separates the values of a text.")
    quote: str | None = Field(
        default=None, description="What quotes the values of a text; empty if nothing does."
    )
    encoding: str | None = Field(default=None, description="The encoding of a text.")
    name: str | None = Field(default=None, description="The data frame in an R file.")
    missing_values: list[str | int | float] = Field(
        default_factory=list, description="Values that mean missing in every column."
    )

    @property
    def options(self) -> dict[str, Any]:
        """What is given, as keywords of the reader."""
        return self.model_dump(exclude_defaults=True)

    def options_for(self, data: Any) -> dict[str, Any]:
        """Return the keywords for data: all for a file, none for what is read already.

        Raises `BadChoice` where one does not fit the kind of the file.
        """
        if not isinstance(data, str | os.PathLike):
            return {}
        path = expanded(os.fsdecode(data))
        if path.is_file():
            self._require_fitting(path, self.options)
        return self.options

    def _require_fitting(self, path: Path, options: Mapping[str, Any]) -> None:
        from singleout.io.read import options_of  # loads the readers, which a plan does without

        words, allowed = options_of(path)
        unfit = [name for name in options if name not in (*allowed, "missing_values")]
        if unfit:
            raise BadChoice(
                f"The plan says under reading how its file is read, and {unfit[0]} has no meaning "
                f"for {path.name}, {words}; remove it from the plan, or give the file that the "
                "plan is for."
            )

    @model_validator(mode="after")
    def _says_which_rows(self) -> PlanReading:
        try:
            row_choice(self.header_row, self.skip_rows, self.range)
        except BadChoice as error:
            raise Mistake((), str(error)) from None
        return self
