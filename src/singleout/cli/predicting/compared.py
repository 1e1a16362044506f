"""The options of `singleout predict` that compare: places, numbers of people, numbers of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading
from singleout.core.choices import choose
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.cli.screens.places import ShownPlaces
    from singleout.predict.distribution.distribution import Distribution

__all__ = ["Against", "By", "Formula", "Least", "Measured", "Sort", "of_places", "of_spreads"]

_MEASURES = "all-unique|none-unique|unique|variance|phi1|phi2|phi3"

By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="With --data: predict for each value of a column, as for each municipality. "
        "Repeatable.",
    ),
]
Measured = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar=_MEASURES,
        help="What to draw and fit, if places or numbers of people are compared; unique if absent.",
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="distance|people",
        help="What the picture has across: the Kullback-Leibler distance of each place, or the "
        "number of people. If absent, the numbers of both decide.",
    ),
]
Least = Annotated[
    int | None,
    typer.Option("--least", min=1, metavar="PEOPLE", help="With --by: leave out smaller places."),
]
Sort = Annotated[
    str | None,
    typer.Option(
        "--sort", metavar="people|distance", help="With --by: the order of places, most first."
    ),
]
Formula = Annotated[
    str | None,
    typer.Option(
        "--formula",
        metavar="kl|kl-finite|gamma",
        help="Which approximation from the distance is drawn beside the exact numbers; kl is that "
        "of the thesis, kl-finite its form for any number of cells (if absent).",
    ),
]


def of_places(
    data: str,
    qi: str | None,
    by: Sequence[str],
    people: Sequence[int],
    reading: Reading,
    *,
    how: Mapping[str, Any],
    **asked: Any,
) -> ShownPlaces:
    """Predict for each place; ``asked`` goes to `places`, and ``how`` says what to show."""
    from singleout.predict.comparing.function import places

    names = quasi_identifier(qi)
    given = {name: value for name, value in asked.items() if value is not None}
    groups = list(options.column_names(by, "--by") or [])
    needed = [*names, *groups, *filter(None, [given.get("counts")])]
    with reading.open(data, needed) as counter:
        found = places(counter, names, groups, people, formula=_formula(how), **given)
    return _shown(found, how)


def of_spreads(
    spreads: Mapping[str, Distribution] | Sequence[float],
    people: Sequence[int],
    without_replacement: bool | None,
    *,
    how: Mapping[str, Any],
) -> ShownPlaces:
    """Predict for distributions by name, or for numbers of equally likely cells."""
    from singleout.predict.comparing.function import table

    found = table(spreads, people, formula=_formula(how), without_replacement=without_replacement)
    return _shown(found, how)


def quasi_identifier(qi: str | None) -> list[str]:
    """Return the columns that make a cell."""
    if qi is None:
        raise BadChoice("Say with --qi which columns of the data others could know: --qi A,B.")
    return list(options.quasi_identifier(qi))


def _formula(how: Mapping[str, Any]) -> str:
    return str(how.get("--formula") or "kl-finite")


def _shown(found: Any, how: Mapping[str, Any]) -> ShownPlaces:
    from singleout.cli.screens.places import ShownPlaces
    from singleout.predict.comparing.measures import Measure

    measure = choose(Measure, how.get("--measure") or "unique", "measure")
    return ShownPlaces(found, measure, how.get("--against"))
