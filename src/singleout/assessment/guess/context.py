"""What columns mean beside others: a weight beside a height, items of a survey on disability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from singleout.assessment.guess.lists import DAILY_LIFE
from singleout.assessment.guess.names import NameMatch, tokens
from singleout.assessment.guess.subject import Subject

__all__ = ["in_context"]

# A weight beside a height is the body's.
_ALSO_OF_THE_BODY = ("weight", "weights", "poids", "gewicht", "peso")
_BODIES = (1.0, 400.0)  # from a child in kilograms to an adult in pounds
_MEAN_BODY = (30.0, 250.0)
_ITEMS = 5  # of daily life, that make a survey of disability
_DAILY = NameMatch("daily life", whole=True)


def in_context(subjects: Sequence[Subject]) -> list[Subject]:
    """Return the columns with what they mean beside the others."""
    keys = {subject.meaning_key for subject in subjects}
    items = [s.column.name for s in subjects if " ".join(tokens(s.column.name)) in DAILY_LIFE]
    daily = frozenset(items if len(items) >= _ITEMS else ())
    return [_beside(subject, keys, subject.column.name in daily) for subject in subjects]


def _beside(subject: Subject, keys: set[str], daily: bool) -> Subject:
    # to take one's medicines is an item of such a survey too, and no diagnosis
    if daily and (subject.match is None or subject.meaning_key == "health"):
        return replace(subject, match=_DAILY, meaning_key=_DAILY.meaning)
    if subject.column.name.strip().casefold() not in _ALSO_OF_THE_BODY:
        return subject
    of_a_body = "body" in keys or ("health" in keys and _like_bodies(subject))
    return replace(subject, meaning_key="body") if of_a_body else subject


def _like_bodies(subject: Subject) -> bool:
    """Whether numbers could be the weights of bodies, as a file on health has them."""
    numbers = subject.look.numbers
    if not subject.look.numeric:
        return False
    low, high = _BODIES
    mean = sum(numbers) / len(numbers)
    return low <= min(numbers) and max(numbers) <= high and _MEAN_BODY[0] <= mean <= _MEAN_BODY[1]
