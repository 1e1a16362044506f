"""What each distinct value of a column elsewhere becomes: recodes as rules, without any record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.table import Column, smallest_codes
from singleout.errors import BadChoice, InputError
from singleout.io.values import identity
from singleout.io.yaml.errors import Mistake
from singleout.treatment.steps import others
from singleout.treatment.steps.columns import in_order
from singleout.treatment.steps.log import Entry, entries_of
from singleout.treatment.steps.models import Drop, Recode
from singleout.treatment.steps.recoding import new_values
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["Rules", "rules_of"]


@dataclass(frozen=True)
class Rules:
    """What is published of a table elsewhere.

    Parameters
    ----------
    columns
        The columns that are left, in their order.
    values
        For each column that is recoded what its values become: pairs of old and new.
    entries
        The log.
    """

    columns: tuple[str, ...]
    values: Mapping[str, tuple[tuple[Any, Any], ...]] = field(repr=False)
    entries: tuple[Entry, ...] = field(repr=False)


@dataclass
class _Values:
    """The distinct values of a column, what each has become, and how many records have it."""

    old: list[Any]
    new: list[Any]
    sizes: list[int]

    def recode(self, step: Recode, path: Callable[[str], Path]) -> list[tuple[Any, Any, int]]:
        """Apply a recode to what the values have become; return from, to, and of how many."""
        total: dict[Any, int] = {}
        by_key = {identity(value): value for value in self.new if value is not None}
        for value, size in zip(self.new, self.sizes, strict=True):
            if value is not None:
                total[identity(value)] = total.get(identity(value), 0) + size
        book = [by_key[key] for key in total]
        codes = smallest_codes(np.arange(len(book)), max(len(book), 1))
        column = Column(step.recode, codes, book)
        source = step.hierarchy
        hierarchy = None if source is None else others.hierarchy_of(source, column, path)
        found = new_values(step, column, hierarchy, list(total.values())).values
        became = dict(zip(total, found, strict=True))
        self.new = [None if v is None else became[identity(v)] for v in self.new]
        return [
            (by_key[key], became[key], total[key])
            for key in total
            if became[key] is None or identity(became[key]) != key
        ]


def rules_of(
    counter: Counter, steps: Steps, *, folder: Path | None = None, hidden: Collection[str] = ()
) -> Rules:
    """Return the rules of steps; those that need records in memory are refused.

    Only the distinct values of recoded columns are fetched. Those of ``hidden`` columns are not in
    the log.
    """
    steps.check(counter.columns)
    _refuse_steps_in_memory(steps, counter.source)
    start = folder or steps.folder
    left, entries = list(counter.columns), list[Entry]()
    found: dict[str, _Values] = {}
    for index, step in enumerate(steps):
        try:
            if isinstance(step, Drop):
                entries += [Entry(index + 1, name, None, None, counter.rows) for name in step.drop]
                left = [name for name in left if name not in step.drop]
            elif isinstance(step, Recode):
                if step.recode not in found:
                    found[step.recode] = _distinct(counter, step.recode)
                changes = found[step.recode].recode(step, partial(_path, start))
                unseen = step.recode in hidden
                entries += entries_of(index + 1, step.recode, changes, hidden=unseen)
        except (Mistake, InputError) as error:
            raise steps.refusal(index, error) from None
    pairs = {
        name: tuple(zip(values.old, values.new, strict=True))
        for name, values in found.items()
        if name in left
    }
    return Rules(tuple(left), pairs, tuple(entries))


def _path(folder: Path | None, name: str) -> Path:
    from singleout.core.paths import expanded

    return (folder or Path()) / expanded(name)


def _distinct(counter: Counter, name: str) -> _Values:
    counts = counter.values(name)
    found = [counts.values[0][code] for code in counts.codes[0].tolist()]
    size_of = dict(zip(map(identity, found), counts.sizes.tolist(), strict=True))
    values = in_order(found)
    return _Values(values, list(values), [size_of[identity(value)] for value in values])


def _refuse_steps_in_memory(steps: Steps, source: str) -> None:
    words = list(dict.fromkeys(next(iter(one.entries())) for one in steps if one.in_memory))
    if words:
        raise BadChoice(
            f"{' and '.join(words)} needs all records in memory, and {source} is treated where it "
            "is, by recode and drop; give engine='local' to fetch it, if it fits into memory."
        )
