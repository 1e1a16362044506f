"""What rounding observed columns does to anonymity. Koot (2012), Figures 4.4 and 6.3 to 6.5.

Ages by 1, 2 or 5 years, heights by a centimetre and weights by a kilogram: for each granularity the
columns are cut into intervals that begin at multiples of the width, and the people expected to be
unique follow exactly from the counts of the cells, with all the dependence that the columns have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.counts import Counts
from singleout.core.frame_kinds import framed
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.errors import BadChoice, UnusableColumn, UnusableTable
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.distribution.people import is_real_number
from singleout.predict.distribution.sources import whole_counts
from singleout.predict.granularities.result import Granularity, GranularityRow
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.set_sizes.shares import set_shares
from singleout.report.say import say

__all__ = ["granularity", "numbers_of"]

_MOST_CELLS = 2**40  # combinations of intervals, numbered by 64 bits


@framed
def granularity(
    data: Any,
    widths: Mapping[str, float | Sequence[float]],
    people: int | Sequence[int],
    *,
    top: Mapping[str, float] | None = None,
    by: str | None = None,
    counts: str | None = None,
    engine: Any = None,
    where: Any = None,
) -> Granularity:
    """Predict how many people are unique by observed columns, the more finely they are rounded.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`, or data that is elsewhere, see `singleout.read`. Each
        record is a person, or a cell of people if ``counts`` is given.
    widths
        For each column of numbers the widths of its intervals: ``{"age": [1, 2, 5]}``. Several
        columns make a grid of all their widths.
    people
        How many people there will be, drawn from each place; a number or several.
    top
        The value of a column from which on all are one answer: ``{"age": 79}`` for "79 or older".
    by
        A column of places, each looked at on its own, such as the municipality.
    counts
        The column that says how many people a row stands for.
    engine, where
        As in `Distribution.from_table`.

    Examples
    --------
    >>> from singleout.predict import granularity
    >>> ages = {"age": list(range(80)), "people": [100] * 80}
    >>> found = granularity(ages, {"age": [1, 2, 5]}, 40, counts="people")
    >>> [(row.cells, round(row.unique_share, 3)) for row in found.rows]
    [(80, 0.612), (40, 0.373), (16, 0.081)]
    >>> found.narrowest(unique=0.4).widths
    (2.0,)
    """
    from singleout.engines.open import open_data
    from singleout.io.names import pick

    asked = _checked_widths(widths)
    numbers: Any = people if np.ndim(people) else [people]
    many = [check_people(k, least=1) for k in numbers]
    if not many:
        raise BadChoice("people is empty; give a number of people at least.")
    highest = _checked_top(top or {}, asked)
    columns = list(asked)
    needed = [*columns, *([by] if by is not None else [])]
    if len(set(needed)) < len(needed) or counts in needed:
        raise BadChoice(f"A column has one use only: {[*needed, counts]} names one twice.")
    with open_data(data, engine, where, [*needed, *filter(None, [counts])]) as counter:
        found = counter.counts(pick(needed, counter.columns), counts)
        notes = counter.notes
    sizes = found.sizes if found.weights is None else whole_counts(found.weights)
    values = [_numbers(found, index) for index in range(len(columns))]
    known = np.logical_and.reduce([~np.isnan(each) for each in values]) & (sizes > 0)
    if not known.any():
        raise UnusableTable("Nobody in the data has a number in all of the columns.")
    missing = int(sizes[~known].sum())
    if missing:
        notes = (*notes, say("predict.granularity.missing", n=missing))
    values = [
        np.minimum(each[known], highest.get(name, np.inf))
        for name, each in zip(columns, values, strict=True)
    ]
    places = list(_places(found, known, by))
    grid = list(product(*asked.values()))
    rows = [
        row
        for wide in track(grid, say("progress.widths"))
        for row in _rows(values, sizes[known], places, wide, many)
    ]
    if not rows:
        raise BadChoice(f"No place has {min(many):,} people; give fewer.")
    small = len({place for place, _ in places}) - len({row.place for row in rows})
    if small:
        notes = (*notes, say("predict.granularity.small", n=small, people=min(many)))
    return Granularity(tuple(columns), tuple(rows), by, notes)


def _rows(
    values: Sequence[F64],
    sizes: I64,
    places: Sequence[tuple[str, Any]],
    wide: tuple[float, ...],
    people: Sequence[int],
) -> Iterator[GranularityRow]:
    """Yield the rows of one granularity."""
    intervals = []
    for each, width in zip(values, wide, strict=True):
        # a value that is a multiple of the width, such as 0.3 of 0.1, may lie below it in floats
        code = np.floor(each / width + 1e-9)
        intervals.append((code - code.min()).astype(np.int64))
    spans = [int(code.max()) + 1 for code in intervals]
    possible = prod(spans)
    if possible > _MOST_CELLS:
        raise BadChoice(f"Widths of {wide} make {possible:,} cells; give wider ones.")
    cells = np.zeros(len(sizes), dtype=np.int64)
    for code, span in zip(intervals, spans, strict=True):
        cells = cells * span + code
    for place, inside in places:
        _, group = np.unique(cells[inside], return_inverse=True)
        counted = np.bincount(group, weights=sizes[inside].astype(np.float64))
        spread = Distribution.from_counts(counted, cells=possible)
        margins: list[Any] = []
        if len(intervals) > 1:
            require_memory(16 * prod(spans), "Combining the columns", "give larger widths")
            margins = [
                np.bincount(code[inside], weights=sizes[inside].astype(np.float64))
                for code in intervals
            ]
        for k in people:
            if k > counted.sum():
                continue
            shares = group_sizes(spread, k, up_to=1)
            independent = _independent(margins, k) if margins else None
            yield GranularityRow(
                place,
                tuple(map(float, wide)),
                k,
                possible,
                spread.kl,
                shares.unique_share,
                independent,
            )


def _independent(margins: Sequence[Any], people: int) -> float:
    joint = np.ones(1)
    for margin in margins:
        joint = np.multiply.outer(joint, margin[margin > 0] / margin.sum()).ravel()
    return float(set_shares(joint, people)[0])


def _places(found: Counts, known: Any, by: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the places by name, each with the indexes of its cells."""
    if by is None:
        yield "", slice(None)
        return
    codes = np.asarray(found.codes[-1])[known]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for inside in np.split(order, starts[1:]):
        code = int(codes[inside[0]])
        yield str(found.values[-1][code]) if code < len(found.values[-1]) else "–", inside


def _numbers(found: Counts, index: int) -> F64:
    """Return the numbers of a column for each combination; NaN where missing."""
    numbers = []
    for value in found.values[index]:
        try:
            numbers.append(float(value))
        except (TypeError, ValueError):
            raise UnusableColumn(
                f"Column {found.columns[index]!r} has the value {value!r}, which is no number; "
                "leave such records out with where=, or give numbers."
            ) from None
    every: F64 = np.array([*numbers, np.nan])[np.asarray(found.codes[index])]
    return every


def numbers_of(found: Counts) -> dict[float, int]:
    """Return how many people have each number of the only column that was counted."""
    values = _numbers(found, 0)
    sizes = found.sizes if found.weights is None else whole_counts(found.weights)
    known = ~np.isnan(values) & (sizes > 0)
    return dict(zip(values[known].tolist(), sizes[known].tolist(), strict=True))


# ---- checks of arguments


def _checked_widths(widths: Any) -> dict[str, list[float]]:
    if not isinstance(widths, Mapping) or not widths:
        raise BadChoice(f"Give widths by column, as {{'age': [1, 2, 5]}}, not {widths!r}.")
    asked = {}
    for name, given in widths.items():
        each = list(given) if np.ndim(given) else [given]
        wrong = next((w for w in each if not is_real_number(w) or not 0 < w < np.inf), None)
        if not each or wrong is not None:
            raise BadChoice(f"A width of {name!r} must be a positive number, not {wrong!r}.")
        asked[str(name)] = [float(width) for width in dict.fromkeys(each)]
    return asked


def _checked_top(top: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, float]:
    for name, value in top.items():
        if name not in asked:
            raise BadChoice(f"top names {name!r}, which is not rounded; widths has {list(asked)}.")
        if not is_real_number(value) or not isfinite(value):
            raise BadChoice(f"The top of {name!r} must be a number, not {value!r}.")
    return {name: float(value) for name, value in top.items()}
