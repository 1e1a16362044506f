"""Every estimate of population uniqueness with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.core.wording import figure
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["intervals"]


@drawn_offline
def intervals(
    rows: Sequence[dict[str, Any]], *, best: str | None, sample: float
) -> alt.LayerChart | alt.FacetChart:
    """Return a point and a line for each estimate; the one to believe is filled."""
    shown = [
        {
            **row,
            "name": say(f"population.names.{row['estimator']}"),
            "best": row["estimator"] == best,
        }
        for row in rows
    ]
    axis = alt.Axis(format="%")
    names = alt.Y("name:N", title=None, sort=[row["name"] for row in shown])
    base = alt.Chart(charts.data(shown))
    lines = base.mark_rule(color="black").encode(
        alt.X("low:Q", title=say("population.chart.share"), axis=axis), alt.X2("high:Q"), names
    )
    points = base.mark_point(color="black", size=70).encode(
        alt.X("share:Q", title=say("population.chart.share"), axis=axis),
        names,
        fill=alt.condition("datum.best", alt.value("black"), alt.value("white")),
        tooltip=[
            charts.tip("name:N", "population.chart.estimator"),
            charts.tip("share:Q", "population.chart.share", ".2%"),
            charts.tip("low:Q", "population.chart.low", ".2%"),
            charts.tip("high:Q", "population.chart.high", ".2%"),
        ],
    )
    rule = (
        alt.Chart(charts.data([{"share": sample}]))
        .mark_rule(color=charts.LINE, strokeDash=[2, 2])
        .encode(x="share:Q")
    )
    below = say("population.chart.below", sample=figure(sample, ".1%"))
    return alt.layer(lines, points, rule).properties(
        width=charts.WIDTH, title=charts.title(say("population.chart.title"), below)
    )
