"""What was assessed: the source, its fingerprint, records and columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from singleout.core.results import ResultPart

__all__ = ["TableFacts"]


@dataclass(frozen=True)
class TableFacts(ResultPart):
    """What was assessed.

    Parameters
    ----------
    source
        Where the data came from, in words.
    sha256
        The SHA-256 of the file in hexadecimal digits; None if it was not a file.
    rows
        How many records there are, those left out included.
    columns
        The names of all columns.
    dropped
        Records left out because a value is missing (policy ``drop``).
    direct_identifiers
        Columns that identify people directly, by the plan or by the table.
    reading
        The options with which a file was read, such as what counts as missing in it.
    """

    source: str
    sha256: str | None
    rows: int
    columns: tuple[str, ...]
    dropped: int = 0
    direct_identifiers: tuple[str, ...] = ()
    reading: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values that JSON can hold."""
        return {
            "source": self.source,
            "sha256": self.sha256,
            "rows": self.rows,
            "columns": list(self.columns),
            "dropped": self.dropped,
            "reading": dict(self.reading),
        }
