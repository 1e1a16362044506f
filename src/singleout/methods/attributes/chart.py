"""Distinction and separation of combinations of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["telling_bars"]


@drawn_offline
def telling_bars(
    rows: Sequence[Mapping[str, Any]], left_out: int
) -> alt.LayerChart | alt.FacetChart:
    """Return a bar for the distinction of each combination, and a tick for its separation."""
    shown = [{**row, "combination": printable(row["combination"])} for row in rows]
    base = alt.Chart(charts.data(shown)).encode(
        alt.Y(
            "combination:N",
            sort=[row["combination"] for row in shown],
            title=None,
            axis=alt.Axis(labelLimit=260),
        ),
        tooltip=[
            charts.tip("combination:N", "attributes.combination"),
            charts.tip("distinction:Q", "attributes.distinction", ".2%"),
            charts.tip("separation:Q", "attributes.separation", ".4%"),
            charts.tip("unique_share:Q", "attributes.unique", ".2%"),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    across = alt.X(
        "distinction:Q",
        title=say("attributes.chart.share"),
        scale=scale,
        axis=alt.Axis(format="%"),
    )
    bars = base.mark_bar(color=charts.FILL, stroke="black", strokeWidth=0.5).encode(across)
    ticks = base.mark_tick(color="black", thickness=2).encode(
        alt.X("separation:Q", scale=scale, title=say("attributes.chart.share"))
    )
    below = say("attributes.chart.below")
    if left_out:
        below += say("attributes.chart.more", n=left_out)
    return alt.layer(bars, ticks).properties(
        width=charts.WIDTH, title=charts.title(say("attributes.chart.title"), below)
    )
