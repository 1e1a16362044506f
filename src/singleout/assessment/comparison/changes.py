"""What is measured before and after a change: what it brought first, then what it cost.

A count of records is judged by its share of the records, since deleting records lowers the count
without making anybody safer. What depends on the number of records itself is judged only where that
number is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from singleout.assessment.comparison.cells import CellChanges
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.result import Assessment
from singleout.core.results import ResultPart
from singleout.methods.method import Method, Number
from singleout.methods.registry import methods, results
from singleout.report.say import say

__all__ = ["Change", "Unit", "changes_between", "different_assumptions"]

Sides = tuple[Assessment, Assessment]
_Side = TypeVar("_Side")

_SAME = 1e-9  # differences of computed numbers below this are rounding


class Unit(StrEnum):
    """What kind of number a measure is."""

    COUNT = "count"
    LEVEL = "level"
    SHARE = "share"  # 0 to 1
    NUMBER = "number"


@dataclass(frozen=True)
class Change(ResultPart):
    """One measure before and after.

    Parameters
    ----------
    measure
        The name of the measure, for programs.
    name
        The same in words.
    unit
        What kind of number it is.
    before, after
        The measure for the two versions; None where it does not exist.
    lower_is_better
        Whether less is better; None if neither is.
    is_cost
        Whether it tells what was given up, not what was achieved.
    records
        For a count of records: of how many, before and after.
    note
        Why before and after are not comparable, as a sentence; empty if they are.
    possible
        For a level, before and after: the highest that is possible where columns whose role nobody
        has stated leave it open.
    """

    measure: str
    name: str
    unit: Unit
    before: float | None
    after: float | None
    lower_is_better: bool | None = True
    is_cost: bool = False
    records: tuple[int, int] | None = None
    note: str = ""
    possible: tuple[int | None, int | None] = (None, None)

    @property
    def change(self) -> float | None:
        """After - before; None where one of them does not exist."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def effect(self) -> str | None:
        """``better``, ``worse`` or ``same``; None where they cannot be compared.

        Counts of records are judged by their shares; levels that are open only where the lowest
        and the highest that are possible say the same.
        """
        judged = self._judged
        if judged is None or self.lower_is_better is None or self.note:
            return None
        effect = _effect(judged, lower_is_better=self.lower_is_better)
        low, high = self.possible
        if low is None or high is None:
            return effect
        at_most = _effect(high - low, lower_is_better=self.lower_is_better)
        return effect if effect == at_most else None

    @property
    def _judged(self) -> float | None:
        """The difference that decides on better or worse."""
        if self.before is None or self.after is None or self.records is None:
            return self.change
        if not all(self.records):  # there is no share of no records
            return None
        return self.after / self.records[1] - self.before / self.records[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the measure as plain values that JSON can hold."""
        return {
            "measure": self.measure,
            "name": self.name,
            "unit": str(self.unit),
            "before": self.before,
            "after": self.after,
            "change": self.change,
            "effect": self.effect,
            "is_cost": self.is_cost,
        }


def _effect(difference: float, *, lower_is_better: bool) -> str:
    if abs(difference) <= _SAME:
        return "same"
    return "better" if (difference < 0) == lower_is_better else "worse"


def changes_between(
    before: Assessment, after: Assessment, cells: CellChanges | None
) -> tuple[Change, ...]:
    """Return all measures: first what was achieved, then what it cost; cells may be unknown."""
    sides = (before, after)
    return (
        *_ratings(sides),
        *_sets(sides),
        *_rates(sides),
        *_methods(sides),
        *_costs(sides, cells),
    )


# ---- one by one


def _both(
    measure: str,
    unit: Unit,
    sides: tuple[_Side, _Side],
    of: Callable[[_Side], float | None],
    *,
    lower_is_better: bool | None = True,
    is_cost: bool = False,
    records: tuple[int, int] | None = None,
    note: str = "",
) -> Change:
    name = say(f"comparison.measures.{measure}")
    before, after = (of(side) for side in sides)
    return Change(measure, name, unit, before, after, lower_is_better, is_cost, records, note)


def _ratings(sides: Sides) -> Iterator[Change]:
    found = (sides[0].findings, sides[1].findings)
    rated = (found[0].rated, found[1].rated)
    note = different_assumptions(*sides)
    level = _both("level", Unit.LEVEL, sides, lambda side: side.level, note=note)
    yield replace(level, possible=(sides[0].range[1], sides[1].range[1]))
    member = _both("if_member", Unit.LEVEL, sides, lambda side: side.if_member)
    yield replace(member, possible=(sides[0].range_if_member[1], sides[1].range_if_member[1]))
    yield _both("highest", Unit.LEVEL, sides, lambda side: side.highest, note=note)
    yield _both(
        "direct_identifiers", Unit.COUNT, sides, lambda side: len(side.facts.direct_identifiers)
    )
    yield _both("at_risk", Unit.COUNT, found, lambda one: one.at_risk, records=rated, note=note)
    yield _both("at_risk_share", Unit.SHARE, found, lambda one: one.at_risk_share, note=note)


def different_assumptions(before: Assessment, after: Assessment) -> str:
    """Return why the levels are not comparable: only one was rated with a population."""
    with_population = [side.findings.if_member is not None for side in (before, after)]
    if with_population[0] == with_population[1]:
        return ""
    return say(f"comparison.population_only_{'before' if with_population[0] else 'after'}")


def _sets(sides: Sides) -> Iterator[Change]:
    sets = (sides[0].anonymity, sides[1].anonymity)
    records = (sets[0].records, sets[1].records)
    defined = all(found.has_sets for found in sets)
    yield _both("k", Unit.COUNT, sets, lambda found: found.k, lower_is_better=False)
    yield _both("unique", Unit.COUNT, sets, lambda found: found.unique, records=records)
    yield _both("unique_share", Unit.SHARE, sets, lambda found: found.unique_share)
    yield _both(
        "entropy",
        Unit.NUMBER,
        sets,
        lambda found: found.shannon_entropy if defined else None,
        # n records have at most log2 n bits: a part of them has fewer, and nobody is safer
        note=_of_unequal(say("comparison.measures.entropy"), sides) if defined else "",
    )
    yield _both(
        "kappa",
        Unit.NUMBER,
        sets,
        lambda found: found.kl_distance() if defined else None,
        lower_is_better=None,  # it says how evenly records are spread, not how safe they are
    )


def _of_unequal(name: str, sides: Sides) -> str:
    """Return that a measure is not comparable; nothing where there are equally many records."""
    before, after = (side.anonymity.records for side in sides)
    if before == after:
        return ""
    return say("comparison.unequal_records", name=name, before=before, after=after)


def _rates(sides: Sides) -> Iterator[Change]:
    """Yield the rate of each exposure level and target that either version has."""
    rates = (_by_exposure(sides[0]), _by_exposure(sides[1]))
    several = len({sensitive for found in rates for _, sensitive in found}) > 1
    for level, sensitive in dict.fromkeys([*rates[0], *rates[1]]):
        aim = f" → {sensitive}" if several and sensitive is not None else ""
        yield Change(
            f"rate {level}{aim}",
            say("comparison.rate", columns=f"{level}{aim}"),
            Unit.SHARE,
            rates[0].get((level, sensitive)),
            rates[1].get((level, sensitive)),
        )


def _by_exposure(found: Assessment) -> dict[tuple[str, str | None], float]:
    return {
        (row.combination.name, row.sensitive): row.measured.rate
        for row in found.ratings
        if row.combination.kind == Kind.EXPOSURE
    }


def _methods(sides: Sides) -> Iterator[Change]:
    """Yield the numbers of each method that has a result for either version."""
    for method in methods():
        before, after = (_numbers(method, side) for side in sides)
        for measure in {**before, **after}:
            yield _of_method(before.get(measure), after.get(measure), sides)


def _of_method(before: Number | None, after: Number | None, sides: Sides) -> Change:
    """Return a number of a method before and after; one of the two may be missing."""
    number = after or before
    assert number is not None
    both = before is not None and after is not None
    return Change(
        number.measure,
        number.name,
        Unit(number.unit),
        None if before is None else before.value,
        None if after is None else after.value,
        number.lower_is_better,
        records=_counted(before, after),
        note=_of_unequal(number.name, sides) if both and number.at_equal_records else "",
    )


def _counted(before: Number | None, after: Number | None) -> tuple[int, int] | None:
    """Return the number of records that a count is a part of, before and after."""
    if before is None or after is None or before.records is None or after.records is None:
        return None
    return before.records, after.records


def _numbers(method: Method, side: Assessment) -> dict[str, Number]:
    return {
        number.measure: number
        for _, result in results(side.measured, [method])
        for number in method.numbers(result)
    }


def _costs(sides: Sides, cells: CellChanges | None) -> Iterator[Change]:
    facts = (sides[0].facts, sides[1].facts)
    for measure, of in (
        ("records", lambda fact: fact.rows),
        ("columns", lambda fact: len(fact.columns)),
    ):
        yield _both(measure, Unit.COUNT, facts, of, lower_is_better=False, is_cost=True)
    nothing = None if cells is None else 0
    for measure, count in (
        ("suppressed", None if cells is None else cells.suppressed),
        ("changed", None if cells is None else cells.changed),
    ):
        name = say(f"comparison.measures.{measure}")
        yield Change(measure, name, Unit.COUNT, nothing, count, is_cost=True)
