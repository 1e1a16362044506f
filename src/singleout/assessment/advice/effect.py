"""The state of a table in a few numbers: what a change is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.assessment.rating.attackers import Combination, combinations_of, decides
from singleout.assessment.rating.certainty import level_reached, rate_stated
from singleout.assessment.rating.question import Levels, Question, Target
from singleout.assessment.rating.records import AT_RISK, RecordRisks, record_risks
from singleout.assessment.rating.rows import Meter, Row, rate_rows, sizes_of_records, targets_of
from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.core.results import ResultPart
from singleout.engines.local import counting as local
from singleout.kernels.grouping.group import Groups

__all__ = ["Effect", "Gauge", "Gauged", "effect_of", "highest"]


@dataclass(frozen=True)
class Effect(ResultPart):
    """The state of a table in a few numbers.

    Parameters
    ----------
    records
        How many records there are.
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
    """

    records: int
    level: int
    at_risk: int
    rate: float
    unique_share: float
    k: int

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


def effect_of(question: Question, risks: RecordRisks, level: int | None = None) -> Effect:
    """Return the state of a table whose records are rated."""
    sizes = sizes_of_records(question.table, question.known)
    if level is None:
        level = level_reached(risks.by_level, question.tolerated)
    return _effect(level, risks.risk, float(risks.rate.mean()), sizes)


def _effect(level: int, risk: Levels, rate: float, sizes: I64) -> Effect:
    return Effect(
        len(risk),
        level,
        int((risk >= AT_RISK).sum()),
        rate,
        float((sizes == 1).mean()),
        int(sizes.min()),
    )


def highest(rows: Sequence[Row]) -> int:
    """Return the highest risk of any row."""
    return max(row.risk for row in rows)


@dataclass(frozen=True, eq=False)
class Gauged:
    """What a changed table was found to be.

    Parameters
    ----------
    effect
        Its state.
    risk
        The risk of each record.
    sizes
        How many records share its values in all quasi-identifiers.
    """

    effect: Effect
    risk: Levels = field(repr=False)
    sizes: I64 = field(repr=False)


class Gauge:
    """Rates changed tables by what decides alone: no rows, and no second rating for members.

    What rests on columns that did not change is remembered of the table as it is.
    """

    def __init__(self, question: Question, meter: Meter) -> None:
        self._meter = meter
        self._start = {id(column) for column in question.table}
        self._found: dict[tuple[int, ...], tuple[list[Any], F64]] = {}

    def __call__(self, question: Question) -> Gauged:
        """Return the state of a table and the risk of its records."""
        if not question.by_certainty:
            return self._by_paper(question)
        grouped = _Grouped(question)
        ranks: F64 | None = None
        for combination in combinations_of(question):
            if not decides(combination, question):
                continue
            for attacker, targets in targets_of(question, combination).items():
                found = self._ranks(question, attacker, targets, grouped)
                ranks = found if ranks is None else np.maximum(ranks, found)
        assert ranks is not None  # somebody always decides
        risk = (ranks // 25).astype(np.int8)
        by_level = np.bincount(risk, minlength=5)[1:].tolist()
        level = level_reached(by_level, question.tolerated)
        sizes = grouped.sizes()
        return Gauged(_effect(level, risk, float(2 * (ranks % 1).mean()), sizes), risk, sizes)

    def _ranks(
        self,
        question: Question,
        attacker: Combination,
        targets: Sequence[Target],
        grouped: _Grouped,
    ) -> F64:
        """Return for each record how an attacker ranks it, by the worst of some targets."""
        table = question.table
        used = [table[name] for name in attacker.columns]
        used += [table[target.name] for target in targets if target.name is not None]
        alive = [*used, question.population, *targets]
        key = (*map(id, alive), attacker.exposure)
        if key in self._found:
            return self._found[key][1]
        groups = grouped(attacker.columns)
        people = question.population.of_classes(table, attacker.columns, groups)
        ranks = np.zeros(table.rows)
        for target in targets:
            rating = rate_stated(question, attacker, target, groups, people)
            np.maximum(ranks, rating.rank[rating.of_record], out=ranks)
        if self._start.issuperset(map(id, used)):
            self._found[key] = (alive, ranks)
        return ranks

    def _by_paper(self, question: Question) -> Gauged:
        rows = rate_rows(question, self._meter)
        risks = record_risks(question, rows, np.arange(1, question.table.rows + 1))
        sizes = sizes_of_records(question.table, question.known)
        effect = _effect(highest(rows), risks.risk, float(risks.rate.mean()), sizes)
        return Gauged(effect, risks.risk, sizes)


class _Grouped:
    """The groups of a table by some columns; those by all quasi-identifiers are kept."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._by_all: Groups | None = None

    def __call__(self, columns: tuple[str, ...]) -> Groups:
        """Return the groups."""
        if columns != self._question.known:
            return local.group(self._question.table, columns)
        if self._by_all is None:
            self._by_all = local.group(self._question.table, columns)
        return self._by_all

    def sizes(self) -> I64:
        """Return how many records each record cannot be told from."""
        table, known = self._question.table, self._question.known
        if table.missing == MissingPolicy.WILDCARD:
            return sizes_of_records(table, known)
        groups = self(known)
        return groups.sizes[groups.ids]
