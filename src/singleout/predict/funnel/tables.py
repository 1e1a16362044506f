"""Tables of a questionnaire and of a plan, as text: for the screen and for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.core.wording import figure, in_figures, percent
from singleout.report.say import say, words

if TYPE_CHECKING:
    from singleout.predict.funnel.funnel import Funnel
    from singleout.predict.planning.plan import CollectionPlan
    from singleout.predict.questionnaire.risk import CodingComparison, QuestionnaireRisk

__all__ = ["coding_rows", "legends", "plan_steps", "risk_rows", "short", "step_rows"]

_LEAST = 0.01  # people: less is shown as "less than"
_TOO_LONG = 1e15  # of a number to be read digit by digit

Rows = list[list[str]]


def short(value: float | None) -> str:
    """Return a number without the digits that nobody needs.

    >>> short(20663.4), short(4.0712), short(0.0004), short(None)
    ('20,663', '4.07', '< 0.01', '–')
    """
    if value is None:
        return "–"
    if 0 < value < _LEAST:
        return f"< {figure(_LEAST, '.2f')}"
    if value >= _TOO_LONG:
        return in_figures(value)
    rounded = float(round(value)) if value >= 100 else float(f"{value:.3g}")
    return figure(int(rounded)) if rounded.is_integer() else figure(rounded, ",.2f")


def step_rows(funnel: Funnel, *, bounds: bool) -> Rows:
    """Return a row for each answer, with the bounds of what is left or without."""
    return [
        [
            f"{step.question}: {step.answer}",
            percent(step.share),
            *map(short, (step.size, step.factor, step.bits)),
            *(map(short, (step.lower, step.upper)) if bounds else ()),
            "–" if step.alone is None else percent(step.alone),
        ]
        for step in funnel.steps
    ]


def risk_rows(risk: QuestionnaireRisk) -> Rows:
    """Return a row for each question."""
    return [
        [
            _asked_as(row.question, row.coding),
            figure(row.options),
            figure(row.bits, ".2f"),
            *map(short, (row.mean_set, row.rarest_set, row.commonest_set)),
            percent(row.unique),
        ]
        for row in risk.rows
    ]


def coding_rows(ways: CodingComparison) -> Rows:
    """Return a row for each way to ask each question."""
    return [
        [
            _asked_as(row.question, row.coding) + (" *" if row.asked else ""),
            figure(row.options),
            figure(row.bits, ".2f"),
            *map(short, (row.mean_set, row.rarest_set)),
            percent(row.unique),
        ]
        for row in ways.rows
    ]


def legends(funnel: Funnel | None = None, ways: CodingComparison | None = None) -> list[str]:
    """Return what the numbers of these tables mean, where they are not plain."""
    said = []
    if ways is not None:
        said.append(say("screen.funnel.legend"))
        if any(row.rarest_set < 1 for row in ways.rows):
            said.append(say("screen.funnel.below_one"))
    if funnel is not None and len(funnel.steps) > 1:
        said.append(say("screen.funnel.bounds"))
        if any(step.lower == 0 for step in funnel.steps):
            said.append(say("screen.funnel.bounds_zero"))
    return said


def plan_steps(plan: CollectionPlan) -> tuple[list[str], Rows]:
    """Return the heads and the rows of the steps of a plan."""
    heads = dict(words("screen.predict_plan.heads"))
    heads["in_sets"] = say("screen.predict_plan.heads.in_sets", size=plan.policy.size)
    if plan.in_sets is None:
        del heads["in_sets"]
    rows = [
        [
            f"{step.attribute}: {step.before} → {step.after}",
            figure(step.bits_lost, ".2f"),
            percent(step.unique_before),
            percent(step.unique),
            *([percent(step.in_sets)] if step.in_sets is not None else []),
            say("screen.yes" if step.kept else "screen.no"),
        ]
        for step in plan.steps
    ]
    return list(heads.values()), rows


def _asked_as(question: str, coding: str) -> str:
    return question if question == coding else f"{question} ({coding})"
