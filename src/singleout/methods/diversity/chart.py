"""Pictures of diversity: records by how many values their class has, and by its distance t."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.text import printable
from singleout.core.wording import span
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

__all__ = ["values_and_distances"]

_EDGES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)
_BINS = 20  # of t, from 0 to 1

# a sensitive column: its name, and the number of values, the t and the records of each class
Shown = tuple[str, I64, F64, I64]


@drawn_offline
def values_and_distances(columns: Sequence[Shown], known: str) -> alt.VConcatChart:
    """Return two pictures for each sensitive column, one above the other."""
    pictures: list[Any] = []
    for name, distinct, distances, records in columns:
        pictures.append(_by_values(distinct, records, name, known))
        pictures.append(_by_distance(distances, records, name, known))
    return alt.vconcat(*pictures)


def _by_values(distinct: I64, records: I64, name: str, known: str) -> alt.Chart:
    bars = value_bands(distinct, records)
    chart: alt.Chart = (
        alt.Chart(charts.data(bars))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X(
                "values:N",
                sort=[bar["values"] for bar in bars],
                title=say("diversity.chart.values"),
                axis=alt.Axis(labelAngle=0),
            ),
            alt.Y(
                "records:Q",
                title=say("chart.root_of_records"),
                # the few beside a large majority would not be seen
                scale=alt.Scale(type="sqrt"),
                axis=alt.Axis(tickMinStep=1),
            ),
            tooltip=[
                charts.tip("values:N", "diversity.chart.values"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=160,
            title=charts.title(
                printable(say("diversity.chart.by_values", sensitive=name)),
                shortened(printable(known)),
            ),
        )
    )
    return chart


def _by_distance(distances: F64, records: I64, name: str, known: str) -> alt.Chart:
    across = alt.X(
        "low:Q", title=say("diversity.chart.distance"), scale=alt.Scale(domain=[0, 1], nice=False)
    )
    tips = [
        charts.tip("low:Q", "chart.from", ".2f"),
        charts.tip("high:Q", "chart.to", ".2f"),
        charts.tip("records:Q", "chart.records", ","),
    ]
    chart = charts.histogram(
        distance_bars(distances, records),
        across,
        "records",
        up=say("chart.root_of_records"),
        axis=alt.Axis(format=",d"),
        tips=tips,
    )
    title = say("diversity.chart.by_distance", sensitive=name)
    finished: alt.Chart = chart.properties(
        width=charts.WIDTH,
        height=160,
        title=charts.title(printable(title), shortened(printable(known))),
    )
    return finished


def value_bands(distinct: I64, records: I64) -> list[dict[str, Any]]:
    """Return how many records are in classes with 1, 2, 3, 4, 5–9, 10–19 values and so on."""
    bands = np.searchsorted(_EDGES, distinct, side="right") - 1
    totals = np.bincount(bands, records, minlength=len(_EDGES)).astype(np.int64).tolist()
    names = [span(low, above) for low, above in zip(_EDGES, (*_EDGES[1:], 0), strict=True)]
    return [
        {"values": name, "records": total}
        for name, total in zip(names, totals, strict=True)
        if total
    ]


def distance_bars(distances: F64, records: I64) -> list[dict[str, Any]]:
    """Return how many records are in classes of each twentieth of t; 1 is in the last."""
    bins = np.minimum((distances * _BINS).astype(np.int64), _BINS - 1)
    totals = np.bincount(bins, records, minlength=_BINS).astype(np.int64).tolist()
    return [
        {"low": index / _BINS, "high": (index + 1) / _BINS, "records": total}
        for index, total in enumerate(totals)
    ]
