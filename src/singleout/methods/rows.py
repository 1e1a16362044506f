"""What methods of classes look at: records in memory, or distinct combinations with their sizes.

Both are rows of encoded columns. A measure that weighs each row by its size does not know which
it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.engines.local.counter import LocalCounter

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Encoded rows, each for one record or for all that share its values."""

    table: Table
    sizes: I64 | None = None  # how many records each row is for; None: one each
    weights: F64 | None = None  # the sum of their weights, where it was asked for

    @classmethod
    def of(
        cls,
        counter: Counter,
        columns: Sequence[str],
        *,
        weight: str | None = None,
        values: bool = False,
    ) -> Rows:
        """Return the records if they are in memory, otherwise the combinations that occur.

        Of data that is elsewhere only the ranks of values are asked for, unless ``values`` says
        otherwise.
        """
        names = tuple(dict.fromkeys(columns))
        held = counter.held
        if held is not None:
            weights = None if weight is None else local.weights(held.table, weight)
            return cls(held.table.select(names), None, weights)
        counts = (counter.counts if values else counter.ranked_counts)(names, weight)
        table = Table(counts.as_columns(), source=counter.source)
        return cls(table, counts.sizes, counts.weights)

    @property
    def are_records(self) -> bool:
        """Whether each row is one record, in the order of the table."""
        return self.sizes is None

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.rows if self.sizes is None else int(self.sizes.sum())

    def take(self, rows: NDArray[Any]) -> Rows:
        """Return some rows, by their indexes or by flags."""
        return Rows(
            self.table.take(rows),
            None if self.sizes is None else self.sizes[rows],
            None if self.weights is None else self.weights[rows],
        )

    def members(self, by: Sequence[str]) -> Iterator[tuple[Any, Rows]]:
        """Yield the rows of each group, by its value, or by its values where ``by`` is several."""
        for key, rows in LocalCounter(self.table).members(by):
            yield (key if len(by) > 1 else key[0]), self.take(rows)

    def sums(self, ids: NDArray[Any], groups: int) -> I64:
        """Return how many records each group of rows has."""
        if self.sizes is None:
            return np.bincount(ids, minlength=groups).astype(np.int64, copy=False)
        # sums of whole numbers below 2**53 are exact
        return np.bincount(ids, self.sizes, minlength=groups).astype(np.int64)
