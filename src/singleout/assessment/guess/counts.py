"""Tables of counts: a row is a combination of values, and a number says how many people have it.

Such a table must not be taken for one person a row. It is recognised by a column whose name counts
people, and by the others: each of their combinations stands once, which chance would not do.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from singleout.assessment.guess.lists import PEOPLE_ALONE, PEOPLE_ANYWHERE
from singleout.assessment.guess.looking import step_of
from singleout.assessment.guess.names import tokens
from singleout.core.choices import Role
from singleout.core.counts import SizeProfile
from singleout.core.table import Table
from singleout.engines.counter import Counter
from singleout.engines.local.counter import LocalCounter
from singleout.errors import UnusableTable
from singleout.report.say import say

__all__ = ["counts_of_people", "named_for_people", "refuse_counts", "what_would_work"]

_PAIRS_EXPECTED = 5  # pairs equal by chance if rows were people: having none is then no chance
_FEWEST_ROWS = 4
_MOST_VALUES = 20_000  # of a number that are read one by one


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
    surely = not shared or any(not PEOPLE_ANYWHERE.isdisjoint(tokens(name)) for name in counted)
    return counted if listed and surely else ()


def refuse_counts(data: Table | Counter, roles: Mapping[str, str]) -> None:
    """Refuse to take the rows of a table of counts for people."""
    counted = counts_of_people(data, roles)
    if counted:
        raise UnusableTable(what_would_work(counted))


def what_would_work(counted: Sequence[str]) -> str:
    """Return that a table is one of counts, and what to do about it."""
    return say("guess.notes.counts", column=repr(counted[0]), option=shlex.quote(counted[0]))


def named_for_people(name: str) -> bool:
    """Whether the name of a column says that it counts people."""
    words = tokens(name)
    return " ".join(words) in PEOPLE_ALONE or not PEOPLE_ANYWHERE.isdisjoint(words)


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
