"""The rows of an assessment: an attacker against a target, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.attackers import (
    Combination,
    Kind,
    combinations_of,
    decides,
    not_knowing,
)
from singleout.assessment.rating.certainty import PairRating, level_reached, rate_pairs
from singleout.assessment.rating.question import RatingQuestion, Target
from singleout.assessment.rating.scales import inference_level
from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.core.progress import track
from singleout.core.results import ResultPart
from singleout.core.table import Column, Table
from singleout.engines.local import counting as local
from singleout.kernels.grouping.group import Groups
from singleout.methods.discrimination.measure import Variant, inference_within, pairs_of
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "RatingCache",
    "Row",
    "rate_by_certainty",
    "rate_rows",
    "rows_frame",
    "set_sizes",
    "sizes_of_records",
    "targets_of",
]


# ---- measuring


@dataclass(frozen=True, eq=False)
class RowMeasures:
    """What a combination of columns tells about a target.

    Parameters
    ----------
    rate
        The discrimination rate; for the identity, how often a match is right on average.
    mutual_information, worst_value
        The other readings of the rate; None for the identity.
    combinations
        How many value combinations occur.
    k
        How many records share the rarest one; a missing value matches what the table lets it.
    unique_share
        Records alone with their combination / all records.
    per_record
        The rate of each record, where it was asked for.
    """

    rate: float
    mutual_information: float | None
    worst_value: float | None
    combinations: int
    k: int
    unique_share: float
    per_record: F64 | None = field(default=None, repr=False)


class _Classes:
    """Records grouped by what an attacker knows, with the pairs of a group and a code.

    Ratings by certainty and by entropy ask for the same pairs, which are counted once.
    """

    def __init__(self, columns: Sequence[Column], groups: Groups) -> None:
        self.groups = groups
        self._columns = columns
        self._paired: dict[tuple[int, int], tuple[NDArray[Any], Groups]] = {}

    def are_by(self, columns: Sequence[Column]) -> bool:
        """Whether these are the columns, in this order."""
        return list(map(id, columns)) == list(map(id, self._columns))

    def paired(self, groups: Groups, codes: NDArray[Any], levels: int) -> Groups:
        """Return the pairs of the groups and some codes, which are kept alive as long as these."""
        key = id(codes), levels
        if key not in self._paired:
            self._paired[key] = codes, pairs_of(groups, codes, levels)
        return self._paired[key][1]


class RatingCache:
    """Measures combinations of columns, and remembers those of the table as it is.

    A changed table shares the columns that did not change, so that what rests on these alone is not
    counted again.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], tuple[list[Any], list[RowMeasures]]] = {}
        self._pairs: dict[
            tuple[int, ...], tuple[list[Any], list[tuple[PairRating, PairRating]]]
        ] = {}
        self._classes: _Classes | None = None

    def pairs(
        self,
        question: RatingQuestion,
        combination: Combination,
        targets: Sequence[Target],
        *,
        keep: bool = False,
    ) -> list[tuple[PairRating, PairRating]]:
        """Return how sure an attacker is of each of some targets."""
        table = question.table
        used = [table[name] for name in combination.columns]
        aims = [table[target.name] for target in targets if target.name is not None]
        alive = [*used, None, *aims, question.population, *targets]
        key = (*map(id, alive), combination.exposure)
        if key in self._pairs:  # the same columns under another name
            return [
                (replace(stated, combination=combination), replace(one, combination=combination))
                for stated, one in self._pairs[key][1]
            ]
        groups = question.classes(combination.columns)
        self._classes = _Classes(used, groups) if question.are_records else None
        paired = None if self._classes is None else self._classes.paired
        answers = [rate_pairs(question, combination, target, groups, paired) for target in targets]
        if keep:
            self._pairs[key] = (alive, answers)
        return answers

    def measure(
        self,
        question: RatingQuestion,
        columns: Sequence[str],
        targets: Sequence[Target],
        *,
        with_records: bool = False,
        keep: bool = False,
    ) -> list[RowMeasures]:
        """Return what columns tell about each target; with ``keep`` it is kept for later."""
        table = question.table
        used = [table[name] for name in columns]
        aims = [table[target.name] for target in targets if target.name is not None]
        # the key holds ids: these objects are kept alive so that no id is used again
        alive = [*used, None, *aims, question.variant]
        key = (*map(id, alive), int(with_records))
        if key in self._found:
            return self._found[key][1]
        classes, self._classes = self._classes, None  # of the pairs just rated, most often
        if classes is None or not classes.are_by(used):
            classes = _Classes(used, local.group(table, columns))
        alike = sizes_of_records(table, columns) if _matches_all(table, columns) else None
        answers = [_measured(question, classes, target, with_records, alike) for target in targets]
        if keep:
            self._found[key] = (alive, answers)
        return answers


def _matches_all(table: Table, columns: Sequence[str]) -> bool:
    """Whether some missing value matches everything, so that records do not fall into groups."""
    if table.missing != MissingPolicy.WILDCARD:
        return False
    return not local.complete_records(table, columns).all()


def sizes_of_records(table: Table, columns: Sequence[str]) -> I64:
    """Return how many records are indistinguishable from each record by these columns.

    Missing values compare by the policy of the table.
    """
    count = local.match_totals if _matches_all(table, columns) else local.set_totals
    return count(table, columns).astype(np.int64)


def set_sizes(question: RatingQuestion) -> I64:
    """Return how many share the values of each record in all quasi-identifiers.

    Records, or people where records have owners.
    """
    if question.owners is None:
        return sizes_of_records(question.table, question.known)
    groups = question.classes(question.known)
    return groups.sizes[groups.ids]


def _measured(
    question: RatingQuestion,
    classes: _Classes,
    target: Target,
    with_records: bool,
    alike: I64 | None,
) -> RowMeasures:
    groups, sizes = classes.groups, classes.groups.sizes
    records = question.table.rows
    held = sizes if alike is None else alike
    if question.owners is not None:
        owners, records = question.owners, question.owners.people
        of_rows = owners.counted(groups).sizes[groups.ids]
        held = of_rows[owners.rarest(of_rows)]
    counted = (len(sizes), int(held.min()), int((held == 1).sum()) / records)
    if target.name is None and question.owners is not None:
        return RowMeasures(float((1 / held).mean()), None, None, *counted)
    if target.name is None:
        by_value = 1 / sizes
        right = by_value[groups.ids] if with_records else None
        return RowMeasures(len(sizes) / records, None, None, *counted, right)
    column = question.table[target.name]
    inference = inference_within(groups, column.codes, column.levels, classes.paired)
    rates = {variant: inference.rate(variant) for variant in Variant}
    per_record = None
    if with_records:
        per_record = inference.value_rates(question.variant)[groups.ids]
    return RowMeasures(
        rates[question.variant],
        rates[Variant.MUTUAL_INFORMATION],
        rates[Variant.WORST_VALUE],
        *counted,
        per_record,
    )


# ---- rating


@dataclass(frozen=True)
class Row(ResultPart):
    """A combination of columns rated against a sensitive attribute.

    Parameters
    ----------
    combination
        What an attacker may know.
    sensitive
        What they want to know; None if it is the identity alone.
    measured
        How far the one tells the other.
    rate
        What the level of inference is read off: of records that are typical for the risk of the
        row, or the discrimination rate.
    inference, exploitability, severity, risk
        The levels, 1 to 4.
    identity, gain
        Means over the records: how likely a guess at the record is right, and by how much belief in
        the true value exceeds guessing. None in the rating ``paper``.
    by_risk
        How many records have risk level 1, 2, 3 and 4 by this row alone; empty in the same case.
    decides
        Whether the row decides about records; others explain.
    by_identity
        Whether typical records are found rather than that their value is inferred.
    """

    combination: Combination
    sensitive: str | None
    measured: RowMeasures
    rate: float
    inference: int
    exploitability: int
    severity: int
    risk: int
    identity: float | None = None
    gain: float | None = None
    by_risk: tuple[int, ...] = ()
    decides: bool = True
    by_identity: bool = False

    def reaching(self, level: int) -> int:
        """Return how many records have this level of risk or a higher one by this row alone."""
        return sum(self.by_risk[level - 1 :])

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold."""
        measured = self.measured
        return {
            "kind": str(self.combination.kind),
            "name": self.combination.name,
            "columns": list(self.combination.columns),
            "exposure": self.combination.exposure,
            "sensitive": self.sensitive,
            "decides": self.decides,
            "identity": self.identity,
            "gain": self.gain,
            "rate": self.rate,
            "inference": self.inference,
            "exploitability": self.exploitability,
            "severity": self.severity,
            "risk": self.risk,
            "by_risk": list(self.by_risk),
            "discrimination_rate": measured.rate,
            "mutual_information": measured.mutual_information,
            "worst_value": measured.worst_value,
            "combinations": measured.combinations,
            "k": measured.k,
            "unique_share": measured.unique_share,
        }


# ---- rating by certainty


@dataclass(frozen=True, eq=False)
class Ratings:
    """All rows, and the pairs that decide about records.

    Parameters
    ----------
    rows
        The rows.
    pairs
        Of the rows that decide: with the population where one is stated, and for who knows that
        the person is in the file.
    """

    rows: list[Row]
    pairs: list[tuple[PairRating, PairRating]] = field(default_factory=list)


def rate_by_certainty(
    question: RatingQuestion, cache: RatingCache, *, only_deciding: bool = False, keep: bool = False
) -> Ratings:
    """Return the rows by how sure an attacker can be, and the pairs of those that decide.

    With ``only_deciding`` there are no rows, and only pairs of those that decide; with ``keep``
    what was counted is kept for the next call.
    """
    found = Ratings([])
    wanted = combinations_of(question)
    if only_deciding:
        wanted = [one for one in wanted if decides(one, question)]
    for combination in track(wanted, say("progress.rating")) if keep else wanted:
        by_attacker = targets_of(question, combination)
        for attacker, targets in by_attacker.items():
            pairs = cache.pairs(question, attacker, targets, keep=keep)
            if decides(combination, question):
                found.pairs.extend(pairs)
            if not only_deciding:
                measured = cache.measure(question, attacker.columns, targets, keep=keep)
                found.rows.extend(
                    _row(question, stated, of_target, decides(combination, question))
                    for (stated, _), of_target in zip(pairs, measured, strict=True)
                )
    return found


def targets_of(
    question: RatingQuestion, combination: Combination
) -> dict[Combination, list[Target]]:
    """Return whom to rate against what: a column that is known is learnt by who does not know it.

    Only attackers that decide are asked about such a column, for those that explain it adds little.
    """
    targets = [t for t in question.targets if t.name not in combination.columns]
    found = {combination: targets} if targets else {}
    if decides(combination, question):
        for target in question.targets:
            if target.name in combination.columns:
                other = not_knowing(combination, str(target.name))
                if other is not None:
                    found[other] = [target]
        if not found:  # all there is to learn is known: who it is remains
            worst = max(target.highest(question.table) for target in question.targets)
            found[combination] = [Target(None, np.array([worst], dtype=np.int8))]
    return found


def _row(question: RatingQuestion, pairs: PairRating, measured: RowMeasures, deciding: bool) -> Row:
    risk = level_reached(pairs.by_risk, question.tolerated)
    typical = pairs.typical(risk)
    exposure = pairs.combination.exposure
    return Row(
        pairs.combination,
        pairs.target.name,
        measured,
        typical.rate,
        typical.inference,
        int(question.exploitability[typical.inference - 1, exposure - 1]),
        typical.severity,
        risk,
        pairs.mean(pairs.certainty.identity),
        pairs.mean(pairs.certainty.gain),
        pairs.by_risk,
        deciding,
        typical.by_identity,
    )


# ---- rating by the paper


def rate_rows(question: RatingQuestion, cache: RatingCache, *, keep: bool = False) -> list[Row]:
    """Return one row for each combination and target; with ``keep`` counts are kept for later."""
    severities = {target: target.highest(question.table) for target in question.targets}
    wanted = combinations_of(question)
    rows = []
    for combination in track(wanted, say("progress.rating")) if keep else wanted:
        # a column that is known is not to be guessed
        targets = [t for t in question.targets if t.name not in combination.columns]
        found = cache.measure(
            question,
            combination.columns,
            targets,
            with_records=combination.kind == Kind.EXPOSURE,
            keep=keep,
        )
        rows += [
            _rated(question, combination, target, measured, severities[target])
            for target, measured in zip(targets, found, strict=True)
        ]
    return rows


def _rated(
    question: RatingQuestion,
    combination: Combination,
    target: Target,
    measured: RowMeasures,
    severity: int,
) -> Row:
    inference = inference_level(measured.rate, question.bounds)
    exploitability = int(question.exploitability[inference - 1, combination.exposure - 1])
    risk = int(question.risk[exploitability - 1, severity - 1])
    return Row(
        combination,
        target.name,
        measured,
        measured.rate,
        inference,
        exploitability,
        severity,
        risk,
    )


def rows_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return the rows as a polars frame."""
    from singleout.core.frames import pl

    kinds: dict[str, Any] = {
        "kind": pl.String,
        "name": pl.String,
        "columns": pl.List(pl.String),
        "exposure": pl.Int64,
        "sensitive": pl.String,
        "decides": pl.Boolean,
        "identity": pl.Float64,
        "gain": pl.Float64,
        "rate": pl.Float64,
        "inference": pl.Int64,
        "exploitability": pl.Int64,
        "severity": pl.Int64,
        "risk": pl.Int64,
        "by_risk": pl.List(pl.Int64),
        "discrimination_rate": pl.Float64,
        "mutual_information": pl.Float64,
        "worst_value": pl.Float64,
        "combinations": pl.Int64,
        "k": pl.Int64,
        "unique_share": pl.Float64,
    }
    return pl.DataFrame([row.to_dict() for row in rows], schema=kinds)
