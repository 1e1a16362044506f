"""The picture of coverage: records by how many published rows cover them."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import I64
from singleout.core.wording import span
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["cover_bands", "records_by_cover"]

_EDGES = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)


@drawn_offline
def records_by_cover(counts: I64, k: int, known: str) -> alt.Chart:
    """Return a bar for each band of rows; those below k are dark."""
    bars = cover_bands(counts, k)
    labels = [say("covered.chart.below", k=k), say("covered.chart.enough", k=k)]
    for bar in bars:
        bar["cover"] = labels[bar["enough"]]
    chart: alt.Chart = (
        alt.Chart(charts.data(bars))
        .mark_bar(stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X(
                "rows:N",
                sort=[bar["rows"] for bar in bars],
                title=say("covered.chart.rows"),
                axis=alt.Axis(labelAngle=0),
            ),
            alt.Y("records:Q", title=say("chart.records")),
            alt.Color(
                "cover:N",
                scale=alt.Scale(domain=labels, range=[charts.LINE, charts.FILL]),
                legend=alt.Legend(title=None, orient="bottom", labelLimit=400),
            ),
            tooltip=[
                charts.tip("rows:N", "covered.chart.rows"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH, height=200, title=charts.title(say("covered.chart.title"), known)
        )
    )
    return chart


def cover_bands(counts: I64, k: int) -> list[dict[str, Any]]:
    """Return how many records are covered by 0, 1, 2, 3, 4, 5–9 rows and so on; k is an edge."""
    edges = sorted({*_EDGES, k})
    bands = np.searchsorted(edges, counts, side="right") - 1
    totals = np.bincount(bands, minlength=len(edges)).tolist()
    names = [span(low, above) for low, above in zip(edges, (*edges[1:], 0), strict=True)]
    return [
        {"rows": name, "records": total, "enough": low >= k}
        for low, name, total in zip(edges, names, totals, strict=True)
        if total
    ]
