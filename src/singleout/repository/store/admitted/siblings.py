"""Whether a record is unusual beside its siblings: D6 of the design.

Siblings have the same quasi-identifier in the same codings, and populations that differ in the
value of one attribute: the other cities, the other years of birth. An unusual record may be true,
as the ages of a student town are, so that it is not set apart: it counts, and answers say it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from singleout.core.wording import in_figures
from singleout.report.say import say
from singleout.repository.store.admitted.plausibility import SURE

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = [
    "LEAST_SIBLINGS",
    "Sibling",
    "Siblings",
    "differing_attribute",
    "read_sibling",
    "unusual",
]

LEAST_SIBLINGS = 10
_NORMAL = 1.4826  # the standard deviation of a normal distribution / its median absolute deviation
_TOLERATED = 0.01  # nats: siblings that are nearly equal do not make a small difference unusual
_REMEMBERED = 5_000
_in_order = json.JSONEncoder(sort_keys=True).encode


@dataclass(frozen=True)
class Sibling:
    """What is compared of a record: whom it is about, and its distance."""

    population: Mapping[str, Any]
    kappa: float
    sampled: bool

    @cached_property
    def key(self) -> str:
        """Its population, as one text."""
        return _in_order(self.population)


@dataclass(frozen=True)
class _Spread:
    """The distances of some siblings: how many, their median, and how far they are from it."""

    count: int
    middle: float
    width: float

    @classmethod
    def of(cls, distances: Iterable[float]) -> _Spread | None:
        """Return the spread of distances; None if they are too few to compare with."""
        every = list(distances)
        if len(every) < LEAST_SIBLINGS:
            return None
        middle = median(every)
        return cls(len(every), middle, _NORMAL * median(abs(each - middle) for each in every))


class Siblings:
    """Siblings that several new records are compared with."""

    def __init__(self, every: Iterable[Sibling]) -> None:
        self._every = tuple(every)
        self._of_one: dict[tuple[str, bool], tuple[frozenset[Any], _Spread | None]] = {}

    def __iter__(self) -> Iterator[Sibling]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    def spreads(self, own: Mapping[str, Any], *, sampled: bool) -> dict[str, _Spread]:
        """Return the spread of those that differ in the value of one attribute, by its name."""
        if len(own) == 1:  # mostly: a city among others
            ((name, term),) = own.items()
            if not isinstance(term, dict):
                terms, spread = self._with_one_value(name, sampled=sampled)
                if term not in terms:
                    return {} if spread is None else {name: spread}
        groups: dict[str, list[float]] = {}
        for other in self._every:
            if other.sampled == sampled:
                differing = differing_attribute(own, other.population)
                if differing is not None:
                    groups.setdefault(differing, []).append(other.kappa)
        found = {name: _Spread.of(distances) for name, distances in sorted(groups.items())}
        return {name: spread for name, spread in found.items() if spread is not None}

    def _with_one_value(self, name: str, *, sampled: bool) -> tuple[frozenset[Any], _Spread | None]:
        """Return the values of siblings of which one is known, and the spread of all of them."""
        known = self._of_one.get((name, sampled))
        if known is None:
            alike = [
                other
                for other in self._every
                if other.sampled == sampled and other.population.keys() == {name}
            ]
            terms = (other.population[name] for other in alike)
            single = frozenset(term for term in terms if not isinstance(term, dict))
            spread = _Spread.of(other.kappa for other in alike)
            known = self._of_one[name, sampled] = single, spread
        return known


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
    siblings = others if isinstance(others, Siblings) else Siblings(others)
    spreads = siblings.spreads(record.population.root, sampled=record.coverage.kind == "sample")
    said = (_said(record, name, spread) for name, spread in spreads.items())
    return tuple(sentence for sentence in said if sentence is not None)


def _said(record: Record, name: str, spread: _Spread) -> str | None:
    scale = math.hypot(spread.width, record.numbers.sd.kappa or 0.0, _TOLERATED)
    times = abs(record.kappa - spread.middle) / scale
    if times <= SURE:
        return None
    return say(
        "repository.store.unusual",
        kappa=in_figures(record.kappa, 3),
        siblings=spread.count,
        attribute=name,
        median=in_figures(spread.middle, 3),
        times=in_figures(times, 2),
    )
