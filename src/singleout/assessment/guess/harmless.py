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

__all__ = ["MOST_VALUES", "NONE", "UNKNOWN", "harmless_values"]

NONE = "says that there is none"
UNKNOWN = "says that it is not known or does not apply"

MOST_VALUES = 20_000  # of a column that are read one by one
_LONGEST = 80  # signs; a longer value is text, not an answer
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
    """What a column can say, as far as one value needs it to be read."""

    column: str
    others: frozenset[str]
    numbers: bool
    none_tells: bool
    zero_is_none: bool


def harmless_values(column: Column, meaning: Meaning | None) -> tuple[tuple[str, str], ...]:
    """Return the values that tell little, as a plan spells them, each with what it says.

    Parameters
    ----------
    column
        A sensitive column.
    meaning
        What the column is about; None if that is not known.

    Examples
    --------
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
    said = ((text, _says(text, answers)) for text in dict.fromkeys(spelled))
    return tuple((text, why) for text, why in said if why)


def _answers(name: str, spelled: Sequence[str], meaning: Meaning | None) -> _Answers:
    said = tokens(name)
    folded = frozenset(" ".join(tokens(text)) for text in spelled)
    told = [text for text in folded if text not in _UNKNOWN and text not in ("", "n")]
    yes_or_no = set(told) <= {"0", "1"} and "1" in told
    return _Answers(
        "".join(said),
        folded,
        _mostly_numbers(spelled),
        none_tells=(meaning is not None and meaning.none_tells) or not _GOOD.isdisjoint(said),
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
    """Return what a value says, if that tells little; nothing otherwise."""
    if len(text) > _LONGEST:
        return ""
    said = tokens(text)
    phrase = " ".join(said)
    if _is_unknown(text, said, phrase, answers):
        return UNKNOWN
    coded = _CODES.get((answers.column, _whole(text)))
    if coded or answers.none_tells:
        return coded or ""
    return NONE if _is_none(text, said, phrase, answers) else ""


def _is_unknown(text: str, said: tuple[str, ...], phrase: str, answers: _Answers) -> bool:
    if text.strip() in _SIGNS or phrase in _UNKNOWN:
        return True
    if phrase == "n" and answers.numbers:
        return True  # among numbers a letter says that there is no number
    return any(said[: len(start)] == start for start in _STARTS)


def _is_none(text: str, said: tuple[str, ...], phrase: str, answers: _Answers) -> bool:
    if _number(text) == 0:
        return answers.zero_is_none
    if phrase == "n":
        return not _YES.isdisjoint(answers.others)
    if phrase in _NONE:
        return True
    return bool(said) and said[0] in _FIRST and not _SUBJECTS.isdisjoint(said[1:])
