"""What is asked for without an answer: combinations of attributes, counted, and nothing else.

Neither who asked nor any value is kept, only names of attributes that the repository itself has
words for. What few have asked for is not shown: it could be one person's plan. A process adds what
it counted to the store now and then, where the counts of all processes come together.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from singleout.errors import SingleoutError
from singleout.repository.store.kept.demand import (
    LEAST_ASKED,
    MOST_COMBINATIONS,
    Combination,
    shown_demand,
)

if TYPE_CHECKING:
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import CodedAttribute
    from singleout.repository.store.store import Store

__all__ = ["DemandCounts", "combination"]

_EVERY = 60.0  # seconds between two additions to the store


def combination(asked: Sequence[CodedAttribute], population: DeclaredPopulation) -> Combination:
    """Return what is counted of a question: its attributes, and those of its population."""
    return tuple(map(str, asked)), tuple(population.attributes)


class DemandCounts:
    """How often combinations were asked for in vain.

    Parameters
    ----------
    store
        Where counts are kept.
    counting
        Whether anything is counted at all.
    """

    def __init__(self, store: Store, *, counting: bool = True) -> None:
        self.counting = counting
        self._store = store
        self._waiting: Counter[Combination] = Counter()
        self._lock = threading.Lock()
        self._last = time.monotonic()

    def add(self, wanted: Combination | None, known: Iterable[str]) -> None:
        """Count a combination, if all its attributes are among those of the repository."""
        if not self.counting or wanted is None:
            return
        words = set(known)
        if not {name.rpartition(":")[0] or name for name in wanted[0]} <= words:
            return
        kept = wanted[0], tuple(name for name in wanted[1] if name in words)
        with self._lock:
            if kept in self._waiting or len(self._waiting) < MOST_COMBINATIONS:
                self._waiting[kept] += 1

    @property
    def is_due(self) -> bool:
        """Whether counts have waited long enough to be added to the store."""
        return bool(self._waiting) and time.monotonic() - self._last >= _EVERY

    def flush(self) -> None:
        """Add to the store what was counted since the last time.

        A store that cannot be written now is asked again later.
        """
        with self._lock:
            counts, self._waiting = self._waiting, Counter()
            self._last = time.monotonic()
        with suppress(SingleoutError):
            self._store.add_demand(counts)
            return
        with self._lock:
            self._waiting.update(counts)

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked for often enough, of any process; the most asked for first."""
        counts: Counter[Combination] = Counter()
        if self.counting:
            with self._lock:
                counts.update(self._waiting)
            counts.update(self._store.demand_counts())
        return {
            "counting": self.counting,
            "least": LEAST_ASKED,
            "combinations": shown_demand(counts),
        }
