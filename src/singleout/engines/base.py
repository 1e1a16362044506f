"""What counters share, wherever their table is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from singleout.core.choices import MissingPolicy
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import ColumnFacts
from singleout.io.names import pick
from singleout.kernels.threads import as_they_finish

if TYPE_CHECKING:
    from singleout.engines.local.counter import LocalCounter

__all__ = ["CounterBase"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class CounterBase(ABC):
    """What holds of a table that is not in memory, unless its engine knows better."""

    spreads_tasks: bool = False
    memory: int | None = None

    @property
    @abstractmethod
    def source(self) -> str:
        """Where the data is, in words for people and without credentials."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""

    @abstractmethod
    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""

    @property
    def policy(self) -> MissingPolicy:
        """What a missing value means, unless a question says otherwise."""
        return MissingPolicy.VALUE

    def facts(self, column: str) -> ColumnFacts:  # noqa: ARG002 - databases say nothing of columns
        """Return what is known of a column besides its cells: nothing."""
        return ColumnFacts()

    @property
    def held(self) -> LocalCounter | None:
        """The records if they are in this process's memory already, otherwise None."""
        return None

    def records(self, columns: Sequence[str] | None = None) -> LocalCounter:
        """Fetch the records; tasks on them run where they came from."""
        from singleout.engines.local.counter import FetchedCounter

        names = None if columns is None else pick(columns, self.columns)
        working_on(f"Fetching {self.source}")
        table = self.fetch(names)
        notes = dict.fromkeys([*self.notes, *table.notes])
        table = Table(table, missing=table.missing, source=table.source, notes=notes)
        return FetchedCounter(table, self)

    def run(
        self,
        work: Callable[[Any, _Task], _Answer],
        shared: Any,
        tasks: Sequence[_Task],
        *,
        name: str,  # noqa: ARG002 - nothing is kept here: it would be done again as quickly
        what: str,
    ) -> Iterator[_Answer]:
        """Yield ``work(shared, task)`` for each task, on the threads of this machine."""
        return as_they_finish(partial(work, shared), tasks, what)

    def close(self) -> None:  # noqa: B027 - not every engine holds something
        """Give back what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
