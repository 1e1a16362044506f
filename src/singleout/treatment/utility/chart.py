"""Columns before and after, side by side: hollow bars before, full ones after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.treatment.utility.result import Bar

__all__ = ["side_by_side"]

_LONGEST = 24  # characters of a label


@drawn_offline
def side_by_side(columns: Mapping[str, Sequence[Bar]]) -> alt.VConcatChart:
    """Return a picture for each column, one above the other."""
    pictures: alt.VConcatChart = alt.vconcat(
        *(_column(name, bars) for name, bars in columns.items())
    ).resolve_scale(xOffset="independent")  # bars of one column are not as wide as of another
    return pictures


def _column(name: str, bars: Sequence[Bar]) -> alt.Chart:
    when = {key: say(f"utility.chart.{key}") for key in ("before", "after")}
    labels = _different([_short(bar.label) for bar in bars])
    rows: list[dict[str, Any]] = [
        {"value": label, "when": when[key], "share": getattr(bar, key)}
        for bar, label in zip(bars, labels, strict=True)
        for key in when
    ]
    order = list(when.values())
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(stroke="black", strokeWidth=0.7)
        .encode(
            alt.X("value:N", sort=labels, title=None, axis=alt.Axis(labelAngle=-40)),
            alt.Y("share:Q", title=say("utility.chart.share"), axis=alt.Axis(format="%")),
            alt.XOffset("when:N", sort=order),
            alt.Fill(
                "when:N",
                scale=alt.Scale(domain=order, range=["white", charts.LINE]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            tooltip=[
                charts.tip("value:N", "utility.chart.value"),
                charts.tip("when:N", "utility.chart.when"),
                charts.tip("share:Q", "utility.chart.share", ".2%"),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=140,
            title=charts.title(
                printable(say("utility.chart.title", column=name)), say("utility.chart.below")
            ),
        )
    )
    return chart


def _short(label: str) -> str:
    text = printable(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _different(labels: Sequence[str]) -> list[str]:
    """Return the labels, those that look the same with their number."""
    return [
        label if labels.index(label) == at else f"{label} ({at + 1})"
        for at, label in enumerate(labels)
    ]
