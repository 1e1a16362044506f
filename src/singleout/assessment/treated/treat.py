"""Apply steps to any data: in memory, or where it is if the steps can be written as SQL."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from singleout.assessment.plan.plan import Plan
from singleout.assessment.treated.elsewhere import TreatedElsewhere
from singleout.assessment.treated.treated import Treated
from singleout.core.choices import Role
from singleout.core.frame_kinds import framed
from singleout.core.paths import expanded
from singleout.core.table import Table
from singleout.engines.counted import no_records
from singleout.engines.counter import Counter, Records
from singleout.engines.local.counter import FetchedCounter
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.io.write.treated import Sourced
from singleout.treatment.files.rules import Rules, rules_of
from singleout.treatment.steps.apply import Applied, apply_steps
from singleout.treatment.steps.steps import Steps

__all__ = ["planned_rules", "refuse_counted", "treat", "treat_records"]


@framed
def treat(
    data: Any,
    steps: Steps | str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any],
    *,
    plan: Plan | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    engine: Any = None,
    where: Any = None,
) -> Treated | TreatedElsewhere:
    """Apply steps to a table, and say what changed; the data itself is never touched.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    steps
        What to do: `Steps`, a list of steps, the path of a YAML file or what it would hold.
    plan
        What the columns mean, as for `assess`: values of direct identifiers are then never in the
        log, and loss and measures are those of what others can know.
    engine
        What treats data that is elsewhere: ``database``, a `Database`; chosen by the data if not
        given. There, columns can be recoded and dropped. ``local`` fetches the data, and all steps
        can be applied.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Treated or TreatedElsewhere
        The published table, the log of changes, and what it brought and cost. Of data elsewhere
        the SQL text, and a file to which it can be streamed.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": [21, 24, 35, 38], "name": ["Ann", "Bob", "Cy", "Di"]}
    >>> treated = so.treat(people, [{"recode": "age", "width": 10}, {"drop": ["name"]}])
    >>> treated.to_frame()["age"].to_list()
    ['20-29', '20-29', '30-39', '30-39']
    >>> treated.log.filter(column="age").rows()[0]
    (1, 'age', '21', '20-29', 1)
    """
    chosen = Steps.of(steps)
    given = None if plan is None else Plan.of(plan)
    parsing = {} if given is None else given.reading.options_for(data)
    count = None if given is None else given.count
    with taken_as_said(), open_data(data, engine, where, count=count, **parsing) as counter:
        refuse_counted(counter)
        if counter.held is None:
            return _elsewhere(counter, chosen, given, (data, engine, where))
        written = {name: one for name, one in parsing.items() if name != "missing_values"}
        return treat_records(data, counter.held, chosen, given, **written)


def refuse_counted(counter: Counter) -> None:
    """Refuse to treat a table of counts, whose rows are not records."""
    if counter.count is not None:
        raise no_records(counter.count)


def _elsewhere(
    counter: Counter, steps: Steps, plan: Plan | None, opening: tuple[Any, Any, Any]
) -> TreatedElsewhere:
    from singleout.engines.sql.treated import selected

    rules = planned_rules(counter, steps, plan)
    selected(counter, rules.columns, rules.values).check()
    data, engine, where = opening
    return TreatedElsewhere(steps, counter.source, counter.rows, rules, data, (engine, where))


def planned_rules(counter: Counter, steps: Steps, plan: Plan | None) -> Rules:
    """Return the rules of steps for data elsewhere; no direct identifier of the plan is logged."""
    if plan is None:
        return rules_of(counter, steps)
    plan.check(counter.columns)
    return rules_of(counter, steps, hidden=plan.with_role(Role.DIRECT_IDENTIFIER))


def treat_records(
    data: Any,
    held: Records,
    steps: Steps,
    plan: Plan | None,
    applied: Applied | None = None,
    **options: Any,
) -> Treated:
    """Apply steps to records that are in memory.

    ``data`` is what they were read from, with these options of a reader; ``applied`` is what the
    steps have made of the table with the roles of the plan, where they were applied already.
    """
    original = held.table
    if plan is not None:
        plan.check(original.columns)
        original = original.with_roles(plan.roles)
    if applied is None:
        applied = apply_steps(original, steps)
    source = _source(data, held, original, applied, _named(original, steps, plan), options)
    return Treated(steps, original, applied, plan, source, data)


def _named(original: Table, steps: Steps, plan: Plan | None) -> frozenset[str]:
    """Return the columns that a step names, or that others can know."""
    known = () if plan is None else plan.quasi_identifiers
    used = (name for step in steps for name in (*step.columns_changed, *step.columns_used))
    return frozenset((*known, *original.quasi_identifiers, *used))


def _source(
    data: Any,
    held: Records,
    original: Table,
    applied: Applied,
    named: frozenset[str],
    options: Mapping[str, Any],
) -> Sourced | None:
    """Return the file that the data is, and the rows of it that are published."""
    if not isinstance(data, str | os.PathLike) or isinstance(held, FetchedCounter):
        return None
    in_file = np.arange(original.rows)
    if held.in_source is not None:
        in_file = np.flatnonzero(held.in_source)
    path: Path = expanded(os.fsdecode(data))
    if not path.is_file():  # a database, a folder or several files, whose records were fetched
        return None
    given = {name: value for name, value in options.items() if value is not None}
    return Sourced(path, original.take(applied.rows), in_file[applied.rows], given, named)
