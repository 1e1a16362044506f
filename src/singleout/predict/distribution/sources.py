"""The probabilities of cells from numbers, tables, or distributions of scipy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, sums
from singleout.core.counts import Counts, SizeProfile
from singleout.core.memory import require_memory
from singleout.errors import BadChoice, UnusableColumn, UnusableTable
from singleout.predict.distribution.people import MOST_POSSIBLE, is_real_number
from singleout.report.say import say

__all__ = [
    "counted_cells",
    "has_set_sizes",
    "margin_cells",
    "named_numbers",
    "normalised",
    "number_of_cells",
    "scipy_cells",
    "whole_counts",
]


_FARTHEST = 1e9  # cells from an offset to the median: the edges keep seven digits of a cell
_SUM_TOLERANCE = 1e-6  # printed shares are rounded, but a sum of 0.99 is a mistake
_ROUNDING = 1e-9  # rounding error of the sum of a million floats
_NEGLIGIBLE_TAIL = 1e-15  # probability beyond the cells of an unbounded distribution
_MOST_CELLS = 2_000_000  # of a scipy distribution, each with a probability of its own


# ---- numbers


def named_numbers(data: Any, what: str) -> tuple[tuple[Any, ...] | None, F64]:
    """Return the names of the cells, if there are any, and a number for each."""
    is_named = isinstance(data, Mapping)
    names = tuple(data) if is_named else None
    values = list(data.values()) if is_named else data
    if isinstance(values, str | bytes):
        raise BadChoice(
            f"{what} must be numbers, not the text {values!r}; for data use "
            "Distribution.from_table."
        )
    try:
        if np.iscomplexobj(values):
            raise TypeError
        numbers = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError):
        raise BadChoice(
            f"{what} must be a list of numbers, one for each cell, not a {type(data).__name__} "
            "that holds anything else; for data use Distribution.from_table."
        ) from None
    if len(numbers) == 0:
        raise UnusableTable(f"There are no {what}; give a number for each cell.")
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any():
        raise BadChoice(
            f"{what} must be finite and not negative, but one of them is {numbers[wrong][0]:g}."
        )
    if not numbers.any():
        raise UnusableTable(f"All {what} are 0, so there is nobody to predict for.")
    return names, numbers


def whole_counts(numbers: F64) -> I64:
    """Return the counts as integers; refuse fractions."""
    broken = numbers != np.floor(numbers)
    if broken.any():
        raise BadChoice(
            f"counts must be whole numbers, but one of them is {numbers[broken][0]:g}; give shares "
            "of the whole with from_probabilities."
        )
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if total >= 2.0**53:
        raise BadChoice("The counts sum to more than 9e15 people; give them as probabilities.")
    return numbers.astype(np.int64)


def normalised(numbers: F64) -> tuple[F64, tuple[str, ...]]:
    """Return probabilities that sum to 1, with a note if they only nearly did."""
    if numbers.max() > 1 + _SUM_TOLERANCE:
        raise BadChoice(
            f"One of the probabilities is {numbers.max():.7g}, and none is above 1; divide them by "
            "their sum, or give numbers of people as counts (from_counts)."
        )
    total = math.fsum(numbers.tolist())
    if abs(total - 1) > _SUM_TOLERANCE:
        raise BadChoice(
            f"The probabilities sum to {total:.7g}, not to 1; divide them by their sum, or give "
            "numbers of people as counts (from_counts)."
        )
    if abs(total - 1) <= _ROUNDING:
        return numbers / total, ()
    return numbers / total, (say("predict.distribution.normalised", total=total),)


def number_of_cells(cells: float | None, numbers: NDArray[Any]) -> float:
    """Return how many cells are possible: as many as have a number, unless more are asked for."""
    if cells is None:
        return len(numbers)
    positive = int((numbers > 0).sum())
    if not is_real_number(cells):
        raise BadChoice(f"cells must be a number, not {cells!r}.")
    if cells > MOST_POSSIBLE and cells != math.inf:
        raise BadChoice(
            f"cells must be at most {MOST_POSSIBLE:.0e}; for endlessly many give float('inf')."
        )
    if not cells >= positive:
        raise BadChoice(
            f"cells is {cells:,}, but {positive:,} cells have people in them; give at least that "
            "many."
        )
    return int(cells) if float(cells).is_integer() else float(cells)


# ---- tables


@dataclass(frozen=True, eq=False)
class _CombinationNames(Sequence[Any]):
    """The value combinations of a table as names, decoded on access: there may be millions."""

    counts: Counts

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[Any]:
        single = len(self.counts.columns) == 1
        for values, _ in self.counts:
            yield values[0] if single else values

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        values = tuple(
            column[code[index]] if code[index] < len(column) else None
            for column, code in zip(self.counts.values, self.counts.codes, strict=True)
        )
        return values[0] if len(values) == 1 else values


def has_set_sizes(data: Any) -> bool:
    """Return whether these are anonymity sets, of any class that has their sizes."""
    return hasattr(data, "has_sets") and isinstance(getattr(data, "profile", None), SizeProfile)


def counted_cells(
    data: Any, columns: Sequence[str] | str | None, *, engine: Any = None, where: Any = None
) -> tuple[I64, Sequence[Any] | None, tuple[str, ...]]:
    """Count data where each record is a person: sizes of the cells, names and notes."""
    counted = isinstance(data, Counts) or has_set_sizes(data)
    if counted and not (engine is None and where is None):
        raise BadChoice(
            f"{type(data).__name__} was counted already; give engine= and where= where it is "
            "counted."
        )
    if counted and columns is not None:
        raise BadChoice(
            f"{type(data).__name__} was counted over its own columns; leave out columns=, or give "
            "the data itself."
        )
    if has_set_sizes(data):
        if not data.has_sets:
            raise BadChoice(
                "These anonymity sets let a missing value match everything, so records do not fall "
                "into cells; measure them with missing='value' or 'drop'."
            )
        return np.repeat(data.profile.sizes, data.profile.sets), None, data.notes
    counts, notes = (
        (data, ()) if isinstance(data, Counts) else _counts(data, columns, engine, where)
    )
    if len(counts) == 0:
        raise UnusableTable("There are no records, so there is nobody to predict for.")
    return counts.sizes, _CombinationNames(counts), notes


def _counts(
    data: Any, columns: Sequence[str] | str | None, engine: Any, where: Any
) -> tuple[Counts, tuple[str, ...]]:
    from singleout.core.choices import Role
    from singleout.engines.counter import with_role
    from singleout.engines.open import open_data
    from singleout.engines.suspected import taken_as_said
    from singleout.io.names import pick

    wanted = None if columns is None else _listed(columns)
    with taken_as_said(), open_data(data, engine, where, wanted) as counter:
        names = with_role(counter, Role.QUASI_IDENTIFIER) if wanted is None else wanted
        if not names:
            raise BadChoice(
                "No columns were given: name those that make a cell with columns=. The table has: "
                f"{list(counter.columns)}."
            )
        return counter.counts(pick(names, counter.columns)), counter.notes


def margin_cells(
    data: Any,
    columns: Sequence[str] | str | None,
    counts: str | None,
    shares: str | None,
    *,
    engine: Any = None,
    where: Any = None,
) -> tuple[F64, Sequence[Any], tuple[str, ...]]:
    """Read a table with a row for each cell: numbers of one column, names of the cells, notes.

    Counts of cells that occur more than once are added up.
    """
    from singleout.engines.local.counting import group
    from singleout.engines.reading import read

    if counts is not None and shares is not None:
        raise BadChoice("Give the column of counts= or the column of shares=, not both.")
    number = counts if counts is not None else shares
    if not isinstance(number, str):
        raise BadChoice(f"counts= and shares= are the name of a column, not {number!r}.")
    wanted = None if columns is None else _listed(columns)
    needed = None if wanted is None else [*wanted, number]
    table = read(data, needed, engine=engine, where=where)
    cells = wanted if wanted is not None else [name for name in table.columns if name != number]
    table.require([*cells, number])
    if not cells:
        raise BadChoice(
            f"The table has no column beside {number!r} that says which cell it is; use "
            "from_counts or from_probabilities for numbers alone."
        )
    values = table[number].numbers()
    if np.isnan(values).any():
        raise UnusableColumn(f"Column {number!r} has no number in some records; fill them in.")
    groups = group(table, cells)
    notes: tuple[str, ...] = ()
    _, numbers = named_numbers(values, "counts" if counts is not None else "shares")
    if len(groups.sizes) < table.rows:
        if counts is None:
            raise UnusableTable(
                f"Some cells of {cells} occur more than once; add up their shares, or name more "
                "columns."
            )
        many = {"rows": table.rows, "cells": len(groups.sizes)}
        notes = (say("counts.repeated", columns=", ".join(cells), **many),)
    numbers = sums(groups.ids, numbers)
    books = [[*table[name].values, None] for name in cells]
    codes = [table[name].codes[groups.first].tolist() for name in cells]
    named = [map(book.__getitem__, of) for book, of in zip(books, codes, strict=True)]
    names = list(named[0]) if len(cells) == 1 else list(zip(*named, strict=True))
    return numbers, names, notes


def _listed(columns: Sequence[str] | str) -> list[str]:
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, Iterable) or not all(isinstance(name, str) for name in columns):
        raise BadChoice(f"columns must be names of columns, as ['age', 'sex'], not {columns!r}.")
    names = list(dict.fromkeys(columns))
    if not names:
        raise BadChoice("columns is empty; name the columns that make a cell.")
    return names


# ---- scipy


def scipy_cells(
    distribution: Any, width: float, offset: float
) -> tuple[F64, NDArray[Any], float, tuple[str, ...]]:
    """Cut a distribution of scipy: probabilities, multiplicity, possible cells, notes."""
    _check_scipy(distribution, width, offset)
    low, high = (float(end) for end in distribution.support())
    possible = _cells_between(low, high, width, offset) if math.isfinite(high - low) else math.inf
    # the cells cover all of a bounded distribution, or leave out the smallest tail possible
    for tail in (0.0, *(_NEGLIGIBLE_TAIL * 10.0 ** np.arange(15))):
        first = max(low, float(distribution.ppf(tail / 2)))
        last = min(high, float(distribution.isf(tail / 2)))
        if math.isfinite(last - first) and (last - first) / width <= _MOST_CELLS:
            break
    else:
        raise BadChoice(
            f"Cells of width {width:g} cut the distribution into more than {_MOST_CELLS:,}; give a "
            "larger width."
        )
    require_memory(
        64 * _cells_between(first, last, width, offset),
        "Cutting the distribution",
        "give a larger width",
    )
    shares = _cell_shares(distribution, first, last, width, offset)
    return _with_tail(shares[shares > 0], tail, possible)


def _with_tail(
    shares: F64, tail: float, possible: float
) -> tuple[F64, NDArray[Any], float, tuple[str, ...]]:
    """Add cells for the tails beyond the others, unless these are negligible."""
    inside = math.fsum(shares.tolist())
    ones = np.ones(len(shares))
    beyond = 1 - inside
    if tail <= _NEGLIGIBLE_TAIL or beyond <= 0:
        return shares / inside, ones, possible, ()
    many = math.ceil(beyond / float(min(shares[0], shares[-1])))
    smallest = beyond / many
    note = say("predict.distribution.tail", beyond=beyond, cells=len(shares), smallest=smallest)
    every = np.append(shares, smallest), np.append(ones, many)
    return *every, possible, (note,)


def _check_scipy(distribution: Any, width: float, offset: float) -> None:
    if not all(hasattr(distribution, name) for name in ("cdf", "sf", "ppf", "isf", "support")):
        raise BadChoice(
            f"A {type(distribution).__name__} is not a frozen distribution of scipy, such as "
            "scipy.stats.norm(170, 10)."
        )
    if not is_real_number(width) or not 0 < width < math.inf:
        raise BadChoice(f"width must be a positive number, not {width!r}.")
    if not is_real_number(offset) or not math.isfinite(offset):
        raise BadChoice(f"offset must be a number, not {offset!r}.")
    middle = distribution.ppf(0.5)
    if np.ndim(middle) > 0:
        raise BadChoice(f"These are {np.size(middle)} distributions at once; give one of them.")
    # scipy freezes a distribution with impossible parameters, and then returns NaN
    if not math.isfinite(middle):
        raise BadChoice("The distribution does not exist for these parameters.")
    if abs(offset - middle) > _FARTHEST * width:
        raise BadChoice(
            f"offset is {offset:g}, so far from the middle of the distribution at {middle:g} that "
            f"floats cannot count the cells of {width:g} between; give an offset nearer to it."
        )


def _cells_between(low: float, high: float, width: float, offset: float) -> int:
    first = math.floor((low - offset) / width)
    return max(1, math.ceil((high - offset) / width) - first)


def _cell_shares(distribution: Any, first: float, last: float, width: float, offset: float) -> F64:
    start = math.floor((first - offset) / width)
    # one more at the upper end: a discrete distribution may have mass on the edge
    stop = start + _cells_between(first, last, width, offset) + 2
    edges = offset + width * np.arange(start, stop)
    if _is_discrete(distribution):
        edges = np.ceil(edges) - 1  # a cell includes its lower edge and excludes its upper one
    below, above = distribution.cdf(edges), distribution.sf(edges)
    middle = float(distribution.median())
    # each side from its own tail, so that small probabilities keep their digits
    shares: F64 = np.where(edges[1:] <= middle, np.diff(below), -np.diff(above))
    return shares


def _is_discrete(distribution: Any) -> bool:
    return hasattr(distribution, "pmf") and not hasattr(distribution, "pdf")
