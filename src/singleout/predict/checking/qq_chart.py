"""The QQ-plot: observed quantiles against those of the normal law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

if TYPE_CHECKING:
    from singleout.predict.checking.qq import NormalCheck

__all__ = ["qq_plot"]

_SIDE = 340


@drawn_offline
def qq_plot(found: NormalCheck) -> alt.LayerChart | alt.FacetChart:
    """Return a dot for each quantile, and the line on which normal values lie."""
    rows = [{"normal": normal, "observed": seen} for normal, seen in found.quantiles]
    scale = alt.Scale(zero=False)
    across = alt.X("normal:Q", title=say("predict.qq.chart.normal"), scale=scale)
    up = alt.Y("observed:Q", title=say("predict.qq.chart.observed"), scale=scale)
    tips = [
        charts.tip("normal:Q", "predict.qq.chart.normal", ".4g"),
        charts.tip("observed:Q", "predict.qq.chart.observed", ".4g"),
    ]
    ends = [rows[0]["normal"], rows[-1]["normal"]]
    line = alt.Chart(charts.data([{"normal": end, "observed": end} for end in ends]))
    heading = charts.title(
        say("predict.qq.chart.title", column=shortened(printable(found.column))),
        say("predict.qq.chart.below", correlation=found.correlation),
    )
    chart: alt.LayerChart | alt.FacetChart = alt.layer(
        line.mark_line(color="#b03a2e", strokeWidth=1.5).encode(across, up),
        alt.Chart(charts.data(rows))
        .mark_point(color="black", filled=True, size=18, opacity=0.7)
        .encode(across, up, tooltip=tips),
    ).properties(width=_SIDE, height=_SIDE, title=heading)
    return chart
