"""Charts of rounding and of dependence between attributes: the share of people in small sets."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from singleout.core.arrays import F64
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["share_against_width", "small_sets"]

_WIDTH = 480
_HEIGHT = 260
_SHADES = ("#2f3542", "#c8d6e5")  # apart in black and white too

Point = tuple[float, float]


@drawn_offline
def share_against_width(
    curve: Sequence[Point], asked: Sequence[Point], *, people: int, source: str
) -> alt.LayerChart | alt.FacetChart:
    """Return the share of unique people against the width, as a curve with the points asked for."""
    across = alt.X(
        "width:Q",
        title=say("predict.intervals.chart.width"),
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format="~g"),
    )
    up = alt.Y(
        "share:Q",
        title=say("predict.intervals.chart.share"),
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    tips = [
        alt.Tooltip("width:Q", title=say("predict.intervals.chart.tip_width"), format="~g"),
        alt.Tooltip("share:Q", title=say("predict.intervals.chart.tip_share"), format=".2%"),
    ]
    line = alt.Chart(_points(curve)).mark_line(color="black", strokeWidth=1.5).encode(across, up)
    dots = (
        alt.Chart(_points(asked))
        .mark_point(color="#1f4e79", filled=True, size=70, opacity=1)
        .encode(across, up, tooltip=tips)
    )
    labels = (
        alt.Chart(_points(asked))
        .mark_text(align="left", dx=8, dy=-8)
        .encode(across, up, text=alt.Text("share:Q", format=".0%"))
    )
    title = alt.TitleParams(
        say("predict.intervals.chart.title"),
        subtitle=say("predict.intervals.chart.subtitle", people=people, source=source),
        anchor="start",
    )
    together: alt.LayerChart | alt.FacetChart = alt.layer(line, dots, labels).properties(
        width=_WIDTH, height=_HEIGHT, title=title
    )
    return together


@drawn_offline
def small_sets(shares: F64, independent: F64 | None, *, people: int) -> alt.Chart:
    """Return the shares of people in sets of 1, 2 and 3, with dependence and without."""
    series = {say("predict.correlation.chart.dependent"): shares}
    if independent is not None:
        series[say("predict.correlation.chart.independent")] = independent
    kinds = list(series)
    rows = [
        {"size": size, "share": share, "attributes": kind}
        for kind, each in series.items()
        for size, share in enumerate(each.tolist(), start=1)
    ]
    title = alt.TitleParams(
        say("predict.correlation.chart.title"),
        subtitle=say("predict.correlation.chart.subtitle", people=people),
        anchor="start",
    )
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(stroke="#2f3542", strokeWidth=0.7)
        .encode(
            alt.X(
                "size:O", title=say("predict.correlation.chart.size"), axis=alt.Axis(labelAngle=0)
            ),
            alt.Y(
                "share:Q", title=say("predict.correlation.chart.share"), axis=alt.Axis(format="%")
            ),
            alt.XOffset("attributes:N", sort=kinds),
            alt.Fill(
                "attributes:N",
                title=say("predict.correlation.chart.kinds"),
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=list(_SHADES[: len(kinds)])),
                legend=alt.Legend(orient="bottom", symbolStrokeColor="#2f3542"),
            ),
            tooltip=[
                alt.Tooltip("attributes:N", title=say("predict.correlation.chart.kinds")),
                alt.Tooltip("size:O", title=say("predict.correlation.chart.size")),
                alt.Tooltip("share:Q", title=say("predict.correlation.chart.tip"), format=".2%"),
            ],
        )
        .properties(width=_WIDTH, height=_HEIGHT, title=title)
    )
    return chart


def _points(points: Sequence[Point]) -> alt.InlineData:
    return charts.data([{"width": width, "share": share} for width, share in points])
