"""Pictures of special uniques: scores of the records, and the columns that single them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.text import printable
from singleout.core.wording import figure, percent
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["DrawnScores", "pictures"]

_HEIGHT = 190
_ROW = 15  # height of a column's bar
_BARS = 40
_COLUMNS_SHOWN = 30
_SETS_SHOWN = 15
_LONG_LABELS = 260  # sets have longer names than columns
_ROOM_FOR_LABELS = 110  # so that the panels stand exactly below each other


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """What the pictures show, sizes of minimal uniques being 1, 2, … ``max_size``."""

    scores: F64  # of each record
    max_size: int
    columns: Sequence[str]
    shares: F64  # for each column that of all scores from minimal uniques that hold it
    counts: I64  # for each column (row) and size the minimal uniques that hold it
    totals: I64  # the minimal uniques of each size
    sets: Sequence[tuple[str, float, int]]  # name, share and records, the largest share first
    records: int

    @property
    def shown(self) -> list[int]:
        """The columns that are drawn: those that contribute most, the first one on top."""
        return list(map(int, np.argsort(-self.shares, kind="stable")[:_COLUMNS_SHOWN]))

    @property
    def which(self) -> str:
        """Which columns are drawn, in words."""
        if len(self.columns) <= _COLUMNS_SHOWN:
            return say("suda.chart.all_columns", n=len(self.columns))
        return say("suda.chart.first_columns", first=_COLUMNS_SHOWN, n=len(self.columns))


@drawn_offline
def pictures(drawn: DrawnScores) -> alt.VConcatChart:
    """Return the scores, what each column contributes, at which sizes, and in which sets."""
    if not (drawn.scores > 0).any():
        return alt.vconcat(_nobody(drawn))
    chart: alt.VConcatChart = alt.vconcat(
        _distribution(drawn), _contributions(drawn), _sizes(drawn), _sets(drawn), spacing=30
    ).resolve_scale(color="independent")
    return chart


def _nobody(drawn: DrawnScores) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(charts.data([{"words": say("suda.chart.nobody", n=drawn.max_size)}]))
        .mark_text(size=14)
        .encode(text="words:N")
        .properties(
            width=charts.WIDTH, height=60, title=charts.title(say("suda.chart.no_score"), "")
        )
    )
    return chart


# ---- how risky the records are


def _distribution(drawn: DrawnScores) -> alt.Chart:
    scored = drawn.scores[drawn.scores > 0]
    bars = _score_bars(scored)
    across = alt.X(
        "low:Q",
        title=say("suda.chart.score", size=drawn.max_size),
        scale=alt.Scale(type="log", domain=[bars[0]["low"], bars[-1]["high"]], nice=False),
        axis=alt.Axis(format="~g", tickCount=6),
    )
    below = say(
        "suda.chart.scores_below",
        scored=figure(len(scored)),
        records=figure(drawn.records),
        n=drawn.max_size,
    )
    chart: alt.Chart = charts.histogram(
        bars,
        across,
        "records",
        up=say("chart.root_of_records"),
        axis=alt.Axis(tickMinStep=1, minExtent=_ROOM_FOR_LABELS),
        tips=[
            charts.tip("low:Q", "suda.chart.score_from", ".4~g"),
            charts.tip("high:Q", "chart.to", ".4~g"),
            charts.tip("records:Q", "chart.records", ","),
        ],
    ).properties(
        width=charts.WIDTH, height=_HEIGHT, title=charts.title(say("suda.chart.scores"), below)
    )
    return chart


def _score_bars(scores: F64) -> list[dict[str, Any]]:
    """Return the histogram of scores above 0: bars of the same ratio, at most forty, none empty."""
    levels = np.log10(scores)
    least, most = float(levels.min()), float(levels.max())
    bars = min(_BARS, 1 + round(2 * len(scores) ** 0.5))
    if most - least < 1e-9:  # one bar around the only value
        least, most, bars = least - 0.01, most + 0.01, 1
    counts, edges = np.histogram(levels, bins=bars, range=(least, most))
    return [
        {
            "low": float(10 ** edges[bar]),
            "high": float(10 ** edges[bar + 1]),
            "records": int(counts[bar]),
        }
        for bar in np.flatnonzero(counts)
    ]


# ---- which columns make it so


def _contributions(drawn: DrawnScores) -> alt.Chart:
    rows = [
        {"column": printable(drawn.columns[column]), "share": float(drawn.shares[column])}
        for column in drawn.shown
    ]
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X("share:Q", title=say("suda.chart.share"), axis=alt.Axis(format="%")),
            _column_axis(rows),
            tooltip=[
                charts.tip("column:N", "chart.column"),
                charts.tip("share:Q", "chart.share", ".2%"),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_ROW * len(rows),
            title=charts.title(
                say("suda.chart.columns"), say("suda.chart.columns_below", which=drawn.which)
            ),
        )
    )
    return chart


def _sizes(drawn: DrawnScores) -> alt.LayerChart | alt.FacetChart:
    rows = [
        {
            "column": printable(drawn.columns[column]),
            "size": size,
            "uniques": int(drawn.counts[column, size - 1]),
            "share": float(drawn.counts[column, size - 1] / max(1, drawn.totals[size - 1])),
        }
        for column in drawn.shown
        for size in range(1, drawn.max_size + 1)
    ]
    base = alt.Chart(charts.data(rows)).encode(
        alt.X("size:O", title=say("suda.chart.size"), axis=alt.Axis(labelAngle=0)),
        _column_axis(rows),
        tooltip=[
            charts.tip("column:N", "chart.column"),
            charts.tip("size:O", "suda.chart.size"),
            charts.tip("uniques:Q", "suda.chart.uniques", ","),
            charts.tip("share:Q", "suda.chart.share_of_size", ".1%"),
        ],
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color(
            "share:Q",
            # greys, so that it reads in black and white
            scale=alt.Scale(domain=[0, 1], range=["#ffffff", "#2f3542"], interpolate="rgb"),
            legend=alt.Legend(title=say("suda.chart.share_of_size"), format="%", orient="bottom"),
        )
    )
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("uniques:Q", format=".3~s" if drawn.max_size > 6 else ","),
        color=alt.condition("datum.share > 0.5", alt.value("white"), alt.value("black")),
    )
    return alt.layer(cells, numbers).properties(
        width=charts.WIDTH,
        height=_ROW * len(drawn.shown),
        title=charts.title(
            say("suda.chart.sizes"), say("suda.chart.sizes_below", which=drawn.which)
        ),
    )


def _sets(drawn: DrawnScores) -> alt.Chart:
    rows = [
        {"column": printable(name), "share": share, "records": records}
        for name, share, records in drawn.sets[:_SETS_SHOWN]
    ]
    rest = sum(share for _, share, _ in drawn.sets[_SETS_SHOWN:])
    below = say("suda.chart.sets_below", n=len(rows), sets=len(drawn.sets), rest=percent(rest))
    names = [str(row["column"]) for row in rows]
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X("share:Q", title=say("suda.chart.share_of_set"), axis=alt.Axis(format="%")),
            alt.Y("column:N", sort=names, title=None, axis=alt.Axis(labelLimit=_LONG_LABELS)),
            tooltip=[
                charts.tip("column:N", "suda.chart.set"),
                charts.tip("share:Q", "chart.share", ".2%"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH - _LONG_LABELS + _ROOM_FOR_LABELS,
            height=_ROW * len(rows),
            title=charts.title(say("suda.chart.sets"), below),
        )
    )
    return chart


def _column_axis(rows: Sequence[dict[str, Any]]) -> alt.Y:
    names = list(dict.fromkeys(row["column"] for row in rows))
    axis = alt.Axis(labelLimit=_ROOM_FOR_LABELS, minExtent=_ROOM_FOR_LABELS)
    return alt.Y("column:N", sort=names, title=None, axis=axis)
