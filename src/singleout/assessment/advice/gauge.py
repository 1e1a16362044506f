"""Rate changed tables by what decides alone, and equal records once.

There are no rows that explain, and no second rating for members. Where many records are equal in
what is rated they are taken together, so that a coarse table takes little time. Nothing is
estimated: the numbers are those of the changed table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.effect import Effect, effect_of, highest
from singleout.assessment.rating.attackers import Combination, combinations_of, decides
from singleout.assessment.rating.certainty import level_reached, rate_stated
from singleout.assessment.rating.owners import Owners
from singleout.assessment.rating.question import Levels, RatingQuestion, Target
from singleout.assessment.rating.records import AT_RISK, certain_risks, record_risks
from singleout.assessment.rating.rows import (
    RatingCache,
    rate_by_certainty,
    rate_rows,
    set_sizes,
    targets_of,
)
from singleout.core.arrays import F64, I64, total
from singleout.core.choices import MissingPolicy
from singleout.core.table import Column, Table
from singleout.kernels.grouping.group import Groups, group_records

__all__ = ["Gauge", "Gauged"]

_FEWER = 4  # classes this many times fewer than rows are worth taking equal rows together
_MANY = 1_000_000  # records from which on equal ones are taken together at once
_WORTH = 0.75  # of the rows that are left are few enough to take equal ones together for good

Kept = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Gauged:
    """What a changed table was found to be.

    Parameters
    ----------
    effect
        Its state.
    risk
        The risk of each row: of a record, or of several that are equal.
    sizes
        How many records share the values of a row in all quasi-identifiers.
    of_record
        The row of each record, as an index; None if each row is a record.
    counts
        How many records each row stands for; None in the same case.
    owners
        Whose records they are, where people are counted.
    """

    effect: Effect
    risk: Levels = field(repr=False)
    sizes: I64 = field(repr=False)
    of_record: NDArray[Any] | None = field(default=None, repr=False)
    counts: I64 | None = field(default=None, repr=False)
    owners: Owners | None = field(default=None, repr=False)

    def holders(self, rows: Kept) -> int:
        """Return how many records some rows stand for, or how many people have one of them."""
        if self.owners is None:
            return self.records(rows)
        return len(np.unique(self.owners.person[rows]))

    def records(self, rows: Kept) -> int:
        """Return how many records some rows stand for."""
        return int(rows.sum() if self.counts is None else self.counts[rows].sum())

    def mask(self, rows: Kept) -> Kept:
        """Return which records some rows stand for."""
        return rows if self.of_record is None else rows[self.of_record]


class Gauge:
    """Rates changed tables; what rests on columns that did not change is remembered.

    Parameters
    ----------
    question
        The table as it is.
    cache
        What measures in the rating ``paper``.
    unique_share
        Records alone with their values / all records, which tells whether there are equal ones.
    """

    def __init__(
        self, question: RatingQuestion, cache: RatingCache, unique_share: float = 1.0
    ) -> None:
        self._start, self._cache = question, cache
        self._plainly = (
            not question.by_certainty
            or question.owners is not None  # equal records may be of different people
            or question.table.missing == MissingPolicy.WILDCARD
        )
        self._groups_of_start: Groups | None = None
        if not self._plainly and question.table.rows >= _MANY and unique_share < 0.5:
            self._groups_of_start = _equal_rows(question, [c.codes for c in question.table])
        self._begin(question, self._groups_of_start)

    def _begin(self, question: RatingQuestion, groups: Groups | None) -> None:
        """Remember what rests on the columns of a table, with equal records taken together."""
        self._base, self._groups = question, groups
        self._columns = {id(column) for column in question.table}
        self._taken: dict[int, tuple[Column, Column]] = {}
        self._found: dict[tuple[int, ...], tuple[list[Any], F64]] = {}

    def narrow(self, question: RatingQuestion, to_come: Sequence[Column]) -> None:
        """Take records together that stay equal in all tables that are rated until `widen`.

        Parameters
        ----------
        question
            The table as it is now.
        to_come
            Its quasi-identifiers, and what each of them may still become.
        """
        if self._plainly:
            return
        codes = [*(column.codes for column in to_come), *_beside_known(question)]
        rows, groups = question.table.rows, self._groups
        if groups is not None:
            rows, codes = len(groups.sizes), [values[groups.first] for values in codes]
        equal = group_records(codes, [int(values.max()) + 1 for values in codes])
        if len(equal.sizes) > _WORTH * rows:
            return
        if groups is not None:
            sizes = np.bincount(equal.ids, groups.sizes, minlength=len(equal.sizes))
            ids, first = equal.ids[groups.ids], groups.first[equal.first]
            equal = Groups(ids, sizes.astype(np.int64), first)
        self._begin(question, equal)

    def widen(self) -> None:
        """Rate any changed table again."""
        self._begin(self._start, self._groups_of_start)

    def __call__(self, question: RatingQuestion, kept: Kept | None = None) -> Gauged:
        """Return the state of a table.

        Parameters
        ----------
        question
            The table with all records, changed.
        kept
            Which of them are kept; all if not given.
        """
        if self._plainly:
            return self._records_rated(question if kept is None else question.of_records(kept))
        same_people = question.population is self._start.population
        question = replace(question, table=question.table.select(_needed(question)))
        of_record = None
        if self._groups is not None:
            question, of_record = self._together(question, kept)
        elif kept is not None:
            question = question.of_records(kept)
        known = question.classes(question.known)
        if _FEWER * len(known.sizes) < question.table.rows:
            equal = _equal_rows(question, [known.ids, *_beside_known(question)])
            question = _merged(question, equal)
            of_record = equal.ids if of_record is None else equal.ids[of_record]
            known = question.classes(question.known)
        ranks = self._worst(question, known, same_people=same_people)
        return _gauged(question, ranks, known.sizes[known.ids], of_record)

    def _together(
        self, question: RatingQuestion, kept: Kept | None
    ) -> tuple[RatingQuestion, NDArray[Any]]:
        """Return the table with equal records of the table as it is taken together.

        Also return the row of each record that is kept.
        """
        assert self._groups is not None
        table = question.table
        columns = [self._first(column) for column in table]
        weights, ids = question.population.weights, self._groups.ids
        rows = len(self._groups.sizes)
        counts = self._groups.sizes
        if kept is not None:
            counts = np.bincount(ids[kept], minlength=rows).astype(np.int64)
        if weights is not None:
            sums = np.bincount(ids, weights if kept is None else weights * kept, minlength=rows)
            question = replace(
                question, population=replace(question.population, weights=sums.astype(np.float64))
            )
        together = replace(
            question,
            table=Table(columns, missing=table.missing, source=table.source, notes=table.notes),
            counts=counts,
        )
        if kept is None:
            return together, ids
        occurs = counts > 0
        return together.of_records(occurs), (np.cumsum(occurs) - 1)[ids[kept]]

    def _first(self, column: Column) -> Column:
        """Return a column of the first of equal records each."""
        assert self._groups is not None
        if id(column) in self._taken:
            return self._taken[id(column)][1]
        taken = column.take(self._groups.first)
        if id(column) in self._columns:
            self._taken[id(column)] = column, taken
            self._columns.add(id(taken))
        return taken

    def _worst(self, question: RatingQuestion, known: Groups, *, same_people: bool) -> F64:
        """Return for each row how the attacker that is worst for it ranks it."""
        ranks: F64 | None = None
        for combination in combinations_of(question):
            if not decides(combination, question):
                continue
            for attacker, targets in targets_of(question, combination).items():
                groups = known if attacker.columns == question.known else None
                found = self._ranks(question, attacker, targets, groups, same_people=same_people)
                ranks = found if ranks is None else np.maximum(ranks, found)
        assert ranks is not None  # somebody always decides
        return ranks

    def _ranks(
        self,
        question: RatingQuestion,
        attacker: Combination,
        targets: Sequence[Target],
        groups: Groups | None,
        *,
        same_people: bool,
    ) -> F64:
        """Return for each row how an attacker ranks it, by the worst of some targets."""
        table = question.table
        used = [table[name] for name in attacker.columns]
        used += [table[target.name] for target in targets if target.name is not None]
        alive = [*used, None, *targets]
        key = (*map(id, alive), attacker.exposure)
        unchanged = same_people and self._columns.issuperset(map(id, used))
        if unchanged and key in self._found:
            return self._found[key][1]
        groups = groups or question.classes(attacker.columns)
        people = question.population.of_classes(table, attacker.columns, groups)
        ranks = np.zeros(table.rows)
        for target in targets:
            rating = rate_stated(question, attacker, target, groups, people)
            np.maximum(ranks, rating.rank[rating.of_record], out=ranks)
        if unchanged:
            self._found[key] = (alive, ranks)
        return ranks

    def _records_rated(self, question: RatingQuestion) -> Gauged:
        """Return the same where records do not fall into groups, or are rated by the paper."""
        numbers = np.arange(1, question.table.rows + 1)
        sizes = set_sizes(question)
        if question.by_certainty:
            pairs = rate_by_certainty(question, self._cache, only_deciding=True).pairs
            risks, level = certain_risks(question, [one for one, _ in pairs], numbers, sizes), None
        else:
            rows = rate_rows(question, self._cache)
            risks, level = record_risks(question, rows, numbers, sizes), highest(rows)
        effect = effect_of(question, risks, level)
        return Gauged(effect, risks.risk, sizes, owners=question.owners)


def _gauged(
    question: RatingQuestion, ranks: F64, sizes: I64, of_record: NDArray[Any] | None
) -> Gauged:
    risk = (ranks / 25).astype(np.int8)  # rounds down; far faster than //, as is floor than %
    counts = question.counts
    held = np.ones(len(risk)) if counts is None else counts.astype(np.float64)
    by_level = np.bincount(risk, held, minlength=5)[1:].astype(np.int64).tolist()
    records = sum(by_level)
    effect = Effect(
        records,
        level_reached(by_level, question.tolerated),
        sum(by_level[AT_RISK - 1 :]),
        2 * total(ranks - np.floor(ranks), held) / records,
        float(held[sizes == 1].sum() / records),
        int(sizes.min()),
    )
    return Gauged(effect, risk, sizes, of_record, counts)


def _needed(question: RatingQuestion) -> list[str]:
    """Return the columns that are rated."""
    needed = {*question.known, *(target.name for target in question.targets)}
    needed.update(*question.named.values())
    return [name for name in question.table.columns if name in needed]


def _beside_known(question: RatingQuestion) -> list[NDArray[Any]]:
    """Return what rows must be equal in besides the quasi-identifiers to be rated alike."""
    targets = {target.name: target for target in question.targets}
    others = [name for name in _needed(question) if name not in question.exposures]
    return [
        targets[name].outcomes(question.table)[0]
        if name in targets and not any(name in members for members in question.named.values())
        else question.table[name].codes
        for name in others
    ]


def _equal_rows(question: RatingQuestion, codes: Sequence[NDArray[Any]]) -> Groups:
    return question.counted(group_records(codes, [int(values.max()) + 1 for values in codes]))


def _merged(question: RatingQuestion, equal: Groups) -> RatingQuestion:
    """Return the table with equal rows taken together."""
    population = question.population
    if population.weights is not None:
        sums = np.bincount(equal.ids, population.weights, minlength=len(equal.sizes))
        population = replace(population, weights=sums.astype(np.float64))
    return replace(
        question,
        table=question.table.take(equal.first),
        population=population,
        counts=equal.sizes,
    )
