"""Missing cells in a search for minimal uniques."""

from __future__ import annotations

from enum import StrEnum

from singleout.core.table import Table

__all__ = ["MissingCells", "never_codes"]


class MissingCells(StrEnum):
    """What a missing value means when records are compared."""

    VALUE = "value"  # missing is a value like another
    NEVER = "never"  # a missing cell is never part of an MSU
    DROP = "drop"  # records with a missing key are left out, and counted


def never_codes(table: Table) -> list[int]:
    """Return for each column the code that takes part in no MSU: that of missing, or -1."""
    return [-1 if column.missing_code is None else column.missing_code for column in table]
