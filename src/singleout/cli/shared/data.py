"""The data that a command is about: which options say how to read it, and what reads it.

Every command that takes data has the same options for it. They are the fields of `Reading`; a
command names one parameter of that type, and `takes_data` puts the options in its place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, get_type_hints

from singleout.cli.shared import options
from singleout.cli.shared.renamed import older_spellings
from singleout.cli.shared.streams import with_standard_input
from singleout.cli.shared.talk import Quiet, Verbose, talking
from singleout.core.choices import Role
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

    from singleout.assessment.plan.plan import Plan
    from singleout.core.table import Table
    from singleout.engines.counter import Counter, Records
    from singleout.engines.open import Choice

__all__ = ["CountReading", "PartsReading", "Reading", "SearchReading", "takes_data", "with_ids"]

_LOOKED_AT = 2_000  # records
_OF_FILES = (
    "na",
    "delimiter",
    "quote",
    "encoding",
    "sheet",
    "header_row",
    "skip_rows",
    "range",
    "name",
)
_OF_ENGINES = {
    "memory": "database",
    "timeout": "database",
    "fetch": "database",
    "checkpoint": "spark",
    "approximate": "spark",
}


@dataclass(frozen=True)
class Reading:
    """How to read data, whose records to look at, and what counts them."""

    na: options.Na = None
    delimiter: options.Delimiter = None
    quote: options.Quote = None
    encoding: options.Encoding = None
    sheet: options.Sheet = None
    header_row: options.HeaderRow = None
    skip_rows: options.SkipRows = None
    range: options.CellRange = None
    name: options.Name = None
    where: options.Where = None
    count: options.Count = None
    engine: options.Engine = None
    memory: options.Memory = None
    timeout: options.Timeout = None
    fetch: options.Fetch = None
    keeps_parts_here: ClassVar[bool] = False  # whether a checkpoint works without Spark

    # ---- what a command asks for

    def choose(self, data: str | list[str]) -> Choice:
        """Decide once which engine reads or counts the data; refuse options it would ignore."""
        from singleout.engines.open import choose_engine

        choice = choose_engine(data, self.engine, self.parsing)
        asked = {name: getattr(self, name, None) for name in _OF_ENGINES}
        given = {name: value for name, value in asked.items() if value is not None}
        if self.keeps_parts_here and choice.name != "spark":
            given.pop("checkpoint", None)  # the search itself keeps its parts
        for name in given:
            if choice.name != _OF_ENGINES[name]:
                raise BadChoice(
                    f"--{name} has a meaning for the {_OF_ENGINES[name]} engine only, and this "
                    f"data goes to the {choice.name} engine; add --engine {_OF_ENGINES[name]}, or "
                    f"leave --{name} out."
                )
        return choice.with_options(**given) if given else choice

    def open(
        self,
        data: str | list[str],
        columns: Sequence[str] | None = None,
        choice: Choice | None = None,
        *,
        look: bool = True,
    ) -> Counter:
        """Return what counts the data, with these columns at least.

        With ``look`` it notes if there is no header, or if rows seem to be counts; a command that
        guesses does so itself.
        """
        from singleout.engines.open import open_data
        from singleout.engines.suspected import taken_as_said

        choice = choice or self.choose(data)
        parsing = self.parsing if choice.is_local else {}
        with nullcontext() if look else taken_as_said():
            counter = open_data(data, choice, self.where, columns, count=self.count, **parsing)
        if not choice.is_local:
            self._refuse_parsing(counter)
        return _noticing_a_lack_of_header(counter) if look else counter

    def table(self, data: str, columns: Sequence[str] | None = None) -> Table:
        """Return the data as a table: read if it is here, fetched if it is elsewhere."""
        with self.open(data, columns) as counter:
            return counter.records(columns).table

    @contextmanager
    def records(
        self,
        data: str,
        columns: list[str] | None,
        identifier: str | None,
        *,
        copies: int | None = None,
    ) -> Iterator[Records]:
        """Open the data and give its records, with the column that names them, if there is one.

        That column is not combined with others unless ``columns`` names it. The rows of a table of
        counts are repeated, at most as many times as ``copies``; without it they are refused.
        """
        needed = columns
        if columns is not None and identifier is not None:
            needed = list(dict.fromkeys([*columns, identifier]))
        self.refuse_ids_of_counts(identifier)
        with self.open(data, needed) as counter:
            if copies is None:
                records = counter.records(needed)
            else:
                records = counter.repeated(needed, copies)
            if identifier is not None and identifier not in (columns or ()):
                records = records.with_roles({identifier: Role.DIRECT_IDENTIFIER})
            yield records

    def refuse_ids_of_counts(self, identifier: str | None) -> None:
        """Refuse to name the records of a table of counts, which has none."""
        if self.count is not None and identifier is not None:
            raise BadChoice(
                f"--id names records, and a table of counts has none: its rows stand for the "
                f"people that {self.count!r} counts; leave --id out."
            )

    @property
    def of_file(self) -> dict[str, Any]:
        """How the file is written: what a copy of it must know."""
        return {name: getattr(self, name) for name in _OF_FILES if name != "na"}

    @property
    def given(self) -> dict[str, Any]:
        """All options that were given, under the names that users have for them."""
        values = {_flag(option.name): getattr(self, option.name) for option in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, [])}

    @property
    def recorded(self) -> dict[str, str]:
        """The options that change what is looked at, as they were given, for a report."""
        names = (*_OF_FILES, "where", "count", "engine")
        values = {name: getattr(self, name) for name in names}
        return {
            _flag(name): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in values.items()
            if value
        }

    def by_plan(self, plan: Plan | None, data: str) -> Self:
        """Return the same with what a plan says on reading, where no option says otherwise."""
        stated = {} if plan is None else plan.reading.options_for(data) | {"count": plan.count}
        if "missing_values" in stated:
            stated["na"] = [str(value) for value in stated.pop("missing_values")]
        open_ = {name: value for name, value in stated.items() if getattr(self, name) in (None, [])}
        return replace(self, **open_)

    @property
    def parsing(self) -> dict[str, Any]:
        """How a file is written, for the local reader."""
        values = {name: getattr(self, name) for name in _OF_FILES}
        values["missing_values"] = values.pop("na")
        return {name: value for name, value in values.items() if value is not None and value != []}

    def _refuse_parsing(self, counter: Counter) -> None:
        idle = [name for name in _OF_FILES if getattr(self, name)]
        if idle:
            counter.close()
            raise BadChoice(
                f"{_flag(idle[0])} has no meaning for {counter.source}: it is for files that are "
                "read here; leave it out, or give one file and --engine local."
            )


def _flag(name: str) -> str:
    """Return an option as it is typed."""
    return f"--{name.replace('_', '-')}"


def _noticing_a_lack_of_header(counter: Counter) -> Counter:
    """Return the counter with a note if the names of its columns look like values."""
    import numpy as np

    from singleout.assessment.guess.header import header_warnings
    from singleout.assessment.guess.looking import look_at, look_of
    from singleout.engines.base import OpenedCounter

    held = counter.held
    if held is None:  # by the names alone: their values are elsewhere
        nothing = np.empty(0, dtype=np.int64)
        looks = {name: look_of([], nothing, records=0, distinct=0) for name in counter.columns}
    else:
        first = held.table.take(np.arange(min(_LOOKED_AT, held.rows)))
        looks = {column.name: look_at(column) for column in first}
    warnings = header_warnings(looks)
    return cast("Counter", OpenedCounter(counter, warnings)) if warnings else counter


@dataclass(frozen=True)
class SearchReading(Reading):
    """The same for a command that can resume after an interruption."""

    checkpoint: options.Checkpoint = None


@dataclass(frozen=True)
class PartsReading(SearchReading):
    """The same for a search whose parts are kept on any engine."""

    checkpoint: options.PartsFolder = None
    keeps_parts_here: ClassVar[bool] = True


@dataclass(frozen=True)
class CountReading(SearchReading):
    """The same for a command that accepts estimated counts."""

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
        if option.name not in own.parameters  # a command may have its own way
    ]
    parameters = [p for p in own.parameters.values() if p.name != "reading"]
    talk = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=no, annotation=how)
        for name, no, how in (("quiet", False, Quiet), ("verbose", 0, Verbose))
    ]

    renamed = older_spellings(parameters)

    @wraps(command)
    def with_options(**given: Any) -> None:
        reading = kind(**{option.name: given.pop(option.name) for option in shared})
        with talking(quiet=given.pop("quiet"), verbose=given.pop("verbose")):
            for one in renamed:
                one.move(given)
            with with_standard_input(given) as typed:
                command(**typed, reading=reading)

    every = [*parameters, *shared, *talk, *(one.parameter for one in renamed)]
    with_options.__signature__ = own.replace(parameters=every)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in every}
    return with_options


def with_ids(frame: pl.DataFrame, table: Table, identifier: str | None) -> pl.DataFrame:
    """Put the id of each record first, if one is asked for."""
    import polars as pl

    if identifier is None:
        return frame
    column = table[identifier]
    labels = [column.label(column.value(code)) for code in range(column.levels)]
    codes = column.codes[frame["record"].to_numpy() - 1]
    ids = pl.Series("id", labels, dtype=pl.String).gather(codes)
    return frame.select(ids, pl.all())
