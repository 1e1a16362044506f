"""Predicted shares beside observed ones, within areas of larger places: Koot (2012), 6.2.3.

The ages of a municipality predict how many people of a postal code with k inhabitants are alone
with their age (phi). Where people are known by postal code, that share can be observed as well
(psi). Areas are more uneven than the place they are in, so that fewer people are usually alone than
predicted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import whole
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.core.progress import track
from singleout.errors import BadChoice, UnusableTable
from singleout.predict.checking.result import Observed, Validation
from singleout.predict.comparing.counted import CountedCells, counted_cells, names_of
from singleout.predict.comparing.function import possible_cells
from singleout.predict.comparing.measures import SIZES, Measure, approximated, predicted
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.approximations import Formula
from singleout.report.say import say

__all__ = ["validate"]

_PHI = (Measure.PHI1, Measure.PHI2, Measure.PHI3)


@framed
def validate(
    data: Any,
    columns: Sequence[str] | str | None = None,
    within: Sequence[str] | str | None = None,
    *,
    by: Sequence[str] | str | None = None,
    cells: float | None = None,
    counts: str | None = None,
    step: int = 5,
    most: int = 100,
    formula: str = "kl-finite",
    engine: Any = None,
    where: Any = None,
) -> Validation:
    """Compare predicted with observed shares of people in small sets, within areas.

    Parameters
    ----------
    data
        As for `places`.
    columns
        The columns that make a cell: what people would be asked.
    within
        The column, or the columns, whose values are the areas, such as postal codes.
    by
        The column, or the columns, of the larger places that predict; all data if not given.
    cells
        N: how many cells are possible; as many as occur anywhere if not given.
    counts
        The column that says how many people a row stands for.
    step
        How many numbers of people share a row: areas of 1 to 5, 6 to 10 and so on.
    most
        Areas with more people are left out, and counted.
    formula
        As for `places`.
    engine, where
        As for `places`.

    Examples
    --------
    >>> from singleout import predict
    >>> people = {"street": ["a", "a", "b", "b", "c", "c"], "age": [1, 2, 1, 1, 2, 3]}
    >>> (row,) = predict.validate(people, "age", within="street").rows
    >>> row.areas, round(row.psi[0], 3), round(row.phi[0], 3)
    (3, 0.667, 0.611)
    """
    areas, groups = names_of(within, "within"), names_of(by, "by")
    if not areas:
        raise BadChoice("Say with within= which column holds the areas, such as postal codes.")
    width = whole(step, "step", of="people")
    largest = whole(most, "most", of="people")
    chosen = choose(Formula, formula, "formula")
    counted = counted_cells(
        data, columns, [*groups, *areas], counts=counts, engine=engine, where=where
    )
    possible = possible_cells(counted, cells)
    everybody = say("predict.validation.everybody")
    members = counted.groups(groups) if groups else [(everybody, np.arange(len(counted.people)))]
    rows: list[Observed] = []
    left_out = 0
    for place, which in track(members, say("progress.places")):
        if not counted.people[which].any():
            continue
        sizes, shares = _areas(counted, which, [*groups, *areas])
        left_out += int((sizes > largest).sum())
        kept = sizes <= largest
        spread = _spread(counted, which, possible)
        rows += _rows(place, spread, sizes[kept], shares[kept], width, chosen)
    if not rows:
        raise UnusableTable(f"No area has at most {largest:,} people; raise most=.")
    notes = list(counted.notes)
    if left_out:
        notes.append(say("predict.validation.left_out", n=left_out, most=largest))
    return Validation(tuple(rows), possible, chosen, tuple(notes))


def _spread(counted: CountedCells, which: NDArray[Any], cells: float) -> Distribution:
    people = np.bincount(counted.cell[which], counted.people[which]).astype(np.int64)
    return Distribution.from_counts(people[people > 0], cells)


def _areas(
    counted: CountedCells, which: NDArray[Any], columns: Sequence[str]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the people of each area, and which shares of them are in sets of 1, 2 and 3."""
    area = np.zeros(len(which), dtype=np.int64)
    for name in columns:
        index = counted.counts.columns.index(name)
        width = len(counted.counts.values[index]) + 1
        _, area = np.unique(area * width + counted.counts.codes[index][which], return_inverse=True)
    people = counted.people[which]
    sizes = np.bincount(area, people)
    inside = [np.bincount(area, np.where(people == size, people, 0)) for size in SIZES]
    lived_in = sizes > 0
    shares = np.stack(inside, axis=1)[lived_in] / sizes[lived_in, None]
    return sizes[lived_in].astype(np.int64), shares


def _rows(
    place: str,
    spread: Distribution,
    sizes: NDArray[Any],
    shares: NDArray[Any],
    step: int,
    formula: Formula,
) -> Iterator[Observed]:
    """Yield what is observed and predicted for areas of similar size."""
    exact: dict[int, NDArray[Any]] = {}
    for band in np.unique((sizes - 1) // step).tolist():
        of_band = (sizes - 1) // step == band
        people, seen = sizes[of_band], shares[of_band]
        # a share of all people of the band: a large area counts for more
        total = int(people.sum())
        psi = people @ seen / total
        freedom = len(people) / max(1, len(people) - 1)
        spread_of = np.sqrt((people / total) ** 2 @ (seen - psi) ** 2 * freedom)
        predictions = np.zeros((3, len(SIZES)))
        numbers, times = np.unique(people, return_counts=True)
        for number, areas in zip(numbers.tolist(), times.tolist(), strict=True):
            if number not in exact:
                exact[number] = _predictions(spread, number, formula)
            predictions += number * areas * exact[number]
        phi, approximate, uniform = (predictions / total).tolist()
        yield Observed(
            place,
            spread.kl,
            float(people @ people / total),
            len(people),
            total,
            tuple(psi.tolist()),
            tuple(spread_of.tolist()) if len(people) > 1 else None,
            tuple(phi),
            tuple(approximate),
            tuple(uniform),
        )


def _predictions(spread: Distribution, people: int, formula: Formula) -> NDArray[Any]:
    """Return phi exactly, from the distance, and for equally likely cells."""
    lines = [approximated(measure, spread.cells, people, formula) for measure in _PHI]
    return np.array(
        [
            predicted("", spread, people).phi,
            [0.0 if line is None else min(1.0, max(0.0, line(spread.kl))) for line in lines],
            predicted("", Distribution.equally_likely(spread.cells), people).phi,
        ]
    )
