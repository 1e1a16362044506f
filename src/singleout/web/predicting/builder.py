"""The questionnaire that a user builds: kept in the workspace, and the same as a YAML file.

It is a file of its own beside what is known about the data, so that other data can be chosen
without losing it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from singleout.core.text import printable
from singleout.web.errors import Refused
from singleout.web.locks import held
from singleout.web.workspaces import Workspace, write_json

__all__ = ["EXAMPLE", "Asked", "add", "as_file", "changing", "follow", "kept", "remove", "yaml"]

Asked = dict[str, Any]

MOST_QUESTIONS = 20
LONGEST = 60  # letters of a name
_FILE = "questionnaire.json"

# Koot (2012), Table B.3: each answer is that of the largest group
EXAMPLE: Asked = {
    "population": 16_000_000,
    "people": 1000,
    "questions": [
        {"name": "education", "shares": {"vocational": 0.30}, "rest": 6},
        {"name": "background", "shares": {"non-immigrant": 0.79}, "rest": 7},
        {"name": "living situation", "shares": {"with children": 0.33}, "rest": 4},
        {"name": "work", "shares": {"corporate sector": 0.37}, "rest": 5},
        {"name": "income", "shares": {"more than € 56,000": 0.44}, "rest": 5},
        {"name": "PC4 + gender + YoB", "shares": {"1056 + F + 1981": 0.00002}, "rest": 1},
    ],
    "answers": {
        "education": "vocational",
        "background": "non-immigrant",
        "living situation": "with children",
        "work": "corporate sector",
        "income": "more than € 56,000",
        "PC4 + gender + YoB": "1056 + F + 1981",
    },
}


def kept(workspace: Workspace) -> Asked:
    """Return the questionnaire of a workspace; an empty one if there is none yet."""
    try:
        found: Asked = json.loads(workspace.file(_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"population": 1_000_000, "people": None, "questions": [], "answers": {}}
    return found


@contextmanager
def changing(workspace: Workspace) -> Iterator[Asked]:
    """Give the questionnaire to be changed, while no other request does."""
    with held(workspace.file("questionnaire.lock")):
        asked = kept(workspace)
        yield asked
        write_json(workspace.file(_FILE), asked)


def add(asked: Asked, name: str, answers: Mapping[str, Any]) -> Asked:
    """Return the questionnaire with one question more."""
    called = printable(name.strip())[:LONGEST]
    if not called:
        raise Refused(422, "web.predict.errors.no_name")
    if any(one["name"] == called for one in asked["questions"]):
        raise Refused(422, "web.predict.errors.same_name", name=called)
    if len(asked["questions"]) >= MOST_QUESTIONS:
        raise Refused(422, "web.predict.errors.too_many_questions", n=MOST_QUESTIONS)
    return {**asked, "questions": [*asked["questions"], {"name": called, **answers}]}


def remove(asked: Asked, name: str) -> None:
    """Leave out a question."""
    asked["questions"] = [one for one in asked["questions"] if one["name"] != name]
    asked["answers"].pop(name, None)


def follow(asked: Asked, answers: Mapping[str, str]) -> None:
    """Note the answers whose people are followed."""
    names = {one["name"] for one in asked["questions"]}
    asked["answers"].update({name: one for name, one in answers.items() if name in names})


def as_file(asked: Asked) -> dict[str, Any]:
    """Return what a questionnaire file would hold."""
    given = {key: asked[key] for key in ("population", "people") if asked[key] is not None}
    return {**given, "questions": asked["questions"]}


def yaml(asked: Asked) -> str:
    """Return the file that `singleout funnel` and `singleout predict plan` read."""
    from singleout.io.yaml.text import yaml_text

    lines = [yaml_text({key: value for key, value in as_file(asked).items() if key != "questions"})]
    lines.append("questions:\n")
    for one in asked["questions"]:
        text = yaml_text(one, indent=4)
        lines.append(f"  - {text[4:]}")
    return "".join(lines)
