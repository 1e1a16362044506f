"""Search a repository: the record that answers, the path to it, and what it predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from singleout.core.text import ended, printable
from singleout.core.wording import count, figure, percent
from singleout.report.say import say
from singleout.web.predicting.following import plain, table
from singleout.web.repositories.opening import opened
from singleout.web.repositories.rows import people_text, row_of

if TYPE_CHECKING:
    from singleout.report.content import Part
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.web.answering import Held

__all__ = ["attributes_of", "searched"]

_MOST_ROWS = 50
_MOST_NAMES = 300


def attributes_of(_: Held, where: Mapping[str, Any]) -> list[str]:
    """Return the attributes with their codings that a repository has records of."""
    with opened(where) as repository:
        known = repository.quasi_identifiers()
    return sorted({printable(str(one)) for names, _ in known for one in names})[:_MOST_NAMES]


def searched(
    _: Held,
    where: Mapping[str, Any],
    names: Sequence[str],
    population: str,
    people: int | None,
    day: str,
) -> dict[str, Any]:
    """Return what is published about a quasi-identifier in a population.

    Parameters
    ----------
    where
        The repository.
    names
        The attributes with their codings.
    population
        Whom it is about, as text; everybody if empty.
    people
        How many people to predict for, if any.
    day
        The day it is asked for; today if empty.
    """
    with opened(where) as repository:
        answer = repository.query(
            names,
            population or None,
            people=people,
            reference_date=date.fromisoformat(day) if day else None,
        )
    found = {
        "found": answer.found,
        "exact": answer.exact,
        "sentence": printable(ended(str(answer))),
        "nearest": list(map(printable, answer.nearest)),
    }
    if not answer.found:
        return found
    spread = answer.range
    predicted, notes = _predicted(answer, people)
    path = [
        {"kind": step.kind, "effect": str(step.effect), "says": printable(step.says)}
        for step in answer.path
    ]
    told = {step["says"] for step in path}
    return {
        **found,
        "path": path,
        "rows": [row_of(record) for record in answer.records[:_MOST_ROWS]],
        "more": max(0, len(answer.records) - _MOST_ROWS),
        "range": None if spread is None else [figure(end, ".4g") for end in spread],
        "predicted": plain(predicted),
        "notes": [note for note in map(printable, notes) if note not in told],
    }


def _predicted(answer: RepositoryAnswer, people: int | None) -> tuple[list[Part], Sequence[str]]:
    """Return a table of what the answer predicts, and what a reader should know."""
    if people is None:
        return [], answer.notes
    one = answer.predict(people)
    low, high = (percent(end / people) for end in one.mean_interval())
    row = (
        count(people),
        people_text(one.mean),
        percent(one.share),
        say("web.repository.from_to", low=low, high=high),
        percent(one.below(5)[0]),
        percent(one.below(11)[0]),
    )
    heads = say("web.repository.answer_heads").split(" | ")
    return [table(say("web.repository.predicted"), heads, [row])], one.notes
