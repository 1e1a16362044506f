"""The picture of a comparison: each share before and after on a line of its own.

The hollow circle is before and the full one after, so that it reads without colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["before_and_after"]

_WIDTH = 420
_STEP = 18  # the height of a line: a report has many, and a page of paper must hold them
_COLOUR = "#1f4e79"


@drawn_offline
def before_and_after(
    rows: Sequence[dict[str, Any]], *, title: str
) -> alt.LayerChart | alt.FacetChart:
    """Return the picture of rows with a ``name`` and a share ``before`` and ``after``, 0 to 1."""
    labels = {when: say(f"comparison.chart.{when}") for when in ("before", "after")}
    lines = [dict(row) for row in rows]
    points = [
        {"name": row["name"], "when": label, "share": row[when]}
        for row in rows
        for when, label in labels.items()
    ]
    name = alt.Y(
        "name:N", sort=None, title=None, axis=alt.Axis(labelLimit=360, labelPadding=10, ticks=False)
    )
    scale = alt.Scale(domain=[0, 1])
    rule = (
        alt.Chart(charts.data(lines))
        .mark_rule(color=_COLOUR, strokeWidth=2)
        .encode(y=name, x=alt.X("before:Q", scale=scale), x2="after:Q")
    )
    marks = (
        alt.Chart(charts.data(points))
        .mark_point(size=70, color=_COLOUR, opacity=1)
        .encode(
            y=name,
            x=alt.X(
                "share:Q",
                scale=scale,
                axis=alt.Axis(format="%"),
                title=say("comparison.chart.share"),
            ),
            fill=alt.Fill(
                "when:N",
                scale=alt.Scale(domain=list(labels.values()), range=["white", _COLOUR]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
        )
    )
    return alt.layer(rule, marks).properties(width=_WIDTH, height=alt.Step(_STEP), title=title)
