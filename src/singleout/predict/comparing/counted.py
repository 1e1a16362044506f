"""The people of each place by cell, from records or from a table of counts, wherever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.choices import Role
from singleout.engines.counter import with_role
from singleout.engines.group_keys import members_by_group
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said
from singleout.errors import BadChoice, UnusableColumn, UnusableTable
from singleout.io.names import pick
from singleout.report.words import group_name

if TYPE_CHECKING:
    from singleout.core.counts import Counts
    from singleout.engines.counter import Counter

__all__ = ["CountedCells", "counted_cells", "names_of", "whole_people"]


@dataclass(frozen=True, eq=False)
class CountedCells:
    """How many people each combination of a place and a cell has."""

    counts: Counts
    people: I64  # of each combination
    cell: NDArray[Any]  # the number of its cell, the same in every place
    cells: int  # how many different cells occur anywhere
    labels: Mapping[Any, str]
    notes: tuple[str, ...]

    def groups(self, by: Sequence[str]) -> list[tuple[str, I64]]:
        """Return each group by its name in words, with the indexes of its combinations."""
        at = [self.counts.columns.index(name) for name in by]
        books = [self.counts.values[index] for index in at]
        members = members_by_group(
            [self.counts.codes[index] for index in at],
            [len(book) + 1 for book in books],
            lambda index, code: books[index][code] if code < len(books[index]) else None,
        )
        labels = self.labels if len(by) == 1 else {}
        return [
            (group_name(key if len(key) > 1 else key[0], labels), rows) for key, rows in members
        ]


def names_of(columns: Any, option: str) -> list[str]:
    """Return names of columns, each once."""
    if columns is None:
        return []
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) for name in columns):
        raise BadChoice(f"{option} must be names of columns, as ['age', 'sex'], not {columns!r}.")
    return list(dict.fromkeys(columns))


def counted_cells(
    data: Any,
    columns: Any,
    groups: Sequence[str],
    *,
    counts: str | None = None,
    engine: Any = None,
    where: Any = None,
) -> CountedCells:
    """Count the people of each cell in each group; ``counts`` says how many a row stands for."""
    wanted = names_of(columns, "columns")
    named = [*wanted, *groups, *filter(None, [counts])]
    with taken_as_said(), open_data(data, engine, where, named if wanted else None) as counter:
        cells = wanted or _quasi_identifiers(counter, [*groups, *filter(None, [counts])])
        asked = pick([*cells, *groups], counter.columns)
        _check_apart(cells, groups, counts)
        personal = sorted(set(groups) & set(with_role(counter, Role.DIRECT_IDENTIFIER)))
        if personal:
            raise BadChoice(
                f"{personal} identifies people directly, so results may not be given by its "
                "values; name another column."
            )
        found = counter.counts(asked, counts)
        labels = counter.facts(groups[0]).labels if len(groups) == 1 else {}
        notes = counter.notes
    people = found.sizes if found.weights is None else whole_people(found.weights, str(counts))
    if not people.any():
        raise UnusableTable("There are no records, so there is nobody to predict for.")
    number, many = _numbered(found, cells, people > 0)
    return CountedCells(found, people, number, many, labels, notes)


def _quasi_identifiers(counter: Counter, others: Sequence[str]) -> list[str]:
    names = [name for name in with_role(counter, Role.QUASI_IDENTIFIER) if name not in others]
    if not names:
        raise BadChoice(
            "No columns were given: name those that make a cell with columns=. The table has: "
            f"{list(counter.columns)}."
        )
    return names


def _check_apart(cells: Sequence[str], groups: Sequence[str], counts: str | None) -> None:
    both = sorted(set(cells) & set(groups))
    if both:
        raise BadChoice(
            f"{both} cannot be the place and the answer at once: within a place everybody would "
            "have the same; leave it out of one of them."
        )
    if counts is not None and counts in {*cells, *groups}:
        raise BadChoice(f"{counts!r} says how many people a row stands for, and is no answer.")


def whole_people(weights: NDArray[Any], column: str) -> I64:
    """Return numbers of people as whole numbers, or refuse them."""
    people = np.rint(weights)
    if not np.array_equal(people, weights):
        raise UnusableColumn(
            f"Column {column!r} has numbers of people that are not whole; give whole numbers."
        )
    return np.asarray(people, dtype=np.int64)


def _numbered(counts: Counts, cells: Sequence[str], lived_in: NDArray[Any]) -> tuple[I64, int]:
    """Return the number of the cell of each combination, and how many cells have people."""
    cell = np.zeros(len(counts), dtype=np.int64)
    for name in cells:
        index = counts.columns.index(name)
        # dense numbers after every column keep the product far below 2**63
        width = len(counts.values[index]) + 1
        _, cell = np.unique(cell * width + counts.codes[index], return_inverse=True)
    return np.asarray(cell, dtype=np.int64), len(np.unique(cell[lived_in]))
