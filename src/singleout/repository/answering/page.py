"""The report on a decision: what may be asked, why not otherwise, and the numbers it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout import __version__
from singleout.core.wording import count, percent
from singleout.report.content import (
    Facts,
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

if TYPE_CHECKING:
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.answering.policies import Predicted

__all__ = ["decision_page"]

_WORDS = "repository.answering.page"
_UNKNOWN = "–"


def decision_page(decision: RepositoryDecision) -> Report:
    """Return the content of the report."""
    return Report(
        language=language(),
        title=say(f"{_WORDS}.title", subject=decision.subject or str(decision.population)),
        above=say(f"{_WORDS}.above"),
        below=say(f"{_WORDS}.below", people=decision.people, population=str(decision.population)),
        verdict=Verdict(
            say(f"{_WORDS}.{decision.action}"), None, (), str(decision), tuple(_opening(decision))
        ),
        sections=(
            Section("questions", say(f"{_WORDS}.questions"), (_questions(decision),)),
            Section("numbers", say(f"{_WORDS}.numbers"), tuple(_numbers(decision))),
            Section("basis", say(f"{_WORDS}.basis"), tuple(_basis(decision))),
        ),
        words={word: say(f"report.{word}") for word in ("skip", "contents", "appendix")},
        colophon=say("report.colophon", version=__version__),
    )


def _opening(decision: RepositoryDecision) -> list[Part]:
    parts: list[Part] = [
        Facts(
            (
                (say(f"{_WORDS}.people"), count(decision.people)),
                (say(f"{_WORDS}.policy"), str(decision.policy)),
            )
        )
    ]
    if decision.reasons:
        parts.append(Message(say(f"{_WORDS}.why"), decision.reasons, urgent=True))
    return parts


def _questions(decision: RepositoryDecision) -> ReportTable:
    words = {"identity": "as_it_is", "drop": "dropped", "refuse": "refused"}
    names = {coding: say(f"{_WORDS}.{word}") for coding, word in words.items()}
    rows = tuple(
        (row["attribute"], *(names.get(row[one], row[one]) for one in ("asked", "decided")))
        for row in decision.to_frame().to_dicts()
    )
    return ReportTable(say(f"{_WORDS}.questions_caption"), _columns("questions_heads", 3), rows)


def _numbers(decision: RepositoryDecision) -> list[Part]:
    rows = tuple(
        (say(f"repository.client.decision.{name}"), *_shares(predicted))
        for name, predicted in (("asked", decision.predicted), ("accepted", decision.accepted))
        if predicted is not None
    )
    if not rows:
        return [Paragraph(say(f"{_WORDS}.nothing_known"))]
    table = ReportTable(
        say("repository.client.decision.title"),
        _columns("numbers_heads", 1),
        rows,
        below=say(f"{_WORDS}.most"),
    )
    return [table]


def _shares(predicted: Predicted) -> tuple[str, ...]:
    values = (
        predicted.unique,
        predicted.unique_most,
        predicted.small,
        predicted.small_most,
        predicted.any_unique,
        predicted.any_unique_most,
    )
    return tuple(_UNKNOWN if value is None else percent(value) for value in values)


def _columns(key: str, texts: int) -> tuple[TableColumn, ...]:
    heads = say(f"{_WORDS}.{key}").split(" | ")
    return tuple(
        TableColumn(head, "text" if index < texts else "number") for index, head in enumerate(heads)
    )


def _basis(decision: RepositoryDecision) -> list[Part]:
    parts: list[Part] = [Paragraph(str(step)) for step in decision.path]
    parts.append(
        Facts(
            (
                (say(f"{_WORDS}.records"), ", ".join(decision.records) or _UNKNOWN),
                (say(f"{_WORDS}.hash"), decision.hash),
            )
        )
    )
    notes = tuple(note for note in decision.notes if note not in decision.reasons)
    if notes:
        parts.append(Message(say(f"{_WORDS}.notes"), notes))
    return parts
