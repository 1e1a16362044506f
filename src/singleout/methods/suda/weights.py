"""The sampling fraction by weights, which DIS needs: records / people whom they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singleout.core.choices import Role
from singleout.core.table import Table
from singleout.core.wording import percent
from singleout.engines.local.counting import weights as read_weights
from singleout.errors import BadChoice
from singleout.report.say import say

__all__ = ["fraction_by_weights", "weights_asked"]


def weights_asked(
    data: Any, weights: str | None, fraction: float | None, population: Any, count: str | None
) -> str | None:
    """Return the column of weights: that which is named, or the only one with this role.

    None if there is none, or if the share of the population is known otherwise.
    """
    stated = {"sampling_fraction": fraction, "population": population, "count": count}
    given = [name for name, value in stated.items() if value is not None]
    if weights is not None:
        if given:
            raise BadChoice(
                f"weights and {given[0]} both say how many people the records are of; keep one of "
                "them."
            )
        return weights
    if given or not isinstance(data, Table):
        return None
    having = data.with_role(Role.WEIGHT)
    return having[0] if len(having) == 1 else None


def fraction_by_weights(
    table: Table, weight: str, names: Sequence[str], *, required: bool
) -> tuple[float | None, tuple[str, ...]]:
    """Return the share of the records among the people whom they stand for, and a note on it.

    None where the weights give fewer people than records, which is refused if it is ``required``.
    """
    if weight in names:
        raise BadChoice(
            f"{weight!r} says how many people a record stands for, so it is not combined; leave "
            "it out of one of them."
        )
    people = float(read_weights(table, weight).sum())
    if people < table.rows:
        note = say("methods.small_population", people=people, rows=table.rows)
        if required:
            raise BadChoice(note)
        return None, (note,)
    fraction = table.rows / people
    note = say(
        "suda.by_weights",
        share=percent(fraction),
        records=table.rows,
        people=round(people),
        column=repr(weight),
    )
    return fraction, (note,)
