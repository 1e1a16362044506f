"""Compare two versions of a table: the same plan, the same measures, side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from singleout.assessment.assess import assess
from singleout.assessment.comparison.attributes import attribute_changes
from singleout.assessment.comparison.cells import CellChanges, cell_changes
from singleout.assessment.comparison.changes import changes_between
from singleout.assessment.comparison.result import Comparison
from singleout.assessment.plan.plan import Plan
from singleout.assessment.result import Assessment
from singleout.assessment.words import in_words
from singleout.core.frame_kinds import framed
from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.open import agreed_count, condition_of, open_data
from singleout.engines.suspected import taken_as_said
from singleout.errors import BadChoice
from singleout.io.fingerprint import fingerprint
from singleout.io.names import pick
from singleout.methods.registry import methods, results
from singleout.methods.units import require_units
from singleout.report.say import say

__all__ = ["compare"]


@framed
def compare(
    before: Any,
    after: Any,
    plan: Plan | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
    unit: str | None = None,
) -> Comparison:
    """Compare two versions of a table: what the change brought, and what it cost.

    Both are assessed under the same plan. They may have different columns and different records;
    what only one of them has is noted.

    Parameters
    ----------
    before, after
        The original and the version made from it: paths, data frames or tables; or data that is
        elsewhere, see `read`.
    plan
        What the columns mean, as for `assess`. If not given, it is guessed from the original.
    engine
        What fetches data that is elsewhere, for both: ``database``, ``spark``, a `Database` or a
        `Spark`; chosen by the data if not given. All columns are fetched.
    where
        The condition that records of both must meet, as text: ``"age >= 18"``.
    count
        The column that says how many records a row stands for, in two tables of counts; if not
        given, the one that has this role in the plan. People are then not matched with each other.
    unit
        The column that says which records are of one person, as for `assess`. If one of the tables
        has lost it, records are counted in both.

    Returns
    -------
    Comparison
        Every measure before and after, and both assessments.

    Examples
    --------
    >>> import singleout as so
    >>> original = {"age": [21, 24, 35, 38], "disease": ["flu", "HIV", "flu", "HIV"]}
    >>> coarser = {"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "HIV", "flu", "HIV"]}
    >>> found = so.compare(original, coarser, {
    ...     "columns": {
    ...         "age": {"role": "quasi-identifier", "exposure": "EE"},
    ...         "disease": {"role": "sensitive", "moral": 4},
    ...     },
    ... })
    >>> found.to_frame().filter(measure="k").select("before", "after", "effect").row(0)
    (1.0, 2.0, 'better')
    """
    given = None if plan is None else Plan.of(plan)
    count = agreed_count(count, None if given is None else given.count)
    opened = [_read(one, engine, where, count) for one in (before, after)]
    tables, counts = [table for table, _ in opened], [counted for _, counted in opened]
    reading = {} if where is None else {"where": str(condition_of(where))}
    chosen, notes = _plan(tables, given, counts[0])
    chosen, of_people = _of_unit(chosen, tables, unit)
    notes += of_people
    found = []
    for which, table, source in zip(("before", "after"), tables, (before, after), strict=True):
        working_on(say(f"progress.assessing_{which}"))
        fitting, left_out = _fitting(chosen, table.columns, which)
        notes += left_out
        assessed = assess(table, fitting)
        facts = replace(assessed.facts, sha256=fingerprint(source), reading=reading)
        found.append(replace(assessed, facts=facts, guessed=plan is None))
    # rows that are repeated have no order in which people could be matched
    cells = cell_changes(tables[0], tables[1]) if counts == [None, None] else None
    notes += [*_different_columns(tables), *_matched(cells, counts), *_not_like_with_like(found)]
    notes += _judged_by_share(found)
    notes += [change.note for change in changes_between(found[0], found[1], cells) if change.note]
    attributes = attribute_changes(found, tables, chosen, cells)
    notes += found[1].warnings
    return Comparison(found[0], found[1], cells, tuple(dict.fromkeys(notes)), attributes)


def _read(data: Any, engine: Any, where: Any, count: str | None) -> tuple[Table, str | None]:
    """Return the records, and the column that said how many of them a row stands for."""
    with taken_as_said(), open_data(data, engine, where, count=count) as counter:
        if counter.count is None:
            return counter.records().table, None
        people = counter.rows
        require_memory(people * 4 * len(counter.columns), f"Laying out {people:,} people")
        return counter.repeated(None, people).table, counter.count


def _plan(tables: list[Table], plan: Plan | None, count: str | None) -> tuple[Plan, list[str]]:
    """Return the plan for both tables; a column that neither has is refused."""
    if plan is not None:
        names = [*tables[0].columns, *tables[1].columns, *filter(None, [count])]
        plan.check(dict.fromkeys(names))
        return plan, []
    from singleout.assessment.guess.guess import guessed_plan

    return guessed_plan(tables[0]).of_people().plan, [say("comparison.guessed")]


def _of_unit(plan: Plan, tables: list[Table], unit: str | None) -> tuple[Plan, list[str]]:
    """Return the plan with the unit; without one where a table has lost it: like with like."""
    if unit is not None:
        names = dict.fromkeys([*tables[0].columns, *tables[1].columns])
        (name,) = pick([unit], tuple(names))
        require_units(name, plan.quasi_identifiers, plan.missing)
        plan = plan.model_copy(update={"unit": name})
    if plan.unit is None:
        return plan, []
    if all(plan.unit in table.columns for table in tables):
        return plan, [say("comparison.people", unit=repr(plan.unit))]
    note = say("comparison.no_unit", unit=repr(plan.unit))
    return plan.model_copy(update={"unit": None}), [note]


def _fitting(plan: Plan, names: Iterable[str], which: str) -> tuple[Plan, list[str]]:
    """Return what the plan says about the columns that a table has."""
    there = set(names)
    lost = [name for name in plan.columns if name not in there]
    if not lost and (plan.population.weights is None or plan.population.weights in there):
        return plan, []
    if not there.intersection(plan.quasi_identifiers):
        raise BadChoice(
            f"The table {which} has none of the quasi-identifiers of the plan, "
            f"{in_words(plan.quasi_identifiers)}, so there is nothing to compare; give it one of "
            "them, or another plan."
        )
    fitting = plan.within(there)
    notes = []
    for title, members in plan.combinations.items():
        left = fitting.combinations.get(title, [])
        if not left:
            notes.append(say(f"comparison.combination_{which}", title=repr(title)))
        elif len(left) < len(members):
            part = in_words(left)
            notes.append(say(f"comparison.part_{which}", title=repr(title), columns=part))
    if plan.population.weights is not None and fitting.population.weights is None:
        notes.append(say(f"comparison.no_weights_{which}"))
    return fitting, notes


# ---- what a reader should know


def _different_columns(tables: list[Table]) -> list[str]:
    before, after = (set(table.columns) for table in tables)
    notes = []
    lost = [name for name in tables[0].columns if name not in after]
    if lost:
        notes.append(say("comparison.only_before", columns=in_words(lost)))
    added = [name for name in tables[1].columns if name not in before]
    if added:
        notes.append(say("comparison.only_after", columns=in_words(added)))
    return notes


def _matched(cells: CellChanges | None, counts: list[str | None]) -> list[str]:
    if counts != [None, None]:
        return [say("comparison.counted")]
    if cells is None:
        return [say("comparison.not_matched")]
    return [say("comparison.matched", how=cells.how)]


def _judged_by_share(found: list[Assessment]) -> list[str]:
    before, after = (one.facts.rows for one in found)
    if before == after:
        return []
    return [say("comparison.judged_by_share", before=before, after=after)]


def _not_like_with_like(found: list[Assessment]) -> list[str]:
    """Return notes on methods that looked at different columns of the two tables."""
    before, after = (
        {
            method.title: method.columns(result)
            for method, result in results(one.measured, methods())
        }
        for one in found
    )
    return [
        say("comparison.different_columns", method=title)
        for title, columns in before.items()
        if title in after and columns != after[title]
    ]
