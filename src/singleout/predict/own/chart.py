"""The picture of one's own answers: how many people are left after each, and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.own.result import OwnRisk

__all__ = ["own_answers"]

_ROW = 34
_LEAST = 0.5  # a logarithmic axis cannot show 0


@drawn_offline
def own_answers(result: OwnRisk) -> alt.LayerChart | alt.FacetChart:
    """Return a bar for everybody and for each answer: the people who gave all answers so far."""
    everybody = say("predict.own.chart.everybody")
    rows: list[dict[str, Any]] = [
        {"after": everybody, "left": result.population, "shown": result.population, "without": None}
    ]
    rows += [
        {
            "after": printable(f"{number}. {answer.column}: {answer.value}"),
            "left": answer.left,
            "shown": max(answer.left, _LEAST),
            "without": max(answer.without, _LEAST),
        }
        for number, answer in enumerate(result.answers, start=1)
    ]
    data = charts.data(rows)
    down = alt.Y(
        "after:N",
        sort=[row["after"] for row in rows],
        title=None,
        axis=alt.Axis(labelLimit=240),
    )
    scale = alt.Scale(type="log", domain=[_LEAST, 6 * result.population], nice=False)
    along = alt.X(
        "shown:Q",
        title=say("predict.own.chart.people"),
        scale=scale,
        axis=alt.Axis(format="~s", tickCount=6),
    )
    start = alt.X2(datum=_LEAST)
    tips = [
        charts.tip("after:N", "predict.own.chart.answer"),
        charts.tip("left:Q", "predict.own.chart.left", ",d"),
        charts.tip("without:Q", "predict.own.chart.without", ",.0f"),
    ]
    bars = (
        alt.Chart(data)
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.6, height=16)
        .encode(along, start, down, tooltip=tips)
    )
    labels = (
        alt.Chart(data)
        .mark_text(align="left", dx=5)  # within the bar, where no tick stands
        .encode(alt.X(datum=_LEAST, scale=scale), down, alt.Text("left:Q", format=",d"))
    )
    marks = (
        alt.Chart(data)
        .transform_filter("datum.without != null")
        .mark_tick(color="black", thickness=2.5, size=20)
        .encode(alt.X("without:Q", scale=scale), down, tooltip=tips)
    )
    return alt.layer(bars, marks, labels).properties(
        width=charts.WIDTH - 60,
        height=_ROW * len(rows),
        title=charts.title(say("predict.own.chart.title"), say("predict.own.chart.subtitle")),
    )
