"""The picture of the page on errata: what a wrong formula does to the spread of a prediction."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.chart import lines_by_formula
from singleout.predict.singletons.approximations import approximate_variance
from singleout.predict.singletons.singletons import singletons

_CELLS = 1000
_UNEVEN = 0.2


def predict_errata() -> alt.Chart:
    """Return the variance of the number of unique people: exact, printed and corrected."""
    shares = np.repeat([1 + _UNEVEN, 1 - _UNEVEN], _CELLS // 2) / _CELLS
    spread = Distribution.from_probabilities(shares)
    rows: list[dict[str, Any]] = []
    for people in range(100, 2001, 50):
        values = {
            "exact": singletons(spread, people).variance,
            "5.3.2, corrected": approximate_variance(_CELLS, spread.kl, people).value,
            "5.3.2, as printed": _printed_variance(_CELLS, spread.kl, people),
        }
        rows += [{"people": people, "formula": n, "value": v} for n, v in values.items()]
    return lines_by_formula(
        rows,
        "variance of the number of unique people",
        "The printed variance is far off, the corrected one lies on the exact line",
        f"{_CELLS:,} cells, half of them a fifth more likely than the average, half less",
    )


def _printed_variance(cells: int, distance: float, people: int) -> float:
    """Return what section 5.3.2 of the thesis prints."""
    crowd = people / cells
    first = people * np.exp(-crowd) * (1 - crowd * (crowd - 2) * distance)
    second = people**3 / cells**2 * np.exp(-2 * crowd) * (1 + (4 - 6 * crowd) * distance)
    return float(first - second)
