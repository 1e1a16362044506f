"""Counts: the distinct value combinations of a table and how many records share each.

This is all that a method may ask of an engine. Counts of parts merge into the counts of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, U32, sums
from singleout.core.table import Codes, Column, smallest_codes
from singleout.errors import BadChoice

__all__ = ["Counts", "SizeProfile"]


@dataclass(frozen=True, eq=False)
class SizeProfile:
    """Counts of counts: for every set size that occurs, how many sets have it.

    Parameters
    ----------
    sizes
        The different sizes, ascending.
    sets
        How many sets have each size.
    """

    sizes: NDArray[np.int64]
    sets: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[Any]) -> SizeProfile:
        """Count how often each size occurs."""
        if len(sizes) and sizes.max() <= 4 * len(sizes):
            sets = np.bincount(sizes)  # no sorting where the sizes are small
            distinct = np.flatnonzero(sets)
            return cls(distinct, sets[distinct])
        distinct, sets = np.unique(sizes, return_counts=True)
        return cls(distinct.astype(np.int64), sets.astype(np.int64))

    @property
    def records(self) -> int:
        """How many records the sets hold together."""
        return int(self.sizes @ self.sets)

    @property
    def number_of_sets(self) -> int:
        """How many sets there are."""
        return int(self.sets.sum())


@dataclass(frozen=True, eq=False)
class Counts:
    """Distinct value combinations and how many records share each.

    Parameters
    ----------
    columns
        The names of the columns that were combined.
    values
        For each column its codebook; missing is the code after the last value.
    codes
        For each column the code of every combination.
    sizes
        How many records share each combination.
    weights
        The sum of the weights of these records, where it was asked for.
    """

    columns: tuple[str, ...]
    values: tuple[Sequence[Any], ...]
    codes: tuple[Codes, ...]
    sizes: NDArray[np.int64]
    weights: F64 | None = None

    def __post_init__(self) -> None:
        for array in (*self.codes, self.sizes, *([] if self.weights is None else [self.weights])):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Yield each combination as its values (None for missing) with its size."""
        books = [[*values, None] for values in self.values]
        for index, size in enumerate(self.sizes.tolist()):
            yield tuple(b[c[index]] for b, c in zip(books, self.codes, strict=True)), size

    @property
    def records(self) -> int:
        """How many records were counted."""
        return int(self.sizes.sum())

    @property
    def profile(self) -> SizeProfile:
        """How many combinations have each size."""
        return SizeProfile.of(self.sizes)

    def as_columns(self) -> list[Column]:
        """Return the distinct combinations as encoded columns, one record each."""
        return [
            Column(
                name,
                smallest_codes(codes, len(values) + 1),
                values,
                has_missing=bool((codes == len(values)).any()),
            )
            for name, values, codes in zip(self.columns, self.values, self.codes, strict=True)
        ]

    def merge(self, other: Counts) -> Counts:
        """Return the counts of the two parts together.

        The parts may have been encoded apart: values are matched by what they are, not by code.
        """
        if self.columns != other.columns:
            raise BadChoice(
                f"Counts over {list(self.columns)} cannot be merged with counts "
                f"over {list(other.columns)}; count the same columns in the same order."
            )
        books, joined = [], []
        for mine, my_codes, theirs, their_codes in zip(
            self.values, self.codes, other.values, other.codes, strict=True
        ):
            book, their_new = _join_books(mine, theirs)
            # the code for missing comes after the last value of each book
            my_new = np.append(np.arange(len(mine), dtype=np.uint32), np.uint32(len(book)))
            books.append(book)
            joined.append(np.concatenate([my_new[my_codes], their_new[their_codes]]))
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        sizes = np.concatenate([self.sizes, other.sizes])
        return _summed(self.columns, books, joined, sizes, weights)


def _join_books(mine: Sequence[Any], theirs: Sequence[Any]) -> tuple[Sequence[Any], U32]:
    """Return one codebook for both and, for each code of the second, its new code."""
    book = list(mine)
    code_of = {_identity(value): code for code, value in enumerate(book)}
    new = np.empty(len(theirs) + 1, dtype=np.uint32)
    for code, value in enumerate(theirs):
        key = _identity(value)
        if key not in code_of:
            code_of[key] = len(book)
            book.append(value)
        new[code] = code_of[key]
    new[-1] = len(book)
    return book, new


def _identity(value: object) -> tuple[bool, object]:
    """Return what makes two values the same: True is not 1, though Python calls them equal."""
    return isinstance(value, bool), value


def _summed(
    columns: tuple[str, ...],
    books: Sequence[Sequence[Any]],
    codes: Sequence[NDArray[Any]],
    sizes: I64,
    weights: F64 | None,
) -> Counts:
    """Add up the sizes and weights of combinations that are the same."""
    group = np.zeros(len(sizes), dtype=np.int64)
    for book, column in zip(books, codes, strict=True):
        # dense numbers after every column keep the product far below 2**63
        _, group = np.unique(group * (len(book) + 1) + column, return_inverse=True)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, group, sizes)
    distinct = tuple(
        smallest_codes(column[first], len(book) + 1)
        for book, column in zip(books, codes, strict=True)
    )
    together = None if weights is None else sums(group, weights, len(first))
    return Counts(columns, tuple(books), distinct, totals, together)
