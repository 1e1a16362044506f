"""Suggest steps that meet a policy with the least loss."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from singleout.assessment.gate import read_policy
from singleout.assessment.plan.plan import Plan, ReleasePolicy
from singleout.assessment.rating.question import question_of
from singleout.assessment.report.levels import risk_in_words
from singleout.assessment.suggest.dilution import Dilution, dilutions
from singleout.assessment.suggest.goal import BY_RATING, Goal, goal_of
from singleout.assessment.suggest.meaning import plan_of, staying_names
from singleout.assessment.suggest.result import Suggestion
from singleout.assessment.suggest.search import Search
from singleout.assessment.suggest.state import Measuring
from singleout.assessment.suggest.ways import CellsWay, Constraints, FullDomainWay, LocalWay
from singleout.core import arguments
from singleout.core.choices import MissingPolicy, Role
from singleout.core.frame_kinds import framed
from singleout.core.paths import expanded
from singleout.core.table import Column, Table
from singleout.engines.counter import Records
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.errors import BadChoice, did_you_mean
from singleout.io.names import pick
from singleout.methods.selection import named_columns
from singleout.methods.units import require_units
from singleout.report.say import say
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.read import read_hierarchy

__all__ = ["suggest"]

_METHODS = {"local": LocalWay, "full-domain": FullDomainWay, "cells": CellsWay}
_METRICS = ("loss", "geometric", "entropy")
_ONLY_HERE = ("distinct_l", "t", "qar", "population_uniqueness")  # limits, in no plan
_AT_RISK = 2  # the highest level of records that are not at risk


@framed
def suggest(
    data: Any,
    plan: Plan | ReleasePolicy | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    quasi_identifiers: Sequence[str] | str | None = None,
    *,
    k: int | None = None,
    highest_risk: int | None = None,
    records_at_risk: float | None = None,
    unique_share: float | None = None,
    distinct_l: int | None = None,
    t: float | None = None,
    qar: float | None = None,
    population_uniqueness: float | None = None,
    sensitive: Sequence[str] | str | None = None,
    method: str = "local",
    hierarchies: Mapping[str, Any] | None = None,
    max_suppressed: float = 0.0,
    max_cells: float | None = None,
    metric: str = "loss",
    importance: Mapping[str, float] | None = None,
    fixed: Sequence[str] | str | None = None,
    highest: Mapping[str, int] | None = None,
    engine: Any = None,
    where: Any = None,
    unit: str | None = None,
) -> Suggestion:
    """Find steps after which a table keeps a policy, with the least loss.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`: it is fetched.
    plan
        What the columns mean and what is accepted, as for `assess`; or what is accepted alone,
        such as ``{"k": 5, "highest_risk": 2}``. What the columns mean is otherwise told by
        ``quasi_identifiers`` and ``sensitive``, or guessed if these are not given either.
    quasi_identifiers
        The columns that others can know, and that are treated; those of the plan if not given.
    k
        How many records must share each combination of the quasi-identifiers.
    highest_risk
        The highest level of the verdict that is accepted, 1 to 4.
    records_at_risk, unique_share
        The largest shares of the records that may be at severe or critical risk, and unique.
    distinct_l, t
        How many different sensitive values each class must have, and how far its shares may be
        from those of the table.
    qar
        The largest T of QaR that is accepted.
    population_uniqueness
        The largest share of the population that may be unique, as estimated; the plan must state
        the population.
    sensitive
        The columns that must not be learnt, where no plan says so.
    method
        ``local``: every class of records has levels of its own, which loses least. ``full-domain``:
        each column has one level, and few records are suppressed. ``cells``: single cells are
        blanked, and no value becomes another.
    hierarchies
        What values become on each level, by column: the path of a CSV file, a data frame or a
        `Hierarchy`. Those that are not given are proposed; see `hierarchies`.
    max_suppressed
        The share of the records that may be suppressed; not for ``cells``.
    max_cells
        With ``cells``, the share of the cells of the quasi-identifiers that may be blanked; any if
        not given.
    metric
        What ``full-domain`` makes small: ``loss``, ``geometric`` or ``entropy``.
    importance
        How much columns matter, by name; 1 if not given. What matters more is kept longer.
    fixed
        Columns that are never touched.
    highest
        The highest level that a column may be published on, by name.
    engine
        What fetches data that is elsewhere; chosen by the data if not given.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    unit
        The column that says which records are of one person, that of the plan if not given: levels,
        shares and k count people then. ``qar`` and ``population_uniqueness`` cannot be asked for.

    Returns
    -------
    Suggestion
        The steps, their loss, what they reach, and the frontier of all that was tried.

    Examples
    --------
    >>> import singleout as so
    >>> people = {"age": [31, 32, 33, 34, 58, 59], "sex": ["f", "f", "m", "m", "f", "f"]}
    >>> found = so.suggest(people, quasi_identifiers=["age", "sex"], k=2)
    >>> found.reached, found.after.k
    (True, 2)
    """
    way = _METHODS.get(method)
    if way is None:
        raise BadChoice(
            f"{method!r} is not a method; choose local, full-domain or cells."
            + did_you_mean(method, _METHODS)
        )
    if metric not in _METRICS:
        raise BadChoice(f"{metric!r} is not a metric; choose one of {', '.join(_METRICS)}.")
    idle = {
        "metric": metric != "loss" and method != "full-domain",
        "max_cells": max_cells is not None and method != "cells",
        "max_suppressed": bool(max_suppressed) and method == "cells",
        "hierarchies": bool(hierarchies) and method == "cells",
        "fixed": bool(fixed) and method == "cells",
        "highest": bool(highest) and method == "cells",
    }
    _refuse_idle(method, idle)
    given, policy, more = _given(plan)
    asked = {
        "k": k,
        "highest_risk": highest_risk,
        "records_at_risk": records_at_risk,
        "unique_share": unique_share,
        "distinct_l": distinct_l,
        "t": t,
        "qar": qar,
        "population_uniqueness": population_uniqueness,
    }
    goal = goal_of(policy, more | {name: one for name, one in asked.items() if one is not None})
    parsing = {} if given is None else given.reading.options_for(data)
    count = None if given is None else given.count
    with taken_as_said(), open_data(data, engine, where, count=count, **parsing) as counter:
        records = counter.records()
        table, notes = records.table, list(counter.notes)
    known = named_columns(quasi_identifiers, "quasi_identifiers")
    secret = named_columns(sensitive, "sensitive")
    meant = _of_unit(plan_of(table, given, known, secret, notes), table, goal, unit)
    notes += staying_names(table, meant) if known is not None or given is not None else []
    if meant.missing != MissingPolicy.VALUE:
        notes.append(say("suggest.missing_is_a_value"))
    constraints = _constraints(
        table,
        meant,
        hierarchies=_by_column(hierarchies),
        fixed=named_columns(fixed, "fixed") or [],
        highest=_by_column(highest),
        importance=_by_column(importance),
        # cells are limited by their own share, whole records among them
        max_suppressed=1.0
        if method == "cells"
        else arguments.share(max_suppressed, "max_suppressed", zero=True, one=True),
        max_cells=1.0
        if max_cells is None
        else arguments.share(max_cells, "max_cells", zero=True, one=True),
        metric=metric,
    )
    roles = {name: role for name, role in meant.roles.items() if name in table.columns}
    treated = way(table.with_roles(roles), goal, constraints)
    return _suggested(data, records, meant, goal, treated, notes)


def _of_unit(plan: Plan, table: Table, goal: Goal, unit: str | None) -> Plan:
    """Return the plan with the unit, refused beside limits that are not of people."""
    if unit is not None:
        (name,) = pick([unit], table.columns)
        require_units(name, plan.quasi_identifiers, plan.missing)
        plan = plan.model_copy(update={"unit": name})
    of_records = [name for name in ("qar", "population_uniqueness") if name in goal.limits]
    if plan.unit is not None and of_records:
        raise BadChoice(
            f"{of_records[0]} is defined for single records, and unit counts people; leave one of "
            "them out."
        )
    return plan


def _refuse_idle(method: str, idle: Mapping[str, bool]) -> None:
    """Refuse options that a method would ignore."""
    for name, given in idle.items():
        if given:
            raise BadChoice(
                f"{name} has no meaning for the method {method}; leave it out, or choose another "
                "method."
            )


def _given(plan: Any) -> tuple[Plan | None, ReleasePolicy | None, dict[str, Any]]:
    """Return the plan, if there is one, what is accepted, and limits that no plan has."""
    if plan is None:
        return None, None, {}
    if isinstance(plan, ReleasePolicy):
        return None, read_policy(plan), {}
    if isinstance(plan, Mapping) and "columns" not in plan:
        more = {name: limit for name, limit in plan.items() if name in _ONLY_HERE}
        rest = {name: limit for name, limit in plan.items() if name not in more}
        return None, read_policy(rest) if rest else None, more
    given = Plan.of(plan)
    return given, given.policy, {}


def _suggested(
    data: Any, records: Records, plan: Plan, goal: Goal, way: Any, notes: list[str]
) -> Suggestion:
    table = records.table
    owners = None if plan.unit is None else table[plan.unit]
    if owners is not None:
        notes.append(say("suggest.people", unit=repr(plan.unit), rows=table.rows))
    measuring = Measuring(plan, frozenset(goal.limits), owners)
    constraints: Constraints = way.constraints
    before = measuring(table)
    search = Search(
        goal,
        _dilutions(table, plan, goal),
        way,
        measuring,
        before,
        table.rows,
        constraints.max_suppressed,
        constraints.max_cells,
    )
    best = search.run()
    if search.stopped:
        notes.append(say("suggest.stopped"))
    elif not best.treatment.complete:
        notes.append(say("suggest.not_all", n=best.treatment.checked))
    return Suggestion(
        best,
        before,
        goal,
        plan,
        constraints.columns,
        blocked=() if best.kept else tuple(_blocked(table, goal, search, constraints)),
        complete=not search.stopped and best.treatment.complete,
        notes=tuple(dict.fromkeys([*notes, *best.treatment.applied.notes])),
        _data=data,
        _records=records,
        _search=search,
    )


def _blocked(table: Table, goal: Goal, search: Search, constraints: Constraints) -> Iterator[str]:
    """Yield what keeps every treatment from the goal."""
    if (goal.k or 0) > table.rows:
        yield say("suggest.blocked.k", k=goal.k, records=table.rows)
    for name in search.dilutions[-1].blocked:
        level = risk_in_words(goal.highest_risk or _AT_RISK)
        key = "suggest.blocked.severity" if name else "suggest.blocked.identity"
        yield say(key, column=repr(name), level=level)
    wanted = goal.distinct_l or 1
    for name in constraints.sensitive:
        values = int((table[name].sizes > 0).sum())
        if values < wanted:
            yield say("suggest.blocked.distinct_l", column=repr(name), values=values, n=wanted)
    if constraints.highest:
        names = ", ".join(map(repr, constraints.highest))
        yield say("suggest.blocked.highest", columns=names)


def _dilutions(table: Table, plan: Plan, goal: Goal) -> list[Dilution]:
    """Return what classes may have to keep, the weakest demand first."""
    if not BY_RATING & set(goal.limits):
        return [Dilution()]
    roles = {name: role for name, role in plan.roles.items() if name in table.columns}
    question, _ = question_of(table.with_roles(roles), plan)
    return dilutions(question, goal.highest_risk or _AT_RISK)


# ---- what a treatment may do


def _by_column(given: Mapping[Any, Any] | None) -> dict[str, Any]:
    """Return what is given by column; a data frame may have numbers for names, which are text."""
    return {str(name): value for name, value in (given or {}).items()}


def _constraints(table: Table, plan: Plan, **chosen: Any) -> Constraints:
    columns = tuple(name for name in table.columns if name in set(plan.quasi_identifiers))
    if not columns:
        raise BadChoice(
            "There is no quasi-identifier to treat: name the columns that others could know about "
            f"a person. The table has: {list(table.columns)}."
        )
    if "" in columns:
        raise BadChoice("A column without a name cannot be treated; rename the column ''.")
    for option in ("hierarchies", "fixed", "highest", "importance"):
        unknown = [name for name in chosen[option] if name not in columns]
        if unknown:
            raise BadChoice(
                f"{option} has {unknown[0]!r}, which is not a quasi-identifier here; those are "
                f"{list(columns)}."
            )
    for name, weight in chosen["importance"].items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            raise BadChoice(f"The importance of {name!r} must be a number above 0, not {weight!r}.")
    chosen["hierarchies"] = {
        name: _source(source, table[name]) for name, source in chosen["hierarchies"].items()
    }
    chosen["highest"] = _highest(chosen.pop("fixed"), chosen["highest"])
    chosen["scales"] = {
        name: plan.columns[name].scale
        for name in columns
        if plan.columns[name].scale is not None and name not in chosen["hierarchies"]
    }
    return Constraints(
        columns,
        tuple(name for name in plan.sensitive if name in table.columns and name not in columns),
        tuple(name for name in plan.with_role(Role.DIRECT_IDENTIFIER) if name in table.columns),
        **chosen,
    )


def _highest(fixed: Sequence[str], highest: Mapping[str, Any]) -> dict[str, int]:
    """Return the highest level of columns; those that are fixed stay on level 0."""
    levels = {
        name: arguments.whole(level, f"highest of {name!r}", at_least=0)
        for name, level in highest.items()
    }
    for name in fixed:
        if levels.get(name, 0):
            raise BadChoice(
                f"{name!r} is fixed, and highest lets it go up to level {levels[name]}; name it in "
                "one of them."
            )
    return {**dict.fromkeys(fixed, 0), **levels}


def _source(source: Any, column: Column) -> Any:
    """Return a hierarchy as a step holds it: the path of a file, or rows; checked."""
    if isinstance(source, str | os.PathLike):
        path = Path(expanded(os.fspath(source))).absolute()
        read_hierarchy(path, column.name).fit(column)
        return str(path)
    hierarchy = source if isinstance(source, Hierarchy) else read_hierarchy(source, column.name)
    hierarchy.fit(column)
    return hierarchy.rows
