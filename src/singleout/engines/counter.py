"""What every engine can be asked: counts of a table where it is, or its records.

A `Counter` stands for one table: in memory, in a database or on a cluster. Methods are functions of
what it counts, so they do not know which one they have. `Counter.counts` and the groups of
`Counter.grouped_profiles` give values of cells away; everything else is counts and ranks. A method
that needs every record asks for `Records`, which brings them into this process's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.choices import MissingPolicy, Role
from singleout.core.counts import Counts, SizeProfile
from singleout.core.table import Table

if TYPE_CHECKING:
    from types import TracebackType

__all__ = [
    "ColumnFacts",
    "Counter",
    "DistinctCounts",
    "JointCounts",
    "Records",
    "WeightTotals",
    "with_role",
]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, eq=False)
class DistinctCounts:
    """How many distinct combinations each set of columns has.

    Parameters
    ----------
    counts
        One number for each set, in the order of the sets.
    relative_error
        The relative standard error of each count; 0 where they are exact.
    """

    counts: I64
    relative_error: float = 0.0


@dataclass(frozen=True, eq=False)
class JointCounts:
    """How many records have each value y, and each pair of a y and an x, without the values.

    The values y are numbered 0, 1, 2 … in the order of ``sizes``.

    Parameters
    ----------
    sizes
        How many records have each y.
    joint_sizes
        How many records have each pair of y and x that occurs.
    parents
        For each pair the number of its y.
    of_sensitive
        How many records have each x.
    """

    sizes: I64
    joint_sizes: I64
    parents: I64
    of_sensitive: I64


@dataclass(frozen=True)
class WeightTotals:
    """Sums of weights: of all records that are counted, and of the set that has least.

    ``minimum`` is None where no record is left.
    """

    total: float
    minimum: float | None


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column besides its cells: its role, its words and those of its values."""

    role: Role = Role.OTHER
    description: str = ""
    labels: Mapping[Any, str] = field(default_factory=dict)


class Counter(Protocol):
    """A table that can be counted where it is.

    ``drop`` leaves out the records that lack a value in any of the columns asked about; otherwise
    missing is a value like another. ``columns`` may name a column once only, and only columns that
    the table has: otherwise `UnknownColumns`.
    """

    @property
    def source(self) -> str:
        """Where the data is, in words for people and without credentials."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""

    @property
    def policy(self) -> MissingPolicy:
        """What a missing value means, unless a question says otherwise."""

    @property
    def rows(self) -> int:
        """How many records there are, after the population filter; counted once."""

    @property
    def memory(self) -> int | None:
        """How many bytes may be used for what is counted; None if nobody has said."""

    def facts(self, column: str) -> ColumnFacts:
        """Return what is known of a column besides its cells."""

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set, sharing passes over the data."""

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records, by the values of ``by``.

        A group is there even if all its records are dropped: its profile is then empty. A missing
        value of ``by`` is None; groups come in the order of their values, missing last.
        """

    def group_rows(self, by: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """Return how many records each group has, dropped ones included, in the same order."""

    def weight_totals(
        self,
        columns: Sequence[str],
        weight: str,
        by: Sequence[str] = (),
        *,
        drop: bool = False,
    ) -> dict[tuple[Any, ...], WeightTotals]:
        """Return the sums of weights, by group (one group ``()`` if ``by`` is empty).

        Raises `UnusableColumn` where a weight is missing, negative or no number.
        """

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has.

        Sets in lexicographic order of the columns as given. ``drop`` leaves out the records that
        lack a value in any of *all* the columns.
        """

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""

    def ranked_counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with each value replaced by its rank.

        The codebooks are ``range`` objects; missing stays missing. No value is given away.
        """

    def counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with their values."""

    def records(self, columns: Sequence[str] | None = None) -> Records:
        """Return the records in this process's memory, with these columns or all."""

    @property
    def held(self) -> Records | None:
        """The records if they are in this process's memory already, otherwise None."""

    def close(self) -> None:
        """Give back what is held: connections, not results."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None: ...


class Records(Counter, Protocol):
    """Records in this process's memory: what SUDA, contributions and treatments ask for."""

    @property
    def table(self) -> Table:
        """The encoded table."""

    @property
    def in_source(self) -> NDArray[np.bool_] | None:
        """For each record of the source whether it is in the table; None if all are."""

    def members(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group of records by its values, with the indexes of its records."""

    def with_roles(self, roles: Mapping[str, str]) -> Records:
        """Return the same records with other roles for some columns."""

    @property
    def spreads_tasks(self) -> bool:
        """Whether `run` has other workers than the threads of this machine."""

    def run(
        self,
        work: Callable[[Any, _Task], _Answer],
        shared: Any,
        tasks: Sequence[_Task],
        *,
        name: str,
        what: str,
    ) -> Iterator[_Answer]:
        """Yield ``work(shared, task)`` for each task, in any order, as they are done.

        Parameters
        ----------
        work
            A function of a module, so that it can be sent elsewhere.
        shared
            What all tasks need: sent to each worker once.
        tasks
            Small things that can be pickled.
        name
            What question the tasks belong to, the same for the same question on the same data:
            finished tasks are kept under it where the engine has a place to keep them.
        what
            What is being done, for the progress bar.
        """


def with_role(counter: Counter, role: Role) -> tuple[str, ...]:
    """Return the columns that have a role."""
    return tuple(name for name in counter.columns if counter.facts(name).role == role)
