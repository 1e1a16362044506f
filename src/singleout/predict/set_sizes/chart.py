"""Charts of predicted set sizes: the share of people in sets of each size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.core.arrays import F64
from singleout.core.wording import figure
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["set_of_person", "sizes_of_sets"]

_WIDTH = 520
_HEIGHT = 220
_FILL = "#c8d6e5"
_EDGE = "#57606f"
_MOST_BARS = 60
_MOST_NUMBERED = 17  # bars with their number above

Picture = alt.LayerChart | alt.FacetChart  # the types that altair declares for a layered chart


@drawn_offline
def sizes_of_sets(shares: F64, people: int, cells: str) -> Picture:
    """Return one bar for each size of a set from 1 on, and one for all larger ones."""
    shown = min(len(shares), _MOST_BARS)
    rows = [{"size": str(size + 1), "share": float(shares[size])} for size in range(shown)]
    larger = max(0.0, 1.0 - float(shares[:shown].sum()))
    if larger > 1e-9:
        rows.append({"size": say("predict.set_sizes.chart.larger", size=shown), "share": larger})
    title = alt.TitleParams(
        say("predict.set_sizes.chart.title"),
        subtitle=say("predict.set_sizes.chart.subtitle", people=people, cells=cells),
        anchor="start",
    )
    return _bars(
        rows, say("predict.set_sizes.chart.size"), say("predict.set_sizes.chart.share"), title
    )


@drawn_offline
def set_of_person(chances: Sequence[tuple[int, float]], expected: float) -> Picture:
    """Return the probability of each size of one person's set."""
    rows = [{"size": figure(size), "share": float(chance)} for size, chance in chances]
    title = alt.TitleParams(
        say("predict.set_sizes.person_chart.title"),
        subtitle=say("predict.set_sizes.person_chart.subtitle", size=expected),
        anchor="start",
    )
    return _bars(
        rows,
        say("predict.set_sizes.person_chart.size"),
        say("predict.set_sizes.person_chart.probability"),
        title,
    )


def _bars(
    rows: list[dict[str, Any]], size_title: str, share_title: str, title: alt.TitleParams
) -> Picture:
    order = [row["size"] for row in rows]
    base = alt.Chart(charts.data(rows))
    across = alt.X(
        "size:N", sort=order, title=size_title, axis=alt.Axis(labelAngle=0, labelOverlap=True)
    )
    height = alt.Y("share:Q", title=share_title, axis=alt.Axis(format="%"))
    tips = [
        alt.Tooltip("size:N", title=size_title),
        alt.Tooltip("share:Q", title=share_title, format=".3%"),
    ]
    bars = base.mark_bar(color=_FILL, stroke=_EDGE, strokeWidth=0.5).encode(
        across, height, tooltip=tips
    )
    layers: list[Any] = [bars]
    if len(rows) <= _MOST_NUMBERED:
        text = base.mark_text(dy=-7, fontSize=11).encode(
            across, height, alt.Text("share:Q", format=".1%")
        )
        layers.append(text)
    chart: Picture = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=title)
    return chart


@drawn_offline
def unique_by_people(
    curve: Sequence[tuple[int, float]],
    answer: tuple[int, float],
    target: float | None,
    *,
    cells: str,
) -> alt.LayerChart | alt.FacetChart:
    """Return the share of unique people by the number of people in an area, with the answer."""
    across = alt.X(
        "people:Q",
        title=say("predict.people_for.chart.people"),
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format="~s"),
    )
    up = alt.Y(
        "share:Q",
        title=say("predict.people_for.chart.share"),
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )

    def points(rows: Sequence[tuple[int, float]]) -> alt.InlineData:
        return charts.data([{"people": people, "share": share} for people, share in rows])

    line = alt.Chart(points(curve)).mark_line(color="black", strokeWidth=1.5).encode(across, up)
    tips = [
        charts.tip("people:Q", "predict.people_for.chart.people", ",d"),
        charts.tip("share:Q", "predict.people_for.chart.share", ".2%"),
    ]
    dot = alt.Chart(points([answer])).encode(across, up, tooltip=tips)
    layers: list[Any] = [
        line,
        dot.mark_point(filled=True, size=80, color="black", opacity=1),
        dot.mark_text(align="left", dx=8, dy=-10).encode(text=alt.Text("people:Q", format=",d")),
    ]
    if target is not None:
        limit = alt.Chart(charts.data([{"share": target}]))
        layers.append(limit.mark_rule(strokeDash=[5, 4]).encode(y="share:Q"))
    chart: Picture = alt.layer(*layers).properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=charts.title(
            say("predict.people_for.chart.title"),
            say("predict.people_for.chart.subtitle", cells=cells),
        ),
    )
    return chart
