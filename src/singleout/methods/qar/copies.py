"""Rows of a table of counts where each record is looked at.

People of one row are alike, so a row of several is unique nowhere. Two copies of it show that as
well as all of them would, and what holds for the first copy holds for everybody of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64

__all__ = ["Copies", "copies_of"]


@dataclass(frozen=True, eq=False)
class Copies:
    """Records to look at one by one, and which of them stand for rows."""

    codes: list[NDArray[Any]]  # of each column
    first: I64 | None  # the first copy of each row; None if each record is a row

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.codes[0])

    def of_rows(self, found: NDArray[Any]) -> NDArray[Any]:
        """Return what was found for the rows."""
        return found if self.first is None else found[self.first]


def copies_of(codes: Sequence[NDArray[Any]], people: I64 | None) -> Copies:
    """Return the records; of a row that stands for several people, two.

    >>> found = copies_of([np.array([7, 8, 9])], np.array([1, 5, 2]))
    >>> found.codes[0].tolist(), found.first.tolist()
    ([7, 8, 8, 9, 9], [0, 1, 3])
    """
    if people is None:
        return Copies(list(codes), None)
    times = np.minimum(people, 2)
    which = np.repeat(np.arange(len(people)), times)
    return Copies([column[which] for column in codes], np.cumsum(times) - times)
