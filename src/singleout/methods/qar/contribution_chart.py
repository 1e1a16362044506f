"""Pictures of what records contribute to the risk: Béra et al. (2023), Fig. 2 to 4, 6 and 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.text import printable
from singleout.core.wording import figure
from singleout.methods.qar import weighted
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.qar.contribution_result import RecordContributions
    from singleout.methods.qar.pls import PartialLeastSquares

__all__ = ["boxes", "pictures"]

_HEIGHT = 320
_POINTS = 2500  # more of them hide each other, and make a large file
_SEED = 20230718
_ROOM_FOR_LABELS = 60  # so that the panels stand exactly below each other
_TOP_BY_UNIQUENESS = 250  # the records in the boxplot of the paper's Fig. 4
_ROC_POINTS = 400  # of a curve; more cannot be told apart
_DOTS: dict[str, Any] = {"size": 24, "opacity": 0.7, "strokeWidth": 1, "color": charts.LINE}
_RULE: dict[str, Any] = {"color": "black", "strokeDash": [5, 3]}


@drawn_offline
def pictures(result: RecordContributions) -> alt.VConcatChart:
    """Return the pictures one below the other: those of the measures that the result has."""
    panels: list[Any] = [
        _by_uniqueness(result),
        boxes(result),
        _uniqueness(result),
    ]
    if result.entropy is not None:
        panels.append(_against(result, "entropy", result.entropy))
    if result.score is not None:
        panels.append(_against(result, "score", result.score))
    if result.pls is not None and result.pls.factors:
        panels.append(_roc(result.pls))
    # a legend of its own, below the panel that it explains
    chart: alt.VConcatChart = alt.vconcat(*panels, spacing=30).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    return chart


def _sample(records: int) -> I64:
    """Return which records to draw: all, or a sample that is the same each time."""
    if records <= _POINTS:
        return np.arange(records)
    return np.sort(np.random.default_rng(_SEED).choice(records, _POINTS, replace=False))


def _points(record: I64, **measures: NDArray[Any]) -> tuple[alt.InlineData, str]:
    """Return the points to draw, one for each record or of a sample, and how many they are."""
    sample = _sample(len(record))
    arrays = {"record": record, **measures}
    values = zip(*(array[sample].tolist() for array in arrays.values()), strict=True)
    points = [dict(zip(arrays, row, strict=True)) for row in values]
    key = "all" if len(sample) == len(record) else "sample"
    how_many = say(f"contributions.chart.{key}", records=len(record), drawn=len(sample))
    return charts.data(points), how_many


def _by_uniqueness(result: RecordContributions) -> alt.Chart:
    """Return contribution against U+ by cluster: the paper's Fig. 3."""
    inside, outside = printable(result.cluster_in_words), say("contributions.chart.others")
    points, how_many = _points(
        result.record,
        contribution=result.contribution,
        uniqueness=result.uniqueness_plus,
        cluster=np.where(result.cluster, inside, outside),
    )
    scale: dict[str, Any] = {"domain": [outside, inside]}
    legend = alt.Legend(title=None, orient="bottom", labelLimit=charts.WIDTH, columns=1)
    chart: alt.Chart = (
        alt.Chart(points)
        .mark_point(size=24, opacity=0.7, strokeWidth=1)
        .encode(
            x=alt.X("uniqueness:Q", title=say("contributions.chart.uniqueness")),
            y=_up("contribution", "~g"),
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
        .properties(**_panel("title", say("contributions.chart.below", drawn=how_many)))
    )
    return chart


def _uniqueness(result: RecordContributions) -> alt.LayerChart | alt.FacetChart:
    """Return U* against U+ with a line at the mean of each: the paper's Fig. 2."""
    points, how_many = _points(
        result.record, plus=result.uniqueness_plus, star=result.uniqueness_star
    )
    across = alt.X("plus:Q", title=say("contributions.chart.uniqueness"))
    up = _up("star")
    measures = {"plus": result.uniqueness_plus, "star": result.uniqueness_star}
    means = {name: weighted.mean(values, result.people) for name, values in measures.items()}
    mean = alt.Chart(charts.data([means]))
    tips = [
        charts.tip("record:Q", "chart.record", ","),
        charts.tip("plus:Q", "contributions.chart.u_plus", ".4f"),
        charts.tip("star:Q", "contributions.chart.u_star", ".4f"),
    ]
    below = say("contributions.chart.means_below", drawn=how_many)
    return alt.layer(
        alt.Chart(points).mark_point(**_DOTS).encode(x=across, y=up, tooltip=tips),
        mean.mark_rule(**_RULE).encode(alt.X("plus:Q")),
        mean.mark_rule(**_RULE).encode(alt.Y("star:Q")),
    ).properties(**_panel("uniqueness_title", below))


def _against(result: RecordContributions, name: str, measure: F64) -> alt.Chart:
    """Return contribution against another measure: for entropy the paper's Fig. 6."""
    points, how_many = _points(result.record, contribution=result.contribution, measure=measure)
    words = say(f"contributions.chart.{name}")
    chart: alt.Chart = (
        alt.Chart(points)
        .mark_point(**_DOTS)
        .encode(
            x=alt.X("measure:Q", title=words, scale=alt.Scale(zero=False)),
            y=_up("contribution", "~g"),
            tooltip=[
                charts.tip("record:Q", "chart.record", ","),
                charts.tip("contribution:Q", "contributions.chart.contribution", ".4g"),
                charts.tip("measure:Q", f"contributions.chart.{name}", ".4f"),
            ],
        )
        .properties(**_panel(f"{name}_title", say("contributions.chart.below", drawn=how_many)))
    )
    return chart


def _roc(model: PartialLeastSquares) -> alt.LayerChart | alt.FacetChart:
    """Return the ROC curves on the records that trained the model and on the others: Fig. 8."""
    rows, names = [], []
    for key, train in (("trained", True), ("tested", False)):
        curve = model.roc(train=train)
        if curve is None:
            continue
        area = model.auc_train if train else model.auc_test
        names.append(say(f"contributions.chart.{key}", area=f"{area:.4f}"))
        false, true = curve
        kept = np.unique(np.linspace(0, len(false) - 1, _ROC_POINTS).round()).astype(np.int64)
        rows += [
            {"false": f, "true": t, "records": names[-1]}
            for f, t in zip(false[kept].tolist(), true[kept].tolist(), strict=True)
        ]
    legend = alt.Legend(title=None, orient="bottom", labelLimit=charts.WIDTH, columns=1)
    domain: dict[str, Any] = {"domain": names}
    axis = alt.Axis(format="%", minExtent=_ROOM_FOR_LABELS)
    percents: dict[str, Any] = {"axis": axis, "scale": alt.Scale(domain=[0, 1])}
    across = alt.X(
        "false:Q",
        title=say("contributions.chart.false"),
        **percents | {"axis": alt.Axis(format="%")},
    )
    up = alt.Y("true:Q", title=say("contributions.chart.true"), **percents)
    lines = (
        alt.Chart(charts.data(rows))
        .mark_line(interpolate="linear")
        .encode(
            x=across,
            y=up,
            order=alt.Order("false:Q"),
            color=alt.Color(
                "records:N", scale=alt.Scale(**domain, range=["#1f4e79", "#d35400"]), legend=legend
            ),
            strokeDash=alt.StrokeDash(
                "records:N", scale=alt.Scale(**domain, range=[[1, 0], [5, 3]]), legend=legend
            ),
        )
    )
    ends = [{"false": 0, "true": 0}, {"false": 1, "true": 1}]
    chance = alt.Chart(charts.data(ends)).mark_line(color="#999", strokeWidth=1)
    words = {"terms": model.terms, "factors": model.factors}
    return alt.layer(chance.encode(x=across, y=up), lines).properties(
        **_panel("roc_title", say("contributions.chart.roc_below", **words))
    )


def _up(field: str, number_format: str = "") -> alt.Y:
    axis: dict[str, Any] = {"format": number_format} if number_format else {}
    return alt.Y(
        f"{field}:Q",
        title=say(f"contributions.chart.{field}"),
        axis=alt.Axis(minExtent=_ROOM_FOR_LABELS, **axis),
    )


def _panel(key: str, below: str) -> dict[str, Any]:
    """Return the size of a panel, and its title with a line below it."""
    heading = charts.title(say(f"contributions.chart.{key}"), below)
    return {"width": charts.WIDTH, "height": _HEIGHT, "title": heading}


@drawn_offline
def boxes(result: RecordContributions) -> alt.LayerChart | alt.FacetChart:
    """Return a box of the contributions of the records with the largest U+, and one of all."""
    contribution, people = result.contribution, result.people
    top, some = weighted.largest(result.uniqueness_plus, people, _TOP_BY_UNIQUENESS)
    many = len(top) if some is None else int(some.sum())
    most_unique = say("contributions.chart.most_unique", records=figure(many))
    every = say("contributions.chart.every_record", records=figure(result.records))
    return charts.boxes(
        [
            _five_numbers(most_unique, contribution[top], some),
            _five_numbers(every, contribution, people),
        ],
        charts.title(say("contributions.chart.boxes"), say("contributions.chart.boxes_below")),
        across=say("contributions.chart.contribution"),
        axis=alt.Axis(format="~g", tickCount=6),
        number_format=".4g",
    )


def _five_numbers(label: str, values: F64, people: I64 | None) -> dict[str, Any]:
    names = ("minimum", "first_quartile", "median", "third_quartile", "maximum")
    numbers = weighted.quantiles(values, people, [0, 0.25, 0.5, 0.75, 1])
    return {"label": label, **dict(zip(names, numbers, strict=True))}
