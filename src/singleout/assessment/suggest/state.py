"""The state of a treated table: what the goal asks about, measured like the table itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from singleout.assessment.advice.gauge import Gauge
from singleout.assessment.measures import measure_all
from singleout.assessment.rating.question import question_of
from singleout.assessment.rating.rows import RatingCache
from singleout.core.choices import MissingPolicy
from singleout.core.results import ResultPart
from singleout.core.table import Column, Table
from singleout.methods.diversity.function import diversity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from singleout.assessment.plan.plan import Plan

__all__ = ["Measuring", "State"]

_MEASURED = ("qar", "population_uniqueness")  # limits that a method of an assessment measures


@dataclass(frozen=True)
class State(ResultPart):
    """A table in a few numbers; what the goal does not ask about may be None.

    Parameters
    ----------
    records
        How many records there are.
    k
        How many of them share the rarest combination of the quasi-identifiers.
    unique_share
        Records alone with their combination / all records.
    highest_risk
        The level of the verdict, 1 to 4.
    records_at_risk
        Records at severe or critical risk / all records.
    distinct_l, t
        Of the class with the fewest different sensitive values, and of the one that is farthest
        from the table.
    qar
        T, the risk of the table by QaR.
    population_uniqueness
        The share of the population that is unique in it, as estimated.
    """

    records: int
    k: int
    unique_share: float
    highest_risk: int
    records_at_risk: float
    distinct_l: int | None = None
    t: float | None = None
    qar: float | None = None
    population_uniqueness: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values that JSON can hold."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, eq=False)
class Measuring:
    """Measures treated tables by a plan, as far as a goal asks.

    Parameters
    ----------
    plan
        What the columns mean.
    asked
        The names of the limits.
    owners
        The column that says which records are of one person, of the original: a treatment may drop
        it, and people are counted all the same.
    """

    plan: Plan
    asked: frozenset[str]
    owners: Column | None = None

    def __call__(self, table: Table, rows: NDArray[Any] | None = None) -> State:
        """Return the state of a table; a blanked cell is a value of its own.

        ``rows`` are those of the original that it has, where people are counted.
        """
        if self.owners is not None:
            table = self._with_owners(self.owners, table, rows)
        plan = self.plan.within(table.columns)
        counted = table.with_roles(plan.roles).with_missing(MissingPolicy.VALUE)
        question, _ = question_of(counted, plan)
        effect = Gauge(question, RatingCache())(question).effect
        return State(
            effect.records,
            effect.k,
            effect.unique_share,
            effect.level,
            effect.at_risk / effect.records,
            **self._by_classes(counted, question.known, plan),
            **self._by_methods(counted, question.known, plan),
        )

    @staticmethod
    def _with_owners(owners: Column, table: Table, rows: NDArray[Any] | None) -> Table:
        """Return a table with whose records they are, as the original says."""
        kept = owners if rows is None else owners.take(rows)
        columns = [*(column for column in table if column.name != owners.name), kept]
        return Table(columns, missing=table.missing, source=table.source, notes=table.notes)

    def _by_classes(self, table: Table, known: Sequence[str], plan: Plan) -> dict[str, Any]:
        """Return how diverse sensitive values are in each class, if anybody asks."""
        sensitive = [name for name in plan.sensitive if name not in known]
        if not self.asked & {"distinct_l", "t"} or not sensitive:
            return {}
        found = diversity(table, known, sensitive, unit=plan.unit)
        return {"distinct_l": found.distinct_l, "t": found.t}

    def _by_methods(self, table: Table, known: Sequence[str], plan: Plan) -> dict[str, Any]:
        wanted = [name for name in _MEASURED if name in self.asked]
        if not wanted:
            return {}
        found = measure_all(table, known, plan, wanted)
        results = {name: found[name].result if name in found else None for name in wanted}
        return {
            name: None if result is None else _number(name, result)
            for name, result in results.items()
        }


def _number(name: str, result: Any) -> float | None:
    if name == "qar":
        return float(result.risk)
    if result.sample_unique == 0:  # nobody who is not unique in the sample is in the population
        return 0.0
    share: float | None = result.best.share
    return share
