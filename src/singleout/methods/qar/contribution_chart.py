"""Pictures of what records contribute to the risk, as in Béra et al. (2023), Figures 3 and 4."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.text import printable
from singleout.report.offline import drawn_offline

__all__ = ["boxes", "pictures", "shown_records"]

_WIDTH = 520
_HEIGHT = 320
_POINTS = 2500  # more of them hide each other, and make a large file
_SEED = 20230718
_ROOM_FOR_LABELS = 60  # so that the panels stand exactly below each other


@drawn_offline
def pictures(
    record: I64,
    contribution: F64,
    uniqueness: F64,
    cluster: NDArray[np.bool_],
    top: I64,
    cluster_in_words: str,
) -> alt.VConcatChart:
    """Return contribution against U+ by cluster, and boxes for the top by U+ and for all.

    Parameters
    ----------
    record, contribution, uniqueness, cluster
        The number, the contribution, U+ and the cluster of each record.
    top
        The places of the records with the largest U+.
    cluster_in_words
        What puts a record into the cluster.
    """
    both = alt.vconcat(
        _scatter(record, contribution, uniqueness, cluster, cluster_in_words),
        boxes(
            {
                f"{len(top):,} with the largest U+": contribution[top],
                f"all {len(contribution):,} records": contribution,
            }
        ),
        spacing=30,
    )
    # a legend of its own, below the panel that it explains
    chart: alt.VConcatChart = both.resolve_scale(color="independent", shape="independent")
    return chart


def shown_records(records: int) -> I64:
    """Return which records to draw: all, or a sample that is the same each time."""
    if records <= _POINTS:
        return np.arange(records)
    drawn = np.random.default_rng(_SEED).choice(records, _POINTS, replace=False)
    return np.sort(drawn)


def _scatter(
    record: I64,
    contribution: F64,
    uniqueness: F64,
    cluster: NDArray[np.bool_],
    cluster_in_words: str,
) -> alt.Chart:
    places = shown_records(len(record))
    inside, outside = printable(cluster_in_words), "all others"
    points = [
        {"record": number, "contribution": dt, "uniqueness": u, "cluster": (outside, inside)[into]}
        for number, dt, u, into in zip(
            record[places].tolist(),
            contribution[places].tolist(),
            uniqueness[places].tolist(),
            cluster[places].tolist(),
            strict=True,
        )
    ]
    shown = f"{len(record):,} records"
    if len(places) < len(record):
        shown = f"a sample of {len(places):,} of {len(record):,} records"
    scale: dict[str, Any] = {"domain": [outside, inside]}
    legend = alt.Legend(title=None, orient="bottom", labelLimit=_WIDTH, columns=1)
    chart: alt.Chart = (
        alt.Chart(_data(points))
        .mark_point(size=24, opacity=0.7, strokeWidth=1)
        .encode(
            x=alt.X("uniqueness:Q", title="U+: sum of θ where the record is unique"),
            y=alt.Y(
                "contribution:Q",
                title="contribution to the risk",
                axis=alt.Axis(minExtent=_ROOM_FOR_LABELS, format="~g"),
            ),
            color=alt.Color(
                "cluster:N", scale=alt.Scale(**scale, range=["#57606f", "#d35400"]), legend=legend
            ),
            # another shape too, so that it reads in black and white
            shape=alt.Shape(
                "cluster:N", scale=alt.Scale(**scale, range=["circle", "cross"]), legend=legend
            ),
            tooltip=[
                alt.Tooltip("record:Q", format=","),
                alt.Tooltip("contribution:Q", format=".4g"),
                alt.Tooltip("uniqueness:Q", title="U+", format=".4f"),
                alt.Tooltip("cluster:N"),
            ],
        )
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.TitleParams(
                "What each record contributes to the risk, by its uniqueness",
                subtitle=f"{shown}; above 0: removing the record lowers the risk",
                anchor="start",
            ),
        )
    )
    return chart


@drawn_offline
def boxes(parts: dict[str, F64]) -> alt.LayerChart | alt.FacetChart:
    """Return one box for each part: whiskers from minimum to maximum, quartiles, median."""
    rows = [{"part": name, **_five_numbers(values)} for name, values in parts.items()]
    base = alt.Chart(_data(rows))
    part = alt.Y("part:N", sort=list(parts), title=None, axis=alt.Axis(labelLimit=200, minExtent=0))
    tips = [
        alt.Tooltip(f"{name}:Q", title=name.replace("_", " "), format=".4g")
        for name in ("minimum", "first_quartile", "median", "third_quartile", "maximum")
    ]
    title = "contribution to the risk"
    axis = alt.Axis(format="~g", tickCount=6)
    whiskers = base.mark_rule(color="black").encode(
        alt.X("minimum:Q", title=title, axis=axis), alt.X2("maximum"), y=part, tooltip=tips
    )
    box = base.mark_bar(color="#c8d6e5", stroke="black", height=18).encode(
        alt.X("first_quartile:Q"), alt.X2("third_quartile"), y=part, tooltip=tips
    )
    median = base.mark_tick(color="black", thickness=3, size=22).encode(
        alt.X("median:Q"), y=part, tooltip=tips
    )
    ends = [
        base.mark_tick(color="black", size=8).encode(alt.X(f"{end}:Q"), y=part)
        for end in ("minimum", "maximum")
    ]
    return alt.layer(whiskers, *ends, box, median).properties(
        width=_WIDTH,
        title=alt.TitleParams(
            "Contributions of the records that are unique most often",
            subtitle="box: middle half of the records, thick line: median, whiskers: smallest and "
            "largest",
            anchor="start",
        ),
    )


def _five_numbers(values: F64) -> dict[str, float]:
    names = ("minimum", "first_quartile", "median", "third_quartile", "maximum")
    found = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return dict(zip(names, found, strict=True))


def _data(values: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=values)
