"""Pictures of special uniques: scores of the records, and the columns that single them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from singleout.core.text import printable
from singleout.report.offline import drawn_offline

__all__ = ["Drawn", "pictures", "score_bars"]

_WIDTH = 520
_HEIGHT = 190
_ROW = 18  # height of a column's bar
_BARS = 40
_COLUMNS_SHOWN = 30
_ROOM_FOR_LABELS = 110  # so that the panels stand exactly below each other
_FILL, _LINE = "#c8d6e5", "#57606f"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What the pictures show.

    Parameters
    ----------
    scores
        The score of each record.
    max_size
        M: the largest size of a minimal unique that was searched.
    columns
        The names of the columns.
    shares
        For each column the share of the sum of all scores from minimal uniques that hold it.
    counts
        For each column (row) how many minimal uniques of size 1, 2, … M hold it.
    totals
        How many minimal uniques of size 1, 2, … M there are.
    """

    scores: NDArray[np.float64]
    max_size: int
    columns: Sequence[str]
    shares: NDArray[np.float64]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]

    @property
    def shown(self) -> list[int]:
        """The columns that are drawn: those that contribute most, the first one on top."""
        order = np.argsort(-self.shares, kind="stable")
        return [int(place) for place in order[:_COLUMNS_SHOWN]]

    @property
    def which(self) -> str:
        """Which columns are drawn, in words."""
        if len(self.columns) <= _COLUMNS_SHOWN:
            return f"{len(self.columns)} columns"
        return f"the first {_COLUMNS_SHOWN} of {len(self.columns)} columns"


@drawn_offline
def pictures(drawn: Drawn) -> alt.VConcatChart:
    """Return the scores, what each column contributes, and the sizes at which it does."""
    if not (drawn.scores > 0).any():
        return alt.vconcat(_nobody(drawn))
    chart: alt.VConcatChart = alt.vconcat(
        _distribution(drawn), _contributions(drawn), _sizes(drawn), spacing=30
    ).resolve_scale(color="independent")
    return chart


def _nobody(drawn: Drawn) -> alt.Chart:
    words = f"No set of up to {drawn.max_size} columns singles out a record."
    chart: alt.Chart = (
        alt.Chart(_data([{"words": words}]))
        .mark_text(size=14)
        .encode(text="words:N")
        .properties(width=_WIDTH, height=60, title=_title("No record has a score", ""))
    )
    return chart


# ---- how risky the records are


def _distribution(drawn: Drawn) -> alt.Chart:
    scored = drawn.scores[drawn.scores > 0]
    bars = score_bars(scored)
    chart: alt.Chart = (
        alt.Chart(_data([{**bar, "ground": 0} for bar in bars]))
        .mark_rect(color=_FILL, stroke=_LINE, strokeWidth=0.5)
        .encode(
            alt.X(
                "low:Q",
                title=f"score, M = {drawn.max_size} (logarithmic scale)",
                scale=alt.Scale(type="log", domain=[bars[0]["low"], bars[-1]["high"]], nice=False),
                axis=alt.Axis(format="~g", tickCount=6),
            ),
            alt.X2("high"),
            alt.Y(
                "records:Q",
                title="records (square-root scale)",
                scale=alt.Scale(type="sqrt"),  # the riskiest are what matters, and they are few
                axis=alt.Axis(tickMinStep=1, minExtent=_ROOM_FOR_LABELS),
            ),
            alt.Y2("ground"),
            tooltip=[
                alt.Tooltip("low:Q", title="score from", format=".4~g"),
                alt.Tooltip("high:Q", title="to", format=".4~g"),
                alt.Tooltip("records:Q", format=","),
            ],
        )
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=_title(
                "How far the records stand out",
                f"{len(scored):,} of {len(drawn.scores):,} records have a score: sets of up to "
                f"{drawn.max_size} columns single them out",
            ),
        )
    )
    return chart


def score_bars(scores: NDArray[np.float64]) -> list[dict[str, Any]]:
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


def _contributions(drawn: Drawn) -> alt.Chart:
    rows = [
        {"column": printable(drawn.columns[place]), "share": float(drawn.shares[place])}
        for place in drawn.shown
    ]
    chart: alt.Chart = (
        alt.Chart(_data(rows))
        .mark_bar(color=_FILL, stroke=_LINE, strokeWidth=0.5)
        .encode(
            alt.X(
                "share:Q",
                title="share of all scores from minimal uniques that hold the column",
                axis=alt.Axis(format="%"),
            ),
            _column_axis(rows),
            tooltip=[alt.Tooltip("column:N"), alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(
            width=_WIDTH,
            height=_ROW * len(rows),
            title=_title(
                "What each column contributes",
                f"{drawn.which}; a minimal unique counts for all of its columns, so the shares can "
                "add up to more than 100%",
            ),
        )
    )
    return chart


def _sizes(drawn: Drawn) -> alt.LayerChart | alt.FacetChart:
    rows = [
        {
            "column": printable(drawn.columns[place]),
            "size": size,
            "uniques": int(drawn.counts[place, size - 1]),
            "share": float(drawn.counts[place, size - 1] / max(1, drawn.totals[size - 1])),
        }
        for place in drawn.shown
        for size in range(1, drawn.max_size + 1)
    ]
    base = alt.Chart(_data(rows)).encode(
        alt.X("size:O", title="size of the minimal unique", axis=alt.Axis(labelAngle=0)),
        _column_axis(rows),
        tooltip=[
            alt.Tooltip("column:N"),
            alt.Tooltip("size:O"),
            alt.Tooltip("uniques:Q", title="minimal uniques", format=","),
            alt.Tooltip("share:Q", title="of all of that size", format=".1%"),
        ],
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color(
            "share:Q",
            # greys, so that it reads in black and white
            scale=alt.Scale(domain=[0, 1], range=["#ffffff", "#2f3542"], interpolate="rgb"),
            legend=alt.Legend(title="share of that size", format="%", orient="bottom"),
        )
    )
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("uniques:Q", format=",~s" if drawn.max_size > 6 else ","),
        color=alt.condition("datum.share > 0.5", alt.value("white"), alt.value("black")),
    )
    return alt.layer(cells, numbers).properties(
        width=_WIDTH,
        height=_ROW * len(drawn.shown),
        title=_title(
            "At which sizes the columns single records out",
            f"minimal uniques that hold the column; {drawn.which}",
        ),
    )


def _column_axis(rows: Sequence[dict[str, Any]]) -> alt.Y:
    names = list(dict.fromkeys(row["column"] for row in rows))
    axis = alt.Axis(labelLimit=_ROOM_FOR_LABELS, minExtent=_ROOM_FOR_LABELS)
    return alt.Y("column:N", sort=names, title=None, axis=axis)


def _title(words: str, below: str) -> alt.TitleParams:
    return alt.TitleParams(words, subtitle=below, anchor="start")


def _data(values: Sequence[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=list(values))
