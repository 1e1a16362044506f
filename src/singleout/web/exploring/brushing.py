"""Contribution against uniqueness, with a brush: what is marked is marked beside it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from singleout.report import charts
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.qar.contribution_result import RecordContributions

__all__ = ["brushed"]

_POINTS = 4000  # more hide each other, and make a slow page
_SEED = 20230718
_SIDE = 300


def brushed(result: RecordContributions) -> alt.HConcatChart:
    """Return two panels: drag over the first, and the second shows where those records are."""
    rows = [
        {"contribution": a, "plus": b, "star": c, "unique": d}
        for a, b, c, d in zip(*(array.tolist() for array in _drawn(result)), strict=True)
    ]
    brush: Any = alt.selection_interval(name="brush")
    base = alt.Chart(charts.data(rows)).properties(width=_SIDE, height=_SIDE)
    marked = alt.when(brush).then(alt.value("#d35400")).otherwise(alt.value(charts.LINE))
    faint = alt.when(brush).then(alt.value(0.9)).otherwise(alt.value(0.25))
    first = (
        base.mark_point(size=22)
        .encode(
            x=alt.X("plus:Q", title=say("contributions.chart.uniqueness")),
            y=alt.Y("contribution:Q", title=say("contributions.chart.contribution")),
            color=marked,
            opacity=faint,
        )
        .add_params(brush)
        .properties(title=charts.title(say("web.explore.brush"), say("web.explore.brush_how")))
    )
    second = (
        base.mark_point(size=22)
        .encode(
            x=alt.X("unique:Q", title=say("web.explore.unique_in")),
            y=alt.Y("star:Q", title=say("contributions.chart.u_star")),
            color=marked,
            opacity=faint,
        )
        .properties(title=charts.title(say("web.explore.brush_second"), ""))
    )
    chart: alt.HConcatChart = alt.hconcat(first, second)
    return chart


def _drawn(result: RecordContributions) -> tuple[Any, Any, Any, Any]:
    """Return the measures of all records, or of a sample that is the same each time."""
    records = len(result.record)
    if records <= _POINTS:
        keep = np.arange(records)
    else:
        keep = np.sort(np.random.default_rng(_SEED).choice(records, _POINTS, replace=False))
    measures = (
        result.contribution,
        result.uniqueness_plus,
        result.uniqueness_star,
        result.unique_in,
    )
    return tuple(one[keep] for one in measures)  # type: ignore[return-value]
