"""A questionnaire file that a user loads: the same that the page Predict saves.

A file may also name other files and repositories. Those would be of the machine of the server,
which whoever uploads has no right to name: they are refused, as are parts that the page cannot
show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singleout.core.text import printable
from singleout.web.errors import Refused
from singleout.web.predicting.builder import LONGEST, MOST_QUESTIONS, Asked

__all__ = ["questionnaire_in"]

_KNOWN = ("title", "population", "people", "questions")
_ELSEWHERE = ("record",)  # keys that always name something outside of the file


def questionnaire_in(text: str) -> Asked:
    """Return the questionnaire in the text of a file; what is wrong is an error of singleout."""
    from singleout.io.yaml.file import parse_yaml
    from singleout.predict.questionnaire.file import read_mapping

    given, _ = parse_yaml(text, "questionnaire", name="questionnaire.yaml")
    if isinstance(given, Mapping):
        _refuse_what_is_elsewhere(given)
    read, _ = read_mapping(given if isinstance(given, Mapping) else {})
    if len(read.questions) > MOST_QUESTIONS:
        raise Refused(422, "web.predict.errors.too_many_questions", n=MOST_QUESTIONS)
    questions = [one.model_dump(exclude_none=True, exclude_defaults=True) for one in read.questions]
    return {
        "population": read.population or 1_000_000,
        "people": read.people,
        "questions": [{**one, "name": printable(one["name"])[:LONGEST]} for one in questions],
        "answers": {},
    }


def _refuse_what_is_elsewhere(given: Mapping[str, Any]) -> None:
    unknown = next((str(key) for key in given if key not in _KNOWN), None)
    if unknown is not None:
        raise Refused(422, "web.predict.errors.not_here", name=printable(unknown)[:50])
    for question in _mappings(given.get("questions")):
        for entry in (question, *_mappings(question.get("codings"))):
            names = [key for key in _ELSEWHERE if entry.get(key) is not None]
            names += ["counts"] if isinstance(entry.get("counts"), str) else []
            if names:
                raise Refused(422, "web.predict.errors.elsewhere", name=names[0])


def _mappings(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
