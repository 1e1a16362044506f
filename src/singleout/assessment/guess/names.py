"""What a column's name says: words of five languages, abbreviations, codes of known surveys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from singleout.assessment.guess.lists import COUNTED, ID_WORDS, JOINING, SURVEYS
from singleout.assessment.guess.words import MEANINGS
from singleout.core.name_words import tokens

__all__ = ["NameMatch", "counts_something", "match_name", "speaks_of_an_id", "tokens"]

_COMPOUND = 6  # letters that a word must have to be recognised within a longer one
_LONGEST = 60  # letters of a term
_AFTER_THE_HEAD = frozenset({"at", "of", "in", "per", "by", "since", "until", "for", "from"})


@dataclass(frozen=True)
class NameMatch:
    """What a name says.

    Parameters
    ----------
    meaning
        The key of what it says, in `MEANINGS`.
    whole
        Whether the term is all of the name, numbers aside.
    survey
        Whether the name is a code of a known survey.
    weak
        Whether the term is only a part of a longer word, or stands after the head of the name.
    """

    meaning: str
    whole: bool
    survey: bool = False
    weak: bool = False


def match_name(name: str) -> NameMatch | None:
    """Return what a name says, or None if it says nothing that is known.

    Examples
    --------
    >>> match_name("geb_dat").meaning, match_name("AGEP").meaning, match_name("file name")
    ('birth date', 'age', None)
    """
    words = tokens(name)
    survey = _survey_codes().get("".join(words))
    if survey is not None:
        return NameMatch(survey, whole=True, survey=True)
    found = max(_matches(words), default=None)
    if found is None:
        return None
    in_head, _, _, whole, meaning = found
    return NameMatch(meaning, whole=whole, weak=not in_head)


def speaks_of_an_id(name: str) -> bool:
    """Whether a name has a word such as id, number or code.

    Examples
    --------
    >>> speaks_of_an_id("record_nr"), speaks_of_an_id("idea")
    (True, False)
    """
    return not set(tokens(name)).isdisjoint(ID_WORDS)


def counts_something(name: str) -> bool:
    """Whether a name has a word such as days, score or amount: its numbers are not ages.

    Examples
    --------
    >>> counts_something("duration_days"), counts_something("q7")
    (True, False)
    """
    return not set(tokens(name)).isdisjoint(COUNTED)


def _matches(words: Sequence[str]) -> Iterator[tuple[bool, int, int, bool, str]]:
    """Yield what a name may say, each with its rank: the head first, then the longer term."""
    head = next((i for i, word in enumerate(words) if i and word in _AFTER_THE_HEAD), len(words))
    yield from _in_order(list(words), head)
    telling = [word for word in words if word not in JOINING]
    if len(telling) < len(words):
        joined = sum(word in JOINING for word in words[:head])
        yield from _in_order(telling, head - joined)
    yield from _within("".join(word for word in words if word.isalpha()))


def _in_order(words: list[str], head: int) -> Iterator[tuple[bool, int, int, bool, str]]:
    """Yield the terms that occur in a name, of up to five words each."""
    letters = [word for word in words if word.isalpha()]
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + 5) + 1):
            term = tuple(words[start:end])
            meaning, must_be_whole = _terms().get(term, ("", False))
            whole = len([word for word in term if word.isalpha()]) == len(letters)
            if meaning and (whole or not must_be_whole):
                yield start < head, len("".join(term)), start, whole, meaning


def _within(glued: str) -> Iterator[tuple[bool, int, int, bool, str]]:
    """Yield what a name without blanks may say: all of it, its last part, or its first."""
    terms = _glued()
    if glued in terms:
        yield True, len(glued), 0, True, terms[glued][0]
    for length in range(_COMPOUND, min(len(glued), _LONGEST)):
        # below every word that stands by itself; the last part of a compound is its head
        for part, last in ((glued[:length], 0), (glued[-length:], 1)):
            meaning, must_be_whole = terms.get(part, ("", True))
            if not must_be_whole:
                yield False, length, last, False, meaning


@cache
def _terms() -> dict[tuple[str, ...], tuple[str, bool]]:
    """Return what each term means, and whether it must be the whole name."""
    found: dict[tuple[str, ...], tuple[str, bool]] = {}
    for key, meaning in MEANINGS.items():
        for term in meaning.terms:
            found[tokens(term)] = (key, term.startswith("="))
    return found


@cache
def _glued() -> dict[str, tuple[str, bool]]:
    return {"".join(term): meaning for term, meaning in _terms().items() if len("".join(term)) > 2}


@cache
def _survey_codes() -> dict[str, str]:
    return {code: meaning for meaning, codes in SURVEYS.items() for code in codes}
