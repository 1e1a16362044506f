"""The picture of the page on errata: what a wrong formula does to the spread of a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.singletons import singletons
from singleout.predict.singletons.variance import approximate_variance
from singleout.report.offline import drawn_offline

_CELLS = 1000
_UNEVEN = 0.2
_WIDTH = 520
_HEIGHT = 260
_DASHES = ([1, 0], [10, 4], [3, 3], [10, 3, 2, 3], [16, 4])


def predict_errata() -> alt.Chart:
    """Return the variance of the number of unique people: exact, printed and corrected."""
    shares = np.repeat([1 + _UNEVEN, 1 - _UNEVEN], _CELLS // 2) / _CELLS
    spread = Distribution.from_probabilities(shares)
    rows: list[dict[str, Any]] = []
    for people in range(100, 2001, 100):
        values = {
            "exact": singletons(spread, people).variance,
            "5.3.2, corrected": approximate_variance(_CELLS, spread.kl, people).value,
            "5.3.2, as printed": _printed_variance(_CELLS, spread.kl, people),
        }
        rows += [{"people": people, "formula": n, "value": v} for n, v in values.items()]
    return _lines_by_formula(
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


@drawn_offline
def _lines_by_formula(
    rows: Sequence[dict[str, Any]], value: str, title: str, subtitle: str
) -> alt.Chart:
    """Return one line for each formula against the number of people."""
    names = list(dict.fromkeys(row["formula"] for row in rows))
    dashes = [_DASHES[index % len(_DASHES)] for index in range(len(names))]
    legend = alt.Legend(
        title=None,
        orient="bottom",
        symbolSize=700,
        symbolStrokeColor="black",
        labelLimit=300,
        labelFontSize=12,
    )
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=list(rows)))
        .mark_line(color="black", strokeWidth=1.8)
        .encode(
            alt.X("people:Q", title="people", scale=alt.Scale(nice=False)),
            alt.Y("value:Q", title=value),
            strokeDash=alt.StrokeDash(
                "formula:N",
                sort=names,
                scale=alt.Scale(domain=names, range=dashes),
                legend=legend,
            ),
            tooltip=["formula:N", "people:Q", alt.Tooltip("value:Q", title=value, format=",.4g")],
        )
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.TitleParams(title, subtitle=subtitle, anchor="start"),
        )
    )
    return chart
