"""Whether records of a database are counted sooner in this process, and whether they may be.

Both ways take time in proportion to the records: a statement for each set of columns, and encoding
for each column. So only the numbers of sets and columns decide.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NOT_HERE", "OF_FILES", "Here", "fetched_from"]


@dataclass(frozen=True)
class Here:
    """What it takes to count records where they are, and here; nanoseconds as measured."""

    a_set: float  # for a record and a set of columns, by statements
    a_cell: float  # for a cell, to encode it here
    allowed: bool = True
    in_order: bool = False  # whether records come in the same order whenever they are read

    measured: bool = False  # whether it is given up if it turns out to take longer

    def patience(self, sets: int) -> float | None:
        """Return the nanoseconds of a record after which statements would have been sooner."""
        return sets * self.a_set if self.measured else None

    def is_sooner(self, columns: int, sets: int) -> bool:
        """Whether sets of some columns are counted here, since that is allowed and takes less."""
        return self.allowed and columns * self.a_cell + sets * _COUNTED < sets * self.a_set


_COUNTED = 0.5  # for a record and a set of columns, by the kernels
NOT_HERE = Here(0.0, 0.0, allowed=False)
# The embedded database is in this process, so that nothing leaves anything. `bench` has the case
# engines/folder-risk: 364 sets of 3 of 14 columns.
OF_FILES = Here(a_set=10.0, a_cell=30.0, in_order=True)


def fetched_from(backend: str) -> Here:
    """Return what it takes to fetch records from a database, where a user has allowed that.

    Measured on a server on the same machine, case engines/postgresql-risk; over a slow network the
    measured time decides.
    """
    return _DATABASES.get(backend, Here(a_set=200.0, a_cell=700.0))


_DATABASES = {
    "duckdb": Here(a_set=10.0, a_cell=30.0),
    "postgres": Here(a_set=200.0, a_cell=250.0, measured=True),
}
