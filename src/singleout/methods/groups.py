"""Results by group: the same measure for the records of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from singleout.core.choices import MissingPolicy
from singleout.engines.local.counting import complete_records
from singleout.methods.selection import refuse_personal
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.methods.rows import Rows

__all__ = ["by_group", "group_labels", "group_name", "grouping_columns"]

_Measured = TypeVar("_Measured")


def grouping_columns(by: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the columns to group by, each once."""
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(map(str, by or ())))


def group_labels(counter: Counter, by: Sequence[str]) -> Mapping[Any, str]:
    """Return what values of a grouping column mean in words; refuse direct identifiers."""
    refuse_personal(counter, by)
    return counter.facts(by[0]).labels if len(by) == 1 else {}


def by_group(
    rows: Rows,
    by: Sequence[str],
    names: Sequence[str],
    policy: MissingPolicy,
    measure: Callable[[Rows], _Measured],
) -> tuple[dict[Any, _Measured], tuple[str, ...]]:
    """Return what is measured of each group, by its value, and notes on groups left out.

    A group is left out where every record lacks a value of ``names`` and so is dropped.
    """
    parts, notes = {}, []
    for value, part in rows.members(by) if by else ():
        if policy == MissingPolicy.DROP and not complete_records(part.table, names).any():
            notes.append(say("methods.group_left_out", group=group_name(value, {})))
        else:
            parts[value] = measure(part)
    return parts, tuple(notes)


def group_name(value: Any, labels: Mapping[Any, str]) -> str:
    """Return the value or values of a group in words.

    >>> group_name((1, None), {})
    '1, (missing)'
    >>> group_name(1, {1: "north"})
    '1: north'
    """
    if isinstance(value, tuple):
        return ", ".join(group_name(part, {}) for part in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = say("anonymity.missing") if value is None else str(value)
    return f"{text}: {labels[value]}" if value in labels else text
