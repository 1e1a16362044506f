"""A column as Safe Harbor examines it: its name, its different values, and how many have each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from singleout.assessment.guess.looking import look_of_all
from singleout.assessment.guess.names import NameMatch, match_name, tokens
from singleout.assessment.guess.patterns import is_number
from singleout.assessment.guess.values import Look
from singleout.assessment.hipaa.lists import FLAGS, NOT_ITSELF, TERMS

__all__ = ["Examined", "Found", "examined"]

_LONGEST = 2_000  # characters of a value that are looked at


@dataclass(frozen=True)
class Found:
    """A sign of an identifier in a column.

    Parameters
    ----------
    letter
        The paragraph of the identifier: ``F``.
    kind
        What the sign is: ``name``, ``pattern``, ``check digits``, ``text``, ``list``, ``values``,
        ``unique`` or ``role``.
    what
        The key of what it looks like, in the catalogue under ``hipaa.what``.
    records
        How many of the examined records it is about.
    words
        What it looks like, where the catalogue has it elsewhere.
    """

    letter: str
    kind: str
    what: str
    records: int
    words: str = ""


@dataclass(frozen=True, eq=False)
class Examined:
    """A column to examine.

    Parameters
    ----------
    name
        Its name.
    texts
        Its different values as text, in order: all of them, or a sample.
    held
        How many records have each.
    look
        What the values look like.
    description
        What the source says about it.
    labels
        What values mean in words.
    """

    name: str
    texts: tuple[str, ...]
    held: tuple[int, ...]
    look: Look
    description: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def records(self) -> int:
        """How many records have one of the values."""
        return sum(self.held)

    @property
    def cut(self) -> bool:
        """Whether there are more values than were looked at."""
        return self.look.distinct > len(self.texts)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name."""
        return tokens(self.name)

    @cached_property
    def match(self) -> NameMatch | None:
        """What the name means; or the description, if the name says nothing."""
        found = match_name(self.name)
        return match_name(self.description) if found is None and self.description else found

    @property
    def meaning(self) -> str:
        """The key of what the name means; nothing if it is not known."""
        return self.match.meaning if self.match else ""

    @property
    def about_a_property(self) -> bool:
        """Whether the name is about a property of something: has_email, phone_type."""
        return not NOT_ITSELF.isdisjoint(self.words)

    @cached_property
    def term(self) -> str:
        """The identifier that the name speaks of by its own words; nothing if it does not."""
        found = _term(self.words)
        if found or match_name(self.name) is not None:
            return found
        return _term(tokens(self.description))

    @cached_property
    def flags(self) -> bool:
        """Whether the values are only yes and no."""
        return all(" ".join(tokens(text)) in FLAGS for text in self.texts)

    def having(self, passes: Callable[[str], bool]) -> int:
        """Return how many records have a value that passes."""
        return sum(held for text, held in zip(self.texts, self.held, strict=True) if passes(text))

    def share(self, passes: Callable[[str], bool]) -> float:
        """Return the share of the different values that pass."""
        return sum(map(passes, self.look.texts)) / len(self.look.texts) if self.look.texts else 0.0


def _term(words: tuple[str, ...]) -> str:
    """Return the identifier of the longest term in a name."""
    glued = "".join(words)
    best = (0, "")
    for term, (letter, whole) in TERMS.items():
        within = not whole and _within(term, words)
        if term == words or "".join(term) == glued or within:
            best = max(best, (len("".join(term)), letter))
    return best[1]


def _within(term: tuple[str, ...], words: tuple[str, ...]) -> bool:
    many = len(term)
    return any(words[start : start + many] == term for start in range(len(words) - many + 1))


def examined(
    name: str,
    counted: Iterable[tuple[Any, int]],
    *,
    records: int | None = None,
    distinct: int | None = None,
    description: str = "",
    labels: Mapping[Any, str] | None = None,
) -> Examined:
    """Return a column to examine, from its different values and how many records have each.

    Of a sample of the values one says how many ``records`` have a value and how many values are
    ``distinct``. A value of None is missing and not counted.

    >>> column = examined("zip", [("02139", 3), (None, 1), ("02140", 2)])
    >>> column.records, column.texts, column.meaning
    (5, ('02139', '02140'), 'postcode')
    """
    present = [(value, size) for value, size in counted if value is not None and size > 0]
    together: dict[str, int] = {}
    for value, size in present:
        text = _text(value)
        together[text] = together.get(text, 0) + int(size)
    texts = _in_order(list(together))
    held = [together[text] for text in texts]
    look = replace(
        look_of_all(texts, np.array(held, dtype=np.int64)),
        records=sum(held) if records is None else records,
        distinct=len(texts) if distinct is None else distinct,
        dated=bool(present) and all(isinstance(value, date) for value, _ in present),
    )
    spelled = {_text(value): label for value, label in (labels or {}).items()}
    return Examined(name, tuple(texts), tuple(held), look, description, spelled)


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # spreadsheets and SPSS know no whole numbers
    return str(value)[:_LONGEST].strip()


def _in_order(texts: list[str]) -> list[str]:
    """Return texts in the order of their numbers if all are numbers, otherwise as text."""
    if all(map(is_number, texts)):
        return sorted(texts, key=lambda text: (float(text.replace(",", ".")), text))
    return sorted(texts)
