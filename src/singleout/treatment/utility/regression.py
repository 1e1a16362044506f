"""A regression before and after: its coefficients, and how far their intervals agree.

The overlap of confidence intervals is that of Karr et al. (2006): the mean share of the two
intervals that they have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.treatment.utility.common import Common, reduced
from singleout.treatment.utility.fitting import Design, Fit, fit_line, fit_logistic

__all__ = ["MOST_PREDICTORS", "Regression", "Term", "interval_overlap", "regression"]

MOST_PREDICTORS = 12  # columns
_CATEGORIES = 6  # of a predictor that holds no numbers
_Z = 1.959963984540054  # of intervals that hold 95 of 100 times


@dataclass(frozen=True)
class Term:
    """A coefficient before and after.

    Parameters
    ----------
    name
        The column; for one without numbers with the value that is compared with the others.
    before, after
        The coefficient.
    error_before, error_after
        Its standard error.
    overlap
        What the confidence intervals have in common / their lengths, from 0 to 1.
    """

    name: str
    before: float
    error_before: float
    after: float
    error_after: float
    overlap: float


@dataclass(frozen=True)
class Regression:
    """A regression of one column on others, before and after.

    Parameters
    ----------
    outcome
        The column that is explained.
    kind
        ``linear``, or ``logistic`` for a column of two values.
    terms
        The coefficients.
    records_before, records_after
        Records that have all values.
    """

    outcome: str
    kind: str
    terms: tuple[Term, ...]
    records_before: int
    records_after: int

    @property
    def overlap(self) -> float:
        """The mean overlap of the intervals of the coefficients."""
        return float(np.mean([term.overlap for term in self.terms]))


@dataclass(frozen=True, eq=False)
class _Predictors:
    """The predictors of both tables, numbers on the scale of the original."""

    names: list[str]
    sides: tuple[Design, Design]
    scales: F64


def interval_overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return what two intervals have in common, as the mean of the shares of each.

    >>> interval_overlap((0, 2), (1, 3)), interval_overlap((0, 1), (2, 3))
    (0.5, 0.0)
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    lengths = [one[1] - one[0] for one in (first, second)]
    if common < 0:
        return 0.0
    if min(lengths) <= 0:
        return 1.0 if lengths[0] == lengths[1] else 0.0
    return sum(common / length for length in lengths) / 2


def regression(
    outcome: Common, predictors: Sequence[Common], weights: tuple[F64, F64]
) -> Regression | None:
    """Return the regression before and after; None if it cannot be computed."""
    kind, outcomes = _outcomes(outcome)
    if not kind or not predictors:
        return None
    known = _predictors(predictors)
    if len(known.names) == 1:  # no predictor has two values that both tables have
        return None
    fits: list[Fit] = []
    for side in (0, 1):
        design, y = known.sides[side], outcomes[side]
        complete = np.isfinite(design.values).all(axis=1) & np.isfinite(y) & (weights[side] > 0)
        if int(complete.sum()) <= design.width:
            return None
        w = weights[side][complete]
        fit = fit_line if kind == "linear" else fit_logistic
        fits.append(fit(design.take(complete), y[complete], w / w.mean()))
    counts = [len(fit.fitted) for fit in fits]
    return Regression(outcome.name, kind, _terms(known, fits), counts[0], counts[1])


def _outcomes(column: Common) -> tuple[str, tuple[F64, F64]]:
    """Return the kind of regression, none for values without an order, and what it explains."""
    values = column.size - (column.blank >= 0)
    if values == 2:
        coded = [column.coded_before(), column.coded_after()]
        first = [np.where(c == column.blank, np.nan, c).astype(np.float64) for c in coded]
        return "logistic", (first[0], first[1])
    if column.numbers_before is None or column.numbers_after is None:
        return "", (np.empty(0), np.empty(0))
    before = column.numbers_before[column.before.codes]
    return "linear", (before, column.numbers_after[column.after.codes])


def _predictors(columns: Sequence[Common]) -> _Predictors:
    names, scales = [""], [1.0]
    lengths = (len(columns[0].before), len(columns[0].after))
    effects = [[np.zeros(length, dtype=np.int32)] for length in lengths]
    values = [[np.ones(length)] for length in lengths]
    for column in columns:
        if column.numbers_before is not None and column.numbers_after is not None:
            x = column.numbers_before[column.before.codes]
            centre, scale = float(np.nanmean(x)), float(np.nanstd(x)) or 1.0
            for side, y in enumerate((x, column.numbers_after[column.after.codes])):
                effects[side].append(np.full(lengths[side], len(names), dtype=np.int32))
                values[side].append((y - centre) / scale)
            names.append(column.name)
            scales.append(scale)
            continue
        *coded, size = reduced(column, _CATEGORIES)
        found = _of_both(coded[0], coded[1], size)
        effect = np.full(size, -1, dtype=np.int32)
        effect[found] = len(names) + np.arange(len(found))
        for side in (0, 1):
            effects[side].append(effect[coded[side]])
            values[side].append(np.ones(lengths[side]))
        names += [_named(column, category, size) for category in found]
        scales += [1.0] * len(found)
    before, after = (
        Design(
            np.ascontiguousarray(np.stack(effects[side], axis=1)),
            np.ascontiguousarray(np.stack(values[side], axis=1)),
            len(names),
        )
        for side in (0, 1)
    )
    return _Predictors(names, (before, after), np.array(scales))


def _of_both(before: I64, after: I64, size: int) -> list[int]:
    """Return the categories that both tables have, but for the usual one."""
    usual = int(np.bincount(before, minlength=size).argmax())
    both = (np.bincount(before, minlength=size) > 0) & (np.bincount(after, minlength=size) > 0)
    return [category for category in np.flatnonzero(both).tolist() if category != usual]


def _named(column: Common, category: int, size: int) -> str:
    if size == column.size:
        return f"{column.name} = {column.label(category)}"
    return f"{column.name} #{category + 1}"


def _terms(design: _Predictors, fits: Sequence[Fit]) -> tuple[Term, ...]:
    terms = []
    for j in range(1, len(design.names)):
        found = [(fit.coefficients[j], fit.errors[j]) for fit in fits]
        (before, error), (after, error_after) = (
            (float(value / design.scales[j]), float(spread / design.scales[j]))
            for value, spread in found
        )
        overlap = interval_overlap(
            (before - _Z * error, before + _Z * error),
            (after - _Z * error_after, after + _Z * error_after),
        )
        terms.append(Term(design.names[j], before, error, after, error_after, overlap))
    return tuple(terms)
