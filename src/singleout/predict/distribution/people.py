"""How many people are asked about, and whether one of them can be drawn twice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.errors import BadChoice

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

MOST_POSSIBLE = 1e300  # cells that a float holds with room for sums
_MOST_PEOPLE = 2**53  # beyond that floats leave out numbers of people
_LARGE_SAMPLE = 0.01  # from this share of the population on, drawing changes what is left


def check_people(people: Any, *, least: int = 0, what: str = "people") -> int:
    """Return the number of people as an int, or say what is wrong with it.

    Parameters
    ----------
    people
        What was given: a whole number.
    least
        The smallest number that makes sense.
    what
        Which people these are, as the user wrote it.
    """
    number = whole_number(people)
    if number is None or number < least:
        raise BadChoice(f"{what} must be a whole number of {least} or more, not {people!r}.")
    if number > _MOST_PEOPLE:
        raise BadChoice(f"{what} must be at most {_MOST_PEOPLE:,}, not {float(number):.3g}.")
    return number


def draws_without_replacement(
    distribution: Distribution, people: int, without_replacement: bool | None
) -> tuple[bool, tuple[str, ...]]:
    """Decide whether nobody can be drawn twice, and say so where it was not asked for.

    Parameters
    ----------
    distribution
        Where people are drawn from.
    people
        How many are drawn.
    without_replacement
        What was asked for; None leaves it to the share of the population that is drawn.
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
    if without_replacement is None and people > _LARGE_SAMPLE * population:
        _check_population(people, population)
        return True, (
            f"{people:,} of {population:,} people are {people / population:.1%} of the population, "
            "so nobody is drawn twice (without replacement).",
        )
    if without_replacement:
        _check_population(people, population)
    return bool(without_replacement), ()


def _check_population(people: int, population: int) -> None:
    if people > population:
        raise BadChoice(
            f"{people:,} people cannot be drawn from a population of {population:,}; give fewer, "
            "or draw with replacement (without_replacement=False) if the counts are themselves a "
            "sample."
        )


def is_real_number(given: Any) -> bool:
    """Return whether this is a number that can be compared, and no truth value."""
    if isinstance(given, bool | np.bool_):
        return False
    return isinstance(given, int | float | np.integer | np.floating)


def readable(number: float, digits: int = 4) -> str:
    """Return a number of people as it is read: 12,345 and not 1.234e+04.

    Parameters
    ----------
    number
        Not negative.
    digits
        How many to show at most, unless more are left of the decimal point.

    Examples
    --------
    >>> readable(10913.2), readable(272.1234), readable(3e-40), readable(0)
    ('10,913', '272.1', 'less than 0.0001', '0')
    """
    if 0 < number < 1e-4:
        return "less than 0.0001"
    return f"{number:,.0f}" if number >= 10**digits else f"{number:,.{digits}g}"


def readable_cells(cells: float) -> str:
    """Return a number of cells as it is read, however large.

    Examples
    --------
    >>> readable_cells(1), readable_cells(12345), readable_cells(3e300), readable_cells(np.inf)
    ('1 cell', '12,345 cells', 'about 10^300 cells', 'infinitely many cells')
    """
    if not math.isfinite(cells):
        return "infinitely many cells"
    if cells > _MOST_PEOPLE:
        return f"about 10^{np.log10(float(cells)):.0f} cells"
    return "1 cell" if cells == 1 else f"{cells:,.0f} cells"


def whole_number(given: Any) -> int | None:
    """Return a whole number as an int; None for anything else, 5.5 and True among it."""
    if isinstance(given, bool | np.bool_):
        return None
    if isinstance(given, int | np.integer):
        return int(given)
    if isinstance(given, float | np.floating) and float(given).is_integer():
        return int(given)
    return None
