"""The commands and the lines of Python that give what the pages Predict show."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

__all__ = ["funnel_again", "places_again", "rounding_again"]

Again = tuple[str, list[str]]
_FILE = "questionnaire.yaml"


def funnel_again(answers: Mapping[str, str]) -> Again:
    """Return how to follow answers of the questionnaire once it is downloaded."""
    words = ["singleout", "funnel", _FILE]
    for name, answer in answers.items():
        words += ["--answers", f"{name}={answer}"]
    lines = [
        "import singleout as so",
        f"asked = so.predict.Questionnaire.read({_FILE!r})",
        f"asked.funnel({dict(answers)!r})",
        "asked.risk()",
    ]
    return shlex.join(words), lines


def rounding_again(data: str, column: str, people: int, width: float, top: float | None) -> Again:
    """Return how to predict for one width; pasted numbers are a file of two columns."""
    file, name = (data, column) if column else ("counts.csv", "value")
    words = ["singleout", "predict", "granularity", "--data", file, "--qi", name]
    words += ["--width", f"{width:g}", "-k", str(people)]
    given = [repr(file), f"{{{name!r}: {width:g}}}", str(people)]
    if top is not None:
        words += ["--top", f"{top:g}"]
        given.append(f"top={{{name!r}: {top:g}}}")
    if not column:
        words += ["--count", "people"]
        given.append("counts='people'")
    lines = ["import singleout as so", f"so.predict.granularity({', '.join(given)})"]
    return shlex.join(words), lines


def places_again(data: str, columns: Sequence[str], by: str, people: int) -> Again:
    """Return how to compare places."""
    words = ["singleout", "predict", "--data", data, "--qi", ",".join(columns), "--by", by]
    words += ["-k", str(people), "--least", "3"]
    call = f"so.predict.places({data!r}, {list(columns)!r}, by={by!r}, people={people}, least=3)"
    return shlex.join(words), ["import singleout as so", call]
