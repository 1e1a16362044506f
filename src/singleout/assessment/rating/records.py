"""The risk of every record: the severity of its own value, and how its own values give it away.

Severity and inference are known for each value (Sondeck and Laurent, Tables 5 and 6), so the few
records that matter can be told from the many that do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.question import Levels, Question, Target
from singleout.assessment.rating.rows import Kind, Row
from singleout.assessment.rating.scales import Exposure
from singleout.core.arrays import F64, I64
from singleout.core.results import ResultPart
from singleout.methods.levels import inference_levels

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AT_RISK", "RecordRisks", "record_risks"]

AT_RISK = 3  # from this risk level on, Severe, a record counts as at risk


@dataclass(frozen=True, eq=False)
class RecordRisks(ResultPart):
    """What each record risks, for the target that is worst for it.

    Every array has one element for each record that was rated, in the order of the data.

    Parameters
    ----------
    record
        The number of each record in the data, from 1.
    targets
        The names of the sensitive attributes; None for the identity.
    target
        Which of them is the worst.
    severity, exploitability, risk
        The levels, 1 to 4.
    rates
        For each exposure level that occurs, the rate of the record's values.
    set_size
        How many records share its values in all quasi-identifiers; empty if it was not counted.
    """

    record: I64 = field(repr=False)
    targets: tuple[str | None, ...]
    target: NDArray[np.uint16] = field(repr=False)
    severity: Levels = field(repr=False)
    exploitability: Levels = field(repr=False)
    risk: Levels = field(repr=False)
    rates: Mapping[int, F64] = field(repr=False)
    set_size: I64 = field(repr=False)

    @property
    def by_level(self) -> tuple[int, ...]:
        """How many records have risk level 1, 2, 3 and 4."""
        return tuple(np.bincount(self.risk, minlength=5)[1:].tolist())

    @property
    def at_risk(self) -> int:
        """How many records are at severe or critical risk."""
        return int((self.risk >= AT_RISK).sum())

    def worst_first(self) -> I64:
        """Return the places of the records, the riskiest first, ties as in the data."""
        highest = np.max(list(self.rates.values()), axis=0)
        size = self.set_size if len(self.set_size) else np.zeros(len(self.record))
        return np.lexsort((size, -highest, -self.exploitability, -self.severity, -self.risk))

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each record."""
        from singleout.core.frames import pl

        names = pl.Series(self.targets, dtype=pl.String)
        rates = {f"rate_{Exposure(level).name}": found for level, found in self.rates.items()}
        return pl.DataFrame(
            {
                "record": self.record,
                "sensitive": names.gather(self.target),
                "severity": self.severity.astype(np.int64),
                **rates,
                "exploitability": self.exploitability.astype(np.int64),
                "risk": self.risk.astype(np.int64),
                "set_size": self.set_size,
            }
        )


def record_risks(
    question: Question, rows: Sequence[Row], record: I64, set_size: I64 | None = None
) -> RecordRisks:
    """Return the risk of each record from the rows by exposure.

    Parameters
    ----------
    question
        The table and what was rated on it.
    rows
        Its rows, those by exposure with the rates of records.
    record
        The number of each record in the data.
    set_size
        How many records share its values in all quasi-identifiers.
    """
    best: RecordRisks | None = None
    for place, target in enumerate(question.targets):
        found = _of_target(question, rows, record, place, target)
        best = found if best is None else _worse(best, found)
    assert best is not None  # there is always a target
    sizes = np.empty(0, dtype=np.int64) if set_size is None else set_size
    names = tuple(target.name for target in question.targets)
    return RecordRisks(
        record,
        names,
        best.target,
        best.severity,
        best.exploitability,
        best.risk,
        best.rates,
        sizes,
    )


def _of_target(
    question: Question, rows: Sequence[Row], record: I64, place: int, target: Target
) -> RecordRisks:
    severity = target.severities(question.table)
    exploitability = np.ones(len(severity), dtype=np.int8)
    rates = {}
    for row in rows:
        found = row.measured.per_record
        if row.combination.kind != Kind.EXPOSURE or row.sensitive != target.name or found is None:
            continue
        rates[row.combination.exposure] = found
        inference = inference_levels(found)
        here = question.exploitability[inference - 1, row.combination.exposure - 1]
        exploitability = np.maximum(exploitability, here)
    return RecordRisks(
        record,
        (target.name,),
        np.full(len(severity), place, dtype=np.uint16),
        severity,
        exploitability,
        question.risk[exploitability - 1, severity - 1],
        rates,
        np.empty(0, dtype=np.int64),
    )


def _worse(one: RecordRisks, other: RecordRisks) -> RecordRisks:
    """Return for each record the target with the higher risk; then severity decides."""
    first, second = ((25 * r.risk.astype(np.int16) + 5 * r.severity) for r in (one, other))
    first, second = first + one.exploitability, second + other.exploitability
    swap = second > first
    rates = {
        level: np.where(swap, other.rates[level], one.rates[level])
        for level in one.rates
        if level in other.rates
    }
    return RecordRisks(
        one.record,
        (*one.targets, *other.targets),
        np.where(swap, other.target, one.target),
        np.where(swap, other.severity, one.severity),
        np.where(swap, other.exploitability, one.exploitability),
        np.where(swap, other.risk, one.risk),
        rates,
        one.set_size,
    )
