"""The risk of every record: the severity of its own value, and how its own values give it away.

Severity and inference are known for each value (Sondeck and Laurent, Tables 5 and 6), so the few
records that matter can be told from the many that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.certainty import PairRating
from singleout.assessment.rating.owners import Owners
from singleout.assessment.rating.question import Levels, RatingQuestion, Target
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import EXPLOITABILITIES, Exposure
from singleout.core.arrays import F64, I64
from singleout.core.results import ResultPart
from singleout.methods.levels import inference_levels

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AT_RISK", "RecordRisks", "certain_risks", "record_risks"]

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
        For each exposure level that occurs, the discrimination rate of the record's values; empty
        where records are rated by certainty.
    set_size
        How many records share its values in all quasi-identifiers; empty if it was not counted.
    identity, gain
        By certainty, of the worst attacker: how likely a guess at the record is right, and by how
        much belief in its value exceeds guessing. None in the rating ``paper``.
    attackers, attacker
        The names of the attackers, and which of them is the worst for each record.
    owners
        Whose records they are, where a person may have several: every record has the levels of its
        person then, and people are counted.
    """

    record: I64 = field(repr=False)
    targets: tuple[str | None, ...]
    target: NDArray[np.uint16] = field(repr=False)
    severity: Levels = field(repr=False)
    exploitability: Levels = field(repr=False)
    risk: Levels = field(repr=False)
    rates: Mapping[int, F64] = field(repr=False)
    set_size: I64 = field(repr=False)
    identity: F64 | None = field(default=None, repr=False)
    gain: F64 | None = field(default=None, repr=False)
    attackers: tuple[str, ...] = ()
    attacker: NDArray[np.uint16] | None = field(default=None, repr=False)
    owners: Owners | None = field(default=None, repr=False)

    @cached_property
    def counted(self) -> RecordRisks:
        """What is counted: the records, or one of each person, that with the smallest set."""
        if self.owners is None:
            return self
        return self._only(self._of_people)

    @cached_property
    def _of_people(self) -> I64:
        assert self.owners is not None
        sizes = self.set_size if len(self.set_size) else np.zeros(len(self.record), dtype=np.int64)
        return self.owners.rarest(sizes)

    def _only(self, rows: I64) -> RecordRisks:
        """Return some records, without their owners."""
        taken: dict[str, Any] = {
            name: getattr(self, name)[rows]
            for name in ("record", "target", "severity", "exploitability", "risk")
        }
        for name in ("identity", "gain", "attacker"):
            held = getattr(self, name)
            taken[name] = None if held is None else held[rows]
        sizes = self.set_size[rows] if len(self.set_size) else self.set_size
        rates = {level: held[rows] for level, held in self.rates.items()}
        return replace(self, **taken, set_size=sizes, rates=rates, owners=None)

    @property
    def rated(self) -> int:
        """How many records were rated, or how many people."""
        return len(self.record) if self.owners is None else self.owners.people

    @property
    def rate(self) -> F64:
        """The rate of each record at its worst attacker."""
        if self.identity is None or self.gain is None:
            return np.asarray(np.max(list(self.rates.values()), axis=0), dtype=np.float64)
        return np.maximum(self.identity, self.gain)

    def named(self, question: RatingQuestion) -> RecordRisks:
        """Return the same where a column identifies people directly: everybody is found."""
        everybody = len(self.record)
        exploitability = np.full(everybody, len(EXPLOITABILITIES), dtype=np.int8)
        return replace(
            self,
            exploitability=exploitability,
            risk=question.risk[exploitability - 1, self.severity - 1],
            identity=np.ones(everybody),
            gain=np.zeros(everybody) if self.gain is None else self.gain,
        )

    @property
    def by_level(self) -> tuple[int, ...]:
        """How many records have risk level 1, 2, 3 and 4, or how many people."""
        return tuple(np.bincount(self.counted.risk, minlength=5)[1:].tolist())

    @property
    def at_risk_mask(self) -> NDArray[np.bool_]:
        """Which records are at severe or critical risk."""
        return np.asarray(self.risk >= AT_RISK)

    @property
    def at_risk(self) -> int:
        """How many records are at severe or critical risk, or how many people."""
        return int(self.counted.at_risk_mask.sum())

    def worst_first(self) -> I64:
        """Return the indexes of all records, the riskiest first, ties as in the data.

        Of a person with several records only that with the smallest set.
        """
        return self.worst(self.rated)

    def worst(self, count: int) -> I64:
        """Return the indexes of so many records, the riskiest first, ties as in the data.

        Of a person with several records only that with the smallest set.
        """
        if self.owners is not None:
            return self._of_people[self.counted.worst(count)]
        levels = 25.0 * self.risk + 5.0 * self.severity + self.exploitability
        rank = levels + self.rate / 2  # a rate is at most 1, and levels are whole numbers
        size = self.set_size if len(self.set_size) else np.zeros(len(self.record))
        among = np.arange(len(rank))
        if count < len(rank):
            if count < 1:
                return among[:0]
            lowest = np.partition(rank, len(rank) - count)[len(rank) - count]
            among = np.flatnonzero(rank >= lowest)
            among = _smallest_of_ties(among, rank[among] == lowest, size, count)
        return among[np.lexsort((size[among], -rank[among]))][:count]

    def all_but(self, records: I64) -> NDArray[np.bool_]:
        """Return which records are left if some go, with all others of their people."""
        if self.owners is not None:
            gone = np.zeros(self.owners.people, dtype=np.bool_)
            gone[self.owners.person[records]] = True
            return ~gone[self.owners.person]
        kept = np.ones(len(self.record), dtype=np.bool_)
        kept[records] = False
        return kept

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each record."""
        from singleout.core.frames import pl

        names = pl.Series(self.targets, dtype=pl.String)
        rates: dict[str, Any] = {
            f"rate_{Exposure(level).name}": found for level, found in self.rates.items()
        }
        if self.identity is not None:
            rates |= {"identity": self.identity, "gain": self.gain, "rate": self.rate}
        if self.attacker is not None:
            rates["attacker"] = pl.Series(self.attackers, dtype=pl.String).gather(self.attacker)
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
    question: RatingQuestion, rows: Sequence[Row], record: I64, set_size: I64 | None = None
) -> RecordRisks:
    """Return the risk of each record from the rows by exposure, which hold the rates of records.

    ``record`` are the numbers of the records in the data, ``set_size`` the sizes of their sets.
    """
    best: RecordRisks | None = None
    for index, target in enumerate(question.targets):
        found = _of_target(question, rows, record, index, target)
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


def certain_risks(
    question: RatingQuestion,
    ratings: Sequence[PairRating],
    record: I64,
    set_size: I64 | None = None,
) -> RecordRisks:
    """Return the risk of each record by its worst attacker and target.

    ``ratings`` are the attackers that decide, each against each target; ``record`` are the numbers
    of the records in the data, ``set_size`` the sizes of their sets.
    """
    targets = [*question.targets, *(rating.target for rating in ratings)]
    names = tuple(dict.fromkeys(target.name for target in targets))
    attackers = tuple(dict.fromkeys(rating.combination.title for rating in ratings))
    order, which = np.full(len(record), -1.0), np.zeros(len(record), dtype=np.uint16)
    for index, rating in enumerate(ratings):
        here = rating.rank[rating.of_record]
        better = here > order
        order[better] = here[better]
        which[better] = index
    found = _Gathered(ratings, which)
    of_target = [names.index(rating.target.name) for rating in ratings]
    of_attacker = [attackers.index(rating.combination.title) for rating in ratings]
    return RecordRisks(
        record,
        names,
        np.array(of_target, dtype=np.uint16)[which],
        found(lambda rating: rating.severity),
        found(lambda rating: rating.exploitability),
        found(lambda rating: rating.risk),
        {},
        np.empty(0, dtype=np.int64) if set_size is None else set_size,
        found(lambda rating: rating.certainty.identity),
        found(lambda rating: rating.certainty.gain),
        attackers,
        np.array(of_attacker, dtype=np.uint16)[which],
        question.owners,
    )


def _smallest_of_ties(among: I64, tied: NDArray[np.bool_], size: NDArray[Any], count: int) -> I64:
    """Return as many records as there is room for: of those that tie, the smallest sets.

    Very many may tie, as all that are unique do, so that they are not sorted.
    """
    ties = among[tied]
    room = count - int((~tied).sum())
    largest = np.partition(size[ties], room - 1)[room - 1]
    below = ties[size[ties] < largest]
    level = ties[size[ties] == largest][: room - len(below)]
    return np.sort(np.concatenate([among[~tied], below, level]))


class _Gathered:
    """What the worst rating of each record has for it."""

    def __init__(self, ratings: Sequence[PairRating], which: NDArray[np.uint16]) -> None:
        self._ratings = ratings
        self._members = [np.flatnonzero(which == index) for index in range(len(ratings))]
        self._records = len(which)

    def __call__(self, of_pairs: Callable[[PairRating], NDArray[Any]]) -> NDArray[Any]:
        found = np.empty(self._records, dtype=of_pairs(self._ratings[0]).dtype)
        for rating, members in zip(self._ratings, self._members, strict=True):
            found[members] = of_pairs(rating)[rating.of_record[members]]
        return found


def _of_target(
    question: RatingQuestion, rows: Sequence[Row], record: I64, index: int, target: Target
) -> RecordRisks:
    severity = target.severities(question.table)
    exploitability = np.ones(len(severity), dtype=np.int8)
    rates = {}
    for row in rows:
        found = row.measured.per_record
        if row.combination.kind != Kind.EXPOSURE or row.sensitive != target.name or found is None:
            continue
        rates[row.combination.exposure] = found
        inference = inference_levels(found, question.bounds)
        here = question.exploitability[inference - 1, row.combination.exposure - 1]
        exploitability = np.maximum(exploitability, here)
    return RecordRisks(
        record,
        (target.name,),
        np.full(len(severity), index, dtype=np.uint16),
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
