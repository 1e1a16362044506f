"""What is asked for without an answer: combinations of attributes, counted, and nothing else.

Neither who asked nor any value is kept, only names of attributes that the repository itself has
words for, in the memory of this process. What few have asked for is not shown: it could be one
person's plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import CodedAttribute

__all__ = ["LEAST_ASKED", "Combination", "DemandCounts", "combination"]

LEAST_ASKED = 5  # how often, before it is shown
_MOST = 1_000  # combinations that are counted

Combination = tuple[tuple[str, ...], tuple[str, ...]]


def combination(asked: Sequence[CodedAttribute], population: DeclaredPopulation) -> Combination:
    """Return what is counted of a question: its attributes, and those of its population."""
    return tuple(map(str, asked)), tuple(population.attributes)


class DemandCounts:
    """How often combinations were asked for in vain.

    Parameters
    ----------
    counting
        Whether anything is counted at all.
    """

    def __init__(self, *, counting: bool = True) -> None:
        self.counting = counting
        self._counts: Counter[Combination] = Counter()

    def add(self, wanted: Combination | None, known: Iterable[str]) -> None:
        """Count a combination, if all its attributes are among those of the repository."""
        if not self.counting or wanted is None:
            return
        words = set(known)
        if not {name.rpartition(":")[0] or name for name in wanted[0]} <= words:
            return
        kept = wanted[0], tuple(name for name in wanted[1] if name in words)
        if kept in self._counts or len(self._counts) < _MOST:
            self._counts[kept] += 1

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked for often enough, the most asked for first."""
        shown = sorted(
            (pair for pair in self._counts.items() if pair[1] >= LEAST_ASKED),
            key=lambda pair: (-pair[1], pair[0]),
        )
        return {
            "counting": self.counting,
            "least": LEAST_ASKED,
            "combinations": [
                {"quasi_identifier": list(names), "population": list(terms), "asked": number}
                for (names, terms), number in shown
            ],
        }
