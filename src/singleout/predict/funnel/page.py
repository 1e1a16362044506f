"""Reports of a questionnaire, of answers that are followed, and of a plan: one HTML page each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from singleout import __version__
from singleout.core.wording import count, percent
from singleout.predict.funnel.tables import (
    coding_rows,
    legends,
    plan_steps,
    risk_rows,
    short,
    step_rows,
)
from singleout.report.content import (
    Facts,
    Figure,
    Message,
    Paragraph,
    Part,
    Report,
    ReportTable,
    Section,
    TableColumn,
    Verdict,
)
from singleout.report.say import language, say
from singleout.report.svg import picture

if TYPE_CHECKING:
    from singleout.predict.funnel.funnel import Funnel
    from singleout.predict.planning.plan import CollectionPlan
    from singleout.predict.questionnaire.risk import CodingComparison, QuestionnaireRisk

__all__ = ["funnel_page", "plan_page", "questionnaire_page"]


def funnel_page(funnel: Funnel, source: str = "") -> Report:
    """Return the report of answers that are followed."""
    facts = (
        (say("predict.funnel.page.population"), count(funnel.population)),
        (say("predict.funnel.page.left"), short(funnel.size)),
        (say("predict.funnel.page.at_most"), short(funnel.bounds[1])),
    )
    steps = _table("screen.funnel.steps", step_rows(funnel, bounds=True), _followed())
    figure = Figure(picture(funnel.plot().to_dict(), "funnel"))
    legend = map(Paragraph, legends(funnel))
    section = Section("answers", _followed(), (steps, figure, *legend))
    return _report("followed", source, f"{funnel}.", facts, [section], funnel)


def questionnaire_page(
    risk: QuestionnaireRisk,
    path: Funnel,
    ways: CodingComparison,
    *,
    which: str = "rarest",
    source: str = "",
) -> Report:
    """Return the report of a questionnaire: its questions, a worst case, and other ways to ask."""
    facts = (
        (say("predict.funnel.page.population"), count(risk.population)),
        (say("predict.funnel.page.people"), count(risk.people)),
        (say("predict.funnel.page.unique"), percent(risk.unique)),
    )
    extreme = say(f"screen.funnel.{which}")
    legend = map(Paragraph, legends(ways=ways))
    sections = [
        Section(
            "questions",
            say("screen.funnel.risk.title"),
            (
                _table("screen.funnel.risk", risk_rows(risk)),
                Figure(picture(risk.plot().to_dict(), "questions")),
            ),
        ),
        Section(
            "path",
            extreme,
            (_table("screen.funnel.path", step_rows(path, bounds=False), extreme),),
        ),
        Section(
            "codings",
            say("screen.funnel.codings.title"),
            (
                _table("screen.funnel.codings", coding_rows(ways)),
                *legend,
                Figure(picture(ways.plot().to_dict(), "codings")),
            ),
        ),
    ]
    return _report("questionnaire", source, f"{risk}.", facts, sections, risk, path, ways)


def plan_page(plan: CollectionPlan, source: str = "") -> Report:
    """Return the report of a plan: how to ask, and what each step to it buys."""
    facts = (
        (say("predict.funnel.page.people"), count(plan.people)),
        (say("predict.funnel.page.unique"), percent(plan.unique)),
        (say("predict.funnel.page.unique_before"), percent(plan.unique_before)),
    )
    codings = [list(pair) for pair in plan.codings.items()]
    how: list[Part] = [_table("screen.predict_plan.codings", codings, number=False)]
    if plan.never_drop:
        kept = ", ".join(map(repr, plan.never_drop))
        how.append(Paragraph(say("screen.predict_plan.never_drop", questions=kept)))
    sections = [Section("codings", say("screen.predict_plan.codings.title"), tuple(how))]
    if plan.steps:
        title = say("screen.predict_plan.steps")
        heads, rows = plan_steps(plan)
        figure = Figure(picture(plan.plot().to_dict(), "plan"))
        sections.append(Section("steps", title, (_rows(title, heads, rows), figure)))
    return _report("plan", source, f"{plan}.", facts, sections, plan)


# ---- parts


def _followed() -> str:
    return say("screen.funnel.followed")


def _table(
    key: str, rows: Sequence[Sequence[str]], title: str = "", *, number: bool = True
) -> ReportTable:
    heads = say(f"{key}.heads").split(" | ")
    return _rows(title or say(f"{key}.title"), heads, rows, number=number)


def _rows(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, number: bool = True
) -> ReportTable:
    kind = "number" if number else "text"
    columns = [TableColumn(heads[0]), *(TableColumn(head, kind) for head in heads[1:])]
    return ReportTable(caption, tuple(columns), tuple(map(tuple, rows)))


def _report(
    key: str,
    source: str,
    sentence: str,
    facts: Sequence[tuple[str, str]],
    sections: Iterable[Section],
    *results: Funnel | QuestionnaireRisk | CodingComparison | CollectionPlan,
) -> Report:
    opening: list[Part] = [Facts(tuple(facts), large=True)]
    warnings = tuple(dict.fromkeys(text for one in results for text in one.warnings))
    if warnings:
        opening.append(Message(say("predict.funnel.page.mind"), warnings, urgent=True))
    notes = tuple(dict.fromkeys(text for one in results for text in one.notes))
    parts: list[Part] = [Paragraph(say("predict.funnel.page.how"))]
    if notes:
        parts.append(Message(say("predict.funnel.page.notes"), notes))
    meaning = Section("meaning", say("predict.funnel.page.meaning"), tuple(parts))
    return Report(
        language=language(),
        title=say(f"predict.funnel.page.{key}"),
        above=say("predict.funnel.page.above"),
        below=say("screen.from", source=source) if source else "",
        verdict=Verdict(say("predict.funnel.page.verdict"), None, (), sentence, tuple(opening)),
        sections=(*sections, meaning),
        words={word: say(f"report.{word}") for word in ("skip", "contents", "appendix")},
        colophon=say("report.colophon", version=__version__),
    )
