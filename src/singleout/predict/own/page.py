"""The page that a person can keep: her own risk, the average, and what each answer gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout import __version__
from singleout.core.wording import count, percent
from singleout.predict.distribution.people import readable
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
    from singleout.predict.own.result import OwnRisk

__all__ = ["own_page"]


def own_page(result: OwnRisk) -> Report:
    """Return the content of the page."""
    return Report(
        language=language(),
        title=say("predict.own.page.title"),
        above=say("predict.own.page.above"),
        below=say("predict.own.page.below", source=result.source, population=result.population),
        verdict=Verdict(
            say("predict.own.page.verdict"), None, (), f"{result}.", tuple(_opening(result))
        ),
        sections=(
            Section("answers", say("predict.own.page.answers"), tuple(_answers(result))),
            Section("meaning", say("predict.own.page.meaning"), tuple(_meaning(result))),
        ),
        words={word: say(f"report.{word}") for word in ("skip", "contents", "appendix")},
        colophon=say("report.colophon", version=__version__),
    )


def _opening(result: OwnRisk) -> list[Part]:
    parts: list[Part] = [
        Facts(
            (
                (say("predict.own.page.match"), percent(result.match)),
                (say("predict.own.page.average_match"), percent(result.average_match)),
                (say("predict.own.page.expected"), readable(result.expected_set)),
                (say("predict.own.page.as_small"), percent(result.as_small)),
            ),
            large=True,
        )
    ]
    if result.warnings:
        parts.append(Message(say("predict.own.page.mind"), result.warnings, urgent=True))
    return parts


def _answers(result: OwnRisk) -> list[Part]:
    heads = say("predict.own.page.heads").split(" | ")
    rows = tuple(
        (
            answer.column,
            answer.value,
            *(count(number) for number in (answer.people, answer.left, answer.without)),
        )
        for answer in result.answers
    )
    kinds = ("text", "text", "number", "number", "number")
    table = ReportTable(
        say("predict.own.page.caption"),
        tuple(TableColumn(head, kind) for head, kind in zip(heads, kinds, strict=True)),
        rows,
        below=say(
            "predict.own.page.advice",
            column=result.most_telling.column,
            people=result.most_telling.without,
        ),
    )
    return [table, Figure(picture(result.plot().to_dict(), "own-answers"))]


def _meaning(result: OwnRisk) -> list[Part]:
    parts: list[Part] = [
        Paragraph(say("predict.own.page.how")),
        Paragraph(say("predict.own.page.average", average=result.average_unique)),
        Paragraph(say("predict.own.page.nothing_sent")),
    ]
    if result.notes:
        parts.append(Message(say("predict.own.page.notes"), result.notes))
    return parts
