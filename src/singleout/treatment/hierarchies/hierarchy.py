"""A hierarchy: what each value of a column becomes on each level, up to ``*``.

Level 0 holds the values themselves, the last level one label for all of them. A label has one
label above it, so that a level can only take groups of the level below together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.core.table import Column
from singleout.errors import BadChoice, did_you_mean

__all__ = ["EVERYTHING", "Hierarchy", "Tree", "spelling"]

EVERYTHING = "*"
_COMPARED = 1000  # values that a misspelled one is compared with


def spelling(value: Any) -> str:
    """Return a value as a hierarchy writes it; nothing for a missing one.

    >>> spelling(34), spelling(34.0), spelling("a"), spelling(None)
    ('34', '34', 'a', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # SPSS and Excel know no whole numbers
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of a column.

    Parameters
    ----------
    column
        The column that it is for.
    labels
        On each level the different labels. Those of level 0 are the values, None for missing.
    maps
        For each level and value the index of its label.
    """

    column: str
    labels: tuple[tuple[Any, ...], ...] = field(repr=False)
    maps: I32 = field(repr=False)

    def __post_init__(self) -> None:
        if self.maps.shape != (len(self.labels), len(self.labels[0])):
            raise BadChoice(
                f"The hierarchy of {self.column!r} has {len(self.labels)} levels of "
                f"{len(self.labels[0])} values, but labels for {self.maps.shape}."
            )
        if len(self.labels[-1]) != 1:
            raise BadChoice(
                f"The last level of the hierarchy of {self.column!r} has {len(self.labels[-1])} "
                f"labels; it must have one for all values, such as {EVERYTHING!r}."
            )

    @classmethod
    def of_rows(cls, column: str, rows: Sequence[Sequence[Any]]) -> Hierarchy:
        """Return the hierarchy whose rows lead from a value to the last level.

        >>> sex = Hierarchy.of_rows("sex", [["f", "*"], ["m", "*"]])
        >>> sex.levels, sex.labels
        (2, (('f', 'm'), ('*',)))
        """
        keyed = dict.fromkeys(tuple((type(label), label) for label in row) for row in rows)
        twice = _first_repeated([row[0] for row in keyed])
        if twice is not None:
            raise BadChoice(
                f"The hierarchy of {column!r} has several lines for the value {twice[1]!r}, with "
                "different labels; give one."
            )
        labels, maps = [], []
        for level in zip(*keyed, strict=True):
            index = {label: i for i, label in enumerate(dict.fromkeys(level))}
            labels.append(tuple(label for _, label in index))
            maps.append([index[label] for label in level])
        return cls(column, tuple(labels), np.array(maps, dtype=np.int32))

    @property
    def levels(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.labels)

    @property
    def rows(self) -> list[list[Any]]:
        """For each value its labels, from the value to the last level."""
        return [
            [self.labels[level][self.maps[level, leaf]] for level in range(self.levels)]
            for leaf in range(len(self.labels[0]))
        ]

    def by_spelling(self) -> Hierarchy:
        """Return the hierarchy as text has it: of values that are spelled alike the first one.

        >>> rows = [[1, "low", "*"], ["1", "high", "*"], [2, "low", "*"]]
        >>> Hierarchy.of_rows("dose", rows).by_spelling().rows
        [[1, 'low', '*'], [2, 'low', '*']]
        """
        first: dict[str, int] = {}
        for leaf, value in enumerate(self.labels[0]):
            first.setdefault(spelling(value), leaf)
        if len(first) == len(self.labels[0]):
            return self
        rows = self.rows
        return Hierarchy.of_rows(self.column, [rows[leaf] for leaf in first.values()])

    def fit(self, column: Column) -> Tree:
        """Return the tree over the codes of a column.

        Missing values are a value of their own up to the level below the last one.

        Raises
        ------
        BadChoice
            If the hierarchy lacks a value that occurs.
        """
        labels = [list(level) for level in self.labels]
        maps = self.maps
        leaves = self._leaves_of(column)
        if column.has_missing and leaves[-1] < 0:
            leaves[-1] = maps.shape[1]
            extra = [len(level) for level in labels[:-1]] + [0]
            maps = np.column_stack([maps, np.array(extra, dtype=np.int32)])
            for level in labels[:-1]:
                level.append(None)
        self._require_all(column, leaves)
        # a value of the codebook that does not occur may stand anywhere
        chosen = np.maximum(np.array(leaves, dtype=np.int64), 0)
        below = tuple(
            np.bincount(maps[level], minlength=len(labels[level])).astype(np.int64)
            for level in range(len(labels))
        )
        # level 0 publishes what the column has: 34 stays a number where the hierarchy has "34"
        values = [*column.values, None]
        for code, leaf in enumerate(leaves):
            if leaf >= 0:
                labels[0][maps[0, leaf]] = values[code]
        fitted = np.ascontiguousarray(maps[:, chosen])
        return Tree(column.name, tuple(map(tuple, labels)), fitted, below, maps)

    def _leaves_of(self, column: Column) -> list[int]:
        """Return the index of each value of a column; -1 for one that the hierarchy lacks."""
        # text may be spelled as a number is: each finds itself first
        exact = {(type(value), value): leaf for leaf, value in enumerate(self.labels[0])}
        leaves = [exact.get((type(value), value), -1) for value in column.values]
        missing = exact.get((type(None), None), -1)
        if min(leaves, default=0) < 0 or (column.has_missing and missing < 0):
            spelled = {spelling(value): leaf for leaf, value in enumerate(self.labels[0])}
            leaves = [
                spelled.get(spelling(value), -1) if leaf < 0 else leaf
                for leaf, value in zip(leaves, column.values, strict=True)
            ]
            blank = spelled.get("", -1)
            missing = blank if missing < 0 and blank not in leaves else missing
        return [*leaves, missing] if column.has_missing else leaves

    def _require_all(self, column: Column, leaves: Sequence[int]) -> None:
        lacking = [code for code, leaf in enumerate(leaves) if leaf < 0 and int(column.sizes[code])]
        if not lacking:
            return
        value = spelling(column.value(lacking[0]))
        hint = did_you_mean(value, map(spelling, self.labels[0][:_COMPARED]))
        raise BadChoice(
            f"The hierarchy of {column.name!r} lacks the value {value!r}"
            + (f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else "")
            + f"; add a line for each value that occurs.{hint}"
        )


def _first_repeated(values: Sequence[Any]) -> Any:
    """Return the first value that stands in a list twice; None if none does."""
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over the codes of one column.

    Parameters
    ----------
    name
        The column.
    labels
        On each level the labels, which are the values to publish; None for missing.
    maps
        For each level and code the index of its label.
    leaves
        On each level how many values of the hierarchy are below each label.
    of_leaves
        For each level and value of the hierarchy the index of its label.
    """

    name: str
    labels: tuple[tuple[Any, ...], ...] = field(repr=False)
    maps: I32 = field(repr=False)
    leaves: tuple[I64, ...] = field(repr=False)
    of_leaves: I32 = field(repr=False)

    @classmethod
    def flat(cls, column: Column) -> Tree:
        """Return the tree of a column that has no levels besides its values."""
        codes = np.arange(column.levels, dtype=np.int32)[None, :]
        values = tuple(column.value(code) for code in range(column.levels))
        ones = np.ones(column.levels, dtype=np.int64)
        return cls(column.name, (values,), codes, (ones,), codes)

    @property
    def levels(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """How many values the hierarchy has, also those that do not occur."""
        return int(self.of_leaves.shape[1])

    def shares(self, level: int) -> F64:
        """Return for each label the share of all values that is below it."""
        return np.asarray(self.leaves[level] / self.size)

    def losses(self, level: int) -> F64:
        """Return for each label (share - 1/D) / (1 - 1/D) of D values: 0 for a value, 1 for all."""
        if self.size == 1:
            return np.zeros(len(self.leaves[level]))
        return np.asarray((self.leaves[level] - 1) / (self.size - 1))

    @cached_property
    def up(self) -> tuple[I32, ...]:
        """For each level but the last, for each label the index of the one above it."""
        above = []
        for level in range(self.levels - 1):
            to = np.zeros(len(self.labels[level]), dtype=np.int32)
            to[self.of_leaves[level]] = self.of_leaves[level + 1]
            above.append(to)
        return tuple(above)
