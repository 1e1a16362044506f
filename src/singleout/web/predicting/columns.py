"""What a column of the chosen data says about answers: how common each is, but none that is rare.

A value that fewer than three records have is never named: it may be a person's.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singleout.core.text import printable
from singleout.errors import BadChoice, UnusableColumn
from singleout.report.say import say
from singleout.web.predicting.pasted import MOST_OPTIONS

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["FEWEST", "answers_of_column", "choices_of_columns", "choices_of_questions", "counted"]

FEWEST = 3  # records that have a value which is shown
_LONGEST = 80  # letters of an answer


def answers_of_column(held: Held, column: str) -> dict[str, Any]:
    """Return the answers to a question as the values of a column, rare ones put together."""
    sizes = counted(held, column)
    common = {text: size for text, size in sizes.items() if size >= FEWEST}
    if len(common) > MOST_OPTIONS:
        raise UnusableColumn(
            f"Column {column!r} has {len(common):,} values that several records have; a question "
            f"has at most {MOST_OPTIONS:,} answers."
        )
    rare = sum(sizes.values()) - sum(common.values())
    if rare >= FEWEST:
        common[_unused(str(say("web.predict.rare_answers")), common)] = rare
    if not common:
        raise UnusableColumn(f"Column {column!r} has no value that {FEWEST} records have.")
    return {"counts": common}


def choices_of_columns(held: Held, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return what a person may choose for each column; columns of rare values only are left out."""
    found = [_choices(name, counted(held, name)) for name in columns]
    return [one for one in found if 0 < len(one["options"]) <= MOST_OPTIONS]


def choices_of_questions(_: Held, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a person may choose for each question of a questionnaire."""
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    made = Questionnaire.from_dict(asked)
    choices = []
    for given, question in zip(asked["questions"], made.questions, strict=True):
        if given.get("counts"):
            choices.append(_choices(question.name, given["counts"]))
            continue
        coding = question.coding()
        options = list(map(list, zip(coding.options, coding.shares.tolist(), strict=True)))
        choices.append({"name": question.name, "options": options, "rare": []})
    return choices


def _choices(name: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return the common values with their shares, and only how many rare ones there are."""
    people = sum(sizes.values())
    rare = Tally(size for size in sizes.values() if size < FEWEST)
    return {
        "name": name,
        "options": [[text, size / people] for text, size in sizes.items() if size >= FEWEST],
        "rare": [[size / people, values] for size, values in sorted(rare.items()) if size],
    }


def counted(held: Held, column: str) -> dict[str, int]:
    """Return how many records have each value of a column, by how it is shown; kept."""
    kept: dict[str, dict[str, int]] = held.kept.setdefault("answers", {})
    if column not in kept:
        counter = held.counter()
        if column not in counter.columns:
            raise BadChoice(f"There is no column {column!r}; choose one of the list.")
        found = counter.counts([column])
        labels = counter.facts(column).labels
        sizes: dict[str, int] = {}
        order = sorted(zip(found.codes[0].tolist(), found.sizes.tolist(), strict=True))
        values = [*found.values[0], None]
        for code, size in order:
            text = _called(values[code], labels)
            sizes[text] = sizes.get(text, 0) + size
        kept[column] = sizes
    return kept[column]


def _called(value: Any, labels: Mapping[Any, str]) -> str:
    if value is None:
        return str(say("web.predict.missing"))
    text = f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)
    label = labels.get(value)
    return printable(f"{text} ({label})" if label else text)[:_LONGEST]


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "*"
    return name
