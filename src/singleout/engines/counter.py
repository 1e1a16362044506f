"""The two protocols of engines: `Counter`, counts of a table where it is, and `Records`.

A `Counter` stands for one table: in memory, in a database or on a cluster. Methods are functions of
its counts, so they do not know which one they have. `Counter.counts`, `Counter.values` and the
groups of `Counter.grouped_profiles` reveal values of cells; everything else is counts and ranks. A
method that needs every record asks for `Records`, which brings them into this process's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy, Role
from singleout.core.counts import Counts, SizeProfile
from singleout.core.table import Table

if TYPE_CHECKING:
    from types import TracebackType

    from singleout.engines.recoding import Recoding
    from singleout.where.condition import Condition

__all__ = [
    "AnswerT",
    "ColumnFacts",
    "Counter",
    "DistinctCounts",
    "JointCounts",
    "Records",
    "TaskT",
    "WeightTotals",
    "with_role",
]

TaskT = TypeVar("TaskT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, eq=False)
class DistinctCounts:
    """How many distinct combinations each set of columns has, in the order of the sets."""

    counts: I64
    relative_error: float = 0.0  # the standard error of each count; 0 where they are exact


@dataclass(frozen=True, eq=False)
class JointCounts:
    """How many records have each value y, and each pair of a y and an x, without the values.

    The values y are numbered 0, 1, 2 … in the order of ``sizes``.
    """

    sizes: I64  # how many records have each y
    joint_sizes: I64  # how many records have each pair of y and x that occurs
    parents: I64  # for each pair the number of its y
    of_sensitive: I64  # how many records have each x


@dataclass(frozen=True)
class WeightTotals:
    """Sums of weights: of all records that are counted, and of the set with the smallest sum."""

    total: float
    minimum: float | None  # None where no record is left


@dataclass(frozen=True)
class ColumnFacts:
    """The metadata of a column: its role, its description and the labels of its values."""

    role: Role = Role.OTHER
    description: str = ""
    labels: Mapping[Any, str] = field(default_factory=dict)


class Counter(Protocol):
    """A table that can be counted where it is.

    ``drop`` leaves out the records that lack a value in any of the columns asked about; otherwise
    missing is a value like another. ``columns`` are different columns of the table; others raise
    `UnknownColumns`.
    """

    @property
    def source(self) -> str:
        """A description of the data for people, without credentials."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""

    @property
    def policy(self) -> MissingPolicy:
        """The default meaning of a missing value."""

    @property
    def rows(self) -> int:
        """How many records there are, after the population filter; counted once."""

    @property
    def count(self) -> str | None:
        """The column that said how many records a row stands for; None if each row is one."""

    @property
    def memory(self) -> int | None:
        """How many bytes may be used for what is counted; None if nobody has said."""

    def facts(self, column: str) -> ColumnFacts:
        """Return the metadata of a column."""

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set, sharing passes over the data."""

    def filtered(self, condition: Condition) -> Counter:
        """Return a counter of the records that meet a condition, over the same connection."""

    def counted_by(self, column: str, columns: Sequence[str] | None = None) -> Counter:
        """Return a counter of a table of counts, over the same connection.

        A row stands for as many records as its ``column`` says, which is then no column any more.
        ``columns`` are those that will be asked about, for a note on repeated cells.
        """

    def recoded(self, recodings: Mapping[str, Recoding]) -> Counter:
        """Return a counter of the same records with more columns, coded from others.

        It shares the connection: what closes this one closes that.
        """

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

        The sets are in the order of ``itertools.combinations``. ``drop`` leaves out the records
        that lack a value in any of *all* the columns.
        """

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""

    def ranked_counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with each value replaced by its rank.

        The codebooks are ``range`` objects; missing stays missing. No value is revealed. With a
        column of weights they are added up for each combination; `UnusableColumn` is raised where
        one is missing, negative or no number.
        """

    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""

    def values(self, column: str, *, step: int = 1, records: int = 0) -> Counts:
        """Return the different values of a column that occur, missing left out.

        With a ``step`` above 1 only a sample of them: those of every so many records in the order
        of their values, and the last; ``records`` is how many records have a value.
        """

    def records(self, columns: Sequence[str] | None = None) -> Records:
        """Return the records in this process's memory, with these columns or all."""

    def repeated(self, columns: Sequence[str] | None, at_most: int) -> Records:
        """Return the records; of a table of counts each row as often as it counts.

        But at most so many times: whoever asks who is alone needs no more than two.
        """

    @property
    def held(self) -> Records | None:
        """The records if they are in this process's memory already, otherwise None."""

    def close(self) -> None:
        """Release connections; results stay valid."""

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
    def people(self) -> I64 | None:
        """For each record how many it stands for, 0 for copies; None if each is one record."""

    @property
    def row(self) -> I64 | None:
        """For each record the index of its row in a table of counts; None if it is none."""

    @property
    def lines(self) -> int | None:
        """How many rows the table of counts has, empty cells included; None if it is none."""

    @property
    def in_source(self) -> Flags | None:
        """For each record of the source whether it is in the table; None if all are."""

    def members(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group of records by its values, with the indexes of its records."""

    def with_roles(self, roles: Mapping[str, str]) -> Records:
        """Return the same records with other roles for some columns."""

    @property
    def spreads_tasks(self) -> bool:
        """Whether `run` has workers besides the threads of this machine."""

    def run(
        self,
        work: Callable[[Any, TaskT], AnswerT],
        shared: Any,
        tasks: Sequence[TaskT],
        *,
        name: str,
        what: str,
    ) -> Iterator[AnswerT]:
        """Yield ``work(shared, task)`` for each task, in any order, as they are done.

        ``work`` is a function of a module and tasks can be pickled, so that both can be sent to
        workers; ``shared`` is sent to each worker once. ``name`` identifies the question in a
        checkpoint of finished tasks. ``what`` is the text of the progress bar. A task may have
        ``halves``: where it was interrupted before, their answers come in place of its own.
        """


def with_role(counter: Counter, role: Role) -> tuple[str, ...]:
    """Return the columns that have a role."""
    return tuple(name for name in counter.columns if counter.facts(name).role == role)
