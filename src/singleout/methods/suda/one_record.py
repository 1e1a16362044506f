"""One record: which columns its minimal uniques hold; Table A.3 of Elliot et al. (2005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.wording import in_figures
from singleout.report.say import say

__all__ = ["RecordUniques"]


@dataclass(frozen=True, eq=False)
class RecordUniques(Result):
    """The minimal sample uniques (MSUs) of one record, and what each column contributes.

    Parameters
    ----------
    record
        Its number in the data, from 1.
    columns
        The columns that were combined.
    values
        Its value in each column in words; the name of the column for a direct identifier.
    counts
        For each size (row) and column how many of its MSUs hold the column.
    weights
        What an MSU of each size weighs.
    max_size
        M: the largest size that was searched for it.
    kind
        What kind of unique it is; empty if it is not unique.
    complete
        Whether the search was finished; otherwise there can be more MSUs.
    uniques
        The MSUs, small ones first, if they were listed.
    """

    record: int
    columns: tuple[str, ...]
    values: tuple[str, ...]
    counts: I64
    weights: F64
    max_size: int
    kind: str = ""
    complete: bool = True
    uniques: Sequence[tuple[str, ...]] | None = None

    @cached_property
    def by_size(self) -> I64:
        """How many MSUs of size 1, 2, … M it has."""
        sizes = np.arange(1, len(self.counts) + 1)
        return np.asarray(self.counts.sum(axis=1) // sizes, dtype=np.int64)

    @property
    def score(self) -> float:
        """The weights of its MSUs, added up."""
        return float(self.by_size @ self.weights)

    @property
    def contributions(self) -> F64:
        """For each column the share of the score from MSUs that hold it."""
        return np.asarray(self.weights @ self.counts / (self.score or 1.0), dtype=np.float64)

    @property
    def sizes(self) -> list[int]:
        """The sizes that it has MSUs of."""
        return [size for size, held in enumerate(self.by_size.tolist(), start=1) if held]

    def to_frame(self) -> Frame:
        """Return a row for each column, those that contribute most first.

        It has the value, how many MSUs of each size that occurs hold the column, which percentage
        of those of that size they are, and the percentage of the score that they bring.
        """
        from singleout.core.frames import pl

        parts: dict[str, Any] = {"variable": list(self.columns), "value": list(self.values)}
        for size in self.sizes:
            parts[f"uniques_of_size_{size}"] = self.counts[size - 1]
        for size in self.sizes:
            parts[f"percent_of_size_{size}"] = 100 * self.counts[size - 1] / self.by_size[size - 1]
        parts["percent_of_score"] = 100 * self.contributions
        return pl.DataFrame(parts).sort("percent_of_score", descending=True, maintain_order=True)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "record": self.record,
            "kind": self.kind or None,
            "score": self.score,
            "max_size": self.max_size,
            "complete": self.complete,
            "uniques_by_size": {str(k): n for k, n in enumerate(self.by_size.tolist(), start=1)},
            "variables": self._polars_frame().to_dicts(),
            "uniques": None if self.uniques is None else [list(each) for each in self.uniques],
        }

    def __str__(self) -> str:
        return say(
            "suda.one_record.says" if self.complete else "suda.one_record.says_unfinished",
            record=self.record,
            n=int(self.by_size.sum()),
            size=self.max_size,
            score=in_figures(self.score),
        )
