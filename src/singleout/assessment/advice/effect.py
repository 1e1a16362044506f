"""The state of a table in a few numbers: what a change is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from singleout.assessment.rating.certainty import level_reached
from singleout.assessment.rating.question import RatingQuestion
from singleout.assessment.rating.records import RecordRisks
from singleout.assessment.rating.rows import Row, set_sizes
from singleout.core.results import ResultPart

__all__ = ["Effect", "effect_of", "highest"]


@dataclass(frozen=True)
class Effect(ResultPart):
    """The state of a table in a few numbers.

    Parameters
    ----------
    records
        How many records there are, or people where they may have several records each: they are
        what is counted below as well.
    level
        The risk of the table, 1 to 4.
    at_risk
        Records at severe or critical risk.
    rate
        The mean over records of how sure an attacker can be of them; in the rating ``paper`` of
        the discrimination rate.
    unique_share
        Records alone with their values in all quasi-identifiers / all records.
    k
        How many records share the rarest combination of them.
    of_people
        Whether people are counted in place of records.
    """

    records: int
    level: int
    at_risk: int
    rate: float
    unique_share: float
    k: int
    of_people: bool = False

    @property
    def total(self) -> float:
        """What can be compared where the level is the same: shares, added up."""
        return self.at_risk / self.records + self.rate + self.unique_share

    def risk_removed(self, after: Effect) -> float:
        """Return how much less there is after a change: of levels, then of shares."""
        return self.level - after.level + self.total - after.total

    def to_dict(self) -> dict[str, float]:
        """Return the state as plain values that JSON can hold."""
        return {
            "records": self.records,
            "level": self.level,
            "at_risk": self.at_risk,
            "rate": self.rate,
            "unique_share": self.unique_share,
            "k": self.k,
        }


def effect_of(question: RatingQuestion, risks: RecordRisks, level: int | None = None) -> Effect:
    """Return the state of a table whose records are rated."""
    if not len(risks.set_size):
        risks = replace(risks, set_size=set_sizes(question))
    one_each = risks.counted
    sizes = one_each.set_size
    if level is None:
        level = level_reached(risks.by_level, question.tolerated)
    return Effect(
        risks.rated,
        level,
        risks.at_risk,
        float(one_each.rate.mean()),
        float((sizes == 1).mean()),
        int(sizes.min()),
        question.owners is not None,
    )


def highest(rows: Sequence[Row]) -> int:
    """Return the highest risk of any row."""
    return max(row.risk for row in rows)
