"""A table in a database, counted there: see `singleout.engines.counter` for what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations as subsets
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from singleout.core.arrays import I64
from singleout.core.counts import Counts, SizeProfile
from singleout.core.progress import track, working_on
from singleout.core.table import Table, smallest_codes
from singleout.engines.base import CounterBase
from singleout.engines.counter import DistinctCounts, JointCounts, WeightTotals
from singleout.engines.group_keys import different_keys
from singleout.engines.sql import groups as database_groups
from singleout.engines.sql import statements as database_sql
from singleout.engines.sql.errors import UnheldValue
from singleout.engines.sql.fetch import fetched, require_room
from singleout.engines.sql.plan import Block, planned
from singleout.engines.sql.statements import SetQuestion
from singleout.errors import UnusableColumn

if TYPE_CHECKING:
    import sqlglot.expressions as sge

    from singleout.engines.sql.columns import Columns
    from singleout.engines.sql.session import Session

__all__ = ["DatabaseCounter"]


_WORTH_PLANNING = 8  # sets: for fewer, how many values each column has is not worth a pass
_LEVELS_AT_ONCE = 16


class DatabaseCounter(CounterBase):
    """A `Counter` that asks a database.

    Parameters
    ----------
    session
        The open database.
    columns
        The columns of the table.
    sets_at_once
        How many column sets share a statement where nothing can be rolled up.
    settle
        Puts the data where it can be read again and again, and returns its columns; for data that
        is slow to read.
    notes
        What a reader should know, one sentence each.
    """

    def __init__(
        self,
        session: Session,
        columns: Columns,
        *,
        sets_at_once: int,
        settle: Callable[[], Columns] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._session = session
        self._columns = columns
        self._sets_at_once = sets_at_once
        self._settle = settle
        self._notes = notes
        self._rows: int | None = None
        self._levels: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"DatabaseCounter({self.source})"

    def __reduce__(self) -> Any:
        raise TypeError("a counter holds an open connection to a database; it cannot be pickled")

    # ---- the table

    @property
    def source(self) -> str:
        """Where the data is, in words for people and without credentials."""
        return self._session.source

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self._columns.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""
        return self._notes

    @property
    def rows(self) -> int:
        """How many records there are; counted once."""
        if self._rows is None:
            working_on(f"Counting the records of {self.source}")
            statement = database_sql.row_count(self._columns.base(()))
            self._rows = int(self._session.numbers(statement)[0][0])
        return self._rows

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""
        if not columns:
            return {}
        records, _, *there = self._completeness(columns)
        return {name: records - count for name, count in zip(columns, there, strict=True)}

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""
        return self._completeness(columns)[1] if columns else self.rows

    def _completeness(self, columns: Sequence[str]) -> list[int]:
        working_on("Counting missing values")
        statement = database_sql.completeness(
            self._columns.base(columns), self._columns.keys(columns)
        )
        found = [int(numbers[0]) for numbers in self._session.numbers(statement)]
        self._rows = found[0]
        return found

    # ---- counts of counts

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set, sharing passes over the data."""
        sets = [frozenset(self._columns.require(names)) for names in column_sets]
        found: dict[frozenset[str], SizeProfile] = {}
        for members, frame in self._asked(sets, "n", drop=drop, complete=()):
            found[members] = _profile(frame)
        return [found[members] for members in sets]

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        sets = [frozenset(names) for names in subsets(self._columns.require(columns), size)]
        complete = tuple(columns) if drop else ()
        found = {
            members: int(frame["m"].sum())
            for members, frame in self._asked(sets, None, drop=False, complete=complete)
        }
        return DistinctCounts(np.array([found[members] for members in sets], dtype=np.int64))

    def _asked(
        self,
        sets: Sequence[frozenset[str]],
        kept: str | None,
        *,
        drop: bool,
        complete: tuple[str, ...],
    ) -> Iterator[tuple[frozenset[str], pl.DataFrame]]:
        """Yield the answer about each set, as few statements as is sensible being asked."""
        different = list(dict.fromkeys(sets))
        levels = self._known_levels(different) if len(different) >= _WORTH_PLANNING else {}
        rows = self.rows if levels else 0
        blocks = planned(different, levels, rows, at_once=self._sets_at_once)
        self._prepare(len(blocks))
        for block in track(blocks, "Counting combinations"):
            members = [different[place] for place in block.sets]
            yield from self._answers(members, block, kept, drop=drop, complete=complete)

    def _answers(
        self,
        members: list[frozenset[str]],
        block: Block,
        kept: str | None,
        *,
        drop: bool,
        complete: tuple[str, ...],
    ) -> Iterator[tuple[frozenset[str], pl.DataFrame]]:
        names = [name for name in self.columns if any(name in names for names in members)]
        question = SetQuestion(
            self._columns.base(names, complete=complete),
            tuple(self._columns.keys(sorted(names)) for names in members),
            self._session.name,
            drop=drop,
            rolled=block.rolled,
        )
        statement = question.profiles() if kept else question.distinct()
        answer = self._session.frame(statement)
        marks = [name for name in answer.columns if name.startswith("g")]
        parts = answer.cast(pl.Int64).partition_by(marks, as_dict=True, include_key=False)
        nothing = answer.cast(pl.Int64).drop(marks).clear()
        for names_of_set, number in zip(members, question.numbers, strict=True):
            yield names_of_set, parts.get(number, nothing)

    def _known_levels(self, sets: Sequence[frozenset[str]]) -> dict[str, int]:
        """Return how many different values each column has, missing included."""
        used = {name for names in sets for name in names}
        unknown = [name for name in self.columns if name in used and name not in self._levels]
        batches = [
            unknown[at : at + _LEVELS_AT_ONCE] for at in range(0, len(unknown), _LEVELS_AT_ONCE)
        ]
        self._prepare(2)  # the sets are still to come
        for names in track(batches, "Counting values") if batches else ():
            singles = [frozenset([name]) for name in names]
            block = Block(tuple(range(len(singles))), rolled=False)
            for members, frame in self._answers(singles, block, None, drop=False, complete=()):
                self._levels[next(iter(members))] = int(frame["m"].sum())
        return {name: self._levels[name] for name in used}

    def _prepare(self, statements: int) -> None:
        """Put the data where it can be read quickly, if it will be read more than once."""
        if self._settle is not None and statements > 1:
            working_on(f"Copying {self.source}")
            self._columns, self._settle = self._settle(), None

    # ---- by group

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records, by the values of ``by``."""
        working_on("Counting by group")
        statement = database_groups.group_profiles(self._columns, columns, by, drop=drop)
        answer = self._received(statement, by)
        found = {}
        for key, places in self._groups(answer, by):
            part = answer.select("n", "m").cast(pl.Int64)[places].filter(pl.col("n") > 0)
            found[key] = _profile(part)
        return found

    def group_rows(self, by: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """Return how many records each group has, dropped ones included, in the same order."""
        working_on("Counting by group")
        answer = self._received(database_groups.combinations(self._columns, by), by)
        sizes = answer["n"].cast(pl.Int64).to_numpy()
        return {key: int(sizes[places].sum()) for key, places in self._groups(answer, by)}

    def weight_totals(
        self,
        columns: Sequence[str],
        weight: str,
        by: Sequence[str] = (),
        *,
        drop: bool = False,
    ) -> dict[tuple[Any, ...], WeightTotals]:
        """Return the sums of weights, by group (one group ``()`` if ``by`` is empty)."""
        self._columns.require([weight])
        working_on("Adding up weights")
        if self._session.numbers(self._columns.unfit_weights(weight))[0][0]:
            raise UnusableColumn(
                f"Column {weight!r} cannot be the weight: every record needs a number of 0 or more "
                "there."
            )
        answer = self._received(
            database_groups.group_weights(self._columns, columns, weight, by, drop=drop), by
        )
        totals, least = answer["total"].to_list(), answer["least"].to_list()
        groups = self._groups(answer, by) if by else [((), np.zeros(1, dtype=np.int64))]
        return {
            key: WeightTotals(
                float(totals[place] or 0.0), None if least[place] is None else float(least[place])
            )
            for key, (place,) in groups
        }

    def _groups(
        self, answer: pl.DataFrame, by: Sequence[str]
    ) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group by its values, in their order, with the rows of an answer about it."""
        if not answer.height:
            return
        table = fetched(answer.select(self._columns.values(by)), self._columns, by, self.source)
        codes = [table[name].codes for name in by]
        order = np.lexsort(codes[::-1])
        differ = np.zeros(len(order) - 1, dtype=np.bool_)
        for column in codes:
            differ |= np.diff(column[order].astype(np.int64)) != 0
        groups = np.split(order, np.flatnonzero(differ) + 1)
        keys = different_keys(
            tuple(table[name].value(int(table[name].codes[places[0]])) for name in by)
            for places in groups
        )
        yield from zip(keys, groups, strict=True)

    # ---- counts

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""
        working_on("Counting combinations")
        names = tuple(dict.fromkeys([*columns, sensitive]))
        base = self._columns.base(names, complete=names if drop else ())
        (key,) = self._columns.keys([sensitive])
        number, joint = self._session.numbers(
            database_sql.joint_sizes(base, self._columns.keys(columns), key)
        )
        (of_sensitive,) = self._session.numbers(database_sql.sizes(base, [key]))
        parents = number - 1
        # sums of whole numbers below 2**53 are exact
        sizes = np.bincount(parents, joint).astype(np.int64)
        return JointCounts(sizes, joint, parents, of_sensitive)

    def ranked_counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with each value replaced by its rank."""
        working_on("Counting combinations")
        statement = database_sql.ranks(self._columns.base(columns), self._columns.keys(columns))
        *ranks, sizes = self._session.numbers(statement)
        books = tuple(range(int(rank.max(initial=0))) for rank in ranks)
        codes = tuple(
            smallest_codes(np.where(rank == 0, len(book), rank - 1), len(book) + 1)
            for rank, book in zip(ranks, books, strict=True)
        )
        return Counts(tuple(columns), books, codes, np.array(sizes))

    def counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with their values."""
        working_on("Counting combinations")
        answer = self._received(database_groups.combinations(self._columns, columns), columns)
        values = answer.select(self._columns.values(columns))
        table = fetched(values, self._columns, columns, self.source)
        return Counts(
            tuple(columns),
            tuple(column.values for column in table),
            tuple(column.codes for column in table),
            np.array(answer["n"].cast(pl.Int64).to_numpy()),
        )

    def _received(self, statement: sge.Select, names: Sequence[str]) -> pl.DataFrame:
        """Return an answer that holds values of some columns; name them if Python cannot."""
        try:
            return self._session.frame(statement)
        except UnheldValue:
            pass
        kinds = {name: self._columns.kind(name) for name in names}
        suspect = [f"{name!r} ({kind})" for name, kind in kinds.items() if kind.is_temporal()]
        raise UnusableColumn(
            f"Column {' or '.join(suspect)} holds a moment that Python has no like of: an infinite "
            "one, a year before 1 or after 9999, or the time 24:00; leave such records out by a "
            "condition, or make a view that shows the column as text."
        )

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""
        names = self.columns if columns is None else self._columns.require(columns)
        require_room(self._columns, names, self.rows)
        working_on(f"Fetching {self.source}")
        values = self._received(database_groups.records(self._columns, names), names)
        return fetched(values, self._columns, names, self.source, self.notes)

    def close(self) -> None:
        """Give the connection back."""
        self._session.close()


def _profile(frame: pl.DataFrame) -> SizeProfile:
    """Return the counts of counts in an answer, several rows for a size being added."""
    found = frame.group_by("n").agg(pl.col("m").sum()).sort("n")
    return SizeProfile(np.array(found["n"].to_numpy()), np.array(found["m"].to_numpy()))
