"""A changed table as the steps that make it: what is advised can be applied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column, Table
from singleout.errors import BadChoice
from singleout.treatment.hierarchies.codes import code_length
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.merging import set_label
from singleout.treatment.hierarchies.order import numbers_of
from singleout.treatment.steps.models import Drop, Recode, Step, SuppressRecords
from singleout.treatment.steps.recoding import new_values

__all__ = ["recode_step", "rule_of", "steps_between"]

_INTERVAL = re.compile(r"<(-?\d+)|(-?\d+)(?:(?:-| to )(-?\d+)|\+)")
_PERIODS = ("month", "quarter", "year", "decade")


def steps_between(before: Table, after: Table, removed: Sequence[int] | I64 = ()) -> list[Step]:
    """Return the steps that make one table of another, and remove records by their numbers.

    ``after`` has some of the columns of ``before``, some of them with values taken together. There
    are no steps where one of them cannot be written.
    """
    steps: list[Step] = []
    for column in before:
        if column.name in after.columns and after[column.name] is not column:
            step = recode_step(column, after[column.name])
            if step is None:
                return []
            steps.append(step)
    gone = [column.name for column in before if column.name not in after.columns]
    if gone:
        steps.append(Drop(drop=gone))
    if len(removed):
        numbers = [int(number) for number in removed]
        steps.append(SuppressRecords(suppress="records", numbers=numbers, rows="remove"))
    return steps


def recode_step(before: Column, after: Column) -> Recode | None:
    """Return the step that takes the same values together as a coarser column does.

    None where no step can: steps name values by their spelling, which 1 and "1" share.
    """
    to = np.full(before.levels, -1, dtype=np.int64)
    to[before.codes] = after.codes
    wanted = to[: len(before.values)]
    for entries in _simple(before, wanted):
        step = Recode(recode=before.name, **entries)
        if _partition_of(step, before, wanted):
            return step
    groups = _groups(before, wanted)
    if groups is None:
        return None
    step = Recode(recode=before.name, groups=groups)
    return step if _partition_of(step, before, wanted) else None


def rule_of(column: Column, hierarchy: Hierarchy, level: int) -> Recode | None:
    """Return the rule that publishes exactly what a level of a hierarchy does; None without one.

    A rule is short and holds no value, where the rows of a hierarchy hold all of them.
    """
    on_level = Recode(recode=column.name, hierarchy=hierarchy.rows, level=level)
    new = new_values(on_level, column, hierarchy)
    if new.size != int((column.sizes > 0).sum()):  # the loss would be another
        return None
    labels = [spelling(value) for value in new.values]
    for entries in _simple_labels(labels):
        step = Recode(recode=column.name, **entries)
        try:
            values = new_values(step, column).values
        except BadChoice:  # its values are not of that kind
            continue
        if [spelling(value) for value in values] == labels:
            return step
    return None


def _simple_labels(labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield short ways to say it that may fit labels: periods, and intervals by their ends."""
    yield from ({"date": period} for period in _PERIODS)
    ends = set[int]()
    for label in set(labels):
        found = _INTERVAL.fullmatch(label)
        if found is not None:
            below, lower, upper = found.groups()
            ends |= {int(below)} if below else {int(lower)}
            ends |= {int(upper) + 1} if upper else set()
    # an interval that is not open at the end of all needs no cut there
    for cuts in (sorted(ends), sorted(ends)[:-1], sorted(ends)[1:], sorted(ends)[1:-1]):
        if cuts:
            yield {"cuts": cuts}


def _simple(column: Column, wanted: I64) -> Iterator[dict[str, Any]]:
    """Yield short ways to say it that may fit: intervals, periods, prefixes."""
    numbers = numbers_of(column)
    if numbers is not None and bool(np.isfinite(numbers).all()):
        order = np.argsort(numbers, kind="stable")
        there = order[wanted[order] >= 0]
        starts = np.flatnonzero(np.diff(wanted[there])) + 1
        cuts = [float(number) for number in numbers[there[starts]]]
        # where few values are merged, they are named rather than all others listed
        if cuts and len(set(cuts)) == len(cuts) and 3 * len(cuts) <= 2 * len(there):
            yield {"cuts": cuts}
    for period in _PERIODS:
        yield {"date": period}
    longest = code_length(column, nominal=True)
    for length in range((longest or 1) - 1, 0, -1):
        yield {"prefix": length}


def _partition_of(step: Recode, column: Column, wanted: I64) -> bool:
    """Whether a step takes exactly the wanted values together."""
    try:
        values = new_values(step, column).values
    except BadChoice:  # its values are not of that kind
        return False
    there = np.flatnonzero(wanted >= 0).tolist()
    kinds = [(type(values[code]), spelling(values[code])) for code in there]
    pairs = set(zip(kinds, wanted[there].tolist(), strict=True))
    return len(pairs) == len({new for new, _ in pairs}) == len({old for _, old in pairs})


def _groups(column: Column, wanted: I64) -> dict[str, list[str]] | None:
    """Return the values that are taken together, by a name for them; others stay as they are.

    None where nothing is, or where values of one spelling are in several groups.
    """
    groups: dict[str, list[str]] = {}
    for number in dict.fromkeys(wanted[wanted >= 0].tolist()):
        codes = np.flatnonzero(wanted == number).tolist()
        if len(codes) > 1:
            members = dict.fromkeys(spelling(column.values[code]) for code in codes)
            groups.setdefault(set_label(column, codes), []).extend(members)
    spelled = [member for members in groups.values() for member in members]
    return groups if groups and len(set(spelled)) == len(spelled) else None
