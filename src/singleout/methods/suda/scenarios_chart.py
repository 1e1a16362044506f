"""The picture of several scenarios: unique records of each, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.suda.scenarios import SudaScenarios

__all__ = ["picture"]

_ROW = 26
_GREYS = ["#2f3542", "#8d99ae", "#d5dce8", "#ffffff"]  # so that it reads in black and white


@drawn_offline
def picture(found: SudaScenarios) -> alt.VConcatChart:
    """Return bars of unique records, a part for each kind."""
    rows = [
        {"scenario": printable(name), "kind": kind, "share": n / one.records, "records": n}
        for name, one in found.scenarios.items()
        for kind, n in one.records_by_kind.items()
    ]
    names = [printable(name) for name in found.scenarios]
    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    bars = (
        alt.Chart(charts.data(rows))
        .mark_bar(stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X("share:Q", title=say("suda.scenarios.share"), axis=alt.Axis(format="%")),
            alt.Y("scenario:N", sort=names, title=None, scale=alt.Scale(domain=names)),
            alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=_GREYS[: len(kinds)]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            tooltip=[
                charts.tip("scenario:N", "suda.scenarios.name"),
                charts.tip("kind:N", "suda.kind"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_ROW * len(names),
            title=charts.title(
                say("suda.scenarios.title"), say("suda.scenarios.below", n=len(names))
            ),
        )
    )
    chart: alt.VConcatChart = alt.vconcat(bars)
    return chart
