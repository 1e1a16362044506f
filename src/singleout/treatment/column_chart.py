"""A picture of what each column lost: a bar for each."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

__all__ = ["by_column"]

_ROW = 20  # pixels


@drawn_offline
def by_column(amounts: Mapping[str, float], title: str, across: str, form: str) -> alt.Chart:
    """Return a bar for each column, the longest first."""
    ordered = sorted(amounts.items(), key=lambda pair: -pair[1])
    rows = [{"column": shortened(printable(name)), "amount": amount} for name, amount in ordered]
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X("amount:Q", title=across, axis=alt.Axis(format=form, tickCount=6)),
            alt.Y("column:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)),
            tooltip=[
                charts.tip("column:N", "report.column"),
                alt.Tooltip("amount:Q", title=across, format=form),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_ROW * max(len(rows), 2),
            title=charts.title(title, say("losses.chart.below")),
        )
    )
    return chart
