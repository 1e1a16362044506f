"""What a record says of the people it counted, as evidence for predictions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.distribution.summaries import Summary
from singleout.predict.distribution.two_levels import possible_summary
from singleout.predict.singletons.distance_bounds import highest
from singleout.report.say import say
from singleout.repository.answering.limits import ROUNDED, Evidence, Share

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = [
    "cells_of",
    "evidence_of",
    "is_counted",
    "kappa_deviation",
    "largest_probability",
    "stand_in",
]

_SHIFT = 5e-3  # relative uncertainty of the population from which it is varied
_LEAST_COUNTED = 3  # people: three can coincide
_REACH = 6.0  # standard deviations: two and a half of rounding, and the noise
_FAR = 5.0  # standard deviations beyond which noise never is


def cells_of(record: Record, cells: int | None = None) -> float:
    """Return N, as given or as published; refuse a record that has none."""
    known = cells if cells is not None else record.numbers.cells
    if known is None:
        raise BadChoice(
            "The record does not say how many cells are possible, and a distance means nothing "
            "without it; give cells=, the number of possible combinations of values."
        )
    return float(known)


def is_counted(record: Record, people: int) -> bool:
    """Whether people are drawn from a counted population, nobody twice."""
    counted = record.numbers.people
    is_whole = counted is not None and record.coverage.kind != "sample"
    return is_whole and max(people, _LEAST_COUNTED) <= (counted or 0)


def kappa_deviation(record: Record) -> float:
    """Return the standard deviation of κ, or what rounding makes of it where none is published.

    A number printed with d decimals was rounded by at most half of the last of them.
    """
    deviation = record.numbers.sd.kappa
    if deviation is not None:
        return deviation
    if record.gate.tier == "none" and not record.legacy:
        return 0.0
    digits = len(f"{record.kappa:.12g}".partition(".")[2])
    return float(0.5 * 10.0 ** -max(2, digits) / (2 + ROUNDED))


def evidence_of(record: Record, people: int, cells: int | None = None) -> tuple[Evidence, ...]:
    """Return the evidence of a record, for the least and the largest population it may have.

    A population is published rounded to at least four standard deviations of its noise, so that it
    can differ from the published number by several of them. Where that matters there are two.
    """
    possible = cells_of(record, cells)
    numbers = record.numbers
    known = _known(record)
    if not is_counted(record, people) or numbers.people is None:
        plain = {name: known[name] for name in known if name not in ("support", "small")}
        return (Evidence(possible, None, _largest(possible, known), plain),)
    reach = _REACH * (numbers.sd.people or 0.0)
    counted = [numbers.people]
    if reach > _SHIFT * numbers.people:
        counted = [max(people, 3, round(numbers.people - reach)), round(numbers.people + reach)]
    return tuple(
        Evidence(possible, each, float(min(numbers.largest or each, each)), known)
        for each in counted
    )


def largest_probability(record: Record, cells: int | None = None) -> float:
    """Return the largest probability that a cell of a record can have."""
    return _largest(cells_of(record, cells), _known(record))


def _largest(possible: float, known: dict[str, tuple[float, float]]) -> float:
    """Return the largest probability that a cell can have, given s2 or else the distance."""
    if "s2" in known:
        value, deviation = known["s2"]
        return min(1.0, math.sqrt(max(value + _FAR * deviation, 1 / possible)))
    value, deviation = known["kappa"]
    distance = min(max(value, 0.0) + _FAR * deviation, math.log(possible))
    return min(1.0, math.exp(highest(possible, distance)) / possible)


def _known(record: Record) -> dict[str, tuple[float, float]]:
    numbers, sd = record.numbers, record.numbers.sd
    known = {"kappa": (numbers.kappa, kappa_deviation(record))}
    more = {
        "s2": (numbers.s2, sd.s2),
        "s3": (numbers.s3, sd.s3),
        "support": (numbers.support, sd.support),
        "small": (numbers.small, sd.small),
    }
    for name, (value, deviation) in more.items():
        if value is not None:
            known[name] = (float(value), deviation or 0.0)
    return known


def stand_in(
    record: Record, people: int, share: Share, cells: int | None = None
) -> tuple[Distribution, bool]:
    """Return a distribution that stands in for the record's, and whether its people were counted.

    For a counted population it is halfway between those with the least and the most unique people;
    for others it has two levels, or follows a gamma law where only the distance is known.
    """
    possible = cells_of(record, cells)
    numbers = record.numbers
    if numbers.s2 is None or numbers.s3 is None:
        distance = min(max(numbers.kappa, 0.0), math.log(possible))
        return Distribution.from_summary(cells=possible, kl=distance), False
    sums = [numbers.s2, numbers.s3]
    if is_counted(record, people) and numbers.people is not None:
        found = _halfway(record, possible, numbers.people, share)
        if found is not None:
            return found, True
    return Distribution.from_summary(cells=possible, kl=numbers.kappa, power_sums=sums), False


def _halfway(record: Record, possible: float, counted: int, share: Share) -> Distribution | None:
    numbers = record.numbers
    largest = float(min(numbers.largest or counted, counted))
    evidence = Evidence(possible, counted, largest, _known(record))
    weights = evidence.middle(share)
    if weights is None or numbers.s2 is None or numbers.s3 is None:
        return None
    some = weights > 0
    sizes, weights = evidence.sizes[some][::-1], weights[some][::-1]
    summary = possible_summary(possible, numbers.kappa, [numbers.s2, numbers.s3])
    return Distribution(
        sizes / counted,
        weights * counted / sizes,
        int(possible),
        sizes.astype(np.int64),
        counted,
        notes=(say("repository.answering.stand_in"),),
        summary=Summary(possible, summary.kl, summary.power_sums),
    )
