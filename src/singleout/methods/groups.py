"""Results by group: the same measure for the records of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from singleout.core.choices import MissingPolicy
from singleout.engines.local.counting import complete_records
from singleout.methods.selection import refuse_personal
from singleout.report.say import say
from singleout.report.words import group_name

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.methods.rows import Rows

__all__ = ["Grouped", "by_group", "group_labels", "group_name", "grouping_columns"]

_Measured = TypeVar("_Measured")


class Grouped:
    """What a result has that may hold the same for each group of records."""

    by: tuple[str, ...]
    groups: Mapping[Any, Any]
    group_labels: Mapping[Any, str]

    def group_name(self, value: Any) -> str:
        """Return the value of a group in words."""
        return group_name(value, self.group_labels)

    def _with_groups(self, answer: dict[str, Any], *top: int) -> dict[str, Any]:
        """Return plain values with those of the groups; ``top`` is passed to their `to_dict`."""
        if self.by:
            answer["by"] = list(self.by)
            answer["groups"] = [
                {"group": self.group_name(value), **part.to_dict(*top)}
                for value, part in self.groups.items()
            ]
        return answer

    def _parts(self) -> list[tuple[dict[str, str], Self]]:
        """Return the result and those of its groups, each with what tells it in a frame."""
        whole = {"group": say("methods.everybody")} if self.by else {}
        return [
            (whole, self),
            *(({"group": self.group_name(value)}, part) for value, part in self.groups.items()),
        ]


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
