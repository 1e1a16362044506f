"""Pictures of the risk of a table: where it lies, and whether the fitted tail can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.wording import count, figure, stated_percent
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["DrawnThetas", "mean_excess", "pictures", "risk_by_alpha", "theta_bars"]

_HEIGHT = 160
_BARS = 60
_ROOM_FOR_LABELS = 36  # so that the panels stand exactly below each other
_DOTTED = [3, 4]
_DASHES = ([1, 0], [10, 4], [10, 3, 2, 3], [5, 2], [16, 4])
_POINTS = 400  # more of them cannot be told apart


@dataclass(frozen=True, eq=False)
class DrawnThetas:
    """What the pictures show."""

    theta: F64  # the risk of each combination of columns
    size: int
    threshold: float
    risks: Mapping[float, float]  # for each alpha the risk of the table
    excesses: F64  # the logits above the threshold, ascending
    fitted: F64  # where the fitted distribution has them
    shape: float | None
    scale: float | None


@drawn_offline
def pictures(drawn: DrawnThetas, below: alt.Chart | None = None) -> alt.VConcatChart:
    """Return the distribution of theta and, if there is a fit, its mean-excess and QQ plots.

    ``below`` is one more picture.
    """
    panels: list[Any] = [_distribution(drawn)]
    if drawn.shape is not None and drawn.scale is not None:
        panels += [_mean_excess(drawn, drawn.shape, drawn.scale), _quantiles(drawn)]
    if below is not None:
        panels.append(below)
    # independent, so that the legend stays with its panel
    together: alt.VConcatChart = alt.vconcat(*panels, spacing=30).resolve_legend(
        strokeDash="independent"
    )
    return together


# ---- the distribution of theta


def _distribution(drawn: DrawnThetas) -> alt.LayerChart | alt.FacetChart:
    combinations = say("qar.combinations_of", n=drawn.size)
    below = say("qar.chart.nothing_fitted")
    if drawn.shape is not None:
        shares = say("qar.chart.and").join(stated_percent(alpha) for alpha in drawn.risks)
        number = count(len(drawn.theta))
        below = say("qar.chart.beyond", shares=shares, number=number, combinations=combinations)
    heading = charts.title(say("qar.chart.title", combinations=combinations), below)
    return alt.layer(_histogram(drawn), _marks(drawn)).properties(
        width=charts.WIDTH, height=_HEIGHT, title=heading
    )


def _histogram(drawn: DrawnThetas) -> alt.Chart:
    bars = theta_bars(drawn.theta)
    scale = _from_to(bars, max(drawn.risks.values()))
    return charts.histogram(
        bars,
        alt.X("low:Q", title=say("qar.chart.theta"), scale=scale),
        "combinations",
        up=say("qar.chart.number", n=drawn.size),
        axis=alt.Axis(tickMinStep=1, minExtent=_ROOM_FOR_LABELS),
        tips=[
            charts.tip("low:Q", "qar.chart.theta_from", ".4f"),
            charts.tip("high:Q", "chart.to", ".4f"),
            charts.tip("combinations:Q", "qar.chart.combinations", ","),
        ],
    )


def _marks(drawn: DrawnThetas) -> alt.Chart:
    lines = {say("qar.chart.threshold", threshold=figure(drawn.threshold, ".4f")): drawn.threshold}
    key = "qar.chart.risk_at" if len(drawn.risks) > 1 else "qar.chart.risk"
    for alpha, risk in drawn.risks.items():
        lines[say(key, alpha=stated_percent(alpha), risk=figure(risk, ".4f"))] = risk
    marks = [{"theta": theta, "line": name} for name, theta in lines.items()]
    dashes = [_DOTTED, *(_DASHES[line % len(_DASHES)] for line in range(len(drawn.risks)))]
    dash = alt.StrokeDash(
        "line:N",
        scale=alt.Scale(domain=list(lines), range=dashes),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            symbolStrokeColor="black",
            symbolSize=700,
            symbolStrokeWidth=2,
            labelLimit=300,
            labelFontSize=12,
        ),
    )
    chart: alt.Chart = (
        alt.Chart(charts.data(marks))
        .mark_rule(color="black", size=2)
        .encode(x="theta:Q", strokeDash=dash)
    )
    return chart


def _from_to(bars: Sequence[dict[str, Any]], risk: float) -> alt.Scale:
    """Return a scale that holds every bar and T, with a little room."""
    low, high = bars[0]["low"], max(bars[-1]["high"], risk)
    room = 0.02 * (high - low)
    return alt.Scale(domain=[max(0.0, low - room), high + room], nice=False)


def theta_bars(theta: F64) -> list[dict[str, Any]]:
    """Return the histogram of the thetas: bars of the same width, at most sixty, none empty."""
    least, most = float(theta.min()), float(theta.max())
    bars = min(_BARS, round(2 * len(theta) ** 0.5))
    if least == most:  # one bar around the only value
        least, most, bars = 0.99 * least, 1.01 * most, 1
    counts, edges = np.histogram(theta, bins=bars, range=(least, most))
    filled = np.flatnonzero(counts)
    return [
        {"low": float(edges[bar]), "high": float(edges[bar + 1]), "combinations": int(counts[bar])}
        for bar in filled
    ]


# ---- is the tail what the fit says?


def _mean_excess(drawn: DrawnThetas, shape: float, scale: float) -> alt.LayerChart | alt.FacetChart:
    # the fitted distribution ends at -scale / shape if the shape is negative
    ends = (0.0, min(float(drawn.excesses[-1]), -scale / shape if shape < 0 else np.inf))
    has_mean = shape < 1
    line = [{"above": v, "mean": (scale + shape * v) / (1 - shape)} for v in ends if has_mean]
    below = say(
        "qar.chart.mean_excess_below", shape=figure(shape, ".3f"), scale=figure(scale, ".3f")
    )
    return _points_and_line(
        mean_excess(drawn.excesses),
        line,
        alt.X("above:Q", title=say("qar.chart.above")),
        alt.Y("mean:Q", title=say("qar.chart.mean"), axis=alt.Axis(minExtent=_ROOM_FOR_LABELS)),
        charts.title(say("qar.chart.mean_excess"), below),
    )


def mean_excess(excesses: F64) -> list[dict[str, float]]:
    """Return for each excess v but the largest the mean of what lies above it, less v."""
    m = len(excesses)
    sums = np.cumsum(excesses[::-1])[::-1]
    at = _thinned(np.flatnonzero(np.diff(excesses) > 0))  # where something lies strictly above
    means = sums[at + 1] / (m - 1 - at) - excesses[at]
    return [
        {"above": v, "mean": mean}
        for v, mean in zip(excesses[at].tolist(), means.tolist(), strict=True)
    ]


def _quantiles(drawn: DrawnThetas) -> alt.LayerChart | alt.FacetChart:
    at = _thinned(np.arange(len(drawn.excesses)))
    pairs = zip(drawn.fitted[at].tolist(), drawn.excesses[at].tolist(), strict=True)
    end = float(max(drawn.fitted[-1], drawn.excesses[-1]))
    axis = alt.Axis(minExtent=_ROOM_FOR_LABELS)
    return _points_and_line(
        [{"fitted": expected, "observed": seen} for expected, seen in pairs],
        [{"fitted": 0.0, "observed": 0.0}, {"fitted": end, "observed": end}],
        alt.X("fitted:Q", title=say("qar.chart.fitted")),
        alt.Y("observed:Q", title=say("qar.chart.observed"), axis=axis),
        charts.title(say("qar.chart.qq"), say("qar.chart.qq_below", n=len(drawn.excesses))),
    )


# ---- what would be at stake


@drawn_offline
def risk_by_alpha(curve: Sequence[tuple[float, float, float]], records: int) -> alt.Chart:
    """Return the records at stake for each alpha: by T, and by the quantile without a fit."""
    lines = (say("qar.chart.by_fit"), say("qar.chart.by_count"))
    rows = [
        {"alpha": alpha, "records": share * records, "line": line}
        for alpha, *shares in curve
        for line, share in zip(lines, shares, strict=True)
    ]
    dash = alt.StrokeDash(
        "line:N",
        scale=alt.Scale(domain=list(lines), range=[_DASHES[0], _DOTTED]),
        legend=alt.Legend(title=None, orient="bottom", symbolStrokeColor="black", labelLimit=300),
    )
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_line(color="black")
        .encode(
            alt.X(
                "alpha:Q",
                title=say("qar.chart.alpha"),
                scale=alt.Scale(type="log", reverse=True, nice=False),
                axis=alt.Axis(format="%"),
            ),
            alt.Y("records:Q", title=say("qar.chart.at_stake"), scale=alt.Scale(zero=True)),
            dash,
            tooltip=[
                charts.tip("alpha:Q", "qar.chart.alpha", ".2%"),
                charts.tip("records:Q", "qar.chart.at_stake", ",.0f"),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_HEIGHT,
            title=charts.title(say("qar.chart.stake_title"), say("qar.chart.stake_below")),
        )
    )
    return chart


def _thinned(indexes: I64) -> I64:
    """Return at most as many indexes as can be told apart, the first and the last among them."""
    if len(indexes) <= _POINTS:
        return indexes
    return indexes[np.linspace(0, len(indexes) - 1, _POINTS).round().astype(np.int64)]


def _points_and_line(
    points: Sequence[dict[str, float]],
    line: Sequence[dict[str, float]],
    across: alt.X,
    up: alt.Y,
    heading: alt.TitleParams,
) -> alt.LayerChart | alt.FacetChart:
    tips = [
        alt.Tooltip(axis["shorthand"], title=axis["title"], format=".4f") for axis in (across, up)
    ]
    return alt.layer(
        alt.Chart(charts.data(line)).mark_line(color="black", strokeWidth=1.5).encode(across, up),
        alt.Chart(charts.data(points))
        .mark_point(color="#2f3542", filled=False, size=28, opacity=1)
        .encode(across, up, tooltip=tips),
    ).properties(width=charts.WIDTH, height=_HEIGHT, title=heading)
