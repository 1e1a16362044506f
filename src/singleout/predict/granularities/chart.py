"""Pictures of granularity: distances by place, and unique people by width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.granularities.result import Granularity

__all__ = ["by_place", "by_width"]

_HEIGHT = 280
_PANEL = 240
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 4], [10, 5]]


def _style(kinds: list[str], title: str) -> dict[str, Any]:
    dashes = [_DASHES[index % len(_DASHES)] for index in range(len(kinds))]
    legend = alt.Legend(title=title, symbolType="stroke", symbolSize=400)
    return {
        "strokeDash": alt.StrokeDash(
            "kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=dashes), legend=legend
        ),
        "color": alt.Color(
            "kind:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, scheme="viridis", reverse=False),
            legend=legend,
        ),
    }


@drawn_offline
def by_place(result: Granularity) -> alt.LayerChart | alt.FacetChart:
    """Return the distance of each place for each granularity, the places in order (Figure 4.4)."""
    first = result.rows[0].people
    rows = [row for row in result.rows if row.people == first]
    kinds = list(dict.fromkeys(" x ".join(f"{w:g}" for w in row.widths) for row in rows))
    finest = rows[0].widths
    places = sorted((row.kl, row.place) for row in rows if row.widths == finest)
    order = {place: index for index, (_, place) in enumerate(places, start=1)}
    values = [
        {
            "place": printable(row.place),
            "index": order[row.place],
            "kl": row.kl,
            "kind": " x ".join(f"{w:g}" for w in row.widths),
        }
        for row in rows
        if row.place in order
    ]
    tips = [
        charts.tip("place:N", "predict.granularity.chart.place"),
        charts.tip("kl:Q", "predict.granularity.chart.kl", ".4f"),
    ]
    chart: alt.LayerChart | alt.FacetChart = alt.layer(
        alt.Chart(charts.data(values))
        .mark_line(strokeWidth=1.4)
        .encode(
            alt.X(
                "index:Q",
                title=say("predict.granularity.chart.index"),
                axis=alt.Axis(tickMinStep=1),
            ),
            alt.Y("kl:Q", title=say("predict.granularity.chart.kl")),
            tooltip=tips,
            **_style(kinds, say("predict.granularity.chart.width")),
        )
    ).properties(
        width=charts.WIDTH,
        height=_HEIGHT,
        title=charts.title(
            say("predict.granularity.chart.by_place"),
            say("predict.granularity.chart.by_place_below", by=printable(result.by or "")),
        ),
    )
    return chart


@drawn_offline
def by_width(result: Granularity) -> alt.LayerChart | alt.FacetChart:
    """Return the unique people by the width of the last column (Figures 6.3 to 6.5).

    One line for each number of people; with several columns one for each width of the others, in a
    panel for each number of people.
    """
    several = len(result.columns) > 1
    values = [
        {
            "width": row.widths[-1],
            "share": row.unique_share,
            "people": f"{row.people:,}",
            "kind": " x ".join(f"{w:g}" for w in row.widths[:-1]) if several else f"{row.people:,}",
        }
        for row in result.rows
    ]
    kinds = list(dict.fromkeys(str(row["kind"]) for row in values))
    numbers = list(dict.fromkeys(str(row["people"]) for row in values))
    named = printable(result.columns[-1])
    others = printable(", ".join(result.columns[:-1]))
    legend = (
        say("predict.granularity.chart.width_of", column=others)
        if several
        else say("predict.granularity.chart.people")
    )
    title = charts.title(
        say("predict.granularity.chart.by_width"), say("predict.granularity.chart.by_width_below")
    )
    base = (
        alt.Chart(charts.data(values))
        .mark_line(point=alt.OverlayMarkDef(size=35, filled=True), strokeWidth=1.4)
        .encode(
            alt.X(
                "width:Q",
                title=say("predict.granularity.chart.width_of", column=named),
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(
                    values=sorted({float(row.widths[-1]) for row in result.rows}), format="~g"
                ),
            ),
            alt.Y(
                "share:Q",
                title=say("predict.granularity.chart.share"),
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            tooltip=[
                charts.tip("width:Q", "predict.granularity.chart.width", "~g"),
                charts.tip("people:N", "predict.granularity.chart.people"),
                charts.tip("share:Q", "predict.granularity.chart.share", ".2%"),
            ],
            **_style(kinds, legend),
        )
    )
    if several and len(numbers) > 1:
        head = say("predict.granularity.chart.people")
        panels: alt.FacetChart = base.properties(width=_PANEL, height=_PANEL - 60).facet(
            alt.Facet("people:N", sort=numbers, title=head), columns=2
        )
        return panels.properties(title=title)
    return alt.layer(base).properties(width=charts.WIDTH, height=_HEIGHT, title=title)
