"""What a column was guessed to be, and what there is to guess from: its name and its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from singleout.assessment.guess.harmless import MOST_VALUES, NONE, UNKNOWN, harmless_values
from singleout.assessment.guess.looking import look_at
from singleout.assessment.guess.names import NameMatch, match_name
from singleout.assessment.guess.values import Look
from singleout.assessment.guess.words import MEANINGS, Meaning
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role
from singleout.core.table import Column
from singleout.report.say import say

__all__ = ["Basis", "Guess", "Subject", "Sure", "seen_by_others"]

Sure = Literal["sure", "likely", "unsure"]
Basis = Literal["source", "name", "values", "name and values", "nothing"]

_MOST_OFFERED = 12  # values of a sensitive column that a plan offers to rate
_OFFERED_FROM = 3  # a value that fewer records have is not named


@dataclass(frozen=True)
class Guess:
    """What a column was guessed to be.

    Parameters
    ----------
    column
        Its name.
    role
        What it is for.
    reason
        Why, in words; without any value.
    sure
        How sure the guess is: ``sure``, ``likely`` or ``unsure``.
    exposure
        How easily a quasi-identifier is found elsewhere.
    impacts
        Bodily, material and moral impact of its disclosure.
    scale
        Whether its numbers or dates have an order; None for others, and where that is not known.
    meaning
        The key of what it is about; empty if that is not known.
    unknown
        Whether neither name nor values explain it, and records share its values.
    offered
        The values of a sensitive column that are few enough to be rated one by one; none that
        only one or two records have.
    harmless
        The values of a sensitive column that tell little, each with what it says.
    sensitive
        Whether a quasi-identifier is sensitive too: others see it, and its disclosure hits.
    numbered
        Whether each record has a number of its own, which may be no more than that of its row.
    basis
        What the guess was understood from: ``source``, ``name``, ``values``, ``name and values``
        or ``nothing``.
    """

    column: str
    role: Role
    reason: str
    sure: Sure
    exposure: Exposure | None = None
    impacts: tuple[int, int, int] | None = None
    scale: Literal["nominal", "ordinal"] | None = None
    meaning: str = ""
    unknown: bool = False
    offered: tuple[str, ...] = ()
    harmless: tuple[tuple[str, str], ...] = ()
    sensitive: bool = False
    numbered: bool = False
    basis: Basis = "nothing"

    @property
    def understood(self) -> bool:
        """Whether the name or the values say what the column is; if not, its role is open."""
        return self.basis != "nothing"

    @property
    def roles(self) -> tuple[Role, ...]:
        """The role, and sensitive where a quasi-identifier is this too."""
        return (self.role, Role.SENSITIVE) if self.sensitive else (self.role,)


@dataclass(frozen=True)
class Subject:
    """A column with what its values look like and what its name says."""

    column: Column
    look: Look
    match: NameMatch | None
    meaning_key: str = ""

    @classmethod
    def of(cls, column: Column, look: Look | None = None) -> Subject:
        """Look at a column, its name, and what its source says about it.

        Of data that is elsewhere there is a look already, and ``column`` has each value once.
        """
        match = match_name(column.name)
        if match is None and column.description:
            match = match_name(column.description)
        return cls(column, look or look_at(column), match, match.meaning if match else "")

    @property
    def meaning(self) -> Meaning | None:
        """What the name says."""
        return MEANINGS.get(self.meaning_key)

    def guess(
        self, role: Role, reason: str, sure: Sure, meaning: str = "", *, basis: Basis
    ) -> Guess:
        """Return a guess with the exposure and the impacts of a meaning, where they apply."""
        about = MEANINGS.get(meaning)
        in_order = self.look.all_numbers or self.look.dates
        ordered = bool(about and about.ordered) and in_order
        exposure = about.exposure if about else None
        harmless = self._harmless() if role == Role.SENSITIVE else ()
        if harmless:
            reason = say("guess.reasons.harmless", reason=reason, what=_kinds(harmless))
        impacts = about.impacts if about else None
        found = Guess(
            self.column.name,
            role,
            reason,
            sure,
            exposure=exposure if role == Role.QUASI_IDENTIFIER else None,
            impacts=impacts if role == Role.SENSITIVE else None,
            scale=("ordinal" if ordered else "nominal") if about and in_order else None,
            meaning=meaning,
            offered=self._offered() if role == Role.SENSITIVE and not ordered else (),
            harmless=harmless,
            basis=basis,
        )
        return self._seen(found) if about and role == Role.SENSITIVE else found

    def _seen(self, guess: Guess) -> Guess:
        """Return a guess at a sensitive column as one that others know too, if they see it.

        Who states a role is believed. Nobody sees the words or the code of a single record.
        """
        stated = guess.basis == "source"
        if stated or not seen_by_others(guess) or self.look.free_text or self.look.nearly_unique:
            return guess
        return replace(
            guess,
            role=Role.QUASI_IDENTIFIER,
            sensitive=True,
            exposure=MEANINGS[guess.meaning].exposure,
            reason=say("guess.seen", reason=guess.reason),
        )

    def _harmless(self) -> tuple[tuple[str, str], ...]:
        if self.look.free_text or self.look.distinct > MOST_VALUES:
            return ()
        return harmless_values(self.column, self.meaning)

    def _offered(self) -> tuple[str, ...]:
        look = self.look
        shared = look.distinct * 2 <= look.records
        few = look.distinct <= _MOST_OFFERED and len(look.texts) == look.distinct
        if not few or not shared or look.free_text:
            return ()
        return tuple(text for text, held in look.counted if held >= _OFFERED_FROM)


def _kinds(harmless: tuple[tuple[str, str], ...]) -> str:
    kinds = {why for _, why in harmless}
    both = [kind for kind in (NONE, UNKNOWN) if say(f"guess.harmless.{kind}") in kinds]
    return say(f"guess.harmless_kinds.{'_or_'.join(both)}")


def seen_by_others(guess: Guess) -> bool:
    """Whether a column is about what others often see and what is sensitive all the same.

    Race, religion and disability are such: a neighbour knows them, and their disclosure hits.

    >>> import singleout as so
    >>> people = so.read({"race": ["a", "b", "b"], "disease": ["flu", "HIV", "flu"]})
    >>> [seen_by_others(guess) for guess in so.guessed_plan(people).guesses]
    [True, False]
    """
    meaning = MEANINGS.get(guess.meaning)
    return meaning is not None and meaning.seen
