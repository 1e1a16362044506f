"""What is not known yet about the columns, and the range of the risk that this leaves open.

Asked in the process that holds the table, whenever somebody has stated something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singleout.core.choices import Role
from singleout.errors import SingleoutError
from singleout.report.say import say
from singleout.web.answering import Held
from singleout.web.errors import sentence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from singleout.assessment.plan.plan import Plan
    from singleout.engines.counter import Counter

__all__ = ["open_questions"]

_ASKED = 12  # columns at once: the answers change the order of the others


def open_questions(held: Held) -> dict[str, Any]:
    """Return the range of the risk by the plan of now, and what to ask next, the worst first."""
    plan = held.workspace.plan()
    assert plan is not None
    counter = held.counter()
    names = [name for name in counter.columns if name != counter.count]
    unexplained = [name for name in names if name not in plan.columns]
    return {
        "range": _range(held, plan, unexplained),
        "roles": _worst_first(counter, plan, unexplained),
        "exposures": [
            name
            for name, one in plan.columns.items()
            if one.role == Role.QUASI_IDENTIFIER and one.exposure is None
        ],
        "severities": [
            name for name, one in plan.columns.items() if one.is_sensitive and one.severity is None
        ],
        "population": not plan.population.model_dump(exclude_none=True) and plan.weights is None,
    }


def _range(held: Held, plan: Plan, unexplained: Sequence[str]) -> dict[str, Any]:
    """Return the lowest and the highest risk; a sentence where nothing can be rated yet."""
    from singleout.assessment.assess import rated_alone

    if not plan.quasi_identifiers:
        return {"sentence": say("web.range.nothing_known")}
    if plan.count is not None:
        return {"sentence": say("web.range.counts")}
    if held.counter().held is None:
        return {"sentence": say("web.range.elsewhere")}
    try:
        found = rated_alone(held.table(), plan, tuple(unexplained))
    except SingleoutError as error:
        return {"sentence": sentence_of(error)}
    return {
        "low": found.range[0],
        "high": found.range[1],
        "low_if_member": found.range_if_member[0],
        "high_if_member": found.range_if_member[1],
        "stated": found._of_members is not None,
        "k": found.anonymity.k,
        "unique_share": found.anonymity.unique_share,
    }


def _worst_first(counter: Counter, plan: Plan, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return columns by how many records they would make unique besides what is known already."""
    known = [name for name in plan.quasi_identifiers if name in counter.columns]
    if not names or counter.held is None:  # elsewhere every answer is a query
        return [{"name": name, "unique_share": None} for name in names[:_ASKED]]
    rows = max(1, counter.rows)
    profiles = counter.profiles([[*known, name] for name in names])
    unique = [int(one.sets[one.sizes == 1].sum()) for one in profiles]
    found = sorted(zip(unique, names, strict=True), key=lambda pair: -pair[0])[:_ASKED]
    return [{"name": name, "unique_share": alone / rows} for alone, name in found]
