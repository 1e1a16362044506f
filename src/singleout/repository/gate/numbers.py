"""The numbers of a record from counts of counts: exact, or clipped at a largest cell.

A clipped number uses c ln min(c, C) and c (min(c, C) - 1)…; then the influence of one person stays
within its bound however large the largest cell is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from singleout.core.counts import SizeProfile
from singleout.errors import BadChoice

__all__ = ["SMALL_CELL", "CellNumbers"]

SMALL_CELL = 10


@dataclass(frozen=True)
class CellNumbers:
    """People and cells of a population, with the sums that a record is made of.

    Parameters
    ----------
    cells_by_size
        For every size that occurs, ascending, how many cells have it.
    """

    cells_by_size: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, profile: SizeProfile) -> CellNumbers:
        """Return the numbers of counts of counts; sizes and cells of 0 count for nothing."""
        pairs = zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True)
        return cls(tuple(sorted((int(c), int(m)) for c, m in pairs if c > 0 and m > 0)))

    @property
    def people(self) -> int:
        """How many people there are."""
        return sum(c * m for c, m in self.cells_by_size)

    @property
    def support(self) -> int:
        """How many cells hold anybody."""
        return sum(m for _, m in self.cells_by_size)

    @property
    def largest(self) -> int:
        """How many people the largest cell holds."""
        return self.cells_by_size[-1][0] if self.cells_by_size else 0

    @property
    def small(self) -> int:
        """How many people are in cells of fewer than 10."""
        return sum(c * m for c, m in self.cells_by_size if c < SMALL_CELL)

    def entropy(self, cap: int | None = None) -> float:
        """Return the entropy of the cell of a person, in nats."""
        sizes = ((c, m, c if cap is None else min(c, cap)) for c, m in self.cells_by_size)
        total = math.fsum(m * c * math.log(clipped) for c, m, clipped in sizes)
        return math.log(self.people) - total / self.people

    def kappa(self, cells: int, cap: int | None = None) -> float:
        """Return the Kullback-Leibler distance from uniform over the possible cells, in nats."""
        if cells < self.support:
            raise BadChoice(
                f"{self.support:,} different cells occur, and only {cells:,} were said to be "
                "possible; give the number of possible cells of this population."
            )
        return math.log(cells) - self.entropy(cap)

    def power_sum(self, order: int, cap: int | None = None) -> float:
        """Return the unbiased power sum s_r: the chance that r different people share a cell."""
        people = self.people
        if people < order:
            return 0.0
        terms = (m * _falling_share(c, people, order, cap) for c, m in self.cells_by_size)
        return math.fsum(terms)


def _falling_share(size: int, people: int, order: int, cap: int | None) -> float:
    clipped = size if cap is None else min(size, cap)
    value = size / people
    for step in range(1, order):
        value *= max(clipped - step, 0) / (people - step)
    return value
