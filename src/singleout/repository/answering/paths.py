"""What it does to a prediction that another record was found than asked for (C2).

A part of a population is on average further from uniform than the whole: entropy is concave. What
that does to unique people depends on how many people there are per cell: with few, uneven cells
lower their number; with many, only uneven cells leave some people alone. So the direction is
computed: from how the share of unique people of a gamma law changes with the distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from singleout.predict.distribution.surrogate import variance_at
from singleout.report.say import say
from singleout.repository.answering.relations import Related, Relation, written
from singleout.repository.answering.steps import PathEffect, PathStep
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["staleness", "steps_to", "turning_point"]

_LARGEST_FACTOR = 64  # people per cell up to which a turning point is looked for
_YEAR = 365.25


def steps_to(
    asked: Sequence[CodedAttribute],
    population: DeclaredPopulation,
    record: Record,
    relation: Related,
    *,
    vocabulary: Vocabulary | None = None,
    people: int | None = None,
) -> tuple[PathStep, ...]:
    """Return the steps from what was asked to a record, with what each does to a prediction."""
    steps = []
    if relation.relation is not Relation.EQUAL:
        steps.append(_other_attributes(asked, record, relation))
    if not population.contains(record.population, vocabulary):
        steps.append(_larger_population(population, record, people))
    if not steps:
        found = say("repository.answering.path.exact")
        steps.append(
            PathStep("exact", written(asked), written(asked), PathEffect.NONE, True, found)
        )
    return tuple(steps)


def _other_attributes(
    asked: Sequence[CodedAttribute], record: Record, relation: Related
) -> PathStep:
    finer = relation.relation is Relation.FINER
    kind = "finer" if finer else "coarser"
    found = written(record.quasi_identifier)
    return PathStep(
        kind,
        written(asked),
        found,
        PathEffect.TOO_HIGH if finer else PathEffect.TOO_LOW,
        True,
        say(f"repository.answering.path.{kind}", found=found),
    )


def _larger_population(
    population: DeclaredPopulation, record: Record, people: int | None
) -> PathStep:
    turning = turning_point(record)
    if turning is None:
        effect, key = PathEffect.UNKNOWN, "unknown"
    elif people is None:
        effect, key = PathEffect.UNKNOWN, "turning"
    elif people < turning:
        effect, key = PathEffect.TOO_HIGH, "too_high"
    else:
        effect, key = PathEffect.TOO_LOW, "too_low"
    return PathStep(
        "super-population",
        str(population),
        str(record.population),
        effect,
        False,
        say(
            f"repository.answering.path.{key}",
            found=str(record.population),
            turning=turning or 0,
            people=people or 0,
        ),
        turning,
    )


def turning_point(record: Record) -> int | None:
    """Return from how many people on a larger population's record understates unique people.

    >>> turning_point(Record.legacy_tuple(["age"], {}, 0.05, cells=20))
    44
    """
    cells = record.numbers.cells
    return None if cells is None or cells < 2 else _turning_point(cells, record.kappa)


@lru_cache(maxsize=10_000)
def _turning_point(cells: float, kappa: float) -> int | None:
    base = max(kappa, 1e-3)
    variances = variance_at(base), variance_at(base * 1.02)
    low, high = 2, int(_LARGEST_FACTOR * cells) + 2
    if _slope(cells, variances, high) <= 0:
        return None
    while high - low > 1:  # the sign changes once
        middle = (low + high) // 2
        low, high = (low, middle) if _slope(cells, variances, middle) > 0 else (middle, high)
    return high


def _slope(cells: float, variances: tuple[float, float], people: int) -> float:
    """Return how the share of unique people changes with the distance."""
    per_cell = (people - 1) / cells
    less, more = (-(1 + 1 / variance) * math.log1p(per_cell * variance) for variance in variances)
    return more - less


def staleness(
    record: Record, on: date | None, vocabulary: Vocabulary | None = None
) -> tuple[str, ...]:
    """Return the sentence on the age of a record: a birth year does not age, an age does."""
    if record.reference_date is None:
        return (say("repository.answering.path.no_date"),)
    years = abs((on or date.today()) - record.reference_date).days / _YEAR
    if years < 1:
        return ()
    known = [name for name in record.columns if vocabulary is not None and name in vocabulary]
    ages = [name for name in known if vocabulary is not None and vocabulary[name].ages]
    values = {"date": record.reference_date.isoformat(), "years": years}
    if ages:
        return (say("repository.answering.path.ages", **values, names=", ".join(ages)),)
    return (say("repository.answering.path.old", **values),)
