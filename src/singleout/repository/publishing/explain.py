"""A record before it becomes public: every number with its meaning and noise, and what is withheld.

``publishable`` itself sends nothing, so that its record and this text are the dry run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from singleout.core.wording import figure, in_figures, percent
from singleout.report.say import say
from singleout.repository.documents.record import Record
from singleout.repository.gate.gate import largest_chance
from singleout.repository.gate.noise import grid_above, grid_below
from singleout.repository.gate.tiers import TIERS

__all__ = ["beside_siblings", "explained", "impact_statement", "what_becomes_public"]

_NUMBERS = ("people", "support", "largest", "kappa", "s2", "s3", "small")


def what_becomes_public(record: Record) -> str:
    """Return all that others will see of a record, number by number.

    Examples
    --------
    >>> import singleout as so
    >>> record = so.repository.Record.legacy_tuple(["age", "sex"], {"City": "Urk"}, 0.4011)
    >>> print(so.repository.what_becomes_public(record).splitlines()[0])
    What becomes public about age, sex; City=Urk:
    """
    title = say(
        "repository.publishing.title",
        attributes=", ".join(map(str, record.quasi_identifier)),
        population=record.population,
    )
    return "\n".join([title, *(f"- {line}" for _, _, line in explained(record))])


def explained(record: Record) -> list[tuple[str, str, str]]:
    """Return the sentences on a record, each with its kind and the name of its number.

    Of the kinds ``public`` is a number that others see, ``withheld`` one that they do not,
    ``protection`` what the gate guarantees, and ``never`` what leaves the data in no case.
    """
    return [
        *(("public", "cells", line) for line in _cells(record)),
        *(line for name in _NUMBERS for line in _number(record, name)),
        *(("public", "kappa", line) for line in _correction(record)),
        ("protection", "cost", _gate(record)),
        ("never", "", say("repository.publishing.never")),
    ]


def _cells(record: Record) -> list[str]:
    numbers = record.numbers
    if numbers.cells is None:
        return []
    unsaid = numbers.cells_from == "observed" and record.vocabulary is not None
    source = "not_in_vocabulary" if unsaid else numbers.cells_from
    return [say(f"repository.publishing.cells.{source}", cells=figure(numbers.cells))]


def _number(record: Record, name: str) -> list[tuple[str, str, str]]:
    value = getattr(record.numbers, name)
    sd = getattr(record.numbers.sd, name)
    if value is None:
        if sd is None:  # never meant to be there
            return []
        why = say(f"repository.publishing.withheld.{name}", sd=in_figures(sd, 2))
        return [("withheld", name, why)]
    shown = figure(value) if isinstance(value, int) else in_figures(value, 6)
    said = say(f"repository.publishing.number.{name}", value=shown)
    if not sd:
        return [("public", name, said)]
    grid = grid_above(4 * sd) if name == "people" else grid_below(sd)
    key = "cap" if name == "largest" else "noise"
    noise = say(f"repository.publishing.{key}", sd=in_figures(sd, 2), grid=in_figures(grid, 2))
    return [("public", name, f"{said} {noise}")]


def _correction(record: Record) -> list[str]:
    if record.numbers.correction == "miller-madow":
        return [say("repository.publishing.corrected")]
    if record.coverage.kind == "sample":
        return [say("repository.publishing.not_corrected")]
    return []


def _gate(record: Record) -> str:
    gate = record.gate
    if gate.tier not in TIERS:
        return say("repository.publishing.no_gate")
    return say(
        f"repository.publishing.gate.{gate.tier}",
        cost=in_figures(gate.cost, 2),
        total=in_figures(TIERS[gate.tier].total),
        chance=percent(largest_chance(gate.cost)),
    )


def impact_statement(record: Record) -> str:
    """Return what a holder can put into a data protection impact assessment (C13)."""
    gate = record.gate
    if gate.tier not in TIERS:
        return say("repository.publishing.no_gate")
    return say(
        "repository.publishing.impact",
        attributes=", ".join(map(str, record.quasi_identifier)),
        population=record.population,
        people=figure(record.people or 0),
        mu=in_figures(math.sqrt(gate.cost), 2),
        cost=in_figures(gate.cost, 2),
        chance=percent(largest_chance(gate.cost)),
        total=in_figures(TIERS[gate.tier].total),
        worst=percent(largest_chance(TIERS[gate.tier].total)),
        tier=gate.tier,
    )


def beside_siblings(record: Record, others: Iterable[Record]) -> str:
    """Return how a population compares with its siblings: other cities, other years of birth.

    Siblings have the same quasi-identifier, and populations by the same attributes.
    """
    siblings = [
        other
        for other in others
        if other.qid_key == record.qid_key
        and other.population.attributes == record.population.attributes
        and other.population != record.population
    ]
    if not siblings:
        return say("repository.publishing.no_siblings")
    distances = sorted(other.kappa for other in siblings)
    return say(
        "repository.publishing.siblings",
        n=len(siblings),
        low=in_figures(distances[0], 3),
        high=in_figures(distances[-1], 3),
        kappa=in_figures(record.kappa, 3),
        below=sum(kappa < record.kappa for kappa in distances),
    )
