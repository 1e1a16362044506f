"""Tables of counts: a row is a combination of values, and a number says how many people have it.

Such a table must not be taken for one person a row. It is recognised by a column whose name counts
people, and by the others: each of their combinations stands once, which chance would not do.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np

from singleout.core.choices import Role
from singleout.core.counts import SizeProfile
from singleout.core.name_words import tokens
from singleout.core.table import Table
from singleout.engines.base import OpenedCounter
from singleout.engines.counter import Counter
from singleout.engines.local.counter import LocalCounter
from singleout.io.names import Wanted
from singleout.report.say import say

__all__ = [
    "counts_of_people",
    "is_looking",
    "named_for_people",
    "noticing_counts",
    "step_of",
    "taken_as_said",
    "with_counts_of_people",
]

_SAMPLE = 2_000  # records
_PAIRS_EXPECTED = 5  # pairs equal by chance if rows were people: having none is then no chance
_FEWEST_ROWS = 4
_MOST_VALUES = 20_000  # of a number that are read one by one
# Words in the names of columns that count people: within a name, or all of it.
_ANYWHERE = frozenset(
    [
        "people",
        "persons",
        "population",
        "inhabitants",
        "residents",
        "headcount",
        "individuals",
        "personnes",
        "habitants",
        "effectif",
        "effectifs",
        "personen",
        "einwohner",
        "bevolkerung",
        "bevoelkerung",
        "inwoners",
        "bevolking",
        "personas",
        "habitantes",
        "poblacion",
        "individuos",
    ]
)
_ALONE = frozenset(
    [
        "n",
        "nb",
        "num",
        "number",
        "count",
        "counts",
        "freq",
        "frequency",
        "total",
        "obs",
        "cases",
        "pop",
        "nombre",
        "frequence",
        "anzahl",
        "haufigkeit",
        "haeufigkeit",
        "fallzahl",
        "gesamt",
        "aantal",
        "aantallen",
        "frequentie",
        "totaal",
        "numero",
        "cantidad",
        "frecuencia",
        "recuento",
        "conteo",
        "casos",
        "efectivos",
    ]
)

_looking: ContextVar[bool] = ContextVar("singleout_looking_for_counts", default=True)


@contextmanager
def taken_as_said() -> Iterator[None]:
    """Take rows for what they are said to be: nobody is warned twice, or by a part of a whole."""
    token = _looking.set(False)
    try:
        yield
    finally:
        _looking.reset(token)


def is_looking() -> bool:
    """Whether a table that looks like one of counts is to be noticed."""
    return _looking.get()


def step_of(records: int) -> int:
    """Return the distance between records of the sample, in the order of their values."""
    return max(1, records // _SAMPLE)


def with_counts_of_people(columns: Sequence[str] | None) -> Sequence[str] | None:
    """Return columns to read, and those whose name says that they count people."""
    if columns is None:
        return None
    return Wanted([columns] if isinstance(columns, str) else columns, named_for_people)


def noticing_counts(
    counter: Counter, columns: Sequence[str] | None, whole: Callable[[], Counter]
) -> Counter:
    """Return the counter with a note if rows seem to stand for several people.

    ``columns`` are those asked about, and ``whole`` opens the table with all of its columns.
    """
    asked = tuple([columns] if isinstance(columns, str) else columns or ())
    if not any(named_for_people(name) for name in counter.columns if name not in asked):
        return counter
    stated = {
        name: str(role)
        for name in counter.columns
        if (role := counter.facts(name).role) != Role.OTHER
    } | dict.fromkeys(asked, str(Role.QUASI_IDENTIFIER))
    with taken_as_said():
        if columns is None or counter.held is None:  # all columns are there
            counted = counts_of_people(counter, stated)
        else:
            with whole() as everything:
                counted = counts_of_people(everything, stated)
    if not counted:
        return counter
    note = say("counts.suspected", column=counted[0], option=shlex.quote(counted[0]))
    return cast("Counter", OpenedCounter(counter, [note]))


@dataclass(frozen=True)
class _Others:
    """The columns beside those that count: how many rows share each value, missing included."""

    counter: Counter
    sizes: Mapping[str, SizeProfile]

    def levels(self, name: str) -> int:
        return self.sizes[name].number_of_sets

    def all_differ(self, names: Sequence[str]) -> bool:
        """Whether each combination of some columns stands once."""
        rows = self.counter.rows
        if prod(map(self.levels, names)) < rows:
            return False
        (profile,) = self.counter.profiles([names])
        return profile.number_of_sets == rows

    def own(self) -> list[str]:
        """Return the columns in which each row has its own value: lists of places, row numbers."""
        names = [name for name in self.sizes if self.levels(name) == self.counter.rows]
        lacking = self.counter.missing(names)
        return [name for name in names if not lacking[name]]


def counts_of_people(data: Table | Counter, roles: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that count people, if the table is one of counts; otherwise nothing.

    A column whose role is stated counts nobody.

    >>> import singleout as so
    >>> rows = {"sex": ["f", "m"] * 3, "region": ["n", "n", "s", "s", "w", "w"]}
    >>> counts_of_people(so.read({**rows, "n": [12, 10, 7, 9, 0, 3]}), {})
    ('n',)
    """
    counter: Counter = LocalCounter(data) if isinstance(data, Table) else data
    named = [name for name in counter.columns if name not in roles and named_for_people(name)]
    if not named or counter.rows < _FEWEST_ROWS:
        return ()  # by the names alone: nothing was asked of the data
    counted = tuple(name for name in named if _whole(_values(counter, name)))
    names = [name for name in counter.columns if name not in counted]
    if not counted or not names:
        return ()
    profiles = counter.profiles([[name] for name in names])
    others = _Others(counter, dict(zip(names, profiles, strict=True)))
    own = others.own()
    shared = [name for name in names if name not in own]
    key = _key(others, shared, roles)
    if key and _by_design([others.sizes[name] for name in key], counter.rows):
        return counted
    listed = any(roles.get(name) == Role.QUASI_IDENTIFIER for name in own)
    surely = not shared or any(not _ANYWHERE.isdisjoint(tokens(name)) for name in counted)
    return counted if listed and surely else ()


def named_for_people(name: str) -> bool:
    """Whether the name of a column says that it counts people."""
    words = tokens(name)
    return " ".join(words) in _ALONE or not _ANYWHERE.isdisjoint(words)


def _values(counter: Counter, name: str) -> Iterable[object]:
    """Return the different values of a column, or a sample where they are many."""
    (profile,) = counter.profiles([[name]])
    step, records = 1, counter.rows
    if profile.number_of_sets > _MOST_VALUES:
        records -= counter.missing([name])[name]
        step = step_of(records)
    return (value for (value,), _ in counter.values(name, step=step, records=records))


def _whole(values: Iterable[object]) -> bool:
    try:
        numbers = np.array([float(str(value)) for value in values])
    except ValueError:
        return False
    return len(numbers) > 1 and bool((numbers >= 0).all() and (numbers % 1 == 0).all())


def _key(others: _Others, names: list[str], roles: Mapping[str, str]) -> list[str]:
    """Return columns whose combinations all differ, none of which could be left out."""
    if not names or any(roles.get(name) == Role.DIRECT_IDENTIFIER for name in names):
        return []  # several rows for each person are measurements, not counts
    if not others.all_differ(names):
        return []
    key = names
    # a municipality tells its province, which would otherwise count twice
    for name in sorted(names, key=others.levels, reverse=True):
        rest = [other for other in key if other != name]
        if rest and others.all_differ(rest):
            key = rest
    return key


def _by_design(key: Sequence[SizeProfile], rows: int) -> bool:
    """Whether combinations all differ by design rather than by chance.

    They are if every one that could occur does. Otherwise the pairs of rows are counted that would
    be equal if the rows were people whose values are independent.
    """
    if len(key) > 1 and prod(column.number_of_sets for column in key) == rows:
        return True
    equal = prod(_equal_pairs(column) / (rows * (rows - 1)) for column in key)
    return rows * (rows - 1) / 2 * equal >= _PAIRS_EXPECTED


def _equal_pairs(column: SizeProfile) -> float:
    """Return how many ordered pairs of rows share a value."""
    sizes = column.sizes.astype(np.float64)
    return float((sizes * (sizes - 1) * column.sets).sum())
