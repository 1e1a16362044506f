"""The picture of a validation: observed shares as dots, predicted ones as lines. Figure 6.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from singleout.core.text import printable
from singleout.predict.comparing.measures import SIZES
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

if TYPE_CHECKING:
    from singleout.predict.checking.result import Observed, Validation

__all__ = ["observed_and_predicted"]

_WIDTH, _HEIGHT = 420, 280
_PLACES = 4  # those with the most people: a panel each
_DASHES = {"phi": [1, 0], "approximation": [7, 4], "uniform": [1, 3]}
_COLOURS = ("#1f4e79", "#b03a2e", "#1e8449")


@drawn_offline
def observed_and_predicted(found: Validation) -> alt.ConcatChart:
    """Return a panel for each of the largest places."""
    people = dict.fromkeys(found.places, 0)
    for row in found.rows:
        people[row.place] += row.population
    largest = sorted(people, key=lambda place: -people[place])[:_PLACES]
    panels = [_panel([row for row in found.rows if row.place == place]) for place in largest]
    title = charts.title(
        say("predict.validation.chart.title"),
        [say("predict.validation.chart.dots"), say("predict.validation.chart.lines")],
    )
    return alt.concat(*panels, columns=min(2, len(panels))).properties(title=title)


def _panel(rows: list[Observed]) -> alt.LayerChart | alt.FacetChart:
    names = [say("predict.validation.chart.size", size=size) for size in SIZES]
    dots = [_dot(row, size, names[size - 1]) for row in rows for size in SIZES]
    lines = [
        {
            "people": row.people,
            "share": getattr(row, way)[size - 1],
            "size": names[size - 1],
            "way": say(f"predict.validation.chart.{way}"),
        }
        for way in _DASHES
        for row in rows
        for size in SIZES
    ]
    ways = [say(f"predict.validation.chart.{way}") for way in _DASHES]
    across = alt.X("people:Q", title=say("predict.validation.chart.people"))
    up = alt.Y(
        "share:Q",
        title=say("predict.validation.chart.share"),
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1], clamp=True),
    )
    legend = alt.Legend(title=None, orient="bottom")
    colour = alt.Color("size:N", scale=alt.Scale(domain=names, range=list(_COLOURS)), legend=legend)
    dash = alt.StrokeDash(
        "way:N", scale=alt.Scale(domain=ways, range=list(_DASHES.values())), legend=legend
    )
    base = alt.Chart(charts.data(dots))
    tips: list[Any] = [
        charts.tip("people:Q", "predict.validation.chart.people", ".1f"),
        charts.tip("areas:Q", "predict.validation.chart.areas", ","),
        charts.tip("share:Q", "predict.validation.chart.share", ".2%"),
    ]
    layers: list[Any] = [
        base.mark_rule(strokeWidth=1.2).encode(across, alt.Y("low:Q"), alt.Y2("high"), colour),
        base.mark_point(filled=True, size=40, opacity=1).encode(across, up, colour, tooltip=tips),
        alt.Chart(charts.data(lines)).mark_line(strokeWidth=1.6).encode(across, up, colour, dash),
    ]
    heading = alt.TitleParams(
        shortened(printable(rows[0].place)),
        subtitle=say("predict.validation.chart.kappa", kl=rows[0].kl),
        anchor="start",
        fontSize=12,
    )
    chart: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(
        width=_WIDTH, height=_HEIGHT, title=heading
    )
    return chart


def _dot(row: Observed, size: int, name: str) -> dict[str, Any]:
    share = row.psi[size - 1]
    spread = 2 * row.sd[size - 1] if row.sd is not None else 0.0
    return {
        "people": row.people,
        "areas": row.areas,
        "share": share,
        "low": max(0.0, share - spread),
        "high": min(1.0, share + spread),
        "size": name,
    }
