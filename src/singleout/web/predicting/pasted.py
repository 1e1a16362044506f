"""Answers and how common they are, as people write or paste them: one answer on each line.

``female 51 %``, ``male;0.49`` or ``30-39<tab>1,204``: the last number of a line is its share or its
number of people.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from singleout.core.text import printable
from singleout.web.errors import Refused

__all__ = [
    "EXAMPLE_AGES",
    "MOST_OPTIONS",
    "number",
    "numbered_values",
    "pasted_answers",
    "whole_number",
]

MOST_OPTIONS = 1000
_LONGEST = 100  # letters of an answer
_MOST = 10**12  # people: more than ever lived
_SEPARATORS = re.compile(r"[\t;|=]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+")
_SPACES = re.compile(r"[\s\u00a0\u202f']")
_ROUNDED = 0.01  # by how much published shares may miss 1

# a made-up town of some 10,000 people: as many of each age up to 59, then fewer and fewer
EXAMPLE_AGES = "\n".join(
    f"{age} {max(2, round(135 - max(0, age - 59) * 3.6))}" for age in range(98)
)


def number(text: str) -> float:
    """Return a number as people write it: 1,204 or 0,51 or 51 %.

    >>> number("1,204"), number("0,51"), number("51 %"), number("16 000 000")
    (1204.0, 0.51, 0.51, 16000000.0)
    """
    plain = _SPACES.sub("", text)
    percent = plain.endswith("%")
    plain = plain.removesuffix("%")
    if "." in plain or _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".").replace("_", "")
    try:
        found = float(plain)
    except ValueError:
        found = float("nan")
    if not isfinite(found) or not 0 <= found <= _MOST:
        raise Refused(422, "web.predict.errors.number", text=_shown(text))
    return found / 100 if percent else found


def whole_number(text: str, *, least: int = 1) -> int:
    """Return a number of people."""
    found = number(text)
    if not found.is_integer() or found < least:
        raise Refused(422, "web.predict.errors.people", text=_shown(text), least=least)
    return int(found)


def pasted_answers(text: str, rest: str = "") -> dict[str, Any]:
    """Return the answers to a question with ``shares`` or ``counts``, as a questionnaire has them.

    Parameters
    ----------
    text
        One answer on each line, with its share or its number of people.
    rest
        How many other answers there are, where the shares do not add up to all people.
    """
    given: dict[str, float] = {}
    has_percent = False
    for line in filter(None, (each.strip() for each in text.splitlines())):
        answer, figure = _split(line)
        has_percent = has_percent or figure.endswith("%")
        given[answer] = given.get(answer, 0.0) + number(figure)
    kept = {answer: value for answer, value in given.items() if value > 0}
    if not kept:
        raise Refused(422, "web.predict.errors.no_answers")
    if len(kept) > MOST_OPTIONS:
        raise Refused(422, "web.predict.errors.too_many_answers", n=MOST_OPTIONS)
    if _are_counts(kept, has_percent=has_percent):
        return {"counts": {answer: int(value) for answer, value in kept.items()}}
    return _shares(kept, rest)


def numbered_values(text: str) -> dict[float, int]:
    """Return how many people have each number, from lines such as ``34 120``."""
    found: dict[float, int] = {}
    for line in filter(None, (each.strip() for each in text.splitlines())):
        value, people = _split(line)
        key = number(value)
        found[key] = found.get(key, 0) + whole_number(people, least=0)
    kept = {value: people for value, people in sorted(found.items()) if people}
    if not kept:
        raise Refused(422, "web.predict.errors.no_answers")
    if len(kept) > MOST_OPTIONS:
        raise Refused(422, "web.predict.errors.too_many_answers", n=MOST_OPTIONS)
    return kept


def _are_counts(kept: dict[str, float], *, has_percent: bool) -> bool:
    whole = all(value.is_integer() for value in kept.values())
    return not has_percent and whole and sum(kept.values()) > 1


def _shares(kept: dict[str, float], rest: str) -> dict[str, Any]:
    total = sum(kept.values())
    if abs(total - 100) <= 1:  # per cent without the sign
        kept, total = {answer: value / 100 for answer, value in kept.items()}, total / 100
    if total > 1 + _ROUNDED:
        raise Refused(422, "web.predict.errors.shares", total=total)
    if total >= 1 - _ROUNDED:
        return {"shares": kept}
    others = whole_number(rest) if rest.strip() else 1
    if others > MOST_OPTIONS:
        raise Refused(422, "web.predict.errors.too_many_answers", n=MOST_OPTIONS)
    return {"shares": kept, "rest": others}


def _split(line: str) -> tuple[str, str]:
    """Return what is before the number of a line, and the number."""
    line = re.sub(r"\s+%$", "%", line)
    if _SEPARATORS.search(line):
        before, after = line[: _last(line)], line[_last(line) + 1 :]
    elif re.search(r"\s", line):
        before, after = line.rsplit(None, 1)
    else:
        before, _, after = line.replace(":", ",").rpartition(",")
    answer = printable(before.strip().rstrip(",:").strip())[:_LONGEST]
    if not answer or not after.strip():
        raise Refused(422, "web.predict.errors.line", line=_shown(line))
    return answer, after.strip()


def _last(line: str) -> int:
    return max(found.start() for found in _SEPARATORS.finditer(line))


def _shown(text: str) -> str:
    return printable(text.strip())[:50]
