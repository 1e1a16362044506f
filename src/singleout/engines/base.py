"""What the counters of all engines share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import AnswerT, ColumnFacts, Counter, Records, TaskT
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.kernels.threads import as_they_finish

if TYPE_CHECKING:
    from singleout.engines.local.counter import LocalCounter

__all__ = ["CounterBase", "OpenedCounter", "closed_on_error"]


class CounterBase(ABC):
    """What every counter does unless its engine does it in another way."""

    source: str
    columns: tuple[str, ...]
    notes: tuple[str, ...]
    spreads_tasks: bool = False
    memory: int | None = None

    @property
    def count(self) -> str | None:
        """The column that said how many records a row stands for: none, each row is one."""
        return None

    @abstractmethod
    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""

    @abstractmethod
    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""

    @property
    def policy(self) -> MissingPolicy:
        """The default meaning of a missing value."""
        return MissingPolicy.VALUE

    def facts(self, column: str) -> ColumnFacts:  # noqa: ARG002 - databases have no such facts
        """Return the metadata of a column: none."""
        return ColumnFacts()

    def ranked_counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with each value replaced by its rank."""
        counts = self.counts(columns, weight)
        return replace(counts, values=tuple(range(len(values)) for values in counts.values))

    def values(self, column: str, *, step: int = 1, records: int = 0) -> Counts:  # noqa: ARG002
        """Return the different values of a column, or those of every so many records."""
        counts = self.counts([column])
        order = np.argsort(counts.codes[0], kind="stable")
        order = order[counts.codes[0][order] < len(counts.values[0])]
        sizes = counts.sizes[order]
        if step > 1 and len(sizes):
            after = np.cumsum(sizes)
            order = order[((after - 1) % step < sizes) | (after == after[-1])]
        return Counts(counts.columns, counts.values, (counts.codes[0][order],), counts.sizes[order])

    def counted_by(self, column: str, columns: Sequence[str] | None = None) -> Counter:  # noqa: ARG002
        """Refuse tables of counts, unless the engine knows how to count them."""
        raise BadChoice(
            f"{self.source} cannot be counted by the column {column!r}; give engine='local' to "
            "fetch it."
        )

    @property
    def held(self) -> LocalCounter | None:
        """The records if they are in this process's memory already, otherwise None."""
        return None

    def records(self, columns: Sequence[str] | None = None) -> LocalCounter:
        """Fetch the records; tasks on them run where they came from."""
        from singleout.engines.local.counter import FetchedCounter

        names = None if columns is None else pick(columns, self.columns)
        working_on(f"Fetching {self.source}")
        return FetchedCounter(_with_notes(self.fetch(names), self.notes), self)

    def repeated(self, columns: Sequence[str] | None, at_most: int) -> LocalCounter:  # noqa: ARG002
        """Return the records: each row is one."""
        return self.records(columns)

    def run(
        self,
        work: Callable[[Any, TaskT], AnswerT],
        shared: Any,
        tasks: Sequence[TaskT],
        *,
        name: str,  # noqa: ARG002 - there is no checkpoint here
        what: str,
    ) -> Iterator[AnswerT]:
        """Yield ``work(shared, task)`` for each task, on the threads of this machine."""
        return as_they_finish(partial(work, shared), tasks, what)

    def close(self) -> None:  # noqa: B027 - not every engine has connections
        """Release connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OpenedCounter:
    """A proxy of a counter that adds notes, and does not close a counter that was lent."""

    def __init__(
        self,
        counter: Counter,
        notes: Sequence[str] = (),
        *,
        too_large: str | None = None,
        lent: bool = False,
    ) -> None:
        self._counter = counter
        self._notes = notes
        self._too_large = too_large
        self._lent = lent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._counter, name)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the counter so far, and those added here."""
        return self._all_notes("so it was counted by the embedded database")

    def _all_notes(self, consequence: str) -> tuple[str, ...]:
        large = [] if self._too_large is None else [f"{self._too_large}, {consequence}."]
        return tuple(dict.fromkeys([*self._counter.notes, *large, *self._notes]))

    def records(self, columns: Sequence[str] | None = None) -> Records:
        """Return the records, with the notes added here."""
        return self._noted(self._counter.records(columns))

    def repeated(self, columns: Sequence[str] | None, at_most: int) -> Records:
        """Return the rows of a table of counts, repeated, with the notes added here."""
        return self._noted(self._counter.repeated(columns, at_most))

    def _noted(self, records: Records) -> Records:
        from singleout.engines.local.counter import FetchedCounter

        if self._too_large is None and not self._notes:
            return records
        notes = self._all_notes("so its columns were fetched through the embedded database")
        table = _with_notes(records.table, notes)
        fetched = FetchedCounter(table, cast("LocalCounter", records))
        fetched.people, fetched.row = records.people, records.row
        fetched.lines = records.lines
        return fetched

    def close(self) -> None:
        """Close the counter, unless it was lent."""
        if not self._lent:
            self._counter.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _with_notes(table: Table, notes: Sequence[str]) -> Table:
    """Return a table with notes before its own."""
    every = dict.fromkeys([*notes, *table.notes])
    return Table(table, missing=table.missing, source=table.source, notes=every)


@contextmanager
def closed_on_error(close: Callable[[], object]) -> Iterator[None]:
    """Close what was opened if something goes wrong with it."""
    try:
        yield
    except BaseException:
        close()
        raise
