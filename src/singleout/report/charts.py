"""What charts of results share: size, colours, titles, tooltips, box plots and histograms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["FILL", "LINE", "WIDTH", "boxes", "data", "histogram", "tip", "title"]

WIDTH = 520
FILL, LINE = "#c8d6e5", "#57606f"
_FIVE_NUMBERS = ("minimum", "first_quartile", "median", "third_quartile", "maximum")


class _Rows(alt.InlineData):
    """Rows that all copies of a chart share: altair copies a chart with each of its methods."""

    def __deepcopy__(self, memo: Any) -> _Rows:
        return self


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Return rows as the data of a chart, which holds them itself."""
    return _Rows(values=list(rows))


def title(text: str, below: str | list[str]) -> alt.TitleParams:
    """Return what a chart shows, and a line below on how to read it."""
    return alt.TitleParams(text, subtitle=below, anchor="start")


def tip(field: str, key: str, number_format: str = "") -> alt.Tooltip:
    """Return a line of a tooltip, named by a key of the catalogue."""
    if not number_format:
        return alt.Tooltip(field, title=say(key))
    return alt.Tooltip(field, title=say(key), format=number_format)


@drawn_offline
def boxes(
    rows: Sequence[Mapping[str, Any]],
    heading: alt.TitleParams,
    *,
    across: str,
    scale: Any = alt.Undefined,
    axis: Any = alt.Undefined,
    number_format: str = "",
) -> alt.LayerChart | alt.FacetChart:
    """Return a box for each row, by ``label`` and five numbers; whiskers reach to both ends."""
    base = alt.Chart(data(rows))
    label = alt.Y(
        "label:N",
        sort=[row["label"] for row in rows],
        title=None,
        # the title says what a single box is of
        axis=alt.Axis(labelLimit=260, minExtent=0) if len(rows) > 1 else None,
    )
    tips = [tip(f"{name}:Q", f"chart.{name}", number_format) for name in _FIVE_NUMBERS]
    whiskers = base.mark_rule(color="black").encode(
        alt.X("minimum:Q", scale=scale, axis=axis, title=across),
        alt.X2("maximum"),
        y=label,
        tooltip=tips,
    )
    ends = [
        base.mark_tick(color="black", size=8).encode(alt.X(f"{end}:Q", scale=scale), y=label)
        for end in ("minimum", "maximum")
    ]
    box = base.mark_bar(color=FILL, stroke="black", height=14).encode(
        alt.X("first_quartile:Q", scale=scale), alt.X2("third_quartile"), y=label, tooltip=tips
    )
    median = base.mark_tick(color="black", thickness=3, size=18).encode(
        alt.X("median:Q", scale=scale), y=label, tooltip=tips
    )
    return alt.layer(whiskers, *ends, box, median).properties(width=WIDTH, title=heading)


def histogram(
    bars: Sequence[Mapping[str, Any]],
    across: alt.X,
    field: str,
    *,
    up: str,
    axis: alt.Axis,
    tips: Sequence[Any],
) -> alt.Chart:
    """Return bars from ``low`` to ``high``, as high as the square root of a field."""
    chart: alt.Chart = (
        alt.Chart(data([{**bar, "ground": 0} for bar in bars]))
        .mark_rect(color=FILL, stroke=LINE, strokeWidth=0.5)
        .encode(
            across,
            alt.X2("high"),
            # the few at the high end are what matters
            alt.Y(f"{field}:Q", title=up, scale=alt.Scale(type="sqrt"), axis=axis),
            alt.Y2("ground"),
            tooltip=list(tips),
        )
    )
    return chart
