"""The columns of each group of records, as Safe Harbor examines them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from singleout.assessment.hipaa.examined import Examined, examined
from singleout.core.progress import track

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["examined_by_group"]

_Group = tuple[Any, int, list[tuple[str, Examined]]]


def examined_by_group(
    counter: Counter, names: Sequence[str], by: Sequence[str], most: int
) -> Iterator[_Group]:
    """Yield each group by its value, with its records and its columns.

    Of a column that has more than ``most`` different values in a group a part is examined.
    """
    rows = counter.group_rows(by)
    columns: dict[tuple[Any, ...], list[tuple[str, Examined]]] = {key: [] for key in rows}
    for name in track(list(names), "Examining groups"):
        facts = counter.facts(name)
        keys = tuple(dict.fromkeys([*by, name]))
        at = keys.index(name)
        held: dict[tuple[Any, ...], list[tuple[Any, int]]] = {key: [] for key in rows}
        for values, size in counter.counts(keys):
            if values[at] is not None:
                held[values[: len(by)]].append((values[at], size))
        for key, counted in held.items():
            step = max(1, len(counted) // most)
            sampled: dict[str, int] = {}
            if step > 1:
                sampled = {"records": sum(n for _, n in counted), "distinct": len(counted)}
            column = examined(
                name,
                counted[::step],
                description=facts.description,
                labels=facts.labels,
                **sampled,
            )
            columns[key].append((name, column))
    for key, found in columns.items():
        yield (key if len(by) > 1 else key[0]), rows[key], found
