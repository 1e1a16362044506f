"""A table in a database, counted there: see `singleout.engines.counter` for what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations as subsets
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from singleout.core.arrays import F64, I64
from singleout.core.counts import Counts, SizeProfile
from singleout.core.memory import in_words, require_memory
from singleout.core.progress import track, working_on
from singleout.core.table import Table, smallest_codes
from singleout.engines.base import CounterBase
from singleout.engines.counted import CountFacts, cells_of, no_records
from singleout.engines.counter import DistinctCounts, JointCounts, WeightTotals
from singleout.engines.local.counter import LocalCounter, bytes_to_count
from singleout.engines.sql import groups, statements
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.copied import can_be_copied
from singleout.engines.sql.encoded import encoded_records, passes_over, room_within
from singleout.engines.sql.errors import UnheldValue
from singleout.engines.sql.here import NOT_HERE, Here
from singleout.engines.sql.kinds import as_typed
from singleout.engines.sql.plan import planned
from singleout.engines.sql.statements import SetsStatement
from singleout.errors import UnusableColumn, UnusableTable
from singleout.io.encode import encode
from singleout.io.source import Source
from singleout.report.say import say

if TYPE_CHECKING:
    import sqlglot.expressions as sge

    from singleout.engines.recoding import Recoding
    from singleout.engines.sql.session import Session
    from singleout.where.condition import Condition

__all__ = ["DatabaseCounter"]


_WORTH_PLANNING = 8  # sets: for fewer, how many values each column has is not worth a pass
_LEVELS_AT_ONCE = 16
_TEXT_BYTES = 40  # of a cell in memory, with its pointers
_NUMBER_BYTES = 10


class DatabaseCounter(CounterBase):
    """A `Counter` that sends statements to a database.

    ``sets_at_once`` column sets share a statement where nothing can be rolled up. ``copy`` is for
    data that is slow to read: it makes a copy and returns the columns of that. ``here`` says when
    records are counted in this process.
    """

    def __init__(
        self,
        session: Session,
        columns: Columns,
        *,
        sets_at_once: int,
        copy: Callable[[], Columns] | None = None,
        notes: tuple[str, ...] = (),
        here: Here = NOT_HERE,
    ) -> None:
        self.source, self.columns, self.notes = session.source, columns.names, notes
        self._session = session
        self._columns = columns
        self._sets_at_once = sets_at_once
        self._copy = copy
        self._here = here
        self._levels: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.source})"

    def __reduce__(self) -> Any:
        raise TypeError("a counter holds an open connection to a database; it cannot be pickled")

    @property
    def session(self) -> Session:
        """The open database."""
        return self._session

    @property
    def table(self) -> Any:
        """The ibis table of the records."""
        return self._columns.table

    @property
    def names_inside(self) -> Mapping[str, str]:
        """What the columns are called in the database, by the names that users know."""
        return self._columns.names_inside

    @property
    def collated(self) -> bool:
        """Whether some column may compare text in another way than byte by byte."""
        return self._columns.collated

    # ---- the table

    @property
    def count(self) -> str | None:
        """The column that said how many records a row stands for; None if each row is one."""
        return self._columns.count

    @cached_property
    def rows(self) -> int:
        """How many records there are; counted once."""
        working_on(f"Counting the records of {self.source}")
        statement = statements.row_count(self._columns.base(()))
        return int(self._session.numbers(statement)[0][0])

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""
        if not columns:
            return {}
        records, _, *present = self._completeness(columns)
        return {name: records - count for name, count in zip(columns, present, strict=True)}

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""
        return self._completeness(columns)[1] if columns else self.rows

    def _completeness(self, columns: Sequence[str]) -> list[int]:
        working_on("Counting missing values")
        statement = statements.completeness(
            self._columns.base(columns), self._columns.keys(columns)
        )
        numbers = [int(column[0]) for column in self._session.numbers(statement)]
        self.rows = numbers[0]
        return numbers

    # ---- counts of counts

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set, sharing passes over the data."""
        sets = [frozenset(self._columns.require(names)) for names in column_sets]
        answers = self._answers(sets, sizes=True, drop=drop, complete=())
        profiles = {members: _profile(frame) for members, frame in answers}
        return [profiles[members] for members in sets]

    def filtered(self, condition: Condition) -> DatabaseCounter:
        """Return a counter of the records that meet a condition."""
        return self._of(self._columns.filtered(condition))

    def counted_by(self, column: str, columns: Sequence[str] | None = None) -> DatabaseCounter:
        """Return a counter of a table whose rows stand for as many records as a column says."""
        cells = cells_of(column, self._columns.require([*self.columns]), columns)
        self._prepare(3)  # the column is looked at, the cells are counted, and then asked about
        working_on(say("progress.count_column"))
        statement = self._columns.count_facts(self._columns.require([column])[0])
        *rows, people = (values[0] or 0 for values in self._session.frame(statement).get_columns())
        lines, lacking, negative, other, zero = map(int, rows)
        facts = CountFacts(lines, lacking, negative, other, zero, float(people))
        facts.check(column, self.source)
        counter = self._of(self._columns.counted_by(column))
        (profile,) = counter.profiles([cells])
        counter.rows = round(facts.people)
        counter.notes = (*self.notes, *facts.notes(column, cells, profile.number_of_sets))
        return counter

    def recoded(self, recodings: Mapping[str, Recoding]) -> DatabaseCounter:
        """Return a counter of the same records with more columns, coded from others."""
        from singleout.engines.sql.recoded import recoded_columns

        self._prepare(2)  # what is counted comes after what is checked here
        return self._of(recoded_columns(self._session, self._columns, recodings))

    def _of(self, columns: Columns) -> DatabaseCounter:
        """Return a counter of other columns over the same connection."""
        counter = DatabaseCounter(
            self._session,
            columns,
            sets_at_once=self._sets_at_once,
            notes=self.notes,
            here=self._here,
        )
        counter.memory = self.memory
        return counter

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        records = self._counted_here(columns, size)
        if records is not None:
            return records.distinct_counts(columns, size, drop=drop)
        sets = [frozenset(names) for names in subsets(self._columns.require(columns), size)]
        complete = tuple(columns) if drop else ()
        answers = self._answers(sets, sizes=False, drop=False, complete=complete)
        counts = {members: int(frame["m"].sum()) for members, frame in answers}
        return DistinctCounts(np.array([counts[members] for members in sets], dtype=np.int64))

    def _counted_here(self, columns: Sequence[str], size: int) -> LocalCounter | None:
        """Encode some columns if their sets are counted sooner that way, within the memory."""
        names, room = self._columns.require(columns), room_within(self.memory)
        sets = comb(len(names), size)
        if self.count is not None or not self._here.is_sooner(len(names), sets):
            return None

        def fits(levels: Sequence[int], codes: int) -> bool:
            return room is None or bytes_to_count(levels, size, self.rows) + codes <= room

        if not fits([2] * len(names), self.rows * len(names)):
            return None
        table = self._encoded(names, room, self._here.patience(sets))
        if table is None or not fits([column.levels for column in table], table.memory):
            return None
        return LocalCounter(table)

    def _encoded(
        self, names: Sequence[str], room: int | None, patience: float | None = None
    ) -> Table | None:
        """Return some columns encoded batch by batch; None where they do not fit."""
        if not self._comes_in_batches(names):
            return self._fetched_at_once(names)
        self._prepare(passes_over(names) if self._here.in_order else 1)
        working_on(f"Encoding {self.source}")
        return encoded_records(
            self._session,
            self._columns,
            names,
            room,
            in_order=self._here.in_order,
            patience=patience,
        )

    def _comes_in_batches(self, names: Sequence[str]) -> bool:
        if self._session.name == "postgres":
            return all(can_be_copied(self._columns.kind(name)) for name in names)
        return self._session.streams

    def _answers(
        self,
        sets: Sequence[frozenset[str]],
        *,
        sizes: bool,
        drop: bool,
        complete: tuple[str, ...],
    ) -> Iterator[tuple[frozenset[str], pl.DataFrame]]:
        """Yield the answer about each set, by few statements; with the sizes or only counts."""
        different = list(dict.fromkeys(sets))
        levels = self._known_levels(different) if len(different) >= _WORTH_PLANNING else {}
        rows = self.rows if levels else 0
        blocks = planned(different, levels, rows, at_once=self._sets_at_once)
        self._prepare(len(blocks))
        for block in track(blocks, "Counting combinations"):
            members = [different[index] for index in block.sets]
            yield from self._answer(
                members, sizes=sizes, rolled=block.rolled, drop=drop, complete=complete
            )

    def _answer(
        self,
        members: list[frozenset[str]],
        *,
        sizes: bool = False,
        rolled: bool = False,
        drop: bool = False,
        complete: tuple[str, ...] = (),
    ) -> Iterator[tuple[frozenset[str], pl.DataFrame]]:
        """Yield the answer about each set, by one statement."""
        names = [name for name in self.columns if any(name in names for names in members)]
        statement = SetsStatement(
            self._columns.base(names, complete=complete),
            tuple(self._columns.keys(sorted(names)) for names in members),
            self._session.name,
            drop=drop,
            rolled=rolled,
        )
        answer = self._session.frame(statement.profiles() if sizes else statement.distinct())
        marks = [name for name in answer.columns if name.startswith("g")]
        parts = answer.cast(pl.Int64).partition_by(marks, as_dict=True, include_key=False)
        nothing = answer.cast(pl.Int64).drop(marks).clear()
        for names_of_set, number in zip(members, statement.numbers, strict=True):
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
            for (name,), frame in self._answer([frozenset([name]) for name in names]):
                self._levels[name] = int(frame["m"].sum())
        return {name: self._levels[name] for name in used}

    def _prepare(self, statements: int) -> None:
        """Copy data that is slow to read, if it will be read more than once."""
        if self._copy is not None and statements > 1:
            working_on(f"Copying {self.source}")
            self._columns, self._copy = self._copy(), None

    # ---- by group

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records, by the values of ``by``."""
        working_on("Counting by group")
        statement = groups.group_profiles(self._columns, columns, by, drop=drop)
        answer = self._received(statement, by)
        sizes = answer.select("n", "m").cast(pl.Int64)
        return {
            key: _profile(sizes[rows].filter(pl.col("n") > 0))
            for key, rows in self._groups(answer, by)
        }

    def group_rows(self, by: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """Return how many records each group has, dropped ones included, in the same order."""
        working_on("Counting by group")
        answer = self._received(groups.combinations(self._columns, by), by)
        sizes = answer["n"].cast(pl.Int64).to_numpy()
        return {key: int(sizes[rows].sum()) for key, rows in self._groups(answer, by)}

    def weight_totals(
        self,
        columns: Sequence[str],
        weight: str,
        by: Sequence[str] = (),
        *,
        drop: bool = False,
    ) -> dict[tuple[Any, ...], WeightTotals]:
        """Return the sums of weights, by group (one group ``()`` if ``by`` is empty)."""
        self._require_weights(weight)
        answer = self._received(
            groups.group_weights(self._columns, columns, weight, by, drop=drop), by
        )
        totals, least = answer["total"].to_list(), answer["least"].to_list()
        by_group = self._groups(answer, by) if by else [((), np.zeros(1, dtype=np.int64))]
        return {
            key: WeightTotals(
                float(totals[row] or 0.0), None if least[row] is None else float(least[row])
            )
            for key, (row,) in by_group
        }

    def _require_weights(self, weight: str) -> None:
        self._columns.require([weight])
        working_on("Adding up weights")
        if self._session.numbers(self._columns.unfit_weights(weight))[0][0]:
            raise UnusableColumn(
                f"Column {weight!r} cannot be the weight: every record needs a number of 0 or more "
                "there."
            )

    def _groups(
        self, answer: pl.DataFrame, by: Sequence[str]
    ) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group by its values, in their order, with the rows of an answer about it."""
        if not answer.height:
            return
        values = answer.select(self._columns.values(by))
        yield from LocalCounter(self._table(values, by)).members(by)

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
            statements.joint_sizes(base, self._columns.keys(columns), key)
        )
        (of_sensitive,) = self._session.numbers(statements.sizes(base, [key]))
        parents = number - 1
        # sums of whole numbers below 2**53 are exact
        sizes = np.bincount(parents, joint).astype(np.int64)
        return JointCounts(sizes, joint, parents, of_sensitive)

    def ranked_counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with each value replaced by its rank."""
        if weight is not None:
            self._require_weights(weight)
        working_on("Counting combinations")
        statement = statements.ranks(
            self._columns.base(columns, weight=weight),
            self._columns.keys(columns),
            weighted=weight is not None,
        )
        answer = self._session.frame(statement)
        whole = answer.select(pl.exclude("t").cast(pl.Int64)).get_columns()
        *ranks, sizes = (np.array(column.to_numpy()) for column in whole)
        books = tuple(range(int(rank.max(initial=0))) for rank in ranks)
        codes = tuple(
            smallest_codes(np.where(rank == 0, len(book), rank - 1), len(book) + 1)
            for rank, book in zip(ranks, books, strict=True)
        )
        return Counts(tuple(columns), books, codes, sizes, _weights(answer))

    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""
        if weight is not None:
            self._require_weights(weight)
        working_on("Counting combinations")
        return self._counts(groups.combinations(self._columns, columns, weight), columns)

    def values(self, column: str, *, step: int = 1, records: int = 0) -> Counts:
        """Return the different values of a column, or those of every so many records."""
        if step > 1:
            statement = groups.sampled_values(self._columns, column, step, records)
        else:
            statement = groups.combinations(self._columns, [column], complete=True)
        return self._counts(statement, [column])

    def _counts(self, statement: sge.Select, columns: Sequence[str]) -> Counts:
        answer = self._received(statement, columns)
        table = self._table(answer.select(self._columns.values(columns)), columns)
        return Counts(
            tuple(columns),
            tuple(column.values for column in table),
            tuple(column.codes for column in table),
            np.array(answer["n"].cast(pl.Int64).to_numpy()),
            _weights(answer),
        )

    def _received(self, statement: sge.Select, names: Sequence[str]) -> pl.DataFrame:
        """Return an answer with values of some columns, unless Python cannot represent one."""
        try:
            return self._session.frame(statement)
        except UnheldValue:
            pass
        kinds = {name: self._columns.kind(name) for name in names}
        suspect = [f"{name!r} ({kind})" for name, kind in kinds.items() if kind.is_temporal()]
        raise UnusableColumn(
            f"Column {' or '.join(suspect)} contains timestamps that Python cannot represent: an "
            "infinite one, a year before 1 or after 9999, or the time 24:00; leave such records "
            "out by a condition, or make a view that shows the column as text."
        )

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""
        if self._columns.count is not None:
            raise no_records(self._columns.count)
        names = self.columns if columns is None else self._columns.require(columns)
        working_on(f"Fetching {self.source}")
        if self._comes_in_batches(names):
            return self._fetched_in_batches(names)
        return self._fetched_at_once(names)

    def _fetched_at_once(self, names: Sequence[str]) -> Table:
        per_record = sum(
            _NUMBER_BYTES if kind.is_primitive() or kind.is_temporal() else _TEXT_BYTES
            for kind in map(self._columns.kind, names)
        )
        records = self.rows
        what = f"Fetching {records:,} records of {len(names)} columns"
        require_memory(records * per_record, what)
        values = self._received(groups.records(self._columns, names), names)
        return self._table(values, names, self.notes)

    def _fetched_in_batches(self, names: Sequence[str]) -> Table:
        room = room_within(self.memory)
        what = f"Fetching {self.rows:,} records of {len(names)} columns"
        require_memory(2 * self.rows * len(names), what)
        table = self._encoded(names, room)
        if table is None:
            raise UnusableTable(
                f"{what} needs more than the {in_words(room or 0)} of memory that may be used; "
                "give fewer columns or fewer records, or allow more memory."
            )
        return Table(table, source=self.source, notes=self.notes)

    def repeated(self, columns: Sequence[str] | None, at_most: int) -> LocalCounter:
        """Return the records; of a table of counts each combination, at most so many times."""
        if self._columns.count is None:
            return self.records(columns)
        from singleout.engines.local.counted import CountedCounter

        counts = self.counts(self.columns if columns is None else self._columns.require(columns))
        table = Table(counts.as_columns(), source=self.source, notes=self.notes)
        return CountedCounter(table, counts.sizes, self._columns.count).repeated(None, at_most)

    def _table(
        self, values: pl.DataFrame, names: Sequence[str], notes: tuple[str, ...] = ()
    ) -> Table:
        """Encode the values of some columns."""
        typed = [
            as_typed(series.alias(name), self._columns.kind(name))
            for series, name in zip(values.get_columns(), names, strict=True)
        ]
        return encode(Source(pl.DataFrame(typed), self.source, notes=notes))

    def close(self) -> None:
        """Close the connection."""
        self._session.close()


def _weights(answer: pl.DataFrame) -> F64 | None:
    """Return the sums of weights in an answer that has them."""
    if "t" not in answer.columns:
        return None
    return np.array(answer["t"].cast(pl.Float64).to_numpy())


def _profile(frame: pl.DataFrame) -> SizeProfile:
    """Return the counts of counts in an answer, in which a size may have several rows."""
    sums = frame.group_by("n").agg(pl.col("m").sum()).sort("n")
    return SizeProfile(np.array(sums["n"].to_numpy()), np.array(sums["m"].to_numpy()))
