"""Pictures of places: a measure against the distance, and as curves over the number of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from singleout.core.text import printable
from singleout.predict.comparing.fits import DistanceFit
from singleout.predict.comparing.measures import Measure, Prediction
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say
from singleout.report.words import shortened

if TYPE_CHECKING:
    from singleout.predict.comparing.result import Predictions

__all__ = ["against_distance", "against_people"]

_WIDTH, _HEIGHT = 420, 260
_CURVE_WIDTH, _CURVE_HEIGHT = 520, 320
_POINTS = 60  # of the line of an approximation
_NAMED = 10  # curves with a name each: more cannot be told apart
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3])
_SHADES = ("#1f4e79", "#b03a2e", "#1e8449", "#7d3c98", "#b9770e")
_SHARES = (Measure.NONE_UNIQUE, Measure.PHI1, Measure.PHI2, Measure.PHI3)


@drawn_offline
def against_distance(found: Predictions, measure: Measure) -> alt.ConcatChart:
    """Return a dot for each place against its distance; a panel for each number of people."""
    panels = [_scatter(found, measure, people) for people in found.people]
    below = [say("predict.places.chart.dots")]
    if measure is Measure.UNIQUE:
        below.append(say("predict.places.chart.bars"))
    title = charts.title(say(f"predict.places.chart.{_word(measure)}.title"), below)
    return alt.concat(*panels, columns=min(2, len(panels))).properties(title=title)


def _word(measure: Measure) -> str:
    return measure.replace("-", "_")


def _scatter(found: Predictions, measure: Measure, people: int) -> alt.LayerChart | alt.FacetChart:
    rows = [row for row in found.at(people) if row.kl is not None]
    across = alt.X(
        "kl:Q", title=say("predict.places.chart.distance"), scale=alt.Scale(zero=False, nice=True)
    )
    up = _upwards(measure, zero=False)
    base = alt.Chart(charts.data([_dot(row, measure) for row in rows]))
    tips = [
        charts.tip("place:N", "predict.places.chart.place"),
        charts.tip("population:Q", "predict.places.chart.population", ","),
        charts.tip("kl:Q", "predict.places.chart.kappa", ".4f"),
        alt.Tooltip("value:Q", title=_axis(measure), format=".4g"),
    ]
    dots = base.mark_point(
        color="black", filled=True, size=14 if len(rows) > 100 else 36, opacity=0.55
    ).encode(across, up, tooltip=tips)
    layers: list[Any] = [dots]
    if measure is Measure.UNIQUE:
        for end in ("low", "high"):  # bars of hundreds of places would be one grey block
            ends = base.mark_tick(color="#85929e", size=7, thickness=1.2, orient="horizontal")
            layers.insert(0, ends.encode(across, alt.Y(f"{end}:Q"), tooltip=tips))
    fit = found.fit(measure, people)
    layers += _lines(found, fit, [float(row.kl or 0) for row in rows])
    heading = alt.TitleParams(
        say("predict.places.chart.panel", people=people),
        subtitle=_explained(fit),
        anchor="start",
        fontSize=12,
    )
    chart: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(
        width=_WIDTH, height=_HEIGHT, title=heading
    )
    return chart


def _dot(row: Prediction, measure: Measure) -> dict[str, Any]:
    whole = row.to_dict()
    return {
        "place": shortened(printable(row.place)),
        "population": row.population,
        "kl": row.kl,
        "value": row.value(measure),
        "low": whole["low"],
        "high": whole["high"],
    }


def _upwards(measure: Measure, *, zero: bool, curve: bool = False) -> alt.Y:
    share = measure in _SHARES or (curve and measure is Measure.ALL_UNIQUE)
    return alt.Y(
        "value:Q",
        title=_axis(measure, curve=curve),
        scale=alt.Scale(zero=zero),
        axis=alt.Axis(format="%") if share else alt.Axis(),
    )


def _axis(measure: Measure, *, curve: bool = False) -> str:
    if curve and measure is Measure.ALL_UNIQUE:
        return say("predict.uniqueness.all_unique")
    return say(f"predict.places.chart.{_word(measure)}.axis")


def _point(row: Prediction, measure: Measure) -> dict[str, Any]:
    """Return a point of a curve: a chance itself, since its logarithm hides how fast it falls."""
    value = row.all_unique if measure is Measure.ALL_UNIQUE else row.value(measure)
    return {"people": row.people, "value": value, "place": shortened(printable(row.place))}


def _lines(found: Predictions, fit: DistanceFit, distances: Sequence[float]) -> list[Any]:
    """Return the line of least squares and that of the approximation."""
    low, high = min(distances), max(distances)
    across = np.linspace(low, high, _POINTS).tolist()
    ways = {
        "fit": [fit.at(x) for x in across],
        "approximation": [found.approximate(fit.measure, fit.people, x) for x in across],
    }
    rows = [
        {"kl": x, "value": y, "way": say(f"predict.places.chart.{way}")}
        for way, values in ways.items()
        for x, y in zip(across, values, strict=True)
        if y is not None
    ]
    if not rows:
        return []
    names = [say(f"predict.places.chart.{way}") for way in ways]
    line = (
        alt.Chart(charts.data(rows))
        .mark_line(strokeWidth=2)
        .encode(
            alt.X("kl:Q"),
            alt.Y("value:Q"),
            alt.Color(
                "way:N",
                scale=alt.Scale(domain=names, range=["#1f4e79", "#b03a2e"]),
                legend=alt.Legend(title=None, orient="bottom", symbolStrokeWidth=2),
            ),
            alt.StrokeDash("way:N", scale=alt.Scale(domain=names, range=[[1, 0], [6, 4]])),
        )
    )
    return [line]


def _explained(fit: DistanceFit) -> str:
    parts = []
    if fit.r2 is not None:
        parts.append(say("predict.places.chart.r2", r2=fit.r2))
    if fit.approximation_r2 is not None:
        parts.append(say("predict.places.chart.approximation_r2", r2=fit.approximation_r2))
    return "; ".join(parts)


@drawn_offline
def against_people(found: Predictions, measure: Measure) -> alt.LayerChart | alt.FacetChart:
    """Return a curve for each place over the number of people, and that of equal cells."""
    named = len(found.places) <= _NAMED
    uniform = say("predict.places.uniform")
    places = [shortened(printable(place)) for place in found.places]
    rows = [_point(row, measure) for row in found.rows]
    across = alt.X("people:Q", title=say("predict.places.chart.people"))
    up = _upwards(measure, zero=True, curve=True)
    tips = [
        charts.tip("place:N", "predict.places.chart.place"),
        charts.tip("people:Q", "predict.places.chart.people", ","),
        alt.Tooltip("value:Q", title=_axis(measure, curve=True), format=".4g"),
    ]
    layers: list[Any] = []
    equal = [_point(row, measure) for row in found.uniform]
    if named:
        kinds = [*places, *([uniform] if equal else [])]
        colour = alt.Color(
            "place:N",
            scale=alt.Scale(domain=kinds, range=_colours(kinds, uniform)),
            legend=alt.Legend(title=None, orient="bottom", columns=4, symbolType="stroke"),
        )
        dash = alt.StrokeDash(
            "place:N", scale=alt.Scale(domain=kinds, range=_dashes(kinds, uniform))
        )
        curve = alt.Chart(charts.data([*rows, *equal])).mark_line(strokeWidth=2)
        layers.append(curve.encode(across, up, colour, dash, tooltip=tips))
    else:
        thin = alt.Chart(charts.data(rows)).mark_line(
            strokeWidth=0.7, opacity=0.35, color=charts.LINE
        )
        layers.append(thin.encode(across, up, alt.Detail("place:N"), tooltip=tips))
        if equal:
            bold = alt.Chart(charts.data(equal)).mark_line(color="black", strokeDash=[6, 4])
            layers.append(bold.encode(across, up, tooltip=tips))
    below = say("predict.places.chart.curves" if named else "predict.places.chart.many_curves")
    heading = charts.title(say(f"predict.places.chart.{_word(measure)}.curve"), below)
    chart: alt.LayerChart | alt.FacetChart = alt.layer(*layers).properties(
        width=_CURVE_WIDTH, height=_CURVE_HEIGHT, title=heading
    )
    return chart


def _colours(kinds: Sequence[str], uniform: str) -> list[str]:
    return [
        "black" if kind == uniform else _SHADES[index % len(_SHADES)]
        for index, kind in enumerate(kinds)
    ]


def _dashes(kinds: Sequence[str], uniform: str) -> list[list[int]]:
    return [
        [1, 3] if kind == uniform else _DASHES[index % len(_DASHES)]
        for index, kind in enumerate(kinds)
    ]
