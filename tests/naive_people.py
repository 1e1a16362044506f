"""People with several records, counted slowly: decision 0017."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan


def rarest(rows: Sequence[tuple[object, ...]], people: Sequence[object]) -> list[int]:
    """Return for each person how many people share the rarest combination they have, sorted."""
    owners = {
        row: {who for other, who in zip(rows, people, strict=True) if other == row} for row in rows
    }
    return sorted(
        min(len(owners[row]) for row, who in zip(rows, people, strict=True) if who == person)
        for person in set(people)
    )


def risks(
    rows: Sequence[tuple[object, ...]],
    values: Sequence[object],
    people: Sequence[object],
    rating: Rating,
) -> dict[object, int]:
    """Return the risk of each person by an attacker who knows ``rows`` and wants ``values``.

    The worst of: a record found with its own value learnt by inference or by the match, and any
    record found, which tells the most severe value of all records of the person.
    """
    records = list(zip(rows, values, people, strict=True))
    everybody = set(people)

    def those(row: object = None, value: object = None) -> set[object]:
        return {
            who
            for other, held, who in records
            if (row is None or other == row) and (value is None or held == value)
        }

    found: dict[object, int] = {}
    for person in everybody:
        own = [(row, value) for row, value, who in records if who == person]
        worst = max(rating.severity[value] for _, value in own)
        reached = []
        for row, value in own:
            alike = len(those(row))
            match = Fraction(1, alike)
            guess = Fraction(len(those(value=value)), len(everybody))
            gain = Fraction(len(those(row, value)), alike) - guess
            reached.append(rating.risk(max(match, gain), rating.severity[value]))
            reached.append(rating.risk(match, worst))
        found[person] = max(reached)
    return found


class Rating:
    """The matrices of an assessment, for one exposure."""

    def __init__(self, severity: dict[object, int], plan: Plan, exposure: int) -> None:
        self.severity, self._plan, self._exposure = severity, plan, exposure

    def risk(self, rate: Fraction, severity: int) -> int:
        """Return the level of risk of a rate and a severity."""
        matrices = self._plan.matrices
        inference = 1 + sum(rate >= Fraction(str(bound)) for bound in matrices.inference)
        exploitability = matrices.exploitability[inference - 1][self._exposure - 1]
        return matrices.risk[exploitability - 1][severity - 1]
