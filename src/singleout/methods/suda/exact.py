"""All sizes of sets for chosen records, exactly, on up to 64 columns and within a time budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.suda.one_record import RecordUniques

__all__ = ["ExactUniques"]


@dataclass(frozen=True, eq=False)
class ExactUniques(Result):
    """The minimal sample uniques (MSUs) of chosen records, of all sizes.

    Parameters
    ----------
    found
        The MSUs of each record, in the order in which they were searched.
    seconds
        The time budget; None if there was none.
    """

    found: Sequence[RecordUniques]
    seconds: float | None = None

    def __getitem__(self, number: int) -> RecordUniques:
        """Return one record by its number in the data, from 1."""
        return next(one for one in self.found if one.record == number)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def complete(self) -> int:
        """How many records were searched to the end."""
        return sum(one.complete for one in self.found)

    def to_frame(self) -> Frame:
        """Return a row for each record: its kind, its score and its MSUs by size.

        Where it is not ``complete``, score and MSUs are at least what stands there.
        """
        from singleout.core.frames import pl

        largest = max((max(one.sizes, default=1) for one in self.found), default=1)
        rows = [
            {
                "record": one.record,
                "complete": one.complete,
                "kind": one.kind or None,
                "score": one.score,
                "smallest_size": min(one.sizes, default=None),
                **{f"uniques_of_size_{k}": int(one.by_size[k - 1]) for k in range(1, largest + 1)},
            }
            for one in self.found
        ]
        kinds = {"kind": pl.String, "smallest_size": pl.Int64}
        return pl.DataFrame(rows, schema_overrides=kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "records": len(self.found),
            "complete": self.complete,
            "seconds": self.seconds,
            "found": [one.to_dict() for one in self.found],
        }

    def __str__(self) -> str:
        return say("suda.exact.says", n=len(self.found), complete=self.complete)
