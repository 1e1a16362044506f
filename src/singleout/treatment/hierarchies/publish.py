"""What a class of local recoding publishes where nobody wrote a hierarchy.

Ordered columns publish the interval of the class's own values, ``34-41``; others the set of them,
``nurse or teacher``, at most five by name, and beyond that the label of the proposed hierarchy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, Flags
from singleout.core.table import Column
from singleout.treatment.hierarchies.bands import all_whole
from singleout.treatment.hierarchies.codes import code_length
from singleout.treatment.hierarchies.hierarchy import Tree
from singleout.treatment.hierarchies.intervals import span
from singleout.treatment.hierarchies.levels import in_words
from singleout.treatment.hierarchies.merging import MOST_NAMED, set_label
from singleout.treatment.hierarchies.order import exact_number, is_labelled, numbers_of
from singleout.treatment.hierarchies.periods import days_in_order, days_of
from singleout.treatment.hierarchies.ranges import codes_in_order, joined, range_order

__all__ = ["Order", "Published", "class_labels", "order_of"]


@dataclass(frozen=True, eq=False)
class Order:
    """The order of a column's values.

    Parameters
    ----------
    codes
        The codes in their order, without those that have no rank in it.
    numbers
        The number of each code; None where they are not numbers.
    """

    codes: I64 = field(repr=False)
    numbers: F64 | None = field(default=None, repr=False)

    def label(self, column: Column, first: int, last: int) -> Any:
        """Return the label of all values from one rank to another."""
        low, high = int(self.codes[first]), int(self.codes[last])
        if first == last:
            return column.values[low]
        if self.numbers is not None:
            ends = self._exact(column, low), self._exact(column, high)
            whole = self.whole and not any(isinstance(end, Decimal) for end in ends)
            return span(*ends, whole=whole)
        return joined(in_words(column, column.values[low]), in_words(column, column.values[high]))

    def ranks(self, levels: int) -> I64:
        """Return the rank of each code; -1 for one that has none, as missing."""
        ranks = np.full(levels, -1, dtype=np.int64)
        ranks[self.codes] = np.arange(len(self.codes))
        return ranks

    def _exact(self, column: Column, code: int) -> float | Decimal:
        assert self.numbers is not None
        return exact_number(column.values[code], float(self.numbers[code]))

    @cached_property
    def whole(self) -> bool:
        """Whether all are whole numbers."""
        return self.numbers is not None and all_whole(self.numbers[self.codes])


def order_of(column: Column, ordered: bool | None = None) -> Order | None:
    """Return the order of a column's values, as `propose` sees it; None if they have none.

    >>> import singleout as so
    >>> rooms = so.read({"rooms": ["2", "10", "3"]})["rooms"]
    >>> [rooms.values[code] for code in order_of(rooms).codes]
    ['2', '3', '10']
    """
    if ordered is False or not len(column.values):
        return None
    days = days_of(column)
    if days is not None:
        in_turn = days_in_order(days)
        return None if in_turn is None else Order(in_turn)
    codes = range_order(column)
    numbers = None if is_labelled(column) else numbers_of(column)
    if codes is None and numbers is None and ordered:
        codes = codes_in_order(column)
    if codes is not None:
        return Order(codes)
    if numbers is None or (ordered is None and code_length(column) is not None):
        return None
    known = np.flatnonzero(np.isfinite(numbers))
    in_turn = known[np.argsort(numbers[known], kind="stable")]
    if (np.diff(numbers[in_turn]) == 0).any():  # numbers too large for floats, or 1 and "1"
        in_turn = np.array(
            sorted(
                in_turn.tolist(),
                key=lambda code: exact_number(column.values[code], float(numbers[code])),
            )
        )
    return Order(in_turn, numbers)


@dataclass(frozen=True, eq=False)
class Published:
    """What each class publishes in one column.

    Parameters
    ----------
    labels
        The different labels; a value alone is itself, None is missing.
    codes
        For each class the index of its label.
    shares
        For each class the share of all values that its label stands for.
    """

    labels: tuple[Any, ...]
    codes: I64 = field(repr=False)
    shares: F64 = field(repr=False)


def class_labels(
    column: Column,
    tree: Tree,
    classes: NDArray[Any],
    codes: NDArray[Any],
    levels: NDArray[Any],
    order: Order | None = None,
) -> Published:
    """Return what each class publishes in a column.

    Parameters
    ----------
    column, tree
        The column, and the tree over it that gives a label where there are too many values.
    classes, codes
        For each combination of values its class, from 0, and its code in the column. Every class
        occurs.
    levels
        For each class its level in the tree.
    order
        The order of the values; None for sets.

    Examples
    --------
    >>> import singleout as so
    >>> from singleout.treatment.hierarchies.propose import propose
    >>> age = so.read({"age": [34, 38, 41, 70]})["age"]
    >>> found = class_labels(
    ...     age, propose(age).fit(age), [0, 0, 0, 1], [0, 1, 2, 3], [1, 0], order_of(age)
    ... )
    >>> [found.labels[code] for code in found.codes], found.shares.tolist()
    (['34-41', 70], [0.75, 0.25])
    """
    members = _members(np.asarray(classes), np.asarray(codes), column.levels)
    book = _Book(len(members.sizes))
    alone = members.sizes == 1
    book.put(alone, members.first, column.value)
    book.shares[alone] = 1 / tree.size
    within = np.zeros_like(alone)
    if order is not None:
        within = ~alone & _put_intervals(book, members, column, order, tree.size)
    named = ~alone & ~within & (members.sizes <= MOST_NAMED)
    _put_sets(book, members, column, named, tree.size)
    _put_labels(book, members, tree, np.asarray(levels), ~alone & ~within & ~named)
    return book.published()


@dataclass(frozen=True, eq=False)
class _Members:
    """The different codes of each class, in their order."""

    codes: I64
    starts: I64
    sizes: I64

    @property
    def first(self) -> I64:
        return self.codes[self.starts]


def _members(classes: NDArray[Any], codes: NDArray[Any], levels: int) -> _Members:
    pairs = np.unique(classes.astype(np.int64) * levels + codes)
    sizes = np.bincount(pairs // levels).astype(np.int64)
    return _Members(pairs % levels, np.cumsum(sizes) - sizes, sizes)


class _Book:
    """A codebook of labels that is filled kind by kind."""

    def __init__(self, classes: int) -> None:
        self.index: dict[tuple[type, Any], int] = {}
        self.codes = np.zeros(classes, dtype=np.int64)
        self.shares = np.ones(classes)

    def put(self, chosen: Flags, keys: I64, label: Callable[[int], Any]) -> None:
        """Give chosen classes the labels of their keys; each key is asked for once."""
        present, index = np.unique(keys[chosen], return_inverse=True)
        numbers = [self._number(label(int(key))) for key in present]
        self.codes[chosen] = np.array(numbers, dtype=np.int64)[index]

    def _number(self, label: Any) -> int:
        return self.index.setdefault((type(label), label), len(self.index))

    def published(self) -> Published:
        return Published(tuple(label for _, label in self.index), self.codes, self.shares)


def _put_intervals(
    book: _Book, members: _Members, column: Column, order: Order, size: int
) -> Flags:
    """Label the classes all of whose values have a rank; return which."""
    ranks = order.ranks(column.levels)[members.codes]
    low = np.minimum.reduceat(ranks, members.starts)
    high = np.maximum.reduceat(ranks, members.starts)
    within = np.asarray((low >= 0) & (members.sizes > 1), dtype=np.bool_)
    base = len(order.codes)
    book.put(within, low * base + high, lambda key: order.label(column, *divmod(key, base)))
    book.shares[within] = (high - low + 1)[within] / size
    return within


def _put_sets(book: _Book, members: _Members, column: Column, chosen: Flags, size: int) -> None:
    """Label the chosen classes by the values in them."""
    starts, sizes = members.starts[chosen], members.sizes[chosen]
    rows = np.full((len(starts), MOST_NAMED), -1, dtype=np.int64)
    for place in range(MOST_NAMED):
        has = sizes > place
        rows[has, place] = members.codes[starts[has] + place]
    sets, index = np.unique(rows, axis=0, return_inverse=True)
    keys = np.zeros(len(chosen), dtype=np.int64)
    keys[chosen] = index.reshape(-1)
    book.put(chosen, keys, lambda key: set_label(column, sets[key][sets[key] >= 0].tolist()))
    book.shares[chosen] = sizes / size


def _put_labels(
    book: _Book, members: _Members, tree: Tree, levels: NDArray[Any], chosen: Flags
) -> None:
    """Label the chosen classes by the tree."""
    base = max(map(len, tree.labels))
    index = tree.maps[levels, members.first].astype(np.int64)

    def label(key: int) -> Any:
        level, place = divmod(key, base)
        return tree.labels[level][place]

    book.put(chosen, levels.astype(np.int64) * base + index, label)
    for level in np.unique(levels[chosen]).tolist():
        here = chosen & (levels == level)
        book.shares[here] = tree.shares(level)[index[here]]
