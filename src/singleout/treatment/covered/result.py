"""How many published rows may be each person's, and who is covered by too few."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import I64, Flags
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, read_only
from singleout.core.text import names_in_text
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Covered"]


@dataclass(frozen=True, eq=False)
class Covered(Result):
    """For each original record, the published rows that somebody who knows it cannot rule out.

    Parameters
    ----------
    counts
        For each original record, how many published rows are compatible with it.
    classes
        For each original record, how many published rows are equal to its own; where it is not
        known which one that is, to the rarest that may be.
    k
        How many rows must cover a record.
    columns
        What is known of a person: the columns that were compared.
    rows
        How many rows were published.
    aligned
        Whether the published rows are known to be those of the same records, in the same order.
    notes
        What a reader should know, one sentence each.
    """

    counts: I64 = field(repr=False)
    classes: I64 = field(repr=False)
    k: int
    columns: tuple[str, ...]
    rows: int
    aligned: bool
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.counts)
        read_only(self.classes)

    @property
    def records(self) -> int:
        """How many original records there are."""
        return len(self.counts)

    @property
    def below(self) -> int:
        """Records that fewer than k published rows cover."""
        return int((self.counts < self.k).sum())

    @property
    def single(self) -> int:
        """Records that exactly one published row covers."""
        return int((self.counts == 1).sum())

    @property
    def uncovered(self) -> int:
        """Records that no published row covers: they were removed, or their values changed."""
        return int((self.counts == 0).sum())

    @property
    def is_safe(self) -> Flags:
        """For each record, whether k rows cover it and its own row has k - 1 equal ones."""
        return np.asarray((self.counts >= self.k) & (self.classes >= self.k), dtype=np.bool_)

    @property
    def safe(self) -> int:
        """Records that k rows cover and whose own row has k - 1 equal ones."""
        return int(self.is_safe.sum())

    @property
    def unsafe(self) -> int:
        """Records that are not safe."""
        return self.records - self.safe

    # ---- ways to look at it

    def to_frame(self) -> Frame:
        """Return one row for each original record, by its number from 1."""
        from singleout.core.frames import pl

        return pl.DataFrame(
            {
                "record": np.arange(1, self.records + 1),
                "covered_by": self.counts.copy(),
                "equal_rows": self.classes.copy(),
                "safe": self.is_safe,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything but single records as plain values that JSON can hold."""
        sizes, records = np.unique(self.counts, return_counts=True)
        return {
            "k": self.k,
            "columns": list(self.columns),
            "records": self.records,
            "rows": self.rows,
            "aligned": self.aligned,
            "below": self.below,
            "single": self.single,
            "uncovered": self.uncovered,
            "safe": self.safe,
            "unsafe": self.unsafe,
            "covered_by": [
                {"rows": size, "records": count}
                for size, count in zip(sizes.tolist(), records.tolist(), strict=True)
            ],
            "notes": list(self.notes),
        }

    def plot(self) -> alt.Chart:
        """Return how many records are covered by one row, two rows and so on."""
        from singleout.treatment.covered.chart import records_by_cover

        return records_by_cover(self.counts, self.k, names_in_text(self.columns))

    def __str__(self) -> str:
        return say(
            "covered.summary",
            n=self.below,
            records=self.records,
            k=self.k,
            single=self.single,
            unsafe=self.unsafe,
        )
