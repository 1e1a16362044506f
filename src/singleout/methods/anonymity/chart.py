"""Pictures of anonymity sets: box and whiskers as in Koot's Figures 3.1 and 3.2, and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.core.wording import span
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

__all__ = ["boxes_and_histogram", "size_bands"]

_BAND_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)


@drawn_offline
def boxes_and_histogram(
    rows: Sequence[Mapping[str, Any]], histogram: Mapping[int, int], name: str
) -> alt.VConcatChart:
    """Return both pictures, one above the other."""
    return alt.vconcat(_boxes(rows, name), _bars(histogram, name))


def _boxes(rows: Sequence[Mapping[str, Any]], name: str) -> alt.LayerChart | alt.FacetChart:
    """Return one box for each row: whiskers from minimum to maximum, quartiles, median."""
    # a little room on both sides, so that the ends of the whiskers can be seen
    largest = max(row["maximum"] for row in rows)
    return charts.boxes(
        [{**row, "label": printable(row["label"])} for row in rows],
        charts.title(
            say("anonymity.chart.boxes"),
            [shortened(printable(name)), say("anonymity.chart.boxes_below")],
        ),
        across=say("anonymity.chart.set_size_log"),
        scale=alt.Scale(type="log", domain=[0.9, max(largest, 1) * 1.15], nice=False),
        axis=alt.Axis(values=_ticks(largest), format=",", labelOverlap=True),
    )


def _ticks(largest: float) -> list[int]:
    """Return 1, 2, 5, 10, 20 and so on, up to the largest size: no tick at the edge of the room."""
    steps = (step * 10**power for power in range(13) for step in (1, 2, 5))
    return list(takewhile(lambda tick: tick <= max(largest, 1) * 1.15, steps))


def _bars(histogram: Mapping[int, int], name: str) -> alt.Chart:
    bands = size_bands(histogram)
    chart: alt.Chart = (
        alt.Chart(charts.data(bands))
        .mark_bar(color=charts.LINE)
        .encode(
            x=alt.X(
                "size:N",
                sort=[band["size"] for band in bands],
                title=say("anonymity.chart.set_size"),
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            y=alt.Y("sets:Q", title=say("anonymity.chart.number_of_sets")),
            tooltip=[
                charts.tip("size:N", "anonymity.chart.size"),
                charts.tip("sets:Q", "anonymity.chart.sets", ","),
                charts.tip("records:Q", "anonymity.chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=180,
            title=charts.title(say("anonymity.chart.histogram"), shortened(printable(name))),
        )
    )
    return chart


def size_bands(histogram: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return the histogram in bands that widen with size: 1, 2, 3–4, 5–9, 10–19 and so on."""
    bands = []
    for low, above in zip(_BAND_EDGES, (*_BAND_EDGES[1:], None), strict=True):
        inside = {s: n for s, n in histogram.items() if s >= low and (above is None or s < above)}
        if inside:
            bands.append(
                {
                    "size": span(low, above),
                    "sets": sum(inside.values()),
                    "records": sum(size * sets for size, sets in inside.items()),
                }
            )
    return bands
