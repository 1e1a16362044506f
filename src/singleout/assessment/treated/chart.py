"""The picture of a treatment: how many records share their values, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from singleout.core.table import Table
from singleout.core.text import printable
from singleout.engines.local import counting as local
from singleout.methods.anonymity.chart import size_bands
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

__all__ = ["class_sizes"]

_COLOURS = ("#c8d6e5", "#1f4e79")  # pale and dark, so that it reads in black and white


@drawn_offline
def class_sizes(before: Table, after: Table, columns: Sequence[str]) -> alt.Chart:
    """Return bars: the share of the records in sets of each size, before and after."""
    labels = [say("comparison.chart.before"), say("comparison.chart.after")]
    rows = [
        {**bar, "when": label}
        for table, label in zip((before, after), labels, strict=True)
        for bar in _bars(table, columns)
    ]
    bands = sorted({row["size"]: row["from"] for row in rows}.items(), key=lambda pair: pair[1])
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(stroke="black", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "size:N",
                sort=[band for band, _ in bands],
                title=say("anonymity.chart.set_size"),
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            xOffset=alt.XOffset("when:N", sort=labels),
            y=alt.Y("share:Q", title=say("treated.chart.share"), axis=alt.Axis(format="%")),
            fill=alt.Fill(
                "when:N",
                scale=alt.Scale(domain=labels, range=list(_COLOURS)),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            tooltip=[
                charts.tip("when:N", "treated.chart.when"),
                charts.tip("size:N", "anonymity.chart.size"),
                charts.tip("records:Q", "anonymity.chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=200,
            title=charts.title(
                say("treated.chart.title"), shortened(printable(", ".join(columns)))
            ),
        )
    )
    return chart


def _bars(table: Table, columns: Sequence[str]) -> list[dict[str, Any]]:
    groups = local.group(table, [name for name in columns if name in set(table.columns)])
    sizes, sets = np.unique(groups.sizes, return_counts=True)
    histogram = dict(zip(sizes.tolist(), sets.tolist(), strict=True))
    return [
        {
            "size": band["size"],
            "from": int(band["size"].replace(",", "").rstrip("+").partition("–")[0]),
            "share": band["records"] / table.rows,
            "records": band["records"],
        }
        for band in size_bands(histogram)
    ]
