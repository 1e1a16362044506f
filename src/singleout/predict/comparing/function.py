"""`so.predict.places` and `so.predict.table`: predictions side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.core.progress import track
from singleout.errors import BadChoice, UnusableTable
from singleout.predict.comparing.counted import CountedCells, counted_cells, names_of
from singleout.predict.comparing.measures import predicted
from singleout.predict.comparing.result import Predictions
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
)
from singleout.predict.distribution.people import is_real_number
from singleout.predict.singletons.approximations import Formula
from singleout.report.say import say

__all__ = ["places", "possible_cells", "table"]

_ENOUGH = 10  # people for each cell that has any: with fewer, chance is much of the distance
_ORDERS = {
    "people": lambda item: -(item[1].population or 0),
    "distance": lambda item: -item[1].kl,
}


@framed
def places(
    data: Any,
    columns: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    people: int | Iterable[int] | None = None,
    *,
    cells: float | None = None,
    counts: str | None = None,
    least: int = 1,
    sort: str | None = None,
    formula: str = "kl-finite",
    without_replacement: bool | None = False,
    engine: Any = None,
    where: Any = None,
) -> Predictions:
    """Predict for each place how many of so many people there would be unique.

    As in the thesis's Figures 4.1, 4.2, 5.1, 5.2 and 6.2: for each municipality the distance of its
    ages from equally likely ones, and the predictions that follow from its ages.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `singleout.read`. Each
        record is a person, or as many as ``counts`` says.
    columns
        The columns that make a cell: what people would be asked.
    by
        The column, or the columns, whose values are the places.
    people
        k: how many people there will be, or several such numbers.
    cells
        N: how many cells are possible, in every place; as many as occur anywhere if not given.
    counts
        The column that says how many people a row stands for.
    least
        Places with fewer people are left out, and counted.
    sort
        ``people`` or ``distance``, the most first; by the values of ``by`` if not given.
    formula
        Which approximation from N and the distance stands beside the exact numbers: ``kl``,
        ``kl-finite`` or ``gamma``; see `approximate_singletons`.
    without_replacement
        Whether nobody can be drawn twice. Not so by default, as in the thesis, so that places of
        all sizes are compared alike; None decides for each place by its share that is drawn.
    engine
        What counts data that is elsewhere: ``local``, ``database``, ``spark``, a `Database` or a
        `Spark`; chosen by the data if not given.
    where
        The condition that records must meet, as text: ``"age <= 79"``.

    Examples
    --------
    >>> from singleout import predict
    >>> ages = {"town": ["A"] * 3 + ["B"] * 3, "age": [1, 2, 3] * 2, "n": [20, 20, 20, 50, 9, 1]}
    >>> found = predict.places(ages, "age", by="town", people=2, counts="n")
    >>> [(row.place, row.population, round(row.phi[0], 3)) for row in found.rows]
    [('A', 60, 0.667), ('B', 60, 0.283)]
    """
    groups = names_of(by, "by")
    if not groups:
        raise BadChoice("Say with by= which column holds the places.")
    numbers = _numbers(people)
    smallest = whole(least, "least", of="people")
    counted = counted_cells(data, columns, groups, counts=counts, engine=engine, where=where)
    if sort is not None and sort not in _ORDERS:
        raise BadChoice(f"{sort!r} is not an order of places; choose people or distance.")
    drawn = max(numbers) if without_replacement else 0
    spreads, notes = _spreads(counted, groups, possible_cells(counted, cells), max(smallest, drawn))
    items = list(spreads.items())
    if sort is not None:
        items.sort(key=_ORDERS[sort])
    return _predictions(
        items,
        numbers,
        choose(Formula, formula, "formula"),
        without_replacement,
        by=tuple(groups),
        notes=(*counted.notes, *notes),
    )


@framed
def table(
    distributions: Mapping[str, Any] | Iterable[float] | Any,
    people: int | Iterable[int],
    *,
    formula: str = "kl-finite",
    without_replacement: bool | None = None,
) -> Predictions:
    """Predict for several distributions and several numbers of people, as in Table A.1.

    Parameters
    ----------
    distributions
        Distributions by name, or one; or numbers of cells, each of equally likely ones.
    people
        k: how many people there will be, or several such numbers.
    formula
        As for `places`.
    without_replacement
        As for `singletons`.

    Examples
    --------
    >>> from singleout import predict
    >>> nobody = predict.table([2, 3, 4], people=range(2, 5)).grid("none-unique")
    >>> [round(share, 3) for share in nobody["3"]]
    [0.333, 0.111, 0.259]
    """
    items = _named(distributions)
    if not items:
        raise BadChoice("Give at least one distribution, or one number of cells.")
    chosen = choose(Formula, formula, "formula")
    return _predictions(items, _numbers(people), chosen, without_replacement)


def _named(distributions: Any) -> list[tuple[str, Distribution]]:
    if isinstance(distributions, Mapping):
        return [(str(name), _spread(each)) for name, each in distributions.items()]
    if isinstance(distributions, Distribution):
        return [(say("predict.places.people_given"), distributions)]
    numbers = [distributions] if is_real_number(distributions) else list(distributions)
    if all(is_real_number(number) and number >= 1 for number in numbers):
        return [(f"{number:,.0f}", _spread(number)) for number in dict.fromkeys(numbers)]
    raise BadChoice(
        "Give distributions by name, as {'here': ages, 'elsewhere': others}, or numbers of equally "
        "likely cells of 1 or more, as [10, 20]."
    )


def _spread(source: Any) -> Distribution:
    return (
        Distribution.equally_likely(source) if is_real_number(source) else as_distribution(source)
    )


def _numbers(people: Any) -> list[int]:
    if people is None:
        raise BadChoice("Say with people= how many people there will be, as people=60.")
    several = people if isinstance(people, Iterable) and not isinstance(people, str) else [people]
    numbers = [check_people(number, least=1) for number in several]
    if not numbers:
        raise BadChoice("people is empty; give at least one number.")
    return list(dict.fromkeys(numbers))


def possible_cells(counted: CountedCells, cells: float | None) -> float:
    """Return how many cells are possible: as many as stated, or as occur anywhere."""
    if cells is not None and is_real_number(cells) and not cells >= counted.cells:
        raise BadChoice(
            f"cells is {cells:,.0f}, but {counted.cells:,} cells have people in them; give at "
            "least that many, or leave out the rare ones by a condition on the data."
        )
    return counted.cells if cells is None else cells


def _spreads(
    counted: CountedCells, groups: Sequence[str], cells: float, smallest: int
) -> tuple[dict[str, Distribution], list[str]]:
    """Return the distribution of each place with enough people, and notes on the others."""
    spreads: dict[str, Distribution] = {}
    left_out = sparse = 0
    for place, rows in counted.groups(groups):
        people = np.bincount(counted.cell[rows], counted.people[rows]).astype(np.int64)
        present = people[people > 0]
        total = int(present.sum())
        if total < max(1, smallest):
            left_out += 1
            continue
        sparse += total < _ENOUGH * len(present)
        spreads[place] = Distribution.from_counts(present, cells)
    notes = []
    if left_out:
        notes.append(say("predict.places.left_out", n=left_out, least=max(1, smallest)))
    if sparse:
        notes.append(say("predict.places.sparse", n=sparse, enough=_ENOUGH))
    if not spreads:
        raise UnusableTable(f"No place has {smallest:,} people or more; ask for fewer.")
    return spreads, notes


def _predictions(
    items: Sequence[tuple[str, Distribution]],
    people: Sequence[int],
    formula: Formula,
    without_replacement: bool | None,
    *,
    by: tuple[str, ...] = (),
    notes: Iterable[str] = (),
) -> Predictions:
    steps = [(place, spread, number) for place, spread in items for number in people]
    rows = tuple(
        predicted(place, spread, number, without_replacement)
        for place, spread, number in track(steps, say("progress.places"))
    )
    cells = {spread.cells for _, spread in items}
    even = all(spread.is_uniform for _, spread in items)
    uniform: tuple[Any, ...] = ()
    if len(cells) == 1 and not even and np.isfinite(min(cells)):
        name, equal = say("predict.places.uniform"), Distribution.equally_likely(cells.pop())
        uniform = tuple(predicted(name, equal, number) for number in people)
    stand_ins = any(spread.summary is not None for _, spread in items)
    known = [*notes, *(note for _, spread in items for note in spread.notes)]
    return Predictions(
        rows,
        uniform,
        formula,
        by,
        tuple(dict.fromkeys(known)),
        (say("predict.stand_in"),) if stand_ins else (),
    )
