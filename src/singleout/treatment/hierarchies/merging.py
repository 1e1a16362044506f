"""Hierarchies of values without an order: the rarest are merged, or sets that somebody names."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from singleout.core import arguments
from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.errors import BadChoice, did_you_mean
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.levels import (
    EMPTY,
    MISSING,
    Level,
    assembled,
    finer,
    in_words,
    merged,
)

__all__ = ["MOST_NAMED", "from_merging", "from_sets", "rarest_merged", "set_label"]

MOST_NAMED = 5  # values that a label names
_MANY = 500  # more values than this have all their rare ones in one set


def from_merging(column: Column, share: float | Sequence[float] = 0.05) -> Hierarchy:
    """Return the hierarchy in which the rarest values are merged until each has a wanted share.

    Parameters
    ----------
    column
        The column of values.
    share
        What share of the records each set has at least, or one share for each level, rising.

    Examples
    --------
    >>> import singleout as so
    >>> work = so.read({"work": ["cook"] * 6 + ["nurse"] * 4 + ["monk", "poet"]})["work"]
    >>> from_merging(work, 0.15).rows
    [['cook', 'cook', '*'], ['monk', 'monk or poet', '*'], ['nurse', 'nurse', '*'], \
['poet', 'monk or poet', '*']]
    """
    wanted = [share] if isinstance(share, int | float) else list(share)
    shares = [arguments.share(each, "share") for each in wanted]
    if shares != sorted(set(shares)) or not shares:
        raise BadChoice(f"The shares of levels must rise, not {share!r}.")
    return assembled(column, finer(rarest_merged(column, shares), len(column.values)))


def rarest_merged(column: Column, shares: Sequence[float]) -> list[Level]:
    """Return a level for each share: the two smallest sets are merged until each is as large."""
    sizes = column.sizes[: len(column.values)]
    total = max(int(sizes.sum()), 1)
    merge = _two_by_two if len(sizes) <= _MANY else _into_one
    return [merged_sets(column, groups) for groups in merge(sizes, [s * total for s in shares])]


def _two_by_two(sizes: I64, least: Sequence[float]) -> list[I64]:
    """Return for each least size the groups of values, the two smallest merged as often as needed.

    Among sets of one size those of the first values are merged first.
    """
    parent = np.arange(len(sizes))
    heap = [(int(size), code) for code, size in enumerate(sizes)]
    heapq.heapify(heap)
    answer = []
    for wanted in least:
        while len(heap) > 1 and heap[0][0] < wanted:
            (small, one), (large, other) = heapq.heappop(heap), heapq.heappop(heap)
            into = min(one, other)
            parent[parent == max(one, other)] = into
            heapq.heappush(heap, (small + large, into))
        answer.append(parent.copy())
    return answer


def _into_one(sizes: I64, least: Sequence[float]) -> list[I64]:
    """Return for each least size the groups: all values that are rarer are one."""
    own = np.arange(len(sizes))
    answer = []
    for wanted in least:
        order = np.argsort(sizes, kind="stable")
        rare = int(np.searchsorted(sizes[order], wanted))
        enough = int(np.searchsorted(np.cumsum(sizes[order]), wanted)) + 1
        taken = order[: max(rare, enough) if rare else 0]
        groups = own.copy()
        groups[taken] = taken.min() if len(taken) else 0
        answer.append(groups)
    return answer


def merged_sets(column: Column, groups: I64) -> Level:
    """Return the level of values by their groups, each labelled by what is in it."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    members = dict(zip(groups[order][starts].tolist(), np.split(order, starts[1:]), strict=True))
    return merged(groups, lambda group: set_label(column, members[group].tolist()))


def set_label(column: Column, codes: Sequence[int]) -> str:
    """Return the label of a set of values, in the order of the column.

    >>> import singleout as so
    >>> work = so.read({"work": ["nurse", "teacher", "cook"]})["work"]
    >>> set_label(work, [1, 2])
    'nurse or teacher'
    """
    named = codes if len(codes) <= MOST_NAMED else codes[: MOST_NAMED - 1]
    words = [_word(column, code) for code in named]
    if len(named) < len(codes):
        words.append(f"{len(codes) - len(named):,} more")
    return " or ".join(words)


def _word(column: Column, code: int) -> str:
    if code == column.missing_code:
        return MISSING
    return in_words(column, column.values[code]) or EMPTY


def from_sets(column: Column, *levels: Mapping[str, Sequence[Any]]) -> Hierarchy:
    """Return the hierarchy of sets that somebody names.

    Parameters
    ----------
    column
        The column of values.
    levels
        For each level its sets: the label, and the values or labels of the level below that are in
        it. What is in no set stays as it is.

    Examples
    --------
    >>> import singleout as so
    >>> work = so.read({"work": ["cook", "monk", "poet"]})["work"]
    >>> from_sets(work, {"quiet": ["monk", "poet"]}).rows
    [['cook', 'cook', '*'], ['monk', 'quiet', '*'], ['poet', 'quiet', '*']]
    """
    if not levels:
        raise BadChoice(f"No sets were given for {column.name!r}; give {{label: [values]}}.")
    below = Level(
        np.arange(len(column.values)), tuple(in_words(column, value) for value in column.values)
    )
    spelled = {spelling(value): code for code, value in enumerate(column.values)}
    built: list[Level] = []
    for sets in levels:
        below = _in_sets(column, below, sets, spelled if not built else {})
        built.append(below)
    return assembled(column, built)


def _in_sets(
    column: Column, below: Level, sets: Mapping[str, Sequence[Any]], spelled: Mapping[str, int]
) -> Level:
    index_of = {**{label: i for i, label in enumerate(below.labels)}, **spelled}
    label_of: dict[int, str] = {}
    for label, members in sets.items():
        for member in [members] if isinstance(members, str) else members:
            index = index_of.get(spelling(member))
            if index is None:
                raise BadChoice(
                    f"The set {label!r} of {column.name!r} names {spelling(member)!r}, which is "
                    "none of its values." + did_you_mean(member, index_of)
                )
            if index in label_of:
                raise BadChoice(
                    f"{spelling(member)!r} of {column.name!r} is in two sets, "
                    f"{label_of[index]!r} and {label!r}; put it in one."
                )
            label_of[index] = str(label)
    labels = [label_of.get(index, own) for index, own in enumerate(below.labels)]
    number_of = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    of_below = np.array([number_of[label] for label in labels], dtype=np.int64)
    return Level(of_below[below.of_value], tuple(number_of))
