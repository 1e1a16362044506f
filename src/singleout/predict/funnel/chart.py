"""Charts of a questionnaire: people left after each answer, and what each coding costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.core.wording import percent
from singleout.predict.funnel.funnel import Funnel, people_left
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

__all__ = ["PlanPoint", "falling", "left_after", "unique_after", "unique_by_coding"]

_WIDTH = 480
_ROW = 30
_HEIGHT = 280
_PLAN_WIDTH = _WIDTH + 60
_GAP = 8  # pixels between a point and its label
_LETTER = 6  # pixels, on average
_LONGEST = 260  # pixels of a label; what is longer ends in three dots
_DARK = "#2f3542"
_FILL = "#c8d6e5"
_DASHED = [5, 4]
_LEAST_SHOWN = 0.1  # people: a logarithmic axis cannot show 0


@dataclass(frozen=True)
class PlanPoint:
    """A point on the way to a plan."""

    detail: float  # bits that are kept
    unique: float  # share of people who are unique
    step: str  # what was changed, in words


@drawn_offline
def left_after(result: Funnel) -> alt.LayerChart | alt.FacetChart:
    """Return how many people are left after each answer, with the bounds."""
    everybody = float(result.population)
    rows: list[tuple[str, float | None, float, float]] = [
        (say("predict.funnel.chart.everybody"), everybody, everybody, everybody)
    ]
    rows += [
        (f"{number}. {step.question}: {step.answer}", step.size, step.lower, step.upper)
        for number, step in enumerate(result.steps, start=1)
    ]
    values: list[dict[str, Any]] = [
        {
            "after": printable(after),
            "size": None if size is None else max(size, _LEAST_SHOWN),
            "people": size,
            "lower": max(lower, _LEAST_SHOWN),
            "upper": max(upper, _LEAST_SHOWN),
            "text": "" if size is None else people_left(size),
        }
        for after, size, lower, upper in rows
    ]
    data = charts.data(values)
    down = _down(values, "after")
    scale = alt.Scale(type="log", domain=[_LEAST_SHOWN, 8 * result.population], nice=False)
    along = alt.X(
        "size:Q",
        title=say("predict.funnel.chart.people"),
        scale=scale,
        # SI prefixes read well above one only: 100m would be a tenth of a person
        axis=alt.Axis(
            labelExpr="datum.value < 1 ? datum.value : format(datum.value, '~s')", tickCount=8
        ),
    )
    tips = [
        alt.Tooltip("after:N", title=say("predict.funnel.chart.after")),
        alt.Tooltip("people:Q", title=say("predict.funnel.chart.tip_people"), format=",.1f"),
        alt.Tooltip("lower:Q", title=say("predict.funnel.chart.lower"), format=",.1f"),
        alt.Tooltip("upper:Q", title=say("predict.funnel.chart.upper"), format=",.1f"),
    ]
    between = (
        alt.Chart(data)
        .mark_bar(color=_FILL, height=14)
        .encode(alt.X("lower:Q", scale=scale), alt.X2("upper"), down, tooltip=tips)
    )
    known = alt.Chart(data).transform_filter("datum.size != null")
    points = known.mark_point(filled=True, color=_DARK, size=60, opacity=1)
    labels = known.mark_text(align="left", dx=8, color=_DARK).encode(along, down, text="text:N")
    alone = (
        alt.Chart(charts.data([{"one": 1}]))
        .mark_rule(color="black", strokeDash=_DASHED)
        .encode(alt.X("one:Q", scale=scale))
    )
    return alt.layer(between, alone, points.encode(along, down, tooltip=tips), labels).properties(
        width=_WIDTH,
        height=_ROW * len(values),
        title=_title(say("predict.funnel.chart.title"), say("predict.funnel.chart.subtitle")),
    )


@drawn_offline
def unique_after(people: int, rows: Sequence[tuple[str, float]]) -> alt.LayerChart | alt.FacetChart:
    """Return the share of people who are unique with each question and all before it."""
    values: list[dict[str, Any]] = [
        {"question": f"{number}. {printable(name)}", "unique": unique, "text": percent(unique)}
        for number, (name, unique) in enumerate(rows, start=1)
    ]
    return _bars(values, _down(values, "question")).properties(
        width=_WIDTH,
        height=_ROW * len(values),
        title=_title(
            say("predict.funnel.questions_chart.title"),
            say("predict.funnel.questions_chart.subtitle", people=people),
        ),
    )


@drawn_offline
def unique_by_coding(people: int, rows: Sequence[tuple[str, str, float, bool]]) -> alt.FacetChart:
    """Return the share of people who are unique with all questions, by how one of them is asked.

    Rows are a question, its coding, the share of unique people, and whether it is asked so.
    """
    values = [
        {
            "question": printable(question),
            "coding": (
                say("predict.funnel.codings_chart.asked", coding=printable(coding))
                if asked
                else printable(coding)
            ),
            "index": index,
            "unique": unique,
            "text": percent(unique),
        }
        for index, (question, coding, unique, asked) in enumerate(rows)
    ]
    down = alt.Y(
        "coding:N",
        sort=alt.EncodingSortField("index", order="ascending"),
        title=None,
        axis=alt.Axis(labelLimit=220),
    )
    questions = list(dict.fromkeys(printable(row[0]) for row in rows))
    head = alt.Header(labelAngle=0, labelAlign="left", labelLimit=160, title=None)
    bars = _bars(values, down).properties(width=_WIDTH - 80, height=alt.Step(22))
    chart: alt.FacetChart = (
        bars.facet(row=alt.Row("question:N", sort=questions, header=head))
        .resolve_scale(y="independent")
        .properties(
            title=_title(
                say("predict.funnel.codings_chart.title"),
                say("predict.funnel.codings_chart.subtitle", people=people),
            )
        )
    )
    return chart


@drawn_offline
def falling(
    points: Sequence[PlanPoint], limit: float | None, people: int
) -> alt.LayerChart | alt.FacetChart:
    """Return how the share of unique people falls with detail, and the limit of the policy.

    Points go from the most detailed questionnaire to the plan.
    """
    values = [
        {"detail": p.detail, "unique": p.unique, "step": f"{number}. {printable(p.step)}"}
        for number, p in enumerate(points)
    ]
    data = charts.data(values)
    along = alt.X(
        "detail:Q",
        title=say("predict.funnel.plan_chart.detail"),
        scale=alt.Scale(reverse=True, zero=False, nice=False, domain=_domain(values)),
        axis=alt.Axis(tickCount=8),
    )
    up = alt.Y(
        "unique:Q",
        title=say("predict.funnel.questions_chart.unique"),
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1] if points[0].unique > 0.5 else alt.Undefined),
    )
    tips = [
        alt.Tooltip("step:N", title=say("predict.funnel.plan_chart.step")),
        alt.Tooltip("detail:Q", title=say("predict.funnel.plan_chart.tip_detail"), format=".2f"),
        alt.Tooltip(
            "unique:Q", title=say("predict.funnel.questions_chart.tip_unique"), format=".2%"
        ),
    ]
    base = alt.Chart(data)
    layers: list[Any] = [
        base.mark_line(color=_DARK, strokeWidth=1.5).encode(along, up),
        base.mark_point(filled=True, color=_DARK, size=60, opacity=1).encode(
            along, up, tooltip=tips
        ),
        base.mark_text(align="left", dx=_GAP, dy=-8, color=_DARK, limit=_LONGEST).encode(
            along, up, text="step:N"
        ),
    ]
    if limit is not None:
        rule = alt.Chart(charts.data([{"unique": limit}]))
        layers.append(rule.mark_rule(color="black", strokeDash=_DASHED).encode(up))
    subtitle = "subtitle" if limit is None else "subtitle_with_limit"
    return alt.layer(*layers).properties(
        width=_PLAN_WIDTH,
        height=_HEIGHT,
        title=_title(
            say("predict.funnel.plan_chart.title"),
            say(f"predict.funnel.plan_chart.{subtitle}", people=people),
        ),
    )


def _domain(values: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of the axis of detail such that every label ends inside of the frame."""
    details = [value["detail"] for value in values]
    length = (max(details) - min(details)) or 1.0  # a plan without steps has one point only
    start = max(details) + 0.04 * length
    for value in values:
        label = _GAP + min(_LONGEST, _LETTER * len(value["step"]))
        length = max(length, (start - value["detail"]) * _PLAN_WIDTH / (_PLAN_WIDTH - label))
    return [start - length, start]


def _down(values: Sequence[dict[str, Any]], field: str) -> alt.Y:
    """Return the axis of rows in the order of the values."""
    order = [value[field] for value in values]
    return alt.Y(f"{field}:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))


def _bars(values: Sequence[dict[str, Any]], down: alt.Y) -> alt.LayerChart | alt.FacetChart:
    along = alt.X(
        "unique:Q",
        title=say("predict.funnel.questions_chart.unique"),
        axis=alt.Axis(format="%", values=[tenth / 10 for tenth in range(0, 11, 2)]),
        scale=alt.Scale(domain=[0, 1.12], nice=False),  # with room for the numbers
    )
    tips = [
        alt.Tooltip(
            "unique:Q", title=say("predict.funnel.questions_chart.tip_unique"), format=".2%"
        )
    ]
    data = charts.data(list(values))
    bars = alt.Chart(data).mark_bar(color=_FILL, stroke="#57606f", strokeWidth=0.5, height=14)
    labels = alt.Chart(data).mark_text(align="left", dx=4, color=_DARK)
    return alt.layer(
        bars.encode(along, down, tooltip=tips), labels.encode(along, down, text="text:N")
    )


def _title(text: str, below: str) -> alt.TitleParams:
    return alt.TitleParams(text, subtitle=below, anchor="start")
