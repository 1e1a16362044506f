"""Values of a sensitive column that tell little: no, none, negative, or not known at all.

What they say is read in five languages, from a list. To learn that somebody has no disease hits
nobody. Where *none* is itself what would hit (no income, no religion), only *not known* counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from singleout.assessment.guess.lists import data, words
from singleout.assessment.guess.names import tokens
from singleout.assessment.guess.words import Meaning
from singleout.core.table import Column
from singleout.report.say import say

__all__ = ["MOST_VALUES", "NONE", "UNKNOWN", "harmless_values"]

# keys of what a value says in the catalogue
NONE = "none"
UNKNOWN = "unknown"

MOST_VALUES = 20_000  # of a column that are interpreted one by one
_LONGEST = 80  # characters; a longer value is text, not an answer
_SIGNS = frozenset({"", "?", "-", "--", ".", "..", "...", "*", "/", "n/a", "#n/a"})


def _all(lists: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for text in lists.values() for word in words(text))


_VALUES = data("values.toml")
_NONE = _all(_VALUES["none"])
_UNKNOWN = _all(_VALUES["unknown"])
_FIRST = frozenset(words(_VALUES["first"]["words"]))
_SUBJECTS = frozenset(words(_VALUES["subjects"]["words"]))
_STARTS = tuple(tuple(phrase.split()) for phrase in words(_VALUES["unknown_start"]["phrases"]))
_GOOD = frozenset(words(_VALUES["good"]["words"]))
_YES = frozenset(words(_VALUES["yes"]["words"]))
_CODES = {
    (column, code): says
    for says, key in ((NONE, "none_codes"), (UNKNOWN, "unknown_codes"))
    for code, text in _VALUES[key].items()
    for column in words(text)
}


@dataclass(frozen=True)
class _Answers:
    """What is known of a column's values when one of them is interpreted."""

    column: str
    others: frozenset[str]
    numbers: bool
    none_tells: bool
    zero_is_none: bool


def harmless_values(column: Column, meaning: Meaning | None) -> tuple[tuple[str, str], ...]:
    """Return the values that tell little, as a plan spells them, each with what it says.

    >>> import singleout as so
    >>> hiv = so.read({"hiv": ["positive", "negative", "unknown"]})["hiv"]
    >>> [value for value, _ in harmless_values(hiv, None)]
    ['negative', 'unknown']
    """
    if len(column.values) > MOST_VALUES:
        return ()
    # a part of a table keeps the whole codebook
    occurs = np.bincount(column.codes, minlength=column.levels)[: len(column.values)]
    spelled = [column.label(column.values[code]) for code in np.flatnonzero(occurs).tolist()]
    answers = _answers(column.name, spelled, meaning)
    kinds = ((text, _says(text, answers)) for text in dict.fromkeys(spelled))
    return tuple((text, say(f"guess.harmless.{kind}")) for text, kind in kinds if kind)


def _answers(name: str, spelled: Sequence[str], meaning: Meaning | None) -> _Answers:
    words_of_name = tokens(name)
    folded = frozenset(" ".join(tokens(text)) for text in spelled)
    known = [text for text in folded if text not in _UNKNOWN and text not in ("", "n")]
    yes_or_no = set(known) <= {"0", "1"} and "1" in known
    return _Answers(
        "".join(words_of_name),
        folded,
        _mostly_numbers(spelled),
        none_tells=(meaning is not None and meaning.none_tells)
        or not _GOOD.isdisjoint(words_of_name),
        zero_is_none=yes_or_no or (meaning is not None and meaning.zero_is_none),
    )


def _mostly_numbers(spelled: Iterable[str]) -> bool:
    numbers = [_number(text) is not None for text in spelled]
    return sum(numbers) >= max(1, len(numbers) - 2)


def _whole(text: str) -> str:
    number = _number(text)
    return str(int(number)) if number is not None and number.is_integer() else text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _says(text: str, answers: _Answers) -> str:
    """Return the key of what a value says, if that tells little; nothing otherwise."""
    if len(text) > _LONGEST:
        return ""
    parts = tokens(text)
    phrase = " ".join(parts)
    if _is_unknown(text, parts, phrase, answers):
        return UNKNOWN
    coded = _CODES.get((answers.column, _whole(text)))
    if coded or answers.none_tells:
        return coded or ""
    return NONE if _is_none(text, parts, phrase, answers) else ""


def _is_unknown(text: str, parts: tuple[str, ...], phrase: str, answers: _Answers) -> bool:
    if text.strip() in _SIGNS or phrase in _UNKNOWN:
        return True
    if phrase == "n" and answers.numbers:
        return True  # among numbers a letter says that there is no number
    return any(parts[: len(start)] == start for start in _STARTS)


def _is_none(text: str, parts: tuple[str, ...], phrase: str, answers: _Answers) -> bool:
    if _number(text) == 0:
        return answers.zero_is_none
    if phrase == "n":
        return not _YES.isdisjoint(answers.others)
    if phrase in _NONE:
        return True
    return bool(parts) and parts[0] in _FIRST and not _SUBJECTS.isdisjoint(parts[1:])
