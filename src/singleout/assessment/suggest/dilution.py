"""What a level of the verdict asks of a class: how many records, and how much of each value.

An attacker of some exposure may infer a value of some severity only so far that the matrices give
no higher level. The gain must stay below a bound then: the share of the value in a class below its
share in the table plus the bound. A share in a union of classes is a mean of theirs, so what holds
for classes by all quasi-identifiers holds for every attacker who knows fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from singleout.assessment.rating.question import RatingQuestion, Target
from singleout.core.arrays import I64
from singleout.methods.levels import INFERENCE_BOUNDS

__all__ = ["Cap", "Dilution", "dilutions"]

_ALL = len(INFERENCE_BOUNDS) + 1  # levels of inference


@dataclass(frozen=True, eq=False)
class Cap:
    """The largest share that some values of a sensitive column may have in a class.

    Parameters
    ----------
    column
        The sensitive column.
    codes
        Its values, by their codes.
    share
        Their share in the table.
    gain
        By how much the share in a class stays below more than that.
    """

    column: str
    codes: I64 = field(repr=False)
    share: float
    gain: float

    @property
    def at_most(self) -> float:
        """The share, which is not reached."""
        return self.share + self.gain


@dataclass(frozen=True)
class Dilution:
    """What every class must keep: a number of records, and caps."""

    k: int = 1
    caps: tuple[Cap, ...] = ()
    blocked: tuple[str, ...] = ()  # sensitive columns with a value too severe for any class


def dilutions(question: RatingQuestion, level: int) -> list[Dilution]:
    """Return what classes must keep so that nobody exceeds a level, the weakest demand first.

    The first demands nothing, since a population or the tolerated share may be enough; the last
    holds for the attackers of every exposure.
    """
    exposures = sorted(set(question.exposures.values()))
    return [Dilution(), *(_for(question, level, exposure) for exposure in exposures)]


def _for(question: RatingQuestion, level: int, exposure: int) -> Dilution:
    caps: list[Cap] = []
    least, blocked = 1, []
    for target in question.targets:
        allowed = _allowed(question, target, level, exposure)
        severe = [limit for limit, _, _ in allowed]
        lowest = min(severe, default=_ALL)
        if lowest == 0:
            blocked.append(target.name or "")
        # one over the records of a class must stay below the bound
        least = max(least, _records_below(question.bounds, lowest) if lowest < _ALL else 1)
        if target.name is None or target.name in question.exposures:
            continue
        for limit, codes, share in allowed:
            if limit < _ALL:
                caps.append(Cap(target.name, codes, share, question.bounds[max(limit, 1) - 1]))
    return Dilution(least, tuple(caps), tuple(blocked))


def _records_below(bounds: tuple[float, ...], level: int) -> int:
    """Return from how many records on one over them stays below the bound above a level."""
    return int(1 / Fraction(str(bounds[max(level, 1) - 1]))) + 1


def _allowed(
    question: RatingQuestion, target: Target, level: int, exposure: int
) -> list[tuple[int, I64, float]]:
    """Return the highest level of inference that each outcome allows, its codes and its share."""
    if target.name is None:
        codes = np.zeros(1, dtype=np.int64)
        return [(_highest(question, level, exposure, int(target.by_code[0])), codes, 1.0)]
    column = question.table[target.name]
    outcome_of = np.arange(column.levels) if target.bands is None else target.bands
    outcomes, severities = target.outcomes(question.table)
    held = np.bincount(outcomes, minlength=len(severities)) / len(outcomes)
    return [
        (
            _highest(question, level, exposure, int(severities[outcome])),
            np.flatnonzero(outcome_of == outcome).astype(np.int64),
            float(held[outcome]),
        )
        for outcome in range(len(severities))
        if held[outcome] > 0
    ]


def _highest(question: RatingQuestion, level: int, exposure: int, severity: int) -> int:
    """Return the highest level of inference that stays within a level of risk; 0 if none does."""
    within = list(_within(question, level, exposure, severity))
    return within.index(False) if False in within else _ALL


def _within(question: RatingQuestion, level: int, exposure: int, severity: int) -> Iterator[bool]:
    for inference in range(1, _ALL + 1):
        exploitability = question.exploitability[inference - 1, exposure - 1]
        yield bool(question.risk[exploitability - 1, severity - 1] <= level)
