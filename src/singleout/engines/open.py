"""Open data, local or remote: the only module that decides which engine counts.

    data, engine, where ──▶ open_data ──▶ Counter: in memory, in a database, on a cluster

An engine is a line in `ENGINES`. It has a ``name``, says by ``claims(data)`` what data it is the
default for, and makes a counter by ``counter(data, where, columns)``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from singleout.core.choices import Role
from singleout.core.frames import refuse_lost_threads
from singleout.core.table import Table
from singleout.engines.base import CounterBase, OpenedCounter, closed_on_error
from singleout.engines.local.counter import LocalCounter
from singleout.engines.local.engine import (
    Local,
    filtered_note,
    nobody_meets,
    require_room,
    room_for,
)
from singleout.engines.suspected import is_looking, noticing_counts, with_counts_of_people
from singleout.errors import BadChoice, UnusableTable, did_you_mean
from singleout.io.files import scheme_of, without_secrets
from singleout.io.names import pick

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.where.condition import Condition

__all__ = ["ENGINES", "Choice", "agreed_count", "choose_engine", "condition_of", "open_data"]

_LOG = logging.getLogger("singleout.engines")

# In the order in which they may claim data; the last one claims all that is left.
ENGINES = {
    "spark": "singleout.engines.spark.engine:Spark",
    "database": "singleout.engines.sql.engine:Database",
    "local": "singleout.engines.local.engine:Local",
}


class Engine(Protocol):
    """What counts tables of some kind, with its options."""

    @property
    def name(self) -> str:
        """The name that users select it by."""

    @staticmethod
    def claims(data: Any) -> bool:
        """Whether the engine is the default for data; decided without opening anything."""

    def counter(
        self, data: Any, where: Condition | None = None, columns: Sequence[str] | None = None
    ) -> Counter:
        """Return the counter of a table."""


class RemoteEngine(Engine, Protocol):
    """An engine of data that is not read by this process."""

    accepts: str  # what data it can count, for error messages

    @staticmethod
    def takes(data: Any) -> bool:
        """Whether the engine can count data if a user selects it."""


@dataclass(frozen=True)
class Choice:
    """Which engine counts, decided once."""

    engine: Engine
    fetches: bool = False  # its table is fetched and counted here, since ``local`` was asked for
    too_large: str | None = None  # why a local file is not read by this process
    room_unknown: bool = False  # free memory is still to be checked before reading

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self.engine.name

    @property
    def is_local(self) -> bool:
        """Whether the data is read by this process without another engine."""
        return isinstance(self.engine, Local)

    @property
    def is_one_file(self) -> bool:
        """Whether the data is a local file or a frame in memory."""
        return self.is_local or self.too_large is not None

    def with_options(self, **options: Any) -> Choice:
        """Return the choice with options set on its engine."""
        return replace(self, engine=replace(cast(Any, self.engine), **options))


def open_data(
    data: Any,
    engine: Any = None,
    where: Any = None,
    columns: Sequence[str] | None = None,
    *,
    count: str | None = None,
    **parsing: Any,
) -> Counter:
    """Return the counter of the data; to be closed, which ``with`` does.

    ``data`` is of any kind that a public function takes; a `Counter` stays open when this one is
    closed. ``engine`` is a name, an engine or a `Choice`; by default the data decides: databases,
    Spark frames, globs and folders of Parquet files are counted where they are, and a file larger
    than free memory by the embedded database. ``where`` is a text or a `Condition`. The local
    reader reads only ``columns``, with the options ``parsing``. ``count`` is the column that says
    how many records a row stands for, in a table of counts; if not given, that which has the role.
    A table that looks like one of counts, and is not said to be one, has a note.
    """
    if count is not None or not is_looking() or isinstance(data, CounterBase | OpenedCounter):
        return _opened(data, engine, where, columns, count, parsing)
    wanted = with_counts_of_people(columns)
    counter = _opened(data, engine, where, wanted, None, parsing)
    if counter.count is not None:
        return counter
    with closed_on_error(counter.close):
        return noticing_counts(
            counter, columns, lambda: _opened(data, engine, where, None, None, parsing)
        )


def _opened(
    data: Any,
    engine: Any,
    where: Any,
    columns: Sequence[str] | None,
    count: str | None,
    parsing: Mapping[str, Any],
) -> Counter:
    """Return the counter of the data, with the columns to read."""
    condition = condition_of(where)
    if count is None and isinstance(data, Table):
        count = next(iter(data.with_role(Role.COUNT)), None)
    needed = _with_count(columns, count)
    if isinstance(data, CounterBase | OpenedCounter):
        counter = cast("Counter", data)
        _refuse_again(engine, condition, parsing, counter)
        if count is not None and counter.count is not None:
            agreed_count(counter.count, count)
            needed, count = columns, None
        lent = _require_records(OpenedCounter(counter, lent=True), None, needed)
        return lent if count is None else OpenedCounter(lent.counted_by(count, columns), lent=True)
    data = _native(data)
    choice = choose_engine(data, engine, parsing)
    _LOG.info("engine %s chosen", choice.name)
    if choice.is_local:
        if choice.room_unknown:
            require_room(data, needed)
        read = cast(Local, choice.engine).counter(data, condition, needed, **parsing)
        _LOG.info("read %s: %d rows, %d columns", read.source, read.rows, len(read.columns))
        return read if count is None else read.counted_by(count, columns)
    refuse_lost_threads()
    counter = choice.engine.counter(data, condition, needed)
    with closed_on_error(counter.close):
        _refuse_parsing(parsing, counter)
        counts = count is not None and not choice.fetches
        if counts and counter.rows:  # a table without rows is refused below
            counter = counter.counted_by(cast(str, count), columns)
        notes = [] if condition is None else [filtered_note(condition)]
        opened = _require_records(
            OpenedCounter(counter, notes, too_large=choice.too_large),
            condition,
            columns if counts else needed,
        )
        _LOG.info("opened %s: %d columns", opened.source, len(opened.columns))
        if not choice.fetches:
            return opened
        fetched = LocalCounter(opened.records(needed).table)
    counter.close()
    return fetched if count is None else fetched.counted_by(count, columns)


def agreed_count(asked: str | None, stated: str | None) -> str | None:
    """Return the column that counts people, by an option or by a plan; two of them are refused."""
    if asked is not None and stated is not None and asked != stated:
        raise BadChoice(
            f"Two columns are to say how many people a row stands for, {asked!r} and {stated!r}; "
            "name one of them, as an option or in the plan."
        )
    return asked if asked is not None else stated


def _with_count(columns: Sequence[str] | None, count: str | None) -> Sequence[str] | None:
    """Return the columns to read; refuse a count that is no name of a column."""
    if count is None:
        return columns
    if not isinstance(count, str):
        raise BadChoice(f"count is the name of a column, not {count!r}.")
    if columns is None:
        return None
    return [*([columns] if isinstance(columns, str) else columns), count]


def choose_engine(
    data: Any, engine: Any = None, parsing: Mapping[str, Any] | None = None
) -> Choice:
    """Decide which engine counts; files with parse options are for the local reader by default."""
    if isinstance(engine, Choice):
        return engine
    data = _native(data)
    asked = _asked(engine)
    if asked is not None and not isinstance(asked, Local):
        _refuse_what_it_cannot_take(data, cast(RemoteEngine, asked))
        return Choice(asked)
    owner = _owner(data)
    if asked is not None or not isinstance(owner, Local):
        return Choice(owner, fetches=asked is not None and not isinstance(owner, Local))
    if parsing:
        return Choice(owner, room_unknown=True)
    room = room_for(data)
    if room.too_large is not None:
        return Choice(_engine("database"), too_large=room.too_large)
    return Choice(owner, room_unknown=not room.fits)


def condition_of(where: Any) -> Condition | None:
    """Return a condition, parsed if it is text."""
    if where is None:
        return None
    from singleout.where.condition import Condition, parse

    if isinstance(where, Condition):
        return where
    if not isinstance(where, str):
        raise BadChoice(
            f"where is a condition written as text, such as \"age >= 18 and sex = 'f'\", not a "
            f"{type(where).__name__}."
        )
    return parse(where)


# ---- the engines


def _class(name: str) -> Any:
    module, _, kind = ENGINES[name].partition(":")
    return getattr(import_module(module), kind)


def _engine(name: str) -> Engine:
    return cast(Engine, _class(name)())


def _owner(data: Any) -> Engine:
    """Return the default engine for data."""
    return _engine(next(name for name in ENGINES if _class(name).claims(data)))


def _asked(engine: Any) -> Engine | None:
    """Return the engine that a user selects; None if the data decides."""
    if engine is None or isinstance(engine, tuple(map(_class, ENGINES))):
        return cast("Engine | None", engine)
    if not isinstance(engine, str):
        raise BadChoice(
            f"engine is a {type(engine).__name__}; give local, database or spark, or an object "
            "made by so.Database or so.Spark."
        )
    if without_secrets(engine) != engine or scheme_of(engine):  # it may hold a password
        raise BadChoice("engine is local, database or spark; a URL is given as data.")
    if engine not in ENGINES:
        advice = did_you_mean(engine, ENGINES)
        raise BadChoice(
            f"{engine!r} is not a known engine; choose one of {', '.join(reversed(ENGINES))}."
            + advice
        )
    return _engine(engine)


def _native(data: Any) -> Any:
    """Return the native frame of a narwhals or pandas-on-Spark frame."""
    module = type(data).__module__
    if module.startswith("narwhals."):
        return data.to_native()
    return data.to_spark() if module.startswith("pyspark.pandas.") else data


# ---- what is refused


def _refuse_again(
    engine: Any, condition: Condition | None, parsing: Mapping[str, Any], counter: Counter
) -> None:
    if condition is not None or not (engine is None or isinstance(_asked(engine), Local)):
        raise BadChoice(
            "The data is a counter already: give engine and where to what makes it, and not again."
        )
    _refuse_parsing(parsing, counter)


def _refuse_parsing(parsing: Mapping[str, Any], counter: Counter) -> None:
    if parsing:
        raise BadChoice(
            f"{next(iter(parsing))} has no meaning for {counter.source}: it is for files that "
            "are read here; leave it out, or give one file and engine='local'."
        )


def _refuse_what_it_cannot_take(data: Any, engine: RemoteEngine) -> None:
    """Refuse data that an engine cannot count; the engine itself checks what is in files."""
    if engine.takes(data):
        return
    scheme = scheme_of(os.fsdecode(data)) if isinstance(data, str | os.PathLike) else None
    # the rest of a URL may hold a password
    url = "a URL" if scheme and ":" in scheme else f"the URL {scheme}://…"
    what = url if scheme else f"a {type(data).__name__}"
    raise BadChoice(
        f"The {engine.name} engine cannot take {what}: it takes {engine.accepts}; leave engine "
        "out, or say local."
    )


def _require_records(
    counter: OpenedCounter, condition: Condition | None, columns: Sequence[str] | None
) -> Counter:
    """Refuse a table without the columns that are asked about, or without records."""
    if columns is not None:
        pick(columns, counter.columns)
    if counter.rows == 0:
        if condition is not None:
            raise nobody_meets(counter.source, condition)
        raise UnusableTable(f"{counter.source} has no rows: there is nobody to single out.")
    return cast("Counter", counter)
