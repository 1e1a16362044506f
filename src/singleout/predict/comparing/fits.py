"""How well a straight line in the distance tells a measure: least squares, as in Koot's 4.4, 5.5.

Beside the line through the places stands the thesis's approximation, which knows none of them. Its
R² is 1 less the squared errors / the squared differences from the mean, and so may be negative: the
mean of the places would then tell more than the formula does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.results import ResultPart

__all__ = ["DistanceFit", "fitted"]


@dataclass(frozen=True)
class DistanceFit(ResultPart):
    """A measure of the places as a line in their Kullback-Leibler distance.

    Parameters
    ----------
    measure
        What was fitted; for ``all-unique`` the natural logarithm of the chance.
    people
        k: for how many people.
    places
        How many places have a value of it.
    intercept, slope
        The line of least squares: intercept + slope × distance; None for fewer than two distances.
    r2
        The share of the variance between places that the line explains; None if there is none.
    approximation_r2
        The same of the approximation from the number of cells and the distance alone.
    approximation_error
        The largest difference between the approximation and a place.
    """

    measure: str
    people: int
    places: int
    intercept: float | None
    slope: float | None
    r2: float | None
    approximation_r2: float | None
    approximation_error: float | None

    def at(self, distance: float) -> float | None:
        """Return the value of the line at a distance."""
        if self.intercept is None or self.slope is None:
            return None
        return self.intercept + self.slope * distance

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        return dict(vars(self))


def fitted(
    measure: str,
    people: int,
    points: Sequence[tuple[float, float]],
    formula: Callable[[float], float] | None,
) -> DistanceFit:
    """Fit a line through places, each a distance and a value; compare the approximation too."""
    x, y = np.asarray(points, dtype=np.float64).reshape(-1, 2).T
    intercept = slope = r2 = None
    offset = x - x.mean() if len(x) else x
    square = float((offset**2).sum())
    if square > 0:
        slope = float((offset * y).sum()) / square
        intercept = float(y.mean() - slope * x.mean())
        r2 = _explained(y, intercept + slope * x)
    of_formula = error = None
    if formula is not None and len(x):
        predicted = np.array([formula(distance) for distance in x.tolist()])
        of_formula = _explained(y, predicted)
        error = float(np.abs(y - predicted).max())
    return DistanceFit(measure, people, len(x), intercept, slope, r2, of_formula, error)


def _explained(values: F64, predicted: F64) -> float | None:
    spread = float(((values - values.mean()) ** 2).sum())
    return None if spread == 0 else 1 - float(((values - predicted) ** 2).sum()) / spread
