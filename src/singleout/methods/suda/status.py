"""What kind of unique a record is. Elliot, Manning, Mayes, Gurd and Bane (2005), section 2.

A record that is unique on all columns is a special unique if it is unique on fewer of them too, and
a random unique if it is not. Where only sets of up to M columns were searched, a unique record
without a minimal unique may be either.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, Flags
from singleout.core.results import read_only
from singleout.engines.local.counting import set_totals
from singleout.errors import UndefinedMeasure
from singleout.methods.suda.measure import dis_scores
from singleout.methods.suda.scored import Scored
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Kind", "Statuses", "intervals", "kinds"]

_EDGES = tuple(tenth / 10 for tenth in range(8))  # those of sdcMicro: 0, 0.1, … 0.7


class Kind(StrEnum):
    """What kind of unique a record is."""

    SPECIAL = "special"  # unique on all columns, and on fewer of them
    RANDOM = "random"  # unique on all columns together only
    UNDECIDED = "undecided"  # unique on all columns; no smaller set was found up to M
    BY_MISSING = "by-missing"  # unique by missing cells only, which are to single nobody out


def kinds(alone: Flags, smallest: NDArray[Any], reached: I64, columns: int) -> NDArray[Any]:
    """Return the kind of each record, empty text for those that are not unique.

    ``alone`` says whether a record is unique on all columns, ``smallest`` the size of its smallest
    minimal unique, 0 if none was found, ``reached`` the largest size that was searched for it.
    """
    answer = np.full(len(alone), "", dtype="<U10")
    answer[alone & (reached < columns)] = Kind.UNDECIDED
    answer[alone & (reached >= columns)] = Kind.BY_MISSING
    answer[smallest == columns] = Kind.RANDOM
    answer[(smallest > 0) & (smallest < columns)] = Kind.SPECIAL
    return answer


def intervals(scores: F64, people: I64 | None = None) -> pl.DataFrame:
    """Return how many records have a DIS-SUDA in each interval, as sdcMicro prints them.

    ``scores`` are NaN where DIS-SUDA is not known; they have the last row, if there are any.
    ``people`` is how many records each score is for, if not one.

    >>> intervals(np.array([0, 0, 0.1, 0.4, 0.95, np.nan])).rows()[:3]
    [('0', 2), ('(0, 0.1]', 1), ('(0.1, 0.2]', 0)]
    """
    from singleout.core.frames import pl

    are_known = ~np.isnan(scores)
    known = scores[are_known]
    times = None if people is None else people[are_known]
    found = np.bincount(np.searchsorted(_EDGES, known), times, minlength=len(_EDGES) + 1)
    counts = found.astype(np.int64)
    names = [f"{_EDGES[0]:g}"]
    names += [f"({low:g}, {high:g}]" for low, high in pairwise(_EDGES)]
    rows = list(zip([*names, f"> {_EDGES[-1]:g}"], counts.tolist(), strict=True))
    if len(known) < len(scores):
        rows.append(("not known", len(scores) - len(known)))
    return pl.DataFrame(rows, schema={"dis_score": pl.String, "records": pl.Int64}, orient="row")


class Statuses(Scored):
    """Records with their status: what kind of unique, how sure a match with them is."""

    @property
    def special_uniques(self) -> I64:
        """The numbers of the records that are unique on all columns and on fewer of them.

        Those that an MSU of a size up to M shows; a larger M finds more if there are
        ``undecided``.
        """
        smaller = self.counts_by_size[:, : len(self.columns) - 1]
        return self.record[smaller.any(axis=1)]

    @property
    def undecided(self) -> int:
        """How many records are unique on all columns but have no MSU of a size up to M."""
        return self.records_by_kind.get(Kind.UNDECIDED, 0)

    @property
    def records_by_kind(self) -> dict[str, int]:
        """How many unique records there are of each kind that occurs."""
        special = len(self.special_uniques)
        having = self.with_uniques
        counts = {Kind.SPECIAL: special, Kind.RANDOM: having - special}
        rest = Kind.UNDECIDED if self.max_size < len(self.columns) else Kind.BY_MISSING
        counts[rest] = self.unique - having
        return {str(kind): n for kind, n in counts.items() if n}

    @property
    def special_share(self) -> float:
        """Special uniques, and unique records that are undecided / all records."""
        return (len(self.special_uniques) + self.undecided) / self.records

    @property
    def highest_dis_score(self) -> float | None:
        """The highest DIS-SUDA; 1 where that of a unique record is unknown, None if undefined."""
        if not self.has_dis_score:
            return None
        return 1.0 if self.undecided else float(self.dis_score.max())

    @cached_property
    def is_unique(self) -> Flags:
        """For each record whether it is unique on all columns; missing is a value here."""
        return read_only(np.asarray(set_totals(self.table, self.columns) == 1, dtype=np.bool_))

    @cached_property
    def smallest_size(self) -> I64:
        """For each record the size of its smallest MSU; 0 if it has none of a size up to M."""
        some = self.counts_by_size > 0
        return read_only(np.where(some.any(axis=1), some.argmax(axis=1) + 1, 0).astype(np.int64))

    @cached_property
    def kind(self) -> NDArray[Any]:
        """For each record ``special``, ``random`` or ``undecided``, see `Kind`; empty if shared."""
        reached = np.full(self.table.rows, self.max_size)
        return read_only(kinds(self.is_unique, self.smallest_size, reached, len(self.columns)))

    @property
    def with_uniques(self) -> int:
        """How many records have an MSU of a size up to M."""
        return int(self.counts_by_size.any(axis=1).sum())

    @property
    def dis_intervals(self) -> pl.DataFrame:
        """How many records have a DIS-SUDA in each interval, as sdcMicro prints them."""
        return intervals(self.dis_score, self.people)

    @property
    def above_threshold(self) -> Flags:
        """For each record whether its DIS-SUDA is above the threshold."""
        if self.threshold is None:
            raise UndefinedMeasure("There is no threshold; give one, 0.1 for one match in ten.")
        return np.asarray(self.dis_score > self.threshold, dtype=np.bool_)

    @property
    def special_in_words(self) -> str:
        """How many records are special uniques, in words; a lower bound if some are undecided."""
        key = "suda.at_least_special" if self.undecided else "suda.special_uniques"
        return say(key, n=len(self.special_uniques))

    @cached_property
    def dis_score(self) -> F64:
        """For each record how sure an intruder may be of a match with it (DIS-SUDA).

        Where M was chosen by what is quick, it is NaN for unique records without an MSU up to M.
        """
        variables = len(self.columns)
        answer = dis_scores(self.score, variables, self.in_pairs, self._fraction)
        if self.chosen and self.undecided:
            answer[self.kind == Kind.UNDECIDED] = np.nan
        return read_only(answer)
