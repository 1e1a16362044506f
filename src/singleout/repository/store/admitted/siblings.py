"""Whether a record is unusual beside its siblings: D6 of the design.

Siblings have the same quasi-identifier in the same codings, and populations that differ in the
value of one attribute: the other cities, the other years of birth. An unusual record may be true,
as the ages of a student town are, so that it is not set apart: it counts, and answers say it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from singleout.core.wording import in_figures
from singleout.report.say import say
from singleout.repository.store.admitted.plausibility import SURE

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = ["LEAST_SIBLINGS", "Sibling", "differing_attribute", "read_sibling", "unusual"]

LEAST_SIBLINGS = 10
_NORMAL = 1.4826  # the standard deviation of a normal distribution / its median absolute deviation
_TOLERATED = 0.01  # nats: siblings that are nearly equal do not make a small difference unusual
_REMEMBERED = 5_000


@dataclass(frozen=True)
class Sibling:
    """What is compared of a record: whom it is about, and its distance."""

    population: Mapping[str, Any]
    kappa: float
    sampled: bool

    @cached_property
    def key(self) -> str:
        """Its population, as one text."""
        return json.dumps(self.population, sort_keys=True)


@lru_cache(maxsize=_REMEMBERED)
def read_sibling(submission: bytes) -> Sibling:
    """Return what is compared of a stored record; the rest of it need not be checked again."""
    body = json.loads(submission)["body"]
    sampled = body["coverage"]["kind"] == "sample"
    return Sibling(body["population"], body["numbers"]["kappa"], sampled)


def differing_attribute(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return the only attribute in which two populations differ; None if there is not one."""
    if one.keys() != other.keys():
        return None
    found = [name for name, term in one.items() if term != other[name]]
    return found[0] if len(found) == 1 else None


def unusual(record: Record, others: Iterable[Sibling]) -> tuple[str, ...]:
    """Return in what a record is unusual beside its siblings, each as one sentence.

    The distance is compared with the median of the siblings', in units of their spread: the median
    absolute deviation, widened by the noise of the record itself.
    """
    own = record.population.to_dict()
    sampled = record.coverage.kind == "sample"
    alike = [other for other in others if other.sampled == sampled]
    groups: dict[str, list[float]] = {}
    if len(own) == 1:  # mostly: a city among others
        ((name, term),) = own.items()
        groups[name] = [
            other.kappa
            for other in alike
            if len(other.population) == 1 and other.population.get(name, term) != term
        ]
    else:
        for other in alike:
            differing = differing_attribute(own, other.population)
            if differing is not None:
                groups.setdefault(differing, []).append(other.kappa)
    return tuple(
        sentence
        for name, distances in sorted(groups.items())
        if len(distances) >= LEAST_SIBLINGS
        and (sentence := _said(record, name, distances)) is not None
    )


def _said(record: Record, name: str, distances: list[float]) -> str | None:
    middle = median(distances)
    spread = _NORMAL * median(abs(each - middle) for each in distances)
    scale = math.hypot(spread, record.numbers.sd.kappa or 0.0, _TOLERATED)
    times = abs(record.kappa - middle) / scale
    if times <= SURE:
        return None
    return say(
        "repository.store.unusual",
        kappa=in_figures(record.kappa, 3),
        siblings=len(distances),
        attribute=name,
        median=in_figures(middle, 3),
        times=in_figures(times, 2),
    )
