"""What a person can know of herself before she answers (D8): computed here, nothing is asked.

With p the probability of her own cell, nobody else among k people has her values with probability
(1 - p)^(k - 1), and 1 + (k - 1) p people are expected to. A record gives averages only; p comes
from what she knows, or from public margins: multiplied, as if attributes were independent, and
between the bounds of Fréchet whatever their dependence is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from singleout.core.arguments import share as checked_share
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import BadChoice, did_you_mean
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.uniqueness.own_cell import OneCell
from singleout.report.say import say
from singleout.repository.answering.answer import RepositoryAnswer
from singleout.repository.answering.ledger import DisclosureLedger
from singleout.repository.answering.prediction import RepositoryPrediction, predict_from
from singleout.repository.documents.record import Record

__all__ = ["SelfAssessment", "person"]

_RARE = 0.25  # a cell so much less likely than a typical person's is called rare


@dataclass(frozen=True, eq=False)
class SelfAssessment(Result):
    """What a person can expect if she answers.

    Parameters
    ----------
    people
        k: how many people there are, she included.
    probability
        How likely her cell is; None if not known.
    probability_range
        Between which numbers it lies, whatever the dependence of the attributes.
    unique, unique_range
        The chance that nobody else has her values; None if not known.
    expected_set, set_range
        How many people are expected to have them, she included.
    average
        What the record predicts for an average person; None without a record.
    counted
        The attributes that were counted, those disclosed before included.
    notes, warnings
        What she should know, and why the numbers may not be hers; one sentence each.
    shares
        How common each of her answers is, for her ledger; None where it is not known.
    """

    people: int
    probability: float | None
    probability_range: tuple[float, float]
    unique: float | None
    unique_range: tuple[float, float]
    expected_set: float | None
    set_range: tuple[float, float]
    average: RepositoryPrediction | None = None
    counted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    shares: Mapping[str, float | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        average = self.average
        return {
            "people": self.people,
            "probability": self.probability,
            "probability_range": list(self.probability_range),
            "unique": self.unique,
            "unique_range": list(self.unique_range),
            "expected_set": self.expected_set,
            "set_range": list(self.set_range),
            "average_unique": None if average is None else average.share,
            "counted": list(self.counted),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the numbers as one row."""
        from singleout.core.frames import pl

        names = ("people", "probability", "unique", "expected_set", "average_unique")
        found = self.to_dict()
        types = dict.fromkeys(names[1:], pl.Float64)
        return pl.DataFrame([{name: found[name] for name in names}], schema_overrides=types)

    def __str__(self) -> str:
        if self.unique is not None and self.expected_set is not None:
            others = self.expected_set - 1
            known = {"people": self.people, "unique": self.unique, "others": others}
            return say("repository.answering.person.own", **known)
        if self.average is not None:
            values = {"people": self.people, "share": self.average.share}
            return say("repository.answering.person.average", **values)
        return say("repository.answering.person.nothing")


def person(
    people: int,
    *,
    probability: float | None = None,
    values: Mapping[str, Any] | None = None,
    margins: Mapping[str, Any] | None = None,
    record: Record | RepositoryAnswer | None = None,
    ledger: DisclosureLedger | None = None,
) -> SelfAssessment:
    """Assess what answering would reveal of oneself: computed here, nothing is sent.

    Parameters
    ----------
    people
        k: how many people there are, oneself included.
    probability
        How likely one's own cell is, if known: the share of people with the same values.
    values
        One's own values, by attribute.
    margins
        For each of these attributes, how common its values are: a `Distribution` with names, or
        counts or shares by value. Public tables have them.
    record
        A record or an answer of a mirror or a local file, for the average.
    ledger
        What was disclosed before: it is counted as if asked again.

    Examples
    --------
    >>> mine = person(100, probability=0.01)
    >>> round(mine.unique, 3), round(mine.expected_set, 2)
    (0.37, 1.99)
    """
    number = check_people(people, least=1)
    shares = _shares(values or {}, margins or {})
    before = {} if ledger is None else ledger.shares()
    own = dict(shares)
    if probability is not None:
        shares = {"": checked_share(probability, "probability", one=True)}
    for name, each in before.items():
        known = [one for one in (each, shares.get(name)) if one is not None]
        shares[name] = min(known) if known else None
    return replace(_assessed(number, shares, before, record), shares=own)


def _assessed(
    people: int,
    shares: Mapping[str, float | None],
    before: Mapping[str, float | None],
    record: Record | RepositoryAnswer | None,
) -> SelfAssessment:
    known = [each for each in shares.values() if each is not None]
    unknown = [name for name, each in shares.items() if each is None]
    low, high = _frechet(known, complete=not unknown)
    likely = math.prod(known) if known and not unknown else None
    notes = []
    if before:
        notes.append(say("repository.answering.person.before", names=", ".join(before)))
    if likely is not None and len(known) > 1:
        notes.append(say("repository.answering.person.independent"))
    taken = record.record if isinstance(record, RepositoryAnswer) else record
    average = None if taken is None else predict_from(taken, people)
    warnings = _warnings(likely, unknown, taken)
    ends = [OneCell(max(each, 1e-300)) for each in (low, high)]
    here = None if likely is None else OneCell(max(likely, 1e-300))
    return SelfAssessment(
        people,
        likely,
        (low, high),
        None if here is None else here.alone(people),
        (ends[1].alone(people), ends[0].alone(people)),
        None if here is None else here.expected(people),
        (ends[0].expected(people), ends[1].expected(people)),
        average,
        tuple(name for name in shares if name),
        tuple(notes),
        tuple(warnings),
    )


def _frechet(shares: list[float], *, complete: bool) -> tuple[float, float]:
    """Return the least and the largest probability of having all values."""
    if not shares:
        return 0.0, 1.0
    least = max(0.0, 1 - math.fsum(1 - each for each in shares)) if complete else 0.0
    return least, min(shares)


def _warnings(likely: float | None, unknown: list[str], record: Record | None) -> list[str]:
    warnings = []
    if unknown:
        names = ", ".join(unknown)
        warnings.append(say("repository.answering.person.unknown", names=names))
    if likely is None:
        warnings.append(say("repository.answering.person.outlier"))
    elif record is not None and likely < _RARE * (record.numbers.s2 or 0.0):
        warnings.append(say("repository.answering.person.rare"))
    if likely is None and record is not None and record.numbers.small is not None:
        small = record.numbers.small
        warnings.append(say("repository.answering.person.small", share=small))
    return warnings


def _shares(values: Mapping[str, Any], margins: Mapping[str, Any]) -> dict[str, float | None]:
    """Return how common each value is; None where there is no margin."""
    return {name: _share(name, value, margins.get(name)) for name, value in values.items()}


def _share(name: str, value: Any, margin: Any) -> float | None:
    if margin is None:
        return None
    if isinstance(margin, Distribution):
        return margin.probability_of(value)
    if not isinstance(margin, Mapping):
        raise BadChoice(
            f"The margin of {name!r} must say how common each value is, as {{'F': 510, 'M': 490}}, "
            f"not {type(margin).__name__}."
        )
    by_text = {str(key): float(number) for key, number in margin.items()}
    if str(value) not in by_text:
        raise BadChoice(
            f"The margin of {name!r} has no value {value!r}.{did_you_mean(value, by_text)}"
        )
    total = math.fsum(by_text.values())
    if total <= 0:
        raise BadChoice(f"The margin of {name!r} holds nobody; give counts or shares.")
    return by_text[str(value)] / total
