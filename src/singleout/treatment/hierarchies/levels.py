"""What every builder of hierarchies makes: levels over the values of a column, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.errors import BadChoice
from singleout.treatment.hierarchies.hierarchy import EVERYTHING, Hierarchy, spelling

__all__ = [
    "EMPTY",
    "MISSING",
    "MOST_LEVELS",
    "Level",
    "assembled",
    "finer",
    "in_words",
    "merged",
    "up_to_one",
    "with_values_apart",
]

MISSING, EMPTY = "(missing)", "(empty)"  # a missing value and an empty text among others
MOST_LEVELS = 8  # of a proposal, so that lattices stay small


@dataclass(frozen=True, eq=False)
class Level:
    """One level of a hierarchy.

    Parameters
    ----------
    of_value
        The index of the label of each value.
    labels
        The labels.
    """

    of_value: I64 = field(repr=False)
    labels: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.labels)


def merged(groups: I64, label: Callable[[int], Any]) -> Level:
    """Return the level of values by their groups; ``label`` is asked once for each group."""
    present, of_value = np.unique(groups, return_inverse=True)
    labels = tuple(label(int(group)) for group in present)
    return Level(of_value.astype(np.int64), labels)


def with_values_apart(column: Column, ranked: I64, level: Level) -> Level:
    """Return a level of some codes as one of all: the others keep a label of their own."""
    values = len(column.values)
    if len(ranked) == values:
        of_all = np.empty(values, dtype=np.int64)
        of_all[ranked] = level.of_value
        return Level(of_all, level.labels)
    apart = np.setdiff1d(np.arange(values), ranked)
    of_all = np.empty(values, dtype=np.int64)
    of_all[ranked] = level.of_value
    of_all[apart] = len(level) + np.arange(len(apart))
    words = tuple(in_words(column, column.values[int(code)]) for code in apart)
    return Level(of_all, (*level.labels, *words))


def in_words(column: Column, value: Any) -> str:
    """Return a value in a label: by its own label where the source has one.

    >>> import singleout as so
    >>> in_words(so.read({"sex": [1.0]})["sex"], 1.0)
    '1'
    """
    return column.labels.get(value) or spelling(value)


def finer(levels: Iterable[Level], values: int) -> list[Level]:
    """Return the levels that take something together, but not everything."""
    kept: list[Level] = []
    left = values
    for level in levels:
        if 1 < len(level) < left:
            kept.append(level)
            left = len(level)
    return kept


def up_to_one(levels: Iterable[Level]) -> list[Level]:
    """Return the levels up to the first that takes everything together, which ``*`` does."""
    return list(takewhile(lambda level: len(level) > 1, levels))


def assembled(column: Column, levels: Sequence[Level]) -> Hierarchy:
    """Return the hierarchy of a column: its values, the levels from fine to coarse, and ``*``.

    Raises
    ------
    BadChoice
        If a level divides what the level below takes together.
    """
    values = tuple(column.values)
    maps = [np.arange(len(values)), *(level.of_value for level in levels), np.zeros(len(values))]
    _require_nesting(column, levels)
    labels = [values, *(_told_apart(level.labels) for level in levels), (EVERYTHING,)]
    return Hierarchy(column.name, tuple(labels), np.stack(maps).astype(np.int32))


def _require_nesting(column: Column, levels: Sequence[Level]) -> None:
    for lower, upper in pairwise(levels):
        above = np.zeros(len(lower), dtype=np.int64)
        above[lower.of_value] = upper.of_value
        divided = np.flatnonzero(above[lower.of_value] != upper.of_value)
        if len(divided):
            code = int(divided[0])
            label = lower.labels[lower.of_value[code]]
            both = upper.labels[above[lower.of_value[code]]], upper.labels[upper.of_value[code]]
            raise BadChoice(
                f"The levels of {column.name!r} do not nest: {label!r} would belong both to "
                f"{both[0]!r} and to {both[1]!r}; each level must take groups of the one below "
                "together."
            )


def _told_apart(labels: Sequence[Any]) -> tuple[Any, ...]:
    """Return labels that are all different: the second of two equal ones has a number."""
    taken: set[Any] = set(labels) if len(set(labels)) < len(labels) else set()
    if not taken:
        return tuple(labels)
    seen: set[Any] = set()
    answer = []
    for label in labels:
        own, number = label, 1
        while own in seen or (number > 1 and own in taken):
            number += 1
            own = f"{label} ({number})"
        seen.add(own)
        answer.append(own)
    return tuple(answer)
