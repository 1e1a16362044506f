"""Turn a scipy distribution, observed values or counts of values into a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice, UnusableColumn
from singleout.predict.distribution.distribution import Distribution, draws_without_replacement
from singleout.predict.distribution.sources import named_numbers, normalised, whole_counts
from singleout.predict.intervals.line import Continuous, Line, Observed, check_size, discrete_line
from singleout.report.say import say

__all__ = ["as_line"]


_WOULD_WORK = (
    "give a frozen distribution such as scipy.stats.norm(170, 10), a list of observed values, or "
    "a mapping from values to how many people have them"
)


def as_line(
    source: Any, people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    """Return the values of a source on a line, and notes."""
    if hasattr(source, "cdf") or hasattr(source, "rvs"):
        line = _of_scipy(source, people)
        if without_replacement:
            raise BadChoice(
                "without_replacement=True needs observed values or counts; a distribution has no "
                "population to draw from."
            )
        return line, ()
    if isinstance(source, Distribution):
        raise BadChoice(
            "The cells of a Distribution are not values on a line, so they cannot be cut into "
            f"intervals; {_WOULD_WORK}."
        )
    if isinstance(source, Mapping):
        return _of_mapping(source, people, without_replacement)
    numbers, notes = _numbers(source)
    values, counts = np.unique(numbers, return_counts=True)
    line, more = _of_counts(values, counts.astype(np.int64), people, without_replacement)
    return line, (*notes, *more)


def _of_scipy(frozen: Any, people: int) -> Line:
    needed = ("cdf", "sf", "ppf", "isf", "support", "dist")
    if not all(hasattr(frozen, name) for name in needed):
        raise BadChoice(
            f"A {type(frozen).__name__} is not a frozen distribution of one number; {_WOULD_WORK}. "
            "Several attributes together are for correlated()."
        )
    middle = frozen.ppf(0.5)
    if np.ndim(middle) > 0:
        raise BadChoice(
            f"These are {np.size(middle)} {frozen.dist.name} distributions at once; give one of "
            "them."
        )
    # scipy makes a frozen distribution of any parameters, and then answers nan
    if not np.isfinite(middle):
        raise BadChoice(f"The {frozen.dist.name} distribution does not exist for these parameters.")
    if not hasattr(frozen, "pdf"):
        return discrete_line(frozen, people)
    line = Continuous(frozen)
    check_size(line.spread, "The distance of the quartiles")
    return line


def _of_mapping(
    counts: Mapping[Any, Any], people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    values, _ = _numbers(list(counts), what="The keys of the mapping")
    if len(np.unique(values)) < len(counts):
        raise BadChoice("The keys of the mapping must be different numbers, and none missing.")
    _, numbers = named_numbers(counts, "counts")
    order = np.argsort(values)
    values, numbers = values[order], numbers[order]
    positive = numbers > 0
    values, numbers = values[positive], numbers[positive]
    if (numbers == np.floor(numbers)).all():
        return _of_counts(values, whole_counts(numbers), people, without_replacement)
    if without_replacement:
        raise BadChoice("without_replacement=True needs counts of people, not shares.")
    shares, notes = normalised(numbers)
    return Observed(say("predict.intervals.with_shares"), values, shares), notes


def _of_counts(
    values: F64, counts: I64, people: int, without_replacement: bool | None
) -> tuple[Line, tuple[str, ...]]:
    population = Distribution.from_counts(counts)
    drawn, notes = draws_without_replacement(population, people, without_replacement)
    total = int(counts.sum())
    return Observed(say("predict.intervals.observed", n=total), values, counts, total, drawn), notes


def _numbers(values: Any, what: str = "Observed values") -> tuple[F64, tuple[str, ...]]:
    """Return observed values as numbers without those missing, and a note of how many these are."""
    if isinstance(values, str | bytes) or np.ndim(values) != 1:
        raise BadChoice(
            f"A {type(values).__name__} is not a list of numbers; {_WOULD_WORK}. Of a table, give "
            "one column."
        )
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UnusableColumn(f"{what} must be numbers; {_WOULD_WORK}.") from None
    if np.isinf(numbers).any():
        raise UnusableColumn(f"{what} must be finite numbers, but one is infinite.")
    missing = np.isnan(numbers)
    if missing.all():
        raise UnusableColumn(f"{what} hold no number; {_WOULD_WORK}.")
    if not missing.any():
        return numbers, ()
    return numbers[~missing], (say("predict.intervals.missing", n=int(missing.sum())),)
