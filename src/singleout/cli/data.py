"""The data that a command is about: which options say how to read it, and what reads it.

Every command that takes data has the same options for it. They are the fields of `Reading`; a
command names one parameter of that type, and `takes_data` puts the options in its place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

from singleout.cli import options
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from singleout.core.table import Table
    from singleout.engines.counter import Counter

__all__ = ["CountReading", "Reading", "SearchReading", "takes_data"]

_OF_FILES = ("na", "delimiter", "quote", "encoding", "sheet", "name")
_OF_ENGINES = {
    "memory": ("database",),
    "timeout": ("database",),
    "checkpoint": ("spark",),
    "approximate": ("spark",),
}


@dataclass(frozen=True)
class Reading:
    """How to read data, whose records to look at, and what counts them."""

    na: options.Na = None
    delimiter: options.Delimiter = None
    quote: options.Quote = None
    encoding: options.Encoding = None
    sheet: options.Sheet = None
    name: options.Name = None
    where: options.Where = None
    engine: options.Engine = None
    memory: options.Memory = None
    timeout: options.Timeout = None

    # ---- what a command asks for

    def table(self, data: str, columns: Sequence[str] | None = None) -> Table:
        """Return the data as a table: read if it is here, fetched if it is elsewhere."""
        from singleout.engines.reading import read

        engine = self._engine(data)
        return read(data, columns, engine=engine, where=self.where, **self._of_files())

    @contextmanager
    def opened(self, data: str) -> Iterator[Counter | None]:
        """Give what counts the data where it is; None if it is to be read here."""
        from singleout.engines.open import opened
        from singleout.engines.reading import require_records

        engine = self._engine(data)
        # what is said on how to read a file is said to the reader of files, however large it is
        for_reader = self.engine is None and self._home(data) == "local" and self._of_files()
        if self.engine == "local" or for_reader:
            engine = "local"
        with opened(data, engine, self.where) as counter:
            if counter is not None:
                self._refuse_of_files(counter.source)
                require_records(counter, self.where)
            yield counter

    @contextmanager
    def counted(self, data: str, columns: Sequence[str] | None = None) -> Iterator[Table | Counter]:
        """Give the data where it is best counted: there, or here with these columns."""
        with self.opened(data) as counter:
            yield self.table(data, columns) if counter is None else counter

    def is_read_here(self, data: str) -> bool:
        """Whether the data is a file that this process reads, record by record as they stand."""
        from singleout.engines.open import is_read_here

        engine = "local" if self.engine is None and self._of_files() else self.engine
        return is_read_here(data, engine)

    def kept(self, data: str) -> NDArray[np.bool_]:
        """Return for each record of a file whether it meets the condition."""
        from singleout.engines.reading import kept_here

        return kept_here(data, self.where, **self._of_files())

    @property
    def of_file(self) -> dict[str, Any]:
        """How the file is written: what a copy of it must know."""
        return {name: getattr(self, name) for name in _OF_FILES if name != "na"}

    @property
    def recorded(self) -> dict[str, str]:
        """The options that change what is looked at, as they were given, for a report."""
        given = {name: getattr(self, name) for name in (*_OF_FILES, "where", "engine")}
        return {
            f"--{name}": value if isinstance(value, str) else ", ".join(value)
            for name, value in given.items()
            if value
        }

    # ---- options that have no meaning

    def _of_files(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _OF_FILES}
        given["missing_values"] = given.pop("na")
        return {name: value for name, value in given.items() if value is not None and value != []}

    def _refuse_of_files(self, source: str) -> None:
        idle = [name for name in _OF_FILES if getattr(self, name)]
        if idle:
            raise BadChoice(
                f"--{idle[0]} has no meaning for {source}: it is for files that are read here; "
                "leave it out, or give one file and --engine local."
            )

    def _home(self, data: str) -> str:
        from singleout.engines.open import home_of

        return str(home_of(data))

    def _word(self) -> str:
        from singleout.core.choices import choose
        from singleout.engines.open import Home

        return str(choose(Home, str(self.engine), "known engine"))

    def _engine(self, data: str) -> Any:
        """Return the engine with its options; refuse those that would be ignored."""
        chosen = self._home(data) if self.engine in (None, "local") else self._word()
        asked = {name: getattr(self, name, None) for name in _OF_ENGINES}
        given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
        for name in given:
            if chosen not in _OF_ENGINES[name]:
                (only,) = _OF_ENGINES[name]
                raise BadChoice(
                    f"--{name} has a meaning for the {only} engine only, and this data goes to the "
                    f"{chosen} engine; add --engine {only}, or leave --{name} out."
                )
        if not given:
            return self.engine if chosen == self.engine else None
        if chosen == "database":
            from singleout.engines.sql.engine import Database

            return Database(**given)
        from singleout.engines.spark.engine import Spark

        return Spark(**given)


@dataclass(frozen=True)
class SearchReading(Reading):
    """The same for a command whose work can go on after it was cut short."""

    checkpoint: options.Checkpoint = None


@dataclass(frozen=True)
class CountReading(SearchReading):
    """The same for a command that can do with estimated counts."""

    approximate: options.Approximate = None


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the options of reading in place of its parameter ``reading``."""
    own = inspect.signature(command, eval_str=True)
    kind = own.parameters["reading"].annotation
    hints = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=option.default,
            annotation=hints[option.name],
        )
        for option in fields(kind)
    ]
    parameters = [p for p in own.parameters.values() if p.name != "reading"]

    @wraps(command)
    def with_options(**given: Any) -> None:
        reading = kind(**{option.name: given.pop(option.name) for option in shared})
        command(**given, reading=reading)

    with_options.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in [*parameters, *shared]}
    return with_options
