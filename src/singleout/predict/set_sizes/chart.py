"""Pictures of predicted set sizes: the share of people in sets of each size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.core.arrays import F64
from singleout.report.offline import drawn_offline

__all__ = ["lines_by_formula", "set_of_person", "sizes_of_sets"]

_WIDTH = 520
_HEIGHT = 220
_FILL = "#c8d6e5"
_EDGE = "#57606f"
_MOST_BARS = 60
_DASHES = ([1, 0], [10, 4], [3, 3], [10, 3, 2, 3], [16, 4])

Picture = alt.LayerChart | alt.FacetChart  # what altair says that a layered chart may become


@drawn_offline
def sizes_of_sets(shares: F64, people: int, cells: str) -> Picture:
    """Return one bar for each size of a set, and one for all larger ones.

    Parameters
    ----------
    shares
        The share of the people in sets of one, two and so on.
    people
        How many people there are.
    cells
        How many cells are possible, in words.
    """
    shown = min(len(shares), _MOST_BARS)
    rows = [{"size": str(size + 1), "share": float(shares[size])} for size in range(shown)]
    larger = max(0.0, 1.0 - float(shares[:shown].sum()))
    if larger > 1e-9:
        rows.append({"size": f"more than {shown}", "share": larger})
    title = alt.TitleParams(
        "How many people to expect in sets of each size",
        subtitle=f"{people:,} people over {cells}",
        anchor="start",
    )
    return _bars(rows, "people who share a cell", title, numbers=len(rows) <= 17)


@drawn_offline
def set_of_person(chances: Sequence[tuple[int, float]], expected: float) -> Picture:
    """Return how likely each size of one person's set is.

    Parameters
    ----------
    chances
        Sizes and how likely each is.
    expected
        The mean size.
    """
    rows = [{"size": f"{size:,}", "share": float(chance)} for size, chance in chances]
    title = alt.TitleParams(
        "How many people will share this person's values, the person included",
        subtitle=f"expected: {expected:,.2f}",
        anchor="start",
    )
    return _bars(rows, "people in the set", title, numbers=len(rows) <= 17, what="probability")


def _bars(
    rows: list[dict[str, Any]],
    title: str,
    heading: alt.TitleParams,
    *,
    numbers: bool,
    what: str = "share of all people",
) -> Picture:
    order = [row["size"] for row in rows]
    base = alt.Chart(_data(rows))
    across = alt.X(
        "size:N", sort=order, title=title, axis=alt.Axis(labelAngle=0, labelOverlap=True)
    )
    height = alt.Y("share:Q", title=what, axis=alt.Axis(format="%"))
    tips = [
        alt.Tooltip("size:N", title=title),
        alt.Tooltip("share:Q", title=what, format=".3%"),
    ]
    bars = base.mark_bar(color=_FILL, stroke=_EDGE, strokeWidth=0.5).encode(
        across, height, tooltip=tips
    )
    layers: list[Any] = [bars]
    if numbers:
        text = base.mark_text(dy=-7, fontSize=11).encode(
            across, height, alt.Text("share:Q", format=".1%")
        )
        layers.append(text)
    chart: Picture = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=heading)
    return chart


@drawn_offline
def lines_by_formula(
    rows: Sequence[dict[str, Any]], value: str, title: str, subtitle: str
) -> alt.Chart:
    """Return one line for each formula against the number of people.

    Parameters
    ----------
    rows
        people, value and formula of each point.
    value
        What the value is, for the axis.
    title, subtitle
        What the picture shows.
    """
    names = list(dict.fromkeys(row["formula"] for row in rows))
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(names))]
    legend = alt.Legend(
        title=None,
        orient="bottom",
        symbolSize=700,
        symbolStrokeColor="black",
        labelLimit=300,
        labelFontSize=12,
    )
    chart: alt.Chart = (
        alt.Chart(_data(rows))
        .mark_line(color="black", strokeWidth=1.8)
        .encode(
            alt.X("people:Q", title="people", scale=alt.Scale(nice=False)),
            alt.Y("value:Q", title=value),
            strokeDash=alt.StrokeDash(
                "formula:N",
                sort=names,
                scale=alt.Scale(domain=names, range=dashes),
                legend=legend,
            ),
            tooltip=["formula:N", "people:Q", alt.Tooltip("value:Q", title=value, format=",.4g")],
        )
        .properties(
            width=_WIDTH,
            height=_HEIGHT + 40,
            title=alt.TitleParams(title, subtitle=subtitle, anchor="start"),
        )
    )
    return chart


def _data(rows: Sequence[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=list(rows))
