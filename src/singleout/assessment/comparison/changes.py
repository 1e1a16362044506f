"""What is measured before and after a change: what it brought first, then what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from singleout.assessment.comparison.cells import CellChanges
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.result import Assessment
from singleout.core.results import ResultPart
from singleout.methods.method import Method, Number
from singleout.methods.registry import methods, results

__all__ = ["Change", "Unit", "changes_between"]

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
    """

    measure: str
    name: str
    unit: Unit
    before: float | None
    after: float | None
    lower_is_better: bool | None = True
    is_cost: bool = False

    @property
    def change(self) -> float | None:
        """After - before; None where one of them does not exist."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def effect(self) -> str | None:
        """``better``, ``worse`` or ``same``; None where nothing can be said."""
        if self.change is None or self.lower_is_better is None:
            return None
        if abs(self.change) <= _SAME:
            return "same"
        return "better" if (self.change < 0) == self.lower_is_better else "worse"

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


def changes_between(
    before: Assessment, after: Assessment, cells: CellChanges | None
) -> tuple[Change, ...]:
    """Return all measures: first what was achieved, then what it cost.

    Parameters
    ----------
    before, after
        The assessments of the two versions.
    cells
        What happened to the cells; None if that is not known.
    """
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
    name: str,
    unit: Unit,
    sides: tuple[_Side, _Side],
    of: Callable[[_Side], float | None],
    *,
    lower_is_better: bool | None = True,
    is_cost: bool = False,
) -> Change:
    before, after = (of(side) for side in sides)
    return Change(measure, name, unit, before, after, lower_is_better, is_cost)


def _ratings(sides: Sides) -> Iterator[Change]:
    yield _both("level", "Risk level, 1 to 4", Unit.LEVEL, sides, lambda side: side.level)
    yield _both(
        "direct_identifiers",
        "Columns that identify people directly",
        Unit.COUNT,
        sides,
        lambda side: len(side.facts.direct_identifiers),
    )
    risks = (sides[0].record_risks, sides[1].record_risks)
    yield _both(
        "at_risk",
        "Records at severe or critical risk",
        Unit.COUNT,
        risks,
        lambda found: found.at_risk,
    )
    yield _both(
        "at_risk_share",
        "Share of records at severe or critical risk",
        Unit.SHARE,
        risks,
        lambda found: found.at_risk / len(found.record),
    )


def _sets(sides: Sides) -> Iterator[Change]:
    sets = (sides[0].anonymity, sides[1].anonymity)
    defined = all(found.has_sets for found in sets)
    yield _both(
        "k",
        "Records in the smallest set (k)",
        Unit.COUNT,
        sets,
        lambda found: found.k,
        lower_is_better=False,
    )
    yield _both("unique", "Unique records", Unit.COUNT, sets, lambda found: found.unique)
    yield _both(
        "unique_share",
        "Share of unique records",
        Unit.SHARE,
        sets,
        lambda found: found.unique_share,
    )
    yield _both(
        "entropy",
        "Entropy of the quasi-identifiers, bits",
        Unit.NUMBER,
        sets,
        lambda found: found.shannon_entropy if defined else None,
    )
    yield _both(
        "kappa",
        "Distance from evenly spread records (kappa), nats",
        Unit.NUMBER,
        sets,
        lambda found: found.kl_distance() if defined else None,
        lower_is_better=None,  # it says how evenly records are spread, not how safe they are
    )


def _rates(sides: Sides) -> Iterator[Change]:
    """Yield the rate of each exposure level and target that either version has."""
    rates = (_by_exposure(sides[0]), _by_exposure(sides[1]))
    several = len({sensitive for found in rates for _, sensitive in found}) > 1
    for level, sensitive in dict.fromkeys([*rates[0], *rates[1]]):
        aim = f" → {sensitive}" if several and sensitive is not None else ""
        yield Change(
            f"rate {level}{aim}",
            f"Discrimination rate of all of {level}{aim}",
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
        for measure, number in {**before, **after}.items():
            yield Change(
                measure,
                number.name,
                Unit(number.unit),
                before[measure].value if measure in before else None,
                after[measure].value if measure in after else None,
                number.lower_is_better,
            )


def _numbers(method: Method, side: Assessment) -> dict[str, Number]:
    return {
        number.measure: number
        for _, result in results(side.measured, [method])
        for number in method.numbers(result)
    }


def _costs(sides: Sides, cells: CellChanges | None) -> Iterator[Change]:
    facts = (sides[0].facts, sides[1].facts)
    for measure, name, of in (
        ("records", "Records", lambda fact: fact.rows),
        ("columns", "Columns", lambda fact: len(fact.columns)),
    ):
        yield _both(measure, name, Unit.COUNT, facts, of, lower_is_better=False, is_cost=True)
    nothing = None if cells is None else 0
    for measure, name, count in (
        ("suppressed", "Cells that lost their value", None if cells is None else cells.suppressed),
        ("changed", "Cells with another value", None if cells is None else cells.changed),
    ):
        yield Change(measure, name, Unit.COUNT, nothing, count, is_cost=True)
