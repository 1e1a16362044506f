"""The pictures of the pages on the chance that all are unique, and on how many are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.io.demo import demo
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.singletons import singletons
from singleout.predict.uniqueness.uniqueness import uniqueness_probability
from singleout.report.offline import drawn_offline

_LINES = {"uniform": "as if all ages were equally likely", "exact": "exact"}
_POINTS = {"kl": "from the Kullback-Leibler distance"}
_WIDTH = 520
_HEIGHT = 220
_DASHES = [[1, 0], [8, 4], [2, 3], [10, 3, 2, 3]]


def predict_uniqueness() -> alt.LayerChart | alt.FacetChart:
    """Return the chance that all people of a group have different ages, by three methods."""
    ages = Distribution.from_table(demo(), ["AGEP"])
    return _by_method(
        _rows(ages, _LINES, range(1, 46)),
        _rows(ages, _POINTS, range(3, 46, 3)),
        "That nobody shares an age soon becomes unlikely",
        "ages of the demo table, 93 of them; people drawn at random",
    )


def _rows(ages: Distribution, methods: dict[str, str], people: range) -> list[dict[str, Any]]:
    return [
        {
            "people": number,
            "probability": uniqueness_probability(ages, number, method).probability,
            "method": words,
        }
        for method, words in methods.items()
        for number in people
    ]


@drawn_offline
def _by_method(
    lines: Sequence[dict[str, Any]], points: Sequence[dict[str, Any]], title: str, subtitle: str
) -> alt.LayerChart | alt.FacetChart:
    """Plot how the chance that all are unique falls, by several methods.

    Rows have ``people``, ``probability`` and ``method``; the method of ``points`` is drawn as
    circles.
    """
    order = list(dict.fromkeys(row["method"] for row in lines))
    across = alt.X("people:Q", title="people", axis=alt.Axis(tickMinStep=1))
    up = alt.Y(
        "probability:Q",
        title="chance that all are unique (logarithmic)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~%", values=[10.0**-power for power in range(9)]),
    )
    dash = alt.StrokeDash(
        "method:N",
        sort=order,
        scale=alt.Scale(domain=order, range=_DASHES[: len(order)]),
        legend=_legend(500),
    )
    circle = alt.Shape("method:N", scale=alt.Scale(range=["circle"]), legend=_legend(45))
    together: alt.LayerChart = (
        alt.layer(
            alt.Chart(alt.InlineData(values=list(lines)))
            .mark_line(color="black")
            .encode(across, up, strokeDash=dash),
            alt.Chart(alt.InlineData(values=list(points)))
            .mark_point(color="black", size=45, opacity=1)
            .encode(across, up, shape=circle),
        )
        .resolve_scale(shape="independent", strokeDash="independent")
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.TitleParams(title, subtitle=subtitle, anchor="start"),
        )
    )
    return together


def _legend(size: int) -> alt.Legend:
    return alt.Legend(
        title=None, orient="bottom", symbolStrokeColor="black", labelLimit=300, symbolSize=size
    )


def predict_singletons() -> alt.LayerChart | alt.FacetChart:
    """Return how many of 60 people have an age of their own."""
    ages = Distribution.from_table(demo(), ["AGEP"])
    return singletons(ages, 60).plot()
