"""Records of different attributes, put together (D2, C8).

For attributes A and B the distances add up: κ_AB = κ_A + κ_B + I, where I is their mutual
information; sums of powers multiply if they are independent. I is not known from the records. It
lies between 0 and the smaller of both entropies, since together they tell no less than each alone
and no more than both if independent. So a composition predicts under independence and says between
which numbers the answer lies, whatever the dependence is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.people import is_real_number
from singleout.report.say import say
from singleout.repository.answering.answer import RepositoryAnswer
from singleout.repository.answering.evidence import cells_of, kappa_deviation, largest_probability
from singleout.repository.answering.limits import ROUNDED, Evidence
from singleout.repository.answering.prediction import (
    RepositoryPrediction,
    predict_from,
    share_function,
)
from singleout.repository.answering.relations import Relation, related, written
from singleout.repository.documents.record import Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["Composition", "compose", "inconsistencies"]

_MOST_PARTS = 16
_APART = 4.0  # standard deviations from which two records contradict each other
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Composition(Result):
    """Several records as one, under independence, and what any dependence allows.

    Parameters
    ----------
    record
        The record of all attributes together: under independence, or with the information stated.
        Nobody publishes it.
    parts
        The records it is made of.
    information
        The least and the largest mutual information in nats: equal if it was stated.
    stated
        Whether it was.
    notes
        What a reader should know, one sentence each.
    """

    record: Record
    parts: tuple[Record, ...]
    information: tuple[float, float]
    stated: bool = False
    notes: tuple[str, ...] = ()

    @property
    def kappa(self) -> float:
        """The distance under independence, or with the information stated."""
        return self.record.kappa

    @property
    def kappa_range(self) -> tuple[float, float]:
        """The least and the largest distance, over all dependences."""
        base = self.record.kappa - (self.information[0] if self.stated else 0.0)
        return base + self.information[0], base + self.information[1]

    @property
    def entropy(self) -> float:
        """The entropy in nats of what was composed."""
        return math.log(cells_of(self.record)) - self.kappa

    def predict(self, people: int) -> RepositoryPrediction:
        """Predict how many of so many people would be unique.

        ``range`` of the result holds the least and the most over all dependences; if the mutual
        information was stated, the bounds do.

        Parameters
        ----------
        people
            k: how many people there will be.
        """
        number = check_people(people)
        found = predict_from(self.record, number)
        if self.stated or number < 2:
            return replace(found, notes=(*found.notes, *self.notes))
        low, high = self._over_dependences(number)
        span = min(low, found.mean), max(high, found.mean)
        return replace(found, notes=(*found.notes, *self.notes), range=span)

    def _over_dependences(self, people: int) -> tuple[float, float]:
        """Return the least and the most expected unique people, whatever the dependence.

        No fewer than by one of the parts alone, since all together tell people further apart.
        """
        least = max(predict_from(part, people).mean_interval()[0] for part in self.parts)
        cells = cells_of(self.record)
        low, high = self.kappa_range
        middle, half = (low + high) / 2, (high - low) / 2 + 2 * kappa_deviation(self.record)
        largest = min(largest_probability(part) for part in self.parts)
        evidence = Evidence(cells, None, largest, {"kappa": (middle, half)})
        limits = evidence.limits(share_function(2, people, None), 1 - ROUNDED)
        most = 1.0 if limits is None else limits[1]
        return least, max(least, people * most)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "record": self.record.to_dict(),
            "parts": [part.id for part in self.parts],
            "cells": self.record.cells,
            "kappa": self.kappa,
            "kappa_range": list(self.kappa_range),
            "information": list(self.information),
            "power_sums": list(self.record.power_sums),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return one row for each part, and one for all together."""
        from singleout.core.frames import pl

        return pl.concat([part._polars_frame() for part in (*self.parts, self.record)])

    def __str__(self) -> str:
        low, high = self.kappa_range
        return say(
            "repository.answering.compose.says",
            attributes=written(self.record.quasi_identifier),
            kappa=self.kappa,
            low=low,
            high=high,
        )


def compose(
    records: Sequence[Record | RepositoryAnswer],
    *,
    information: float | None = None,
    vocabulary: Vocabulary | None = None,
) -> Composition:
    """Put records of different attributes together.

    Parameters
    ----------
    records
        Two or more, of the same population; or answers, of which the record is taken.
    information
        The mutual information of the attributes in nats, if known: 0 for independent ones.
    vocabulary
        How many combinations are possible; if not given, all of them.

    Examples
    --------
    >>> age = Record.legacy_tuple(["age"], {}, 0.05, cells=100)
    >>> sex = Record.legacy_tuple(["sex"], {}, 0.001, cells=2)
    >>> both = compose([age, sex])
    >>> round(both.kappa, 3), both.record.cells, [round(end, 3) for end in both.information]
    (0.051, 200, [0.0, 0.692])
    """
    parts = _checked(records)
    population = max(parts, key=lambda part: len(part.population.to_dict())).population
    notes = [say("repository.answering.compose.assumed")]
    if any(part.population != parts[0].population for part in parts):
        notes.append(say("repository.answering.compose.populations"))
    entropies = [max(0.0, math.log(cells_of(part)) - part.kappa) for part in parts]
    largest = max(0.0, sum(entropies) - max(entropies))
    stated = _checked_information(information, largest)
    together = [one for part in parts for one in part.quasi_identifier]
    product = math.prod(int(cells_of(part)) for part in parts)
    cells = (vocabulary.cells_possible(together, population) if vocabulary else None) or product
    kappa = math.log(cells) - sum(entropies) + (stated or 0.0)
    numbers: dict[str, Any] = {"cells": cells, "kappa": max(0.0, kappa)}
    deviation = math.hypot(*(kappa_deviation(part) for part in parts))
    numbers["sd"] = {"kappa": deviation}
    if not stated:
        numbers |= _sums(parts)
        numbers["sd"] |= _deviations(parts)
    else:
        notes = notes[1:]
    record = Record.of(
        {
            "quasi_identifier": [one.model_dump(exclude_none=True) for one in together],
            "population": population.to_dict(),
            "numbers": numbers,
        }
    )
    span = (0.0, largest) if stated is None else (stated, stated)
    return Composition(record, parts, span, stated is not None, tuple(notes))


def _checked(records: Sequence[Record | RepositoryAnswer]) -> tuple[Record, ...]:
    parts = tuple(one.record if isinstance(one, RepositoryAnswer) else one for one in records)
    if not 2 <= len(parts) <= _MOST_PARTS:
        raise BadChoice(f"A composition has 2 to {_MOST_PARTS} records, not {len(parts)}.")
    names = [name for part in parts for name in part.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadChoice(
            f"Two of the records have {twice!r}; compose records of different attributes."
        )
    return parts


def _checked_information(information: float | None, largest: float) -> float | None:
    if information is None:
        return None
    if not is_real_number(information) or not 0 <= information <= largest + _ROUNDING:
        raise BadChoice(
            f"information is the mutual information in nats: from 0 to {largest:.6g}, by the "
            f"entropies of the records, not {information!r}."
        )
    return float(information)


def _sums(parts: Sequence[Record]) -> dict[str, float]:
    """Return the sums of powers under independence, if all parts have them."""
    found = [(part.numbers.s2, part.numbers.s3) for part in parts]
    if any(squares is None or cubes is None for squares, cubes in found):
        return {}
    return {
        "s2": math.prod(squares for squares, _ in found if squares is not None),
        "s3": math.prod(cubes for _, cubes in found if cubes is not None),
    }


def _deviations(parts: Sequence[Record]) -> dict[str, float]:
    """Return the standard deviations of products, from the relative ones of the factors."""
    sums = _sums(parts)
    if not sums:
        return {}
    relative = {
        name: math.hypot(
            *(
                (getattr(part.numbers.sd, name) or 0.0)
                / max(getattr(part.numbers, name) or 0.0, 1e-300)
                for part in parts
            )
        )
        for name in sums
    }
    return {name: sums[name] * min(relative[name], 1.0) for name in sums}


def inconsistencies(
    one: Record, other: Record, vocabulary: Vocabulary | None = None
) -> tuple[str, ...]:
    """Return what two records of one population contradict each other in: none if they do not.

    The finer of two quasi-identifiers has no smaller entropy and no larger s2 than the coarser.

    Parameters
    ----------
    one, other
        Records; of different populations they say nothing of each other.
    vocabulary
        Which codings are coarser.
    """
    relation = related(one.quasi_identifier, other.quasi_identifier, vocabulary)
    if relation is None or one.population != other.population:
        return ()
    if relation.relation is Relation.EQUAL:
        return ()
    finer, coarser = (other, one) if relation.relation is Relation.FINER else (one, other)
    reasons = []
    gap = (math.log(cells_of(coarser)) - coarser.kappa) - (math.log(cells_of(finer)) - finer.kappa)
    if gap > _APART * math.hypot(kappa_deviation(finer), kappa_deviation(coarser)) + _ROUNDING:
        reasons.append(say("repository.answering.compose.entropy", **_named(finer, coarser)))
    if finer.numbers.s2 is not None and coarser.numbers.s2 is not None:
        noise = math.hypot(finer.numbers.sd.s2 or 0.0, coarser.numbers.sd.s2 or 0.0)
        if finer.numbers.s2 - coarser.numbers.s2 > _APART * noise + _ROUNDING:
            reasons.append(say("repository.answering.compose.squares", **_named(finer, coarser)))
    return tuple(reasons)


def _named(finer: Record, coarser: Record) -> dict[str, str]:
    return {
        "finer": written(finer.quasi_identifier),
        "coarser": written(coarser.quasi_identifier),
    }
