"""The funnel of a questionnaire, and what it gives away: computed in the companion of a workspace.

Whoever asks gives the questionnaire; no data need be chosen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from singleout.core.language import spoken
from singleout.core.wording import count, percent
from singleout.report.content import Facts, Message, Paragraph, Part, ReportTable, TableColumn
from singleout.report.say import say
from singleout.web.charts import chart_text

if TYPE_CHECKING:
    from singleout.predict.funnel.funnel import Funnel
    from singleout.predict.questionnaire.questionnaire import Questionnaire
    from singleout.web.answering import Held

__all__ = ["checked", "followed", "plain", "sentence", "table"]

_COMPARED = 300  # options of all questions: with more, other ways to ask take too long
_KEPT = "questionnaire"


def checked(_: Held, asked: Mapping[str, Any]) -> int:
    """Return how many questions a questionnaire has; one that makes no sense is refused."""
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    return len(Questionnaire.from_dict(asked).questions)


def followed(
    held: Held, asked: Mapping[str, Any], answers: Mapping[str, str], which: str = ""
) -> dict[str, Any]:
    """Return the people left after each answer, with bounds, and what the questions give away.

    Parameters
    ----------
    held
        Keeps what does not depend on the answers.
    asked
        The questionnaire, as a file would hold it.
    answers
        The answers to follow; the most common one where none is given.
    which
        ``commonest`` or ``rarest``: these answers in place of those given.
    """
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    made = Questionnaire.from_dict(asked)
    chosen = _chosen(made, {} if which else answers, rarest=which == "rarest")
    funnel = made.funnel(chosen)
    key = json.dumps([asked, spoken()])
    if held.kept.get(_KEPT, ("",))[0] != key:
        held.kept[_KEPT] = (key, plain(_given_away(made)))
    return {
        "questions": [
            {
                "name": one.name,
                "answer": chosen[one.name],
                "options": list(
                    zip(one.coding().options, one.coding().shares.tolist(), strict=True)
                ),
            }
            for one in made.questions
        ],
        "answers": chosen,
        "size": funnel.size,
        "sentence": sentence(str(funnel)),
        "parts": plain(_people_left(funnel)),
        "chart": chart_text(funnel.plot()),
        "name": f"chart-{token_hex(4)}",  # of its own: htmx would copy styles of the old one
        "given_away": held.kept[_KEPT][1],
    }


def _chosen(made: Questionnaire, answers: Mapping[str, str], *, rarest: bool) -> dict[str, str]:
    """Return the answer to follow of each question."""
    chosen = {}
    for question in made.questions:
        coding = question.coding()
        given = answers.get(question.name)
        if given not in coding.options:
            index = coding.shares.argmin() if rarest else coding.shares.argmax()
            given = coding.options[int(index)]
        chosen[question.name] = str(given)
    return chosen


def _people_left(funnel: Funnel) -> list[Part]:
    from singleout.predict.funnel.tables import legends, short, step_rows

    facts = (
        (say("predict.funnel.page.population"), count(funnel.population)),
        (say("predict.funnel.page.left"), short(funnel.size)),
        (say("predict.funnel.page.at_most"), short(funnel.bounds[1])),
    )
    parts: list[Part] = [Facts(facts, large=True)]
    if funnel.warnings:
        parts.append(
            Message(say("predict.funnel.page.mind"), tuple(map(str, funnel.warnings)), urgent=True)
        )
    heads = say("screen.funnel.steps.heads").split(" | ")
    rows = step_rows(funnel, bounds=True)
    parts.append(table(say("screen.funnel.followed"), heads, rows))
    return [*parts, *map(Paragraph, legends(funnel))]


def _given_away(made: Questionnaire) -> list[Part]:
    """Return what the questions give away whatever is answered, and what leaving one out does."""
    from singleout.predict.funnel.tables import coding_rows, legends, risk_rows

    risk = made.risk()
    facts = (
        (say("predict.funnel.page.people"), count(risk.people)),
        (say("predict.funnel.page.unique"), percent(risk.unique)),
    )
    parts: list[Part] = [Facts(facts, large=True), Paragraph(sentence(str(risk)))]
    heads = say("screen.funnel.risk.heads").split(" | ")
    parts.append(table(say("screen.funnel.risk.title"), heads, risk_rows(risk)))
    if sum(len(one.coding().options) for one in made.questions) <= _COMPARED:
        ways = made.compare()
        heads = say("screen.funnel.codings.heads").split(" | ")
        parts.append(table(say("screen.funnel.codings.title"), heads, coding_rows(ways)))
        parts += map(Paragraph, legends(ways=ways))
    notes = tuple(dict.fromkeys(map(str, (*risk.warnings, *risk.notes))))
    if notes:
        parts.append(Message(say("predict.funnel.page.notes"), notes))
    return parts


# ---- parts of a page


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> ReportTable:
    """Return a table of numbers whose first column names the rows."""
    columns = [TableColumn(heads[0]), *(TableColumn(head, "number") for head in heads[1:])]
    return ReportTable(caption, tuple(columns), tuple(map(tuple, rows)))


def plain(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Return parts of a report as plain values."""
    return [{**asdict(one), "part": one.part} for one in parts]


def sentence(text: str) -> str:
    """Return a finding as a sentence."""
    return say("report.sentence", text=text)
