"""Pictures of anonymity sets: box and whiskers as in Koot's Figures 3.1 and 3.2, and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.report.offline import drawn_offline

__all__ = ["boxes", "boxes_and_histogram", "size_bands"]

_BAND_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)
_WIDTH = 520


@drawn_offline
def boxes_and_histogram(
    rows: Sequence[Mapping[str, Any]], histogram: Mapping[int, int], name: str
) -> alt.VConcatChart:
    """Return both pictures, one above the other."""
    return alt.vconcat(boxes(rows, name), _bars(histogram, name))


@drawn_offline
def boxes(rows: Sequence[Mapping[str, Any]], name: str) -> alt.LayerChart | alt.FacetChart:
    """Return one box for each row: whiskers from minimum to maximum, quartiles, median."""
    data = _data([_drawn(row) for row in rows])
    order = [printable(row["label"]) for row in rows]
    label = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    # a little room on both sides, so that the ends of the whiskers can be seen
    largest = max(row["maximum"] for row in rows)
    scale = alt.Scale(type="log", domain=[0.9, max(largest, 1) * 1.15], nice=False)
    size = alt.X("minimum:Q", scale=scale, title="records in a set (logarithmic)")
    tips = [
        alt.Tooltip(f"{field}:Q", title=field.replace("_", " "))
        for field in ("minimum", "first_quartile", "median", "third_quartile", "maximum")
    ]
    base = alt.Chart(data)
    whiskers = base.mark_rule(color="black").encode(size, alt.X2("maximum"), y=label, tooltip=tips)
    box = base.mark_bar(color="#c8d6e5", stroke="black", height=14).encode(
        alt.X("first_quartile:Q", scale=scale),
        alt.X2("third_quartile"),
        y=label,
        tooltip=tips,
    )
    median = base.mark_tick(color="black", thickness=3, size=18).encode(
        alt.X("median:Q", scale=scale), y=label, tooltip=tips
    )
    ends = [
        base.mark_tick(color="black", size=8).encode(alt.X(f"{end}:Q", scale=scale), y=label)
        for end in ("minimum", "maximum")
    ]
    title = alt.TitleParams(
        "How many records share a combination",
        subtitle=[
            printable(name),
            "box: middle half of the sets, thick line: median, whiskers: smallest and largest",
        ],
        anchor="start",
    )
    return alt.layer(whiskers, *ends, box, median).properties(width=_WIDTH, title=title)


def _bars(histogram: Mapping[int, int], name: str) -> alt.Chart:
    bands = size_bands(histogram)
    chart: alt.Chart = (
        alt.Chart(_data(bands))
        .mark_bar(color="#57606f")
        .encode(
            x=alt.X(
                "size:N",
                sort=[str(band["size"]) for band in bands],
                title="records in a set",
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y("sets:Q", title="number of sets"),
            tooltip=[
                alt.Tooltip("size:N", title="set size"),
                alt.Tooltip("sets:Q", title="sets", format=","),
                alt.Tooltip("records:Q", title="records in them", format=","),
            ],
        )
        .properties(
            width=_WIDTH,
            height=180,
            title=alt.TitleParams(
                "How many sets there are of each size", subtitle=printable(name), anchor="start"
            ),
        )
    )
    return chart


def _data(values: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=values)


def size_bands(histogram: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return the histogram in bands that widen with size: 1, 2, 3–4, 5–9, 10–19 and so on."""
    bands = []
    for low, above in zip(_BAND_EDGES, (*_BAND_EDGES[1:], None), strict=True):
        inside = {s: n for s, n in histogram.items() if s >= low and (above is None or s < above)}
        if inside:
            bands.append(
                {
                    "size": _band_name(low, above),
                    "sets": sum(inside.values()),
                    "records": sum(size * sets for size, sets in inside.items()),
                }
            )
    return bands


def _band_name(low: int, above: int | None) -> str:
    if above is None:
        return f"{low:,}+"
    return f"{low:,}" if above == low + 1 else f"{low:,}–{above - 1:,}"


def _drawn(row: Mapping[str, Any]) -> dict[str, Any]:
    first, median, third = row["quartiles"]
    return {
        "label": printable(row["label"]),
        "minimum": row["minimum"],
        "first_quartile": first,
        "median": median,
        "third_quartile": third,
        "maximum": row["maximum"],
    }
