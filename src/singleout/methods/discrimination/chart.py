"""The discrimination rates of the worst values, with the bounds of the levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.core.wording import figure
from singleout.methods.levels import INFERENCE_BOUNDS, level_names
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["value_bars"]


@drawn_offline
def value_bars(
    values: Sequence[Mapping[str, Any]], *, name: str, sensitive: str, rate: float, left_out: int
) -> alt.LayerChart | alt.FacetChart:
    """Return one bar for each value: its rate, with lines where the levels begin.

    ``values`` have ``value``, ``rate`` and ``records``, worst first; ``left_out`` more are not
    drawn. ``name`` is what is known, and ``rate`` that of all values together.
    """
    rows = [{**value, "value": printable(value["value"])} for value in values]
    below = say("discrimination.chart.below", rate=figure(rate, ".3f"))
    if left_out:
        below += say("discrimination.chart.more", n=left_out)
    bars = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke="black", strokeWidth=0.5)
        .encode(
            alt.X("rate:Q", title=say("discrimination.chart.rate"), scale=alt.Scale(domainMax=1)),
            alt.Y(
                "value:N",
                sort=[row["value"] for row in rows],
                title=None,
                axis=alt.Axis(labelLimit=260),
            ),
            tooltip=[
                charts.tip("value:N", "discrimination.chart.value"),
                charts.tip("rate:Q", "discrimination.chart.rate", ".4f"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
    )
    edges = [
        {"rate": bound, "level": level}
        for bound, level in zip(INFERENCE_BOUNDS, level_names("inference")[1:], strict=True)
    ]
    lines = alt.Chart(charts.data(edges))
    rules = lines.mark_rule(color="black", strokeDash=[4, 3]).encode(x="rate:Q")
    texts = lines.mark_text(align="left", dx=3, dy=-6, baseline="bottom", fontSize=10).encode(
        x="rate:Q", y=alt.value(0), text="level:N"
    )
    heading = say("discrimination.chart.title", known=name, sensitive=sensitive)
    return alt.layer(bars, rules, texts).properties(
        width=charts.WIDTH, title=charts.title(printable(heading), below)
    )
