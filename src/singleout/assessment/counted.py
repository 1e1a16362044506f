"""Assess data that is elsewhere by counts: the combinations that occur, and how often.

Ratings are functions of how many records share values, so no record is fetched. The table that is
rated has each combination as often as it occurs; which record of the source it stands for is not
known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.choices import Role
from singleout.core.memory import available_memory, in_words
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import Counter
from singleout.errors import UnusableTable
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["counted_table"]

_RATED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.WEIGHT)
_BYTES_OF_A_COMBINATION = 60  # for each of its columns, while it is received
_BYTES_OF_A_CELL = 12  # encoded, and again by the methods that look at records
_BYTES_OF_A_RECORD = 160  # of ratings


def counted_table(counter: Counter, plan: Plan) -> Table:
    """Return the columns that a plan rates, each combination as often as it occurs.

    Refuses in a sentence what would need more memory than may be used.
    """
    names = _columns(counter, plan)
    (profile,) = counter.profiles([names])
    _require_room(counter, len(names), int(profile.sets.sum()))
    counts = counter.counts(names)
    working_on(say("progress.counts"))
    which = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    columns = []
    for column in counts.as_columns():
        facts = counter.facts(column.name)
        columns.append(
            replace(
                column.take(which),
                role=facts.role,
                labels=facts.labels,
                description=facts.description,
            )
        )
    note = say("assessment.counted", source=counter.source)
    return Table(columns, source=counter.source, notes=(*counter.notes, note))


def _columns(counter: Counter, plan: Plan) -> Sequence[str]:
    named = {name for members in plan.combinations.values() for name in members}
    rated = {name for name, column in plan.columns.items() if set(column.all_roles) & set(_RATED)}
    wanted = named | rated | ({plan.weights} if plan.weights is not None else set())
    return [name for name in counter.columns if name in wanted]


def _require_room(counter: Counter, columns: int, combinations: int) -> None:
    needed = columns * (_BYTES_OF_A_COMBINATION * combinations + _BYTES_OF_A_CELL * counter.rows)
    needed += _BYTES_OF_A_RECORD * counter.rows
    allowed = [size for size in (counter.memory, available_memory()) if size is not None]
    if allowed and needed > min(allowed):
        raise UnusableTable(
            f"Assessing {counter.rows:,} records with {combinations:,} combinations of {columns} "
            f"columns needs about {in_words(needed)} of memory, and {in_words(min(allowed))} may "
            "be used; allow more with --memory or in Python Database(memory=...), or give a plan "
            "with fewer columns or a condition that fewer records meet."
        )
