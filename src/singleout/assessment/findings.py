"""What a verdict speaks of: the levels in a few numbers, and the rows that are worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row

__all__ = ["Findings", "distinct_rows", "worst_first"]

_PREFERRED = (Kind.EXPOSURE, Kind.NAMED, Kind.CUMULATIVE, Kind.ATTRIBUTE)


@dataclass(frozen=True)
class Findings:
    """What a verdict speaks of and a policy looks at.

    Parameters
    ----------
    level
        The risk of the table, 1 to 4.
    severity
        The highest severity of any row.
    k
        How many records share the rarest combination of the quasi-identifiers.
    unique_share
        Records that are unique / records that were rated.
    by_risk
        How many records have risk level 1, 2, 3 and 4.
    dropped
        Records left out because a value is missing.
    personal
        Columns that identify people directly.
    if_member
        The risk for who knows that a person is in the file; None if no population is stated.
    possible
        The risk if insiders know the columns that nobody has explained.
    unexplained
        These columns.
    without_names
        The risk without the columns that identify people directly.
    possible_if_member
        The risk for who knows that a person is in the file, if insiders know these columns.
    special_share
        Records that are special uniques, or unique and not decided / records; None if SUDA was
        left out.
    dis_suda
        The highest DIS-SUDA of any record, 1 if that of a unique record is not known; None if it
        is not defined.
    unit
        The column that tells people apart where they are counted in place of records, in all
        numbers but ``dropped``; None if records are.
    rows
        How many records the people have.
    """

    level: int
    severity: int
    k: int
    unique_share: float
    by_risk: tuple[int, ...]
    dropped: int = 0
    personal: tuple[str, ...] = ()
    if_member: int | None = None
    possible: int = 1
    unexplained: tuple[str, ...] = ()
    without_names: int = 1
    possible_if_member: int = 1
    special_share: float | None = None
    dis_suda: float | None = None
    unit: str | None = None
    rows: int = 0

    @property
    def rated(self) -> int:
        """How many records were rated, or people."""
        return sum(self.by_risk)

    @property
    def at_risk(self) -> int:
        """Records at severe or critical risk."""
        return sum(self.by_risk[2:])

    @property
    def at_risk_share(self) -> float:
        """Records at severe or critical risk / records that were rated."""
        return self.at_risk / self.rated if self.rated else 0.0

    @property
    def highest(self) -> int:
        """The highest risk of any record."""
        return max(level for level, held in enumerate(self.by_risk, start=1) if held)

    @property
    def highest_level(self) -> int:
        """The risk of the table if what is not known is as bad as it can be."""
        return max(self.level, self.possible)

    @property
    def highest_if_member(self) -> int:
        """The same for somebody who knows that the person is in the file."""
        if self.if_member is None:
            return self.highest_level
        return max(self.if_member, self.possible_if_member)


def worst_first(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, that which the verdict speaks of first: highest risk, easiest attack."""
    return sorted(
        rows,
        key=lambda row: (
            not row.decides,
            -row.risk,
            -row.reaching(row.risk),
            -row.exploitability,
            -row.severity,
            -row.combination.exposure,
            -row.rate,
            _PREFERRED.index(row.combination.kind),
        ),
    )


def distinct_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows worst first, without those of an exposure level that has one column only.

    Such a row says the same as that of the column; by certainty the one that decides is kept.
    """
    certain = any(row.by_risk for row in rows)
    deciding = {(row.combination.columns, row.sensitive) for row in rows if row.decides}
    kept = []
    for row in worst_first(rows):
        alone = len(row.combination.columns) == 1
        if certain and alone and not row.decides:
            same = (row.combination.columns, row.sensitive) in deciding
        else:
            same = not certain and alone and row.combination.kind == Kind.EXPOSURE
        if not same:
            kept.append(row)
    return kept
