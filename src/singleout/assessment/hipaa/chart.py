"""The findings of Safe Harbor: a bar for the share of records that each is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["finding_bars"]

_SHOWN = 40  # bars


@drawn_offline
def finding_bars(rows: Sequence[Mapping[str, Any]]) -> alt.Chart | alt.FacetChart:
    """Return a bar for each finding, by its identifier and column."""
    shown = [
        {
            "label": printable(f"{row['identifier']} {row['column']}"),
            "title": row["title"],
            "column": printable(row["column"]),
            "reason": printable(row["reason"]),
            "share": row["share"],
        }
        for row in rows[:_SHOWN]
    ]
    below = say("hipaa.chart.below") if rows else say("hipaa.chart.nothing")
    if len(rows) > _SHOWN:
        below += say("hipaa.chart.more", n=len(rows) - _SHOWN)
    chart: alt.Chart = (
        alt.Chart(charts.data(shown))
        .mark_bar(color=charts.FILL, stroke="black", strokeWidth=0.5)
        .encode(
            alt.X(
                "share:Q",
                title=say("hipaa.chart.share"),
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            ),
            alt.Y(
                "label:N",
                sort=[row["label"] for row in shown],
                title=None,
                axis=alt.Axis(labelLimit=260),
            ),
            tooltip=[
                charts.tip("column:N", "hipaa.chart.column"),
                charts.tip("title:N", "hipaa.chart.identifier"),
                charts.tip("share:Q", "hipaa.chart.share", ".2%"),
                charts.tip("reason:N", "hipaa.chart.reason"),
            ],
        )
        .properties(width=charts.WIDTH, title=charts.title(say("hipaa.chart.title"), below))
    )
    return chart
