"""How many people are asked about, and whether one of them can be drawn twice."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.wording import figure
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.distribution.distribution import Distribution

__all__ = [
    "MOST_POSSIBLE",
    "check_people",
    "draws_without_replacement",
    "is_real_number",
    "readable",
    "readable_cells",
    "whole_number",
]

MOST_POSSIBLE = 1e300  # cells: a float still holds sums of them
_MOST_PEOPLE = 2**53  # up to here a float holds every whole number
_LARGE_SAMPLE = 0.01  # share of the population from which drawing changes what is left


def check_people(people: Any, *, least: int = 0, what: str = "people") -> int:
    """Return the number of people as an int, also from a float such as 1e6; refuse others."""
    number = whole_number(people)
    number = whole(people if number is None else number, what, at_least=least)
    if number > _MOST_PEOPLE:
        raise BadChoice(f"{what} must be at most {_MOST_PEOPLE:,}, not {Decimal(number):.3g}.")
    return number


def draws_without_replacement(
    distribution: Distribution, people: int, without_replacement: bool | None
) -> tuple[bool, tuple[str, ...]]:
    """Return whether to draw without replacement, and a note where that was not asked for.

    None leaves it to the share of the population that is drawn.
    """
    if without_replacement is not None and not isinstance(without_replacement, bool | np.bool_):
        raise BadChoice(
            f"without_replacement must be True, False or None, not {without_replacement!r}."
        )
    population = distribution.population
    if distribution.counts is None or population is None:
        if without_replacement:
            raise BadChoice(
                "without_replacement=True needs to know how many people each cell has; make the "
                "distribution from counts or from a table."
            )
        return False, ()
    is_large = people > _LARGE_SAMPLE * population
    without = is_large if without_replacement is None else bool(without_replacement)
    if without and people > population:
        raise BadChoice(
            f"{people:,} people cannot be drawn from a population of {population:,}; give fewer, "
            "or draw with replacement (without_replacement=False) if the counts are themselves a "
            "sample."
        )
    if not without or without_replacement is not None:
        return without, ()
    share = people / population
    return True, (say("predict.drawn", people=people, population=population, share=share),)


def is_real_number(value: Any) -> bool:
    """Return whether this is a real number and not a boolean."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    return is_number and not isinstance(value, bool)


def readable(number: float, digits: int = 4) -> str:
    """Format a number of people: 12,345 and not 1.234e+04.

    Only digits left of the decimal point can be more than ``digits``.

    >>> readable(10913.2), readable(272.1234), readable(3e-40), readable(0)
    ('10,913', '272.1', 'less than 0.0001', '0')
    """
    if 0 < number < 1e-4:
        return say("predict.tiny")
    return figure(number, ",.0f") if number >= 10**digits else figure(number, f",.{digits}g")


def readable_cells(cells: float) -> str:
    """Format a number of cells, however large.

    >>> readable_cells(1), readable_cells(12345), readable_cells(3e300), readable_cells(np.inf)
    ('1 cell', '12,345 cells', 'about 10^300 cells', 'infinitely many cells')
    """
    if not math.isfinite(cells):
        return say("predict.cells_infinite")
    if cells > _MOST_PEOPLE:
        return say("predict.cells_power", power=np.log10(float(cells)))
    return say("predict.cells", n=cells)


def whole_number(value: Any) -> int | None:
    """Return a whole number as an int, 5.0 included; None for anything else."""
    if not is_real_number(value):
        return None
    is_whole = isinstance(value, int) or float(value).is_integer()
    return int(value) if is_whole else None
