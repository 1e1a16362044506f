"""The chart of an elimination: how the risk falls while records go. Béra et al. (2023), Fig. 10.

Each criterion has a curve of its own, and all of them stay below the dashed one: the most that any
choice of so many records can achieve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from singleout.core.wording import figure
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["Curve", "curves"]

_WIDTH = 520
_HEIGHT = 300
_POINTS = 25  # marks on a curve; more of them hide it
_FINE = 400  # points of a line; more cannot be told apart
_COLOURS = ("#1f4e79", "#c0392b", "#2e7d32", "#b9770e", "#6c3483", "#117a65", "#5d6d7e", "#000000")
_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
)  # one fewer than colours, so that many curves have pairs of their own


@dataclass(frozen=True, eq=False)
class Curve:
    """A line of the chart, with its name in the legend."""

    name: str
    removed: NDArray[np.int64]  # records removed at each point
    reduction: NDArray[np.float64]  # by what share the risk is lower at each point

    def rows(self, most: int) -> list[dict[str, Any]]:
        """Return the points to draw, at most so many and always the last."""
        points = np.linspace(0, len(self.removed) - 1, most + 1).round()
        return [
            {
                "criterion": self.name,
                "removed": int(self.removed[index]),
                "reduction": float(self.reduction[index]),
            }
            for index in np.unique(points).astype(np.int64).tolist()
        ]


@drawn_offline
def curves(drawn: Sequence[Curve], bound: Curve, records: int) -> alt.LayerChart | alt.FacetChart:
    """Return the curves and their bound, in one chart."""
    names = [curve.name for curve in drawn]
    removed = alt.X(
        "removed:Q",
        title=say("eliminate.chart.removed", records=figure(records)),
        scale=alt.Scale(domain=[0, int(bound.removed[-1])], nice=False),
        axis=alt.Axis(format=",d", tickMinStep=1),
    )
    reduction = alt.Y(
        "reduction:Q",
        title=say("eliminate.chart.reduction"),
        axis=alt.Axis(format="%"),
        scale=alt.Scale(),
    )
    legend = alt.Legend(
        title=say("eliminate.chart.legend"), orient="bottom", columns=2, labelLimit=240
    )
    colour = alt.Color(
        "criterion:N", scale=alt.Scale(domain=names, range=_taken(_COLOURS, names)), legend=legend
    )
    shape = alt.Shape(
        "criterion:N", scale=alt.Scale(domain=names, range=_taken(_SHAPES, names)), legend=legend
    )
    tips = [
        charts.tip("criterion:N", "eliminate.chart.criterion"),
        charts.tip("removed:Q", "eliminate.chart.tip_removed", ","),
        charts.tip("reduction:Q", "eliminate.chart.reduction", ".2%"),
    ]
    lines = _chart(drawn, _FINE).mark_line(strokeWidth=1.6).encode(removed, reduction, colour)
    marks = (
        _chart(drawn, _POINTS)
        .mark_point(size=34, filled=True, opacity=1)
        .encode(removed, reduction, colour, shape, tooltip=tips)
    )
    # the first point of the bound is no reduction without a removal; the rest starts higher up
    most = alt.Chart(charts.data(bound.rows(_FINE)[1:]))
    limit = most.mark_line(color="#555", strokeDash=[5, 4]).encode(removed, reduction)
    none = (
        alt.Chart(charts.data([{"reduction": 0}]))
        .mark_rule(color="#999")
        .encode(alt.Y("reduction:Q"))
    )
    title = charts.title(say("eliminate.chart.title"), say("eliminate.chart.below"))
    return alt.layer(none, limit, lines, marks).properties(
        width=_WIDTH, height=_HEIGHT, title=title
    )


def _chart(drawn: Sequence[Curve], most: int) -> alt.Chart:
    return alt.Chart(charts.data([row for curve in drawn for row in curve.rows(most)]))


def _taken(some: Sequence[str], names: Sequence[str]) -> list[str]:
    return [some[index % len(some)] for index in range(len(names))]
