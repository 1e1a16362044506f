"""Rate records by how sure an attacker can be of them, one attacker and one target at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.attackers import Combination
from singleout.assessment.rating.owners import Owners
from singleout.assessment.rating.question import Levels, RatingQuestion, Target
from singleout.core.arrays import F64, I64, total
from singleout.kernels.grouping.group import Groups
from singleout.methods.certainty.measure import Certainty, ClassedValues, certainty
from singleout.methods.discrimination.measure import Paired, pairs_of
from singleout.methods.individual.measure import individual_risks
from singleout.methods.levels import inference_levels

__all__ = ["PairRating", "level_reached", "rate_pairs", "rate_stated"]


@dataclass(frozen=True)
class Typical:
    """What most records of a risk level have in common.

    Parameters
    ----------
    inference, severity
        Their levels.
    rate
        The mean of their rates, which lies within the level of inference.
    by_identity
        Whether they are found rather than that their value is inferred.
    """

    inference: int
    severity: int
    rate: float
    by_identity: bool


@dataclass(frozen=True, eq=False)
class PairRating:
    """One attacker against one target: each pair of what is known and what is to be learnt.

    Parameters
    ----------
    combination, target
        What is known, and what is to be learnt.
    of_record
        The pair of each record, as an index.
    sizes
        Records of each pair.
    certainty
        How sure the attacker is of it.
    severity, exploitability, risk
        The levels of each pair, 1 to 4.
    """

    combination: Combination
    target: Target
    of_record: NDArray[np.uint32] = field(repr=False)
    sizes: I64 = field(repr=False)
    certainty: Certainty = field(repr=False)
    severity: Levels = field(repr=False)
    exploitability: Levels = field(repr=False)
    risk: Levels = field(repr=False)

    @property
    def rank(self) -> F64:
        """What tells which of several ratings of a record is the worst: the highest."""
        return ranked(self.risk, self.severity, self.exploitability, self.certainty.rate)

    @property
    def by_risk(self) -> tuple[int, ...]:
        """How many records have risk level 1, 2, 3 and 4."""
        held = np.bincount(self.risk, self.sizes, minlength=5)[1:]
        return tuple(held.astype(np.int64).tolist())

    def mean(self, of_pairs: NDArray[np.float64]) -> float:
        """Return the mean over records of a number of each pair."""
        return float(total(of_pairs, self.sizes) / self.sizes.sum())

    def typical(self, level: int) -> Typical:
        """Return what most records of a risk level have in common."""
        inference = self.certainty.inference.astype(np.int64)
        kinds = np.where(self.risk == level, 5 * inference + self.severity, 0)
        held = np.bincount(kinds, self.sizes, minlength=25)
        held[0] = -1.0
        kind = int(held.argmax())
        among = kinds == kind
        sizes, found = self.sizes[among], self.certainty
        identity, gain, rate = (
            float(total(values[among], sizes) / sizes.sum())
            for values in (found.identity, found.gain, found.rate)
        )
        return Typical(kind // 5, kind % 5, rate, by_identity=identity >= gain)


def ranked(risk: Levels, severity: Levels, exploitability: Levels, rate: F64) -> F64:
    """Return a number by which ratings are ordered: the highest is the worst.

    Levels decide, the rate among equals: it is at most 1, and levels are whole numbers.
    """
    return np.asarray(25.0 * risk + 5.0 * severity + exploitability + rate / 2)


def rate_pairs(
    question: RatingQuestion,
    combination: Combination,
    target: Target,
    groups: Groups,
    paired: Paired | None = None,
) -> tuple[PairRating, PairRating]:
    """Return the rating with the population, and that for who knows that the person is in the file.

    They are the same where nothing is stated of a population. ``paired`` counts the pairs, for who
    needs them again.
    """
    people = question.population.of_classes(
        question.table, combination.columns, groups, question.owners
    )
    pairs, of_record, severity = _pairs(question, target, groups, paired or pairs_of)
    member = _rated(question, combination, target, pairs, of_record, severity)
    if people is None:
        return member, member
    stated = _with_people(question, pairs, people)
    return _rated(question, combination, target, stated, of_record, severity), member


def rate_stated(
    question: RatingQuestion,
    combination: Combination,
    target: Target,
    groups: Groups,
    people: F64 | None,
) -> PairRating:
    """Return the rating with the people of each class, as the population tells them."""
    pairs, of_record, severity = _pairs(question, target, groups)
    if people is not None:
        pairs = _with_people(question, pairs, people)
    return _rated(question, combination, target, pairs, of_record, severity)


def _with_people(question: RatingQuestion, pairs: ClassedValues, people: F64) -> ClassedValues:
    """Return classes with the people of the population in each."""
    identity = None
    if question.individual and question.population.weights is not None:
        identity = individual_risks(pairs.sizes, people)
    fraction = question.population.fraction
    return replace(pairs, people=people, fraction=fraction, identity=identity)


def _pairs(
    question: RatingQuestion, target: Target, groups: Groups, paired: Paired = pairs_of
) -> tuple[ClassedValues, NDArray[np.uint32], Levels]:
    """Return the classes with their pairs, the pair of each record, and the severity of each."""
    if target.name is None:  # nothing is to be learnt but who it is
        count = len(groups.sizes)
        classes = ClassedValues(
            groups.sizes,
            groups.sizes,
            np.arange(count),
            np.zeros(count, dtype=np.int64),
            groups.sizes.sum(keepdims=True),
        )
        return classes, groups.ids, np.full(count, target.by_code[0], dtype=np.int8)
    outcomes, severities = target.outcomes(question.table)
    joint = question.counted(paired(groups, outcomes, len(severities)))
    values = outcomes[joint.first].astype(np.int64)
    classes = ClassedValues(
        groups.sizes,
        joint.sizes,
        groups.ids[joint.first].astype(np.int64),
        values,
        np.bincount(values, joint.sizes, minlength=len(severities)).astype(np.int64),
    )
    if question.owners is not None:
        classes = replace(
            classes,
            people_of_value=question.owners.with_code(outcomes, len(severities)),
            everybody=question.owners.people,
        )
    return classes, joint.ids, severities[values]


def _rated(
    question: RatingQuestion,
    combination: Combination,
    target: Target,
    pairs: ClassedValues,
    of_record: NDArray[np.uint32],
    severity: Levels,
) -> PairRating:
    found = certainty(pairs, question.bounds)
    exploitability = question.exploitability[found.inference - 1, combination.exposure - 1]
    risk = question.risk[exploitability - 1, severity - 1]
    rating = PairRating(
        combination, target, of_record, pairs.pair_sizes, found, severity, exploitability, risk
    )
    return rating if question.owners is None else _of_people(question, question.owners, rating)


def _of_people(question: RatingQuestion, owners: Owners, rating: PairRating) -> PairRating:
    """Return the rating of people in place of pairs: each by the worst record they have.

    Or by the surest match with any record of theirs and the most severe value of all of them, where
    that is worse: who finds one record of a person has found all.
    """
    rank, certain = rating.rank[rating.of_record], rating.certainty
    highest = owners.highest(rank)
    worst = rating.of_record[owners.first_with(rank, highest)]  # all levels are equal in ties
    ties = rank == highest[owners.person]

    def of_worst(of_pairs: NDArray[Any]) -> NDArray[Any]:
        return owners.highest(np.where(ties, of_pairs[rating.of_record], 0))

    found = owners.highest(certain.identity[rating.of_record])
    severity = owners.highest(rating.severity[rating.of_record])
    inference = inference_levels(found, question.bounds).astype(np.int8)
    easy = question.exploitability[inference - 1, rating.combination.exposure - 1]
    risk = question.risk[easy - 1, severity - 1]
    linked = ranked(risk, severity, easy, found) > highest
    return replace(
        rating,
        of_record=owners.person.astype(np.uint32),
        sizes=np.ones(owners.people, dtype=np.int64),
        certainty=Certainty(
            np.where(linked, found, of_worst(certain.identity)),
            np.where(linked, 0.0, of_worst(certain.gain)),
            np.where(linked, inference, of_worst(certain.inference)).astype(np.int8),
        ),
        severity=np.where(linked, severity, rating.severity[worst]),
        exploitability=np.where(linked, easy, rating.exploitability[worst]),
        risk=np.where(linked, risk, rating.risk[worst]),
    )


def level_reached(by_risk: Sequence[int], tolerated: Fraction) -> int:
    """Return the highest level that at least the tolerated share of the records reaches.

    >>> level_reached((50, 49, 0, 1), Fraction(1, 100)), level_reached((50, 50, 0, 0), Fraction(0))
    (4, 2)
    """
    records, reaching = sum(by_risk), 0
    for level in range(len(by_risk), 0, -1):
        reaching += by_risk[level - 1]
        if reaching and reaching >= tolerated * records:
            return level
    return 1
