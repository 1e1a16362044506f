"""Tables of counts: a row is a combination of values, and a number says how many people have it.

Such a table must not be taken for one person a row. It is recognised by a column whose name counts
people, and by the others: each of their combinations stands once, which chance would not do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from singleout.assessment.guess.lists import PEOPLE_ALONE, PEOPLE_ANYWHERE
from singleout.assessment.guess.names import tokens
from singleout.core.choices import Role
from singleout.core.table import Column, Table
from singleout.engines.local import counting as local
from singleout.errors import UnusableTable
from singleout.report.say import say

__all__ = ["counts_of_people", "refuse_counts", "what_would_work"]

_PAIRS_EXPECTED = 5  # pairs equal by chance if rows were people: having none is then no chance
_FEWEST_ROWS = 4


def counts_of_people(table: Table, roles: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that count people, if the table is one of counts; otherwise nothing.

    A column whose role is stated counts nobody.

    >>> import singleout as so
    >>> rows = {"sex": ["f", "m"] * 3, "region": ["n", "n", "s", "s", "w", "w"]}
    >>> counts_of_people(so.read({**rows, "n": [12, 10, 7, 9, 0, 3]}), {})
    ('n',)
    """
    numbers = [column for column in table if _counts(column, roles)]
    if not numbers or table.rows < _FEWEST_ROWS:
        return ()
    counted = tuple(column.name for column in numbers)
    others = [column for column in table if column.name not in counted]
    shared = [column for column in others if not _own(column)]
    key = _key(table, shared, roles)
    if key and _by_design(key):
        return counted
    listed = any(roles.get(c.name) == Role.QUASI_IDENTIFIER for c in others if _own(c))
    surely = not shared or any(not PEOPLE_ANYWHERE.isdisjoint(tokens(name)) for name in counted)
    return counted if listed and surely else ()


def refuse_counts(table: Table, roles: Mapping[str, str]) -> None:
    """Refuse to take the rows of a table of counts for people."""
    counted = counts_of_people(table, roles)
    if counted:
        raise UnusableTable(what_would_work(counted))


def what_would_work(counted: Sequence[str]) -> str:
    """Return that a table is one of counts, and what to do about it."""
    return say("guess.notes.counts", column=repr(counted[0]))


def _counts(column: Column, roles: Mapping[str, str]) -> bool:
    """Whether a column may count people: by its name, by its role and by its values."""
    words = tokens(column.name)
    named = " ".join(words) in PEOPLE_ALONE or not PEOPLE_ANYWHERE.isdisjoint(words)
    return named and column.name not in roles and _whole(column.values)


def _whole(values: Iterable[object]) -> bool:
    try:
        numbers = np.array([float(str(value)) for value in values])
    except ValueError:
        return False
    return len(numbers) > 1 and bool((numbers >= 0).all() and (numbers % 1 == 0).all())


def _own(column: Column) -> bool:
    """Whether each row has its own value: a list of places, or a number of the row."""
    return len(column.values) == len(column) and not column.has_missing


def _key(table: Table, columns: list[Column], roles: Mapping[str, str]) -> list[Column]:
    """Return columns whose combinations all differ, none of which could be left out."""
    if not columns or any(roles.get(c.name) == Role.DIRECT_IDENTIFIER for c in columns):
        return []  # several rows for each person are measurements, not counts
    if not _all_differ(table, columns):
        return []
    key = columns
    # a municipality tells its province, which would otherwise count twice
    for column in sorted(columns, key=lambda c: c.levels, reverse=True):
        rest = [other for other in key if other is not column]
        if rest and _all_differ(table, rest):
            key = rest
    return key


def _all_differ(table: Table, columns: Sequence[Column]) -> bool:
    if prod(column.levels for column in columns) < table.rows:
        return False
    return local.profile(table, [column.name for column in columns]).number_of_sets == table.rows


def _by_design(key: Sequence[Column]) -> bool:
    """Whether combinations all differ by design rather than by chance.

    They are if every one that could occur does. Otherwise the pairs of rows are counted that would
    be equal if the rows were people whose values are independent.
    """
    rows = len(key[0])
    if len(key) > 1 and prod(_held(column).size for column in key) == rows:
        return True
    equal = prod(float((held * (held - 1)).sum()) / (rows * (rows - 1)) for held in map(_held, key))
    return rows * (rows - 1) / 2 * equal >= _PAIRS_EXPECTED


def _held(column: Column) -> np.ndarray:
    held = np.bincount(column.codes, minlength=column.levels).astype(np.float64)
    return held[held > 0]
