"""Which engine answers: decided by where the data is, unless the user says otherwise."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from singleout.core.choices import choose
from singleout.core.frames import refuse_lost_threads
from singleout.core.memory import available_memory, in_words
from singleout.core.paths import expanded
from singleout.engines.sql.urls import is_database_url
from singleout.errors import BadChoice
from singleout.io.files import scheme_of, without_secrets
from singleout.io.size import PARQUET, memory_to_read

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.engines.spark.engine import Spark
    from singleout.engines.sql.engine import Database
    from singleout.where.condition import Condition

__all__ = [
    "Home",
    "condition_of",
    "counter_for",
    "filtered_note",
    "home_of",
    "is_counter",
    "is_read_here",
    "opened",
    "remote",
]

_ENTRIES = 10_000  # of a folder that are looked at to find a Parquet file


class Home(StrEnum):
    """Where data is counted."""

    LOCAL = "local"
    DATABASE = "database"
    SPARK = "spark"


# ---- the answer


def counter_for(data: Any, engine: Any = None, where: Any = None) -> Counter | None:
    """Return what counts the data where it is; None if it is to be read and counted here.

    Parameters
    ----------
    data
        Whatever a user gives as data. A `Counter` is returned as it is.
    engine
        ``local``, ``database``, ``spark``, a `Database` or a `Spark`; if not given, the data
        decides: databases, Spark frames, globs and folders of Parquet files are counted where
        they are, and so is a file that is larger than the memory which is free.
    where
        The condition that records must meet: a text, a `Condition`, or None for all records.
    """
    if _word(engine) == Home.LOCAL:
        return None
    return remote(data, engine, where)


def remote(data: Any, engine: Any = None, where: Any = None) -> Counter | None:
    """Return the counter of data that is elsewhere, to count there or to fetch from there.

    The same as `counter_for`, but ``local`` does not matter: it says where to count, not where the
    data is.
    """
    condition = condition_of(where)
    if is_counter(data):
        return _passed_through(data, engine, condition)
    data = _native(data)
    home, note = _goes_to(data, engine)
    if home == Home.LOCAL:
        return None
    refuse_lost_threads()
    _refuse_what_it_cannot_take(data, home)
    counter = _engine(home, engine).counter(data, condition)
    said = [*([note] if note else []), *([] if condition is None else [filtered_note(condition)])]
    return _with_notes(counter, said)


def is_read_here(data: Any, engine: Any = None) -> bool:
    """Whether data is read by this process, and neither counted elsewhere nor fetched."""
    return not is_counter(data) and _goes_to(_native(data), engine)[0] == Home.LOCAL


def _goes_to(data: Any, engine: Any) -> tuple[Home, str | None]:
    """Return what reads or counts data, and a note if it is not what one would expect."""
    asked = _word(engine)
    if asked not in (None, Home.LOCAL):
        return cast(Home, asked), None
    home = home_of(data)
    note = _too_large(data) if home == Home.LOCAL and asked is None else None
    return (home, None) if note is None else (Home.DATABASE, note)


@contextmanager
def opened(data: Any, engine: Any = None, where: Any = None) -> Iterator[Counter | None]:
    """Give what counts the data, and close it afterwards unless it was given."""
    counter = counter_for(data, engine, where)
    try:
        yield counter
    finally:
        if counter is not None and counter is not data:
            counter.close()


def condition_of(where: Any) -> Condition | None:
    """Return the condition that a user gave, parsed."""
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


def filtered_note(condition: Condition) -> str:
    """Return the note that only some records were looked at."""
    return f"Only the records that meet the condition were looked at: {condition}."


def is_counter(data: Any) -> bool:
    """Whether this is a `Counter`, by what it can be asked."""
    return all(hasattr(data, name) for name in ("grouped_profiles", "ranked_counts", "fetch"))


# ---- where the data is


def home_of(data: Any) -> Home:
    """Return where data is by itself, without opening anything."""
    module = type(data).__module__.partition(".")[0]
    if module == "pyspark":
        return Home.SPARK
    if module == "ibis":
        return Home.DATABASE
    if isinstance(data, str | os.PathLike) and _is_elsewhere(os.fspath(data)):
        return Home.DATABASE
    return Home.LOCAL


def _is_elsewhere(given: str | bytes) -> bool:
    """Whether a text is a database, several files or a folder of them, and not one file."""
    text = os.fsdecode(given)
    if scheme_of(text) is not None:
        return is_database_url(text)
    if "\0" in text or not text.strip():
        return False
    try:
        path = expanded(text)
        if path.is_dir():
            some = islice(path.rglob("*"), _ENTRIES)
            return any(entry.suffix.lower() in PARQUET for entry in some)
        return glob.has_magic(text) and not path.exists() and bool(_first_match(path))
    except (OSError, RuntimeError):  # a name too long, or no home folder: the reader says so
        return False


def _first_match(path: Path) -> str | None:
    # a pattern may be absolute, which pathlib does not take
    return next(glob.iglob(str(path), recursive=True), None)  # noqa: PTH207


def _native(data: Any) -> Any:
    """Return what is inside a frame of narwhals or of pandas on Spark."""
    module = type(data).__module__
    if module.startswith("narwhals."):
        return data.to_native()
    return data.to_spark() if module.startswith("pyspark.pandas.") else data


def _too_large(data: Any) -> str | None:
    """Return a note if a file is larger than the memory that is free, None if it is not."""
    needed = memory_to_read(data)
    free = None if needed is None else available_memory()
    # with nothing left, a database would not even start, and the reader says so
    if needed is None or not free or needed <= free:
        return None
    path = Path(os.fsdecode(data))
    return (
        f"{path.name} has {in_words(expanded(path).stat().st_size)}, too much for the "
        f"{in_words(free)} of memory that are free, so it was counted by the embedded database."
    )


# ---- the engines


def _word(engine: Any) -> Home | None:
    """Return the engine that is asked for; None if the data is to decide."""
    if engine is None:
        return None
    if isinstance(engine, str):
        if without_secrets(engine) != engine or scheme_of(engine):  # it may hold a password
            raise BadChoice("engine is local, database or spark; an address is given as data.")
        return choose(Home, engine, "known engine")
    kind = type(engine).__name__.lower()
    if hasattr(engine, "counter") and kind in (Home.DATABASE, Home.SPARK):
        return Home(kind)
    raise BadChoice(
        f"engine is a {type(engine).__name__}; give local, database or spark, or an object made "
        "by so.Database or so.Spark."
    )


def _engine(home: Home, given: Any) -> Database | Spark:
    if given is not None and not isinstance(given, str):
        return cast("Database | Spark", given)
    if home == Home.DATABASE:
        from singleout.engines.sql.engine import Database

        return Database()
    from singleout.engines.spark.engine import Spark

    return Spark()


def _passed_through(data: Any, engine: Any, condition: Condition | None) -> Counter:
    if condition is not None or _word(engine) not in (None, Home.LOCAL):
        raise BadChoice(
            "The data is a counter already: give engine and where to what makes it, and not again."
        )
    return cast("Counter", data)


def _refuse_what_it_cannot_take(data: Any, home: Home) -> None:
    """Refuse data that an engine cannot reach; what a file holds is for the engine to say."""
    own = home_of(data)
    is_path = isinstance(data, str | os.PathLike)
    scheme = scheme_of(os.fsdecode(data)) if is_path else None
    if home == Home.SPARK:
        if own == Home.SPARK or (is_path and not is_database_url(os.fsdecode(data))):
            return
        what = "a Spark frame, or the path of files that the cluster can read"
    else:
        if own == Home.DATABASE or (is_path and scheme is None):
            return
        what = "the URL of a database and table, an ibis table, or the path of files"
    # the rest of an address may hold a password
    shown = "an address" if scheme and ":" in scheme else f"the address {scheme}://…"
    given = shown if scheme else f"a {type(data).__name__}"
    raise BadChoice(
        f"The {home} engine cannot take {given}: it takes {what}; leave engine out, or say local."
    )


# ---- notes


class _Noted:
    """A counter with more to say; all else is asked of the counter."""

    def __init__(self, counter: Counter, notes: Sequence[str]) -> None:
        self._counter = counter
        self._notes = notes

    @property
    def notes(self) -> tuple[str, ...]:
        """What the counter has to say by now, and what is said here."""
        return tuple(dict.fromkeys([*self._counter.notes, *self._notes]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._counter, name)


def _with_notes(counter: Counter, notes: list[str]) -> Counter:
    return cast("Counter", _Noted(counter, notes)) if notes else counter
