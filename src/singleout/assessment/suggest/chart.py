"""The picture of a frontier: how many records stay at risk for how much that is given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.assessment.suggest.search import Trial
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["frontier"]


@drawn_offline
def frontier(trials: Sequence[Trial], best: Trial) -> alt.LayerChart | alt.FacetChart:
    """Return a point for each treatment, the suggested one filled, with the size of its classes."""
    rows = [_point(trial, best) for trial in trials]
    base = alt.Chart(charts.data(rows))
    across = alt.X(
        "loss:Q", title=say("suggest.chart.loss"), axis=alt.Axis(format="%", tickCount=8)
    )
    up = alt.Y("risk:Q", title=say("suggest.chart.risk"), axis=alt.Axis(format="%", tickCount=6))
    # other treatments keep other rules, so that they are on no line with these
    alike = alt.Chart(charts.data([row for row in rows if row["alike"]]))
    tips = [
        charts.tip("k:Q", "suggest.chart.k", ","),
        charts.tip("loss:Q", "suggest.chart.loss", ".2%"),
        charts.tip("risk:Q", "suggest.chart.risk", ".3%"),
        charts.tip("level:Q", "suggest.chart.level"),
        charts.tip("kind:N", "suggest.chart.met"),
    ]
    line = alike.mark_line(color=charts.LINE, strokeDash=[4, 3]).encode(across, up, order="loss:Q")
    points = base.mark_point(size=90, stroke=charts.LINE, strokeWidth=1.5).encode(
        across,
        up,
        fill=alt.Fill(
            "kind:N",
            title=None,
            scale=alt.Scale(
                domain=[say(f"suggest.chart.{kind}") for kind in ("suggested", "met", "not_met")],
                range=["black", charts.FILL, "white"],
            ),
            legend=alt.Legend(orient="bottom"),
        ),
        tooltip=tips,
    )
    # the line falls to the right, so that the place above it is free
    names = alike.mark_text(align="left", dx=8, dy=-8, fontSize=11).encode(
        across, up, text="name:N"
    )
    return alt.layer(line, points, names).properties(
        width=charts.WIDTH,
        height=240,
        title=charts.title(say("suggest.chart.title"), say("suggest.chart.below")),
    )


def _point(trial: Trial, best: Trial) -> dict[str, Any]:
    return {
        "k": trial.state.k,
        "alike": trial.dilution == best.dilution,
        "name": say("suggest.chart.class", k=trial.state.k),
        "loss": trial.treatment.loss,
        # a match is right once in as many times as there are records in a class
        "risk": 1 / trial.state.k,
        "level": trial.state.highest_risk,
        "kind": say(f"suggest.chart.{trial.kind(best)}"),
    }
