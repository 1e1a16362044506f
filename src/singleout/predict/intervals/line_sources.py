"""From what people have in hand (a scipy distribution, values, counts of values) to a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.errors import BadChoice, UnusableColumn
from singleout.predict.distribution.distribution import Distribution, draws_without_replacement
from singleout.predict.distribution.sources import named_numbers, normalised, whole_counts
from singleout.predict.intervals.line import Continuous, Line, Observed, check_size, discrete_line

__all__ = ["as_line"]


_WOULD_WORK = (
    "give a frozen distribution such as scipy.stats.norm(170, 10), a list of observed values, or "
    "a mapping from values to how many people have them"
)


def as_line(
    given: Any, people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    """Take what was given as values on a line, with notes."""
    if hasattr(given, "cdf") or hasattr(given, "rvs"):
        line = _of_scipy(given, people)
        if without_replacement:
            raise BadChoice(
                "without_replacement=True needs observed values or counts; a distribution has no "
                "population to draw from."
            )
        return line, ()
    if isinstance(given, Distribution):
        raise BadChoice(
            f"The cells of a Distribution have no places on a line, so they cannot be cut into "
            f"intervals; {_WOULD_WORK}."
        )
    if isinstance(given, Mapping):
        return _of_mapping(given, people, without_replacement)
    values, notes = _numbers(given)
    found, counts = np.unique(values, return_counts=True)
    line, more = _of_counts(found, counts.astype(np.int64), people, without_replacement)
    return line, (*notes, *more)


def _of_scipy(given: Any, people: int) -> Line:
    needed = ("cdf", "sf", "ppf", "isf", "support", "dist")
    if not all(hasattr(given, name) for name in needed):
        raise BadChoice(
            f"A {type(given).__name__} is not a frozen distribution of one number; {_WOULD_WORK}. "
            "Several attributes together are for correlated()."
        )
    middle = given.ppf(0.5)
    if np.ndim(middle) > 0:
        raise BadChoice(
            f"These are {np.size(middle)} {given.dist.name} distributions at once; give one of "
            "them."
        )
    # scipy makes a frozen distribution of any parameters, and then answers nan
    if not np.isfinite(middle):
        raise BadChoice(f"The {given.dist.name} distribution does not exist for these parameters.")
    if not hasattr(given, "pdf"):
        return discrete_line(given, people)
    line = Continuous(given)
    check_size(line.spread, "The distance of the quartiles")
    return line


def _of_mapping(
    given: Mapping[Any, Any], people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    values, _ = _numbers(list(given), "The keys of the mapping")
    if len(np.unique(values)) < len(given):
        raise BadChoice("The keys of the mapping must be different numbers, and none missing.")
    _, numbers = named_numbers(given, "counts")
    order = np.argsort(values)
    values, numbers = values[order], numbers[order]
    positive = numbers > 0
    values, numbers = values[positive], numbers[positive]
    if (numbers == np.floor(numbers)).all():
        return _of_counts(values, whole_counts(numbers), people, without_replacement)
    if without_replacement:
        raise BadChoice("without_replacement=True needs counts of people, not shares.")
    shares, notes = normalised(numbers)
    return Observed(values, shares, label="the values given with shares"), notes


def _of_counts(
    values: F64, counts: NDArray[np.int64], people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    population = Distribution.from_counts(counts)
    drawn, notes = draws_without_replacement(population, people, without_replacement)
    total = int(counts.sum())
    line = Observed(values, counts, total, drawn, label=f"{total:,} observed values")
    return line, notes


def _numbers(given: Any, what: str = "Observed values") -> tuple[F64, tuple[str, ...]]:
    """Return observed values as numbers, those missing left out and noted."""
    if isinstance(given, str | bytes) or np.ndim(given) != 1:
        raise BadChoice(
            f"A {type(given).__name__} is not a list of numbers; {_WOULD_WORK}. Of a table, give "
            "one column."
        )
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise UnusableColumn(f"{what} must be numbers; {_WOULD_WORK}.") from None
    if np.isinf(numbers).any():
        raise UnusableColumn(f"{what} must be finite numbers, but one is infinite.")
    missing = np.isnan(numbers)
    if missing.all():
        raise UnusableColumn(f"{what} hold no number; {_WOULD_WORK}.")
    if not missing.any():
        return numbers, ()
    return numbers[~missing], (f"{int(missing.sum()):,} missing values were left out.",)
