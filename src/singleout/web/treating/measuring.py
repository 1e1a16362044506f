"""What steps do to the table of a workspace: every measure before and after, column by column.

These functions run in the process that holds the table, or as a job where the table is large.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from singleout.web.answering import Held
from singleout.web.work import Task

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.suggest.state import State
    from singleout.assessment.treated.treated import Treated
    from singleout.engines.counter import Records

__all__ = ["check", "effect", "effect_as_job", "plan_of", "treated_of"]

_KEPT = 4  # treated tables that are kept for the next question


def effect(held: Held, steps: dict[str, Any]) -> dict[str, Any]:
    """Return every measure before and after some steps, and what each column keeps."""
    plan = plan_of(held)
    treated = treated_of(held, steps)
    before = _state(held, plan, "", held.table() if not treated.steps else treated.original)
    after = _state(held, plan, _key(steps), treated.table) if treated.steps else before
    loss = treated.loss
    goal = _goal(plan)
    missed = () if goal is None else tuple(goal.beyond(after))
    return {
        "before": before.to_dict(),
        "after": after.to_dict(),
        "loss": None if loss is None else loss.loss,
        "columns": _columns(treated),
        "changed": treated.summary["records"].to_list(),
        "sentences": list(treated.sentences),
        "notes": list(treated.notes),
        "limits": {} if goal is None else goal.limits,
        "missed": list(missed),
        "unexplained": _unexplained(treated, plan),
    }


def _unexplained(treated: Treated, plan: Plan) -> list[str]:
    """Return the published columns whose role nobody has stated: they leave the risk open."""
    return [
        name for name in treated.table.columns if name not in plan.columns and name != plan.unit
    ]


def effect_as_job(task: Task, steps: dict[str, Any], key: str) -> dict[str, Any]:
    """Do the same in a process of its own; ``key`` tells for which steps."""
    return {**effect(Held(task.workspace), steps), "key": key}


def check(held: Held, steps: dict[str, Any]) -> bool:
    """Apply steps; an error says why they cannot be."""
    treated_of(held, steps)
    return True


def plan_of(held: Held) -> Plan:
    """Return the plan of a workspace; there must be columns that others could know."""
    from singleout.errors import BadChoice
    from singleout.report.say import say

    plan = held.workspace.plan()
    if plan is None or not plan.quasi_identifiers:
        raise BadChoice(say("web.treat.errors.no_known"))
    if plan.count is not None:
        from singleout.engines.counted import no_records

        raise no_records(plan.count)
    return plan


def treated_of(held: Held, steps: dict[str, Any]) -> Treated:
    """Return the treated table; the last few are kept."""
    from singleout.assessment.treated.treat import treat_records
    from singleout.errors import BadChoice
    from singleout.report.say import say
    from singleout.treatment.steps.steps import Steps

    plan = plan_of(held)
    records = _records(held)
    kept: dict[str, Treated] = held.kept.setdefault("treat.treated", {})
    key = f"{_key(steps)}{_key(plan.to_yaml())}"
    if key not in kept:
        treated = treat_records(None, records, Steps.of(steps), plan)
        if not treated.table.rows:
            raise BadChoice(say("web.treat.errors.no_record"))
        while len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = treated
    return kept[key]


def _records(held: Held) -> Records:
    counter = held.counter()  # forgets what was kept of other data
    if counter.held is not None:
        return counter.held
    if "treat.records" not in held.kept:
        held.kept["treat.records"] = counter.records(None)
    records: Records = held.kept["treat.records"]
    return records


def _key(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def _state(held: Held, plan: Plan, key: str, table: Any) -> State:
    """Return the state of a table, measured once for a plan."""
    from singleout.assessment.suggest.state import Measuring

    kept: dict[str, State] = held.kept.setdefault("treat.states", {})
    whole = f"{key}{_key(plan.to_yaml())}"
    if whole not in kept:
        kept[whole] = Measuring(plan, frozenset())(table)
    return kept[whole]


def _goal(plan: Plan) -> Any:
    """Return the limits of the plan that are measured here; None if it has none."""
    from singleout.assessment.suggest.goal import goal_of

    if plan.policy is None or not plan.policy.through_unique_share.limits:
        return None
    return goal_of(plan.policy, {})


def _columns(treated: Treated) -> list[dict[str, Any]]:
    """Return what became of each column that others could know, or that a step has changed."""
    loss = treated.loss
    lost = {} if loss is None else {one.name: one for one in loss.columns}
    changed = dict.fromkeys(name for step in treated.steps for name in step.columns_changed)
    there = set(treated.table.columns)
    names = [name for name in dict.fromkeys([*lost, *changed]) if name in treated.original.columns]
    return [
        {
            "name": name,
            "known": name in lost,
            "loss": lost[name].loss if name in lost else None,
            "blank": lost[name].blank if name in lost else None,
            "before": _values(treated.original, name),
            "after": _values(treated.table, name) if name in there else None,
            "changed": name in changed,
        }
        for name in names
    ]


def _values(table: Any, name: str) -> int:
    return int((table[name].sizes > 0).sum())
