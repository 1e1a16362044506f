"""How many people are asked about, and whether one of them can be drawn twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.predict.distribution import Distribution

__all__ = ["check_people", "draws_without_replacement"]

_LARGE_SAMPLE = 0.01  # from this share of the population on, drawing changes what is left


def check_people(people: Any, *, least: int = 0) -> int:
    """Return the number of people as an int, or say what is wrong with it.

    Parameters
    ----------
    people
        What was given: a whole number.
    least
        The smallest number that makes sense.
    """
    number = _whole_number(people)
    if number is None or number < least:
        raise BadChoice(f"people must be a whole number of {least} or more, not {people!r}.")
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
    if without_replacement not in (True, False, None):
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
            "or say without_replacement=False if the counts are themselves a sample."
        )


def _whole_number(given: Any) -> int | None:
    if isinstance(given, bool | np.bool_):
        return None
    if isinstance(given, int | np.integer):
        return int(given)
    if isinstance(given, float | np.floating) and float(given).is_integer():
        return int(given)
    return None
