"""What an attacker could know together.

Sondeck and Laurent take all attributes of one exposure level together, and each alone. Beyond the
paper there is an attacker for each level with all that is easier to get, and one for each
combination that the plan names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from singleout.assessment.rating.question import RatingQuestion
from singleout.assessment.rating.scales import Exposure
from singleout.report.say import say

__all__ = ["Combination", "Kind", "combinations_of", "decides", "not_knowing"]


class Kind(StrEnum):
    """Why columns are taken together."""

    EXPOSURE = "exposure"  # all of one exposure level
    ATTRIBUTE = "attribute"  # one alone
    CUMULATIVE = "cumulative"  # all of one exposure level or easier to get
    NAMED = "named"  # the plan says so


@dataclass(frozen=True)
class Combination:
    """Columns that an attacker may know together.

    Parameters
    ----------
    kind
        Why they are taken together.
    name
        What the row is called.
    columns
        The columns, in the order of the table.
    exposure
        How easily they are found: as easily as the hardest of them.
    without
        A column that the attacker would know but is to learn, for it is sensitive too.
    """

    kind: Kind
    name: str
    columns: tuple[str, ...]
    exposure: int
    without: str | None = None

    @property
    def title(self) -> str:
        """The name, and what the attacker does not know of it."""
        return self.name if self.without is None else f"{self.name} without {self.without}"


def combinations_of(question: RatingQuestion) -> list[Combination]:
    """Return what is rated: by exposure, easiest first, by attribute, cumulative, as named."""
    return [
        *_by_exposure(question),
        *(
            Combination(Kind.ATTRIBUTE, name, (name,), level)
            for name, level in question.exposures.items()
        ),
        *_cumulative(question),
        *(
            Combination(Kind.NAMED, title, tuple(members), min(members.values()))
            for title, members in question.named.items()
        ),
    ]


def _by_exposure(question: RatingQuestion) -> Iterator[Combination]:
    for exposure in sorted(set(question.exposures.values()), reverse=True):
        names = [name for name, level in question.exposures.items() if level == exposure]
        yield Combination(Kind.EXPOSURE, Exposure(exposure).name, tuple(names), exposure)


def _cumulative(question: RatingQuestion) -> Iterator[Combination]:
    """Yield all of a level or easier; for the easiest level that is the row by exposure."""
    for exposure in sorted(set(question.exposures.values()), reverse=True)[1:]:
        names = [name for name, level in question.exposures.items() if level >= exposure]
        title = say("assessment.or_easier", exposure=Exposure(exposure).name)
        yield Combination(Kind.CUMULATIVE, title, tuple(names), exposure)


def decides(combination: Combination, question: RatingQuestion) -> bool:
    """Whether an attacker decides about records: who knows a level or easier, or who is named.

    Single attributes and levels by themselves explain; they do not decide.
    """
    easiest = max(question.exposures.values())
    if combination.kind == Kind.EXPOSURE:
        return combination.exposure == easiest
    return combination.kind in (Kind.CUMULATIVE, Kind.NAMED)


def not_knowing(combination: Combination, column: str) -> Combination | None:
    """Return an attacker who does not know a column; None if nothing else is known."""
    left = tuple(name for name in combination.columns if name != column)
    return replace(combination, columns=left, without=column) if left else None
