"""The measures of an assessment: every registered method, on the table and by the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.core.choices import Role
from singleout.methods.method import Context, Measured, Method
from singleout.methods.registry import methods
from singleout.methods.sampling import Population
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan
    from singleout.core.table import Table

__all__ = ["measure_all"]


def measure_all(
    table: Table, known: Sequence[str], plan: Plan, only: Sequence[str] | None = None
) -> dict[str, Measured]:
    """Return what each method found, by its name, in the order in which they were measured."""
    context = Context(
        table,
        tuple(known),
        {method.name: plan.options_of(method) for method in methods()},
        weights=plan.weights,
        stated=_stated(plan),
        sensitive=plan.sensitive,
        scales={name: c.scale for name, c in plan.columns.items() if c.scale is not None},
        household=next(iter(plan.with_role(Role.HOUSEHOLD)), None),
        unit=None if plan.methods.rating == "paper" else plan.unit,
    )
    registered = {method.name: method for method in methods()}
    for method in registered.values():
        if only is None or method.name in only:
            _measure(method, context, registered)
    return context.measured


def _stated(plan: Plan) -> Population:
    """Return the population of a plan, with the file found that it names."""
    if plan.population_file is not None:
        return Population(table=plan.population_file)
    if plan.population.basis is None and plan.weights is not None:
        return Population(weights=plan.weights)
    return plan.population


def _measure(method: Method, context: Context, registered: dict[str, Method]) -> None:
    """Measure what a method uses, and then itself; each once."""
    if method.name in context.measured:
        return
    for name in method.uses:
        _measure(registered[name], context, registered)
    found = method.measure(context) if not _of_records(method, context) else _left_out(context)
    if found is not None:
        context.measured[method.name] = found


def _of_records(method: Method, context: Context) -> bool:
    """Whether a method looks at records, and people are to be counted."""
    measures = type(method).measure is not Method.measure
    return (
        context.unit is not None
        and measures
        and not method.counts_people
        and method.applies(context)
    )


def _left_out(context: Context) -> Measured:
    """Return that there is no result, with a note on all methods that are left out with it."""
    titles = [method.title for method in methods() if _of_records(method, context)]
    return Measured(None, (say("methods.of_records", methods=", ".join(titles), n=len(titles)),))
