"""Assess data that is elsewhere by counts: the combinations that occur, and how often.

Ratings are functions of how many records share values, so no record is fetched. The table that is
rated has each combination as often as it occurs; which record of the source it stands for is not
known.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.choices import Role
from singleout.core.counts import SizeProfile
from singleout.core.memory import available_memory, in_words
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import Counter
from singleout.errors import UnusableTable
from singleout.methods.units import people_of_sets
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["counted_table"]

_RATED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.WEIGHT)
_FEW = 100_000  # combinations, as many as are counted for columns that nobody has explained
# Measured on 1, 2 and 5 million records with 5, 8 and 14 columns, beside what the program itself
# takes: the peak was 70 to 95 % of what these give.
_BYTES_OF_KERNELS = 40_000_000
_BYTES_OF_A_COMBINATION = 60  # for each of its columns, while it is received
_BYTES_OF_A_CELL = 12  # encoded, and again by the methods that look at records
_BYTES_OF_A_RECORD = 160  # of ratings


def counted_table(
    counter: Counter, plan: Plan, unexplained: Sequence[str] = (), also: Sequence[str] = ()
) -> tuple[Table, SizeProfile | None]:
    """Return the columns that a plan rates, and others, each combination as often as it occurs.

    Columns that nobody has explained are among them unless these would make very many combinations.
    If so, the second answer says how many records share values in all that insiders may know.
    Refuses in a sentence what would need more memory than may be used.
    """
    names = _in_order(counter, {*_columns(counter, plan), *also})
    wider = _in_order(counter, {*names, *unexplained})
    known = _in_order(counter, {*plan.quasi_identifiers, *unexplained})
    if not unexplained:
        (profile,) = counter.profiles([names])
        _require_room(counter, len(names), profile.number_of_sets)
        return _laid_out(counter, names, _unit(plan)), None
    profile, wide, insiders = counter.profiles([names, wider, known])
    most = max(_FEW, counter.rows // 2)
    if wide.number_of_sets <= most and _has_room(counter, len(wider), wide.number_of_sets):
        return _laid_out(counter, wider, _unit(plan)), None
    _require_room(counter, len(names), profile.number_of_sets)
    return _laid_out(counter, names, _unit(plan)), _insiders(counter, plan, known) or insiders


def _insiders(counter: Counter, plan: Plan, known: Sequence[str]) -> SizeProfile | None:
    """Return how many people share the rarest combination of each; None if records count."""
    unit = _unit(plan)
    if unit is None:
        return None
    known = [name for name in known if name != unit]
    pairs = counter.ranked_counts([*known, unit])
    return SizeProfile.of(people_of_sets(pairs, drop=False).rarest)


def _laid_out(counter: Counter, names: Sequence[str], unit: str | None) -> Table:
    """Return each combination as often as it occurs; of the unit ranks and no values are kept."""
    counts = counter.counts(names)
    working_on(say("progress.counts"))
    which = np.repeat(np.arange(len(counts.sizes)), counts.sizes)
    columns = []
    for column in counts.as_columns():
        facts = counter.facts(column.name)
        columns.append(
            replace(
                column.take(which),
                values=range(len(column.values)) if column.name == unit else column.values,
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
    wanted = named | rated | {name for name in (plan.weights, _unit(plan)) if name is not None}
    return _in_order(counter, wanted)


def _unit(plan: Plan) -> str | None:
    """Return the column that tells people apart, where the rating counts people."""
    return None if plan.methods.rating == "paper" else plan.unit


def _in_order(counter: Counter, wanted: Collection[str]) -> list[str]:
    return [name for name in counter.columns if name in wanted]


def _needed(counter: Counter, columns: int, combinations: int) -> int:
    needed = columns * (_BYTES_OF_A_COMBINATION * combinations + _BYTES_OF_A_CELL * counter.rows)
    return needed + _BYTES_OF_A_RECORD * counter.rows + _BYTES_OF_KERNELS


def _allowed(counter: Counter) -> int | None:
    """Return how much memory may be used: what the user allows, or less if there is less."""
    sizes = [size for size in (counter.memory, available_memory()) if size is not None]
    return min(sizes, default=None)


def _has_room(counter: Counter, columns: int, combinations: int) -> bool:
    allowed = _allowed(counter)
    return allowed is None or _needed(counter, columns, combinations) <= allowed


def _require_room(counter: Counter, columns: int, combinations: int) -> None:
    needed, allowed = _needed(counter, columns, combinations), _allowed(counter)
    if allowed is not None and needed > allowed:
        raise UnusableTable(
            f"Assessing {counter.rows:,} records with {combinations:,} combinations of {columns} "
            f"columns needs about {in_words(needed)} of memory, and {in_words(allowed)} may "
            "be used; allow more with --memory or in Python Database(memory=...), or give a plan "
            "with fewer columns or a condition that fewer records meet."
        )
