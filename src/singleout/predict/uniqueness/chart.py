"""Pictures of predictions: how the chance that all are unique falls, and how many are unique."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import F64
from singleout.predict.distribution.people import readable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["singleton_law", "uniqueness_curve"]

_WIDTH = 520
_HEIGHT = 220
_BARS = 120
_VISIBLE = 1e-4  # of the highest bar: lower ones are invisible


@drawn_offline
def uniqueness_curve(
    points: Sequence[tuple[int, float]], people: int, probability: float
) -> alt.LayerChart | alt.FacetChart:
    """Plot the chance that all people are unique against their number, with a dot at one point."""
    rows = [{"people": number, "probability": chance} for number, chance in points]
    people_title = say("predict.uniqueness.people")
    across = alt.X("people:Q", title=people_title, axis=alt.Axis(tickMinStep=1))
    up = alt.Y(
        "probability:Q",
        title=say("predict.uniqueness.all_unique"),
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    tips = [
        alt.Tooltip("people:Q", title=people_title, format=","),
        alt.Tooltip("probability:Q", title=say("predict.uniqueness.chance"), format=".3g"),
    ]
    curve = alt.Chart(charts.data(rows)).mark_line(color="black").encode(across, up, tooltip=tips)
    here = alt.Chart(charts.data([{"people": people, "probability": probability}]))
    dot = here.mark_point(color="black", filled=True, size=70, opacity=1).encode(across, up)
    title = alt.TitleParams(
        say("predict.uniqueness.title"),
        subtitle=say("predict.uniqueness.subtitle", people=people, probability=probability),
        anchor="start",
    )
    return alt.layer(curve, dot).properties(width=_WIDTH, height=_HEIGHT, title=title)


@drawn_offline
def singleton_law(
    probabilities: F64, mean: float, interval: tuple[int, int]
) -> alt.LayerChart | alt.FacetChart:
    """Plot the probabilities of 0, 1, … unique people, their mean and the middle 95 %."""
    bars = _law_bars(probabilities)
    across = alt.X(
        "first:Q",
        title=say("predict.unique_people.number"),
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickMinStep=1),
    )
    probability = say("predict.unique_people.probability")
    up = alt.Y("probability:Q", title=probability)
    tips = [
        alt.Tooltip("from:Q", title=say("predict.unique_people.from"), format=","),
        alt.Tooltip("to:Q", title=say("predict.unique_people.to"), format=","),
        alt.Tooltip("probability:Q", title=probability, format=".3g"),
    ]
    histogram = (
        alt.Chart(charts.data(bars))
        .mark_rect(color="#c8d6e5", stroke="#57606f", strokeWidth=0.5)
        .encode(across, alt.X2("last"), up, alt.Y2("ground"), tooltip=tips)
    )
    line = alt.Chart(charts.data([{"first": mean}])).mark_rule(color="black", size=2).encode(across)
    low, high = interval
    title = alt.TitleParams(
        say("predict.unique_people.title", people=len(probabilities) - 1),
        subtitle=say("predict.unique_people.subtitle", mean=readable(mean), low=low, high=high),
        anchor="start",
    )
    return alt.layer(histogram, line).properties(width=_WIDTH, height=_HEIGHT, title=title)


def _law_bars(probabilities: F64) -> list[dict[str, Any]]:
    """Return bars where the law is visible; several numbers to a bar if there are many."""
    visible = np.flatnonzero(probabilities > _VISIBLE * probabilities.max())
    first, last = int(visible[0]), int(visible[-1]) + 1
    step = -(-(last - first) // _BARS)
    return [
        {
            "from": begin,
            "to": begin + step - 1,
            "first": begin - 0.5,
            "last": begin + step - 0.5,
            "probability": float(probabilities[begin : begin + step].sum()),
            "ground": 0,
        }
        for begin in range(first, last, step)
    ]
