"""Pictures of the risk of a table: where it lies, and whether the fitted tail can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.report.offline import drawn_offline

__all__ = ["Drawn", "mean_excess", "pictures", "theta_bars"]

_WIDTH = 520
_HEIGHT = 190
_BARS = 60
_ROOM_FOR_LABELS = 36  # so that the panels stand exactly below each other
_DOTTED = [3, 4]
_DASHES = ([1, 0], [10, 4], [10, 3, 2, 3], [5, 2], [16, 4])
_POINTS = 400  # more of them cannot be told apart


@dataclass(frozen=True, eq=False)
class Drawn:
    """What the pictures show.

    Parameters
    ----------
    theta
        The risk of each combination of columns.
    size
        How many columns a combination has.
    threshold
        Where the tail begins.
    risks
        For each alpha the risk of the table.
    excesses, fitted
        The logits above the threshold, ascending, and where the fitted distribution has them.
    shape, scale
        Of the fitted distribution; None if there is none.
    """

    theta: F64
    size: int
    threshold: float
    risks: Mapping[float, float]
    excesses: F64
    fitted: F64
    shape: float | None
    scale: float | None


@drawn_offline
def pictures(drawn: Drawn) -> alt.VConcatChart:
    """Return the distribution of theta and, if there is a fit, its mean-excess and QQ plots."""
    panels: list[Any] = [_distribution(drawn)]
    if drawn.shape is not None and drawn.scale is not None:
        panels += [_mean_excess(drawn, drawn.shape, drawn.scale), _quantiles(drawn)]
    # independent, so that the legend stays with its panel
    together: alt.VConcatChart = alt.vconcat(*panels, spacing=30).resolve_legend(
        strokeDash="independent"
    )
    return together


# ---- the distribution of theta


def _distribution(drawn: Drawn) -> alt.LayerChart | alt.FacetChart:
    what = "columns" if drawn.size == 1 else f"combinations of {drawn.size} columns"
    shares = " and ".join(f"{100 * alpha:.6g}%" for alpha in drawn.risks)
    beyond = f"{shares} of {len(drawn.theta):,} {what} are expected beyond T"
    if drawn.shape is None:
        beyond = "nothing was fitted: see the warnings of the result"
    title = alt.TitleParams(
        f"How far {what} tell the records apart", subtitle=beyond, anchor="start"
    )
    return alt.layer(_histogram(drawn), _marks(drawn)).properties(
        width=_WIDTH, height=_HEIGHT, title=title
    )


def _histogram(drawn: Drawn) -> alt.Chart:
    bars = theta_bars(drawn.theta)
    height = alt.Y(
        "combinations:Q",
        title=f"{'columns' if drawn.size == 1 else 'combinations'} (square-root scale)",
        scale=alt.Scale(type="sqrt"),  # the tail is what matters, and it is low
        axis=alt.Axis(tickMinStep=1, minExtent=_ROOM_FOR_LABELS),
    )
    chart: alt.Chart = (
        alt.Chart(_data([{**bar, "ground": 0} for bar in bars]))
        .mark_rect(color="#c8d6e5", stroke="#57606f", strokeWidth=0.5)
        .encode(
            alt.X(
                "low:Q",
                title="θ = distinct values / records",
                scale=_from_to(bars, max(drawn.risks.values())),
            ),
            alt.X2("high"),
            height,
            alt.Y2("ground"),
            tooltip=[
                alt.Tooltip("low:Q", title="θ from", format=".4f"),
                alt.Tooltip("high:Q", title="to", format=".4f"),
                alt.Tooltip("combinations:Q", title="combinations", format=","),
            ],
        )
    )
    return chart


def _marks(drawn: Drawn) -> alt.Chart:
    lines = {f"threshold u = {drawn.threshold:.4f}": drawn.threshold}
    for alpha, risk in drawn.risks.items():
        at = f" at {100 * alpha:.6g}%" if len(drawn.risks) > 1 else ""
        lines[f"risk T{at} = {risk:.4f}"] = risk
    marks = [{"theta": theta, "line": name} for name, theta in lines.items()]
    dashes = [_DOTTED, *(_DASHES[place % len(_DASHES)] for place in range(len(drawn.risks)))]
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
        alt.Chart(_data(marks))
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


def _mean_excess(drawn: Drawn, shape: float, scale: float) -> alt.LayerChart | alt.FacetChart:
    points = mean_excess(drawn.excesses)
    # the fitted distribution ends at -scale / shape if the shape is negative
    ends = (0.0, min(float(drawn.excesses[-1]), -scale / shape if shape < 0 else np.inf))
    has_mean = shape < 1
    line = [{"above": v, "mean": (scale + shape * v) / (1 - shape)} for v in ends if has_mean]
    return _points_and_line(
        points,
        line,
        x="above",
        y="mean",
        x_title="v: logit of θ above that of u",
        y_title="mean excess over v",
        title="Mean excess: the points should follow the line",
        subtitle=f"line: the fitted distribution, shape {shape:.3f}, scale {scale:.3f}; the points "
        "at the right rest on few combinations",
    )


def mean_excess(excesses: F64) -> list[dict[str, float]]:
    """Return for each excess v but the largest the mean of what lies above it, less v."""
    m = len(excesses)
    sums = np.cumsum(excesses[::-1])[::-1]
    at = np.flatnonzero(np.diff(excesses) > 0)  # where something lies strictly above
    at = _thinned(at)
    means = sums[at + 1] / (m - 1 - at) - excesses[at]
    return [
        {"above": v, "mean": mean}
        for v, mean in zip(excesses[at].tolist(), means.tolist(), strict=True)
    ]


def _quantiles(drawn: Drawn) -> alt.LayerChart | alt.FacetChart:
    at = _thinned(np.arange(len(drawn.excesses)))
    points = [
        {"fitted": expected, "observed": seen}
        for expected, seen in zip(
            drawn.fitted[at].tolist(), drawn.excesses[at].tolist(), strict=True
        )
    ]
    end = float(max(drawn.fitted[-1], drawn.excesses[-1]))
    return _points_and_line(
        points,
        [{"fitted": 0.0, "observed": 0.0}, {"fitted": end, "observed": end}],
        x="fitted",
        y="observed",
        x_title="excess over u by the fitted distribution (in logits)",
        y_title="observed excess over u",
        title="QQ plot: the points should lie on the line",
        subtitle=f"the {len(drawn.excesses):,} combinations beyond u, by rank",
    )


def _thinned(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at most so many places as can be told apart, the first and the last among them."""
    if len(places) <= _POINTS:
        return places
    return places[np.linspace(0, len(places) - 1, _POINTS).round().astype(np.int64)]


def _points_and_line(
    points: Sequence[dict[str, float]],
    line: Sequence[dict[str, float]],
    *,
    x: str,
    y: str,
    x_title: str,
    y_title: str,
    title: str,
    subtitle: str,
) -> alt.LayerChart | alt.FacetChart:
    across = alt.X(f"{x}:Q", title=x_title)
    up = alt.Y(f"{y}:Q", title=y_title, axis=alt.Axis(minExtent=_ROOM_FOR_LABELS))
    tips = [alt.Tooltip(f"{name}:Q", format=".4f") for name in (x, y)]
    drawn = alt.layer(
        alt.Chart(_data(line)).mark_line(color="black", strokeWidth=1.5).encode(across, up),
        alt.Chart(_data(points))
        .mark_point(color="#2f3542", filled=False, size=28, opacity=1)
        .encode(across, up, tooltip=tips),
    )
    return drawn.properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=alt.TitleParams(title, subtitle=subtitle, anchor="start"),
    )


def _data(values: Sequence[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=list(values))
