"""Pictures of individual risk: how many records have which risk, on a logarithmic scale."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from singleout.core.text import printable
from singleout.core.wording import figure, stated_percent
from singleout.methods.individual.measure import RiskSpread
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

__all__ = ["risk_bars"]

_STEPS = (1, 2, 5)
_LOWEST = -6  # the power of ten below which all risks are in one band


@drawn_offline
def risk_bars(spread: RiskSpread, households: RiskSpread | None, name: str) -> alt.VConcatChart:
    """Return how many records have which risk, and below it the same of their households."""
    panels = [_bars(spread, "individual.chart.title", name)]
    if households is not None:
        panels.append(_bars(households, "individual.chart.household_title", name))
    return alt.vconcat(*panels)


def _bars(spread: RiskSpread, heading: str, name: str) -> alt.Chart:
    bands = _bands(spread)
    below = [shortened(printable(name)), say("individual.chart.below")]
    chart: alt.Chart = (
        alt.Chart(charts.data(bands))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "band:N",
                sort=[band["band"] for band in bands],
                title=say("individual.chart.risk"),
                axis=alt.Axis(labelAngle=-45),
            ),
            y=alt.Y(
                "records:Q",
                title=say("chart.root_of_records"),
                # the few at the high end are what matters
                scale=alt.Scale(type="sqrt"),
                axis=alt.Axis(tickMinStep=1),
            ),
            tooltip=[
                charts.tip("band:N", "individual.chart.risk"),
                charts.tip("records:Q", "chart.records", ","),
                charts.tip("expected:Q", "individual.chart.expected", ",.4~g"),
            ],
        )
        .properties(width=charts.WIDTH, height=180, title=charts.title(say(heading), below))
    )
    return chart


def _bands(spread: RiskSpread) -> list[dict[str, Any]]:
    """Return bands of risk from the lowest that occurs to the highest: records and their sum."""
    edges = [step * 10.0**power for power in range(_LOWEST, 0) for step in _STEPS]
    # a risk on an edge is in the band above it
    of_risk = np.searchsorted(edges, spread.risks, side="right")
    records = np.bincount(of_risk, spread.records, minlength=len(edges) + 1)
    expected = np.bincount(of_risk, spread.records * spread.risks, minlength=len(edges) + 1)
    occurring = np.flatnonzero(records)
    if not len(occurring):
        return []
    lows, highs = [0.0, *edges], [*edges, 1.0]
    return [
        {
            "band": f"{figure(100 * lows[band], '.6g')}–{stated_percent(highs[band])}",
            "records": int(records[band]),
            "expected": float(expected[band]),
        }
        for band in range(occurring[0], occurring[-1] + 1)
    ]
