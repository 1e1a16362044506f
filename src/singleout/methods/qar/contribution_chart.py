"""Pictures of what records contribute to the risk, as in Béra et al. (2023), Figures 3 and 4."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.text import printable
from singleout.core.wording import figure
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["boxes", "pictures"]

_HEIGHT = 320
_POINTS = 2500  # more of them hide each other, and make a large file
_SEED = 20230718
_ROOM_FOR_LABELS = 60  # so that the panels stand exactly below each other
_TOP_BY_UNIQUENESS = 250  # the records in the boxplot of the paper's Fig. 4


@drawn_offline
def pictures(
    record: I64, contribution: F64, uniqueness: F64, cluster: Flags, cluster_in_words: str
) -> alt.VConcatChart:
    """Return contribution against U+ by cluster, and boxes for the top by U+ and for all.

    ``uniqueness`` is U+, and ``cluster_in_words`` says what puts a record into the cluster.
    """
    both = alt.vconcat(
        _scatter(record, contribution, uniqueness, cluster, cluster_in_words),
        boxes(contribution, uniqueness),
        spacing=30,
    )
    # a legend of its own, below the panel that it explains
    chart: alt.VConcatChart = both.resolve_scale(color="independent", shape="independent")
    return chart


def _sample(records: int) -> I64:
    """Return which records to draw: all, or a sample that is the same each time."""
    if records <= _POINTS:
        return np.arange(records)
    return np.sort(np.random.default_rng(_SEED).choice(records, _POINTS, replace=False))


def _scatter(
    record: I64, contribution: F64, uniqueness: F64, cluster: Flags, cluster_in_words: str
) -> alt.Chart:
    sample = _sample(len(record))
    inside, outside = printable(cluster_in_words), say("contributions.chart.others")
    points = [
        {"record": number, "contribution": dt, "uniqueness": u, "cluster": (outside, inside)[into]}
        for number, dt, u, into in zip(
            record[sample].tolist(),
            contribution[sample].tolist(),
            uniqueness[sample].tolist(),
            cluster[sample].tolist(),
            strict=True,
        )
    ]
    key = "below" if len(sample) == len(record) else "below_sample"
    below = say(
        f"contributions.chart.{key}", records=figure(len(record)), drawn=figure(len(sample))
    )
    scale: dict[str, Any] = {"domain": [outside, inside]}
    legend = alt.Legend(title=None, orient="bottom", labelLimit=charts.WIDTH, columns=1)
    chart: alt.Chart = (
        alt.Chart(charts.data(points))
        .mark_point(size=24, opacity=0.7, strokeWidth=1)
        .encode(
            x=alt.X("uniqueness:Q", title=say("contributions.chart.uniqueness")),
            y=alt.Y(
                "contribution:Q",
                title=say("contributions.chart.contribution"),
                axis=alt.Axis(minExtent=_ROOM_FOR_LABELS, format="~g"),
            ),
            color=alt.Color(
                "cluster:N", scale=alt.Scale(**scale, range=[charts.LINE, "#d35400"]), legend=legend
            ),
            # another shape too, so that it reads in black and white
            shape=alt.Shape(
                "cluster:N", scale=alt.Scale(**scale, range=["circle", "cross"]), legend=legend
            ),
            tooltip=[
                charts.tip("record:Q", "chart.record", ","),
                charts.tip("contribution:Q", "contributions.chart.contribution", ".4g"),
                charts.tip("uniqueness:Q", "contributions.chart.u_plus", ".4f"),
                charts.tip("cluster:N", "contributions.chart.cluster"),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_HEIGHT,
            title=charts.title(say("contributions.chart.title"), below),
        )
    )
    return chart


@drawn_offline
def boxes(contribution: F64, uniqueness: F64) -> alt.LayerChart | alt.FacetChart:
    """Return a box of the contributions of the records with the largest U+, and one of all."""
    top = np.argsort(-uniqueness, kind="stable")[:_TOP_BY_UNIQUENESS]
    most_unique = say("contributions.chart.most_unique", records=figure(len(top)))
    every = say("contributions.chart.every_record", records=figure(len(contribution)))
    return charts.boxes(
        [_five_numbers(most_unique, contribution[top]), _five_numbers(every, contribution)],
        charts.title(say("contributions.chart.boxes"), say("contributions.chart.boxes_below")),
        across=say("contributions.chart.contribution"),
        axis=alt.Axis(format="~g", tickCount=6),
        number_format=".4g",
    )


def _five_numbers(label: str, values: F64) -> dict[str, Any]:
    names = ("minimum", "first_quartile", "median", "third_quartile", "maximum")
    numbers = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {"label": label, **dict(zip(names, numbers, strict=True))}
