"""Which share of the records has a risk above each threshold, for two attackers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from singleout.core.wording import figure
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["risk_curves"]


@drawn_offline
def risk_curves(
    curves: Mapping[str, Sequence[float]], thresholds: Sequence[float], *, threshold: float
) -> alt.LayerChart | alt.FacetChart:
    """Return a falling line for each attacker, and the threshold as a dashed one."""
    rows = [
        {"attacker": say(f"attackers.names.{name}"), "risk": risk, "share": share}
        for name, curve in curves.items()
        for risk, share in zip(thresholds, curve, strict=True)
    ]
    names = [say(f"attackers.names.{name}") for name in curves]
    lines = (
        alt.Chart(charts.data(rows))
        .mark_line(interpolate="step-after", color="black")
        .encode(
            alt.X("risk:Q", title=say("attackers.chart.risk"), axis=alt.Axis(format="%")),
            alt.Y(
                "share:Q",
                title=say("attackers.chart.share"),
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            strokeDash=alt.StrokeDash(
                "attacker:N",
                sort=names,
                legend=alt.Legend(title=None, orient="top") if len(names) > 1 else None,
            ),
            tooltip=[
                charts.tip("attacker:N", "attackers.chart.attacker"),
                charts.tip("risk:Q", "attackers.chart.risk", ".1%"),
                charts.tip("share:Q", "attackers.chart.share", ".1%"),
            ],
        )
    )
    rule = (
        alt.Chart(charts.data([{"risk": threshold}]))
        .mark_rule(color=charts.LINE, strokeDash=[2, 2])
        .encode(x="risk:Q")
    )
    below = say("attackers.chart.below", threshold=figure(threshold, ".0%"))
    return alt.layer(lines, rule).properties(
        width=charts.WIDTH,
        height=220,
        title=charts.title(say("attackers.chart.title"), below),
    )
