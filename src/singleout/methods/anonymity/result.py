"""Anonymity sets: how many records share each combination. Koot (2012), chapters 2 and 3.

A person in a set of one is singled out; a person in a set of five hides among four others. The
measures here need only counts of counts (how many sets there are of each size), so any engine that
can count can serve them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.choices import MissingPolicy, choose
from singleout.core.counts import SizeProfile
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result, read_only
from singleout.core.wording import count, percent
from singleout.errors import BadChoice, UndefinedMeasure, UnusableColumn
from singleout.methods.anonymity.measure import correlation, power_sum, quartile, renyi_entropy
from singleout.methods.groups import Grouped
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["THRESHOLDS", "AnonymitySets"]

THRESHOLDS = (1, 5, 10, 50, 100)  # the set sizes of Koot's Table 3.3

PerRecord = Callable[[], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class AnonymitySets(Grouped, Result):
    """How many records share each combination of the quasi-identifiers.

    Parameters
    ----------
    quasi_identifiers
        The columns that were combined.
    profile
        How many sets there are of each size; if there are no sets, how many *records* match each
        number of records.
    missing
        What a missing value meant.
    has_sets
        Whether records fall into sets: not so where missing values are wildcards and do occur.
    dropped
        Records left out because a quasi-identifier is missing (policy ``drop``).
    by
        The columns that ``groups`` are by.
    groups
        The same measures for the records of each group, by its value (a tuple for several columns).
    group_labels
        What values of the grouping column mean in words, for sources that say so.
    notes
        What a reader should know, one sentence each.
    weighted_total
        The sum of the weights of the records counted: people in the population.
    weighted_least
        The smallest sum of the weights in a set, where it was counted and single records are not
        known; see ``weighted_minimum``.
    cells
        How many combinations are stated to be possible, in all groups alike; None for as many as
        were observed.
    unit
        The column that says which records are of one person; then all counts are of people, and
        the size that counts for a person is that of the rarest combination among their records.
    """

    quasi_identifiers: tuple[str, ...]
    profile: SizeProfile
    missing: MissingPolicy = MissingPolicy.VALUE
    has_sets: bool = True
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, AnonymitySets] = field(default_factory=dict)
    group_labels: Mapping[Any, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    _per_record: PerRecord | None = field(default=None, repr=False)
    _weighted: PerRecord | None = field(default=None, repr=False)
    weighted_total: float | None = None
    weighted_least: float | None = field(default=None, repr=False)
    cells: int | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.weighted_total is not None and not math.isfinite(self.weighted_total):
            raise UnusableColumn(
                "The weights add up to more than a number can hold; divide them all by the same "
                "number."
            )

    # ---- what holds for records, and so under every policy

    @cached_property
    def _records_by_size(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sizes, and how many records are in sets of each."""
        if self.has_sets:
            return self.profile.sizes, self.profile.sizes * self.profile.sets
        return self.profile.sizes, self.profile.sets

    @property
    def records(self) -> int:
        """Records counted; those dropped are not among them."""
        return int(self._records_by_size[1].sum())

    @property
    def k(self) -> int:
        """The k of k-anonymity: every record shares its combination with at least k - 1 others."""
        return self.minimum

    @property
    def minimum(self) -> int:
        """The size of the smallest set; 0 if every record was dropped."""
        return int(self.profile.sizes[0]) if len(self.profile.sizes) else 0

    @property
    def maximum(self) -> int:
        """The size of the largest set; 0 if every record was dropped."""
        return int(self.profile.sizes[-1]) if len(self.profile.sizes) else 0

    @property
    def unique(self) -> int:
        """Records alone in their set."""
        return self.at_most(1)

    @property
    def unique_share(self) -> float:
        """Records alone in their set / records counted."""
        return self.unique / self.records if self.records else 0.0

    def at_most(self, k: int) -> int:
        """Return how many records are in sets of at most ``k`` (Koot's Table 3.3)."""
        sizes, records = self._records_by_size
        return int(records[sizes <= k].sum())

    @cached_property
    def per_record(self) -> NDArray[np.int64]:
        """For each record the size of its set; 0 for a record that was dropped."""
        if self._per_record is None:
            raise UndefinedMeasure(_NO_RECORDS)
        return read_only(self._per_record())

    @cached_property
    def weighted_per_record(self) -> NDArray[np.float64]:
        """For each record the sum of the weights in its set: people like it in the population."""
        if self._weighted is None and self.weighted_total is not None:
            raise UndefinedMeasure(_NO_RECORDS)
        if self._weighted is None:
            raise UndefinedMeasure(
                "There is no weight column; name one with weight= or give a column that role."
            )
        return read_only(self._weighted())

    @property
    def weighted_minimum(self) -> float | None:
        """The smallest sum of weights in a set: the fewest people in the population who share."""
        if self._weighted is None or self.records == 0:
            return self.weighted_least
        return float(self.weighted_per_record[self.per_record > 0].min())

    # ---- what holds for sets, and so not where missing values are wildcards

    @property
    def _of_sets(self) -> SizeProfile:
        if self.unit is not None:
            raise UndefinedMeasure(
                "A person with several records may be in several sets, so people do not fall into "
                "sets, and there is no number, mean, quartile or entropy of sets. k, unique and "
                "at_most are defined; or leave unit out to count records."
            )
        if not self.has_sets:
            raise UndefinedMeasure(
                "Where a missing value matches everything, matching is not transitive: records do "
                "not fall into sets, so there is no number, mean, quartile or entropy of sets. "
                "The size for each record, k, unique and at_most are defined; or let missing be a "
                "value."
            )
        return self.profile

    @property
    def sets(self) -> int:
        """How many sets there are: distinct combinations."""
        return self._of_sets.number_of_sets

    @property
    def histogram(self) -> dict[int, int]:
        """For each size that occurs, how many sets have it."""
        profile = self._of_sets
        return dict(zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True))

    @property
    def mean(self) -> float:
        """Records / sets."""
        return self.records / self.sets if self.sets else 0.0

    @cached_property
    def quartiles(self) -> tuple[float, float, float]:
        """First quartile, median and third quartile of the sizes over sets, as R's summary."""
        first, median, third = (quartile(self._of_sets, quarter) for quarter in (1, 2, 3))
        return first, median, third

    @property
    def median(self) -> float:
        """The median of the sizes over sets."""
        return self.quartiles[1]

    @cached_property
    def shannon_entropy(self) -> float:
        """Bits that an attacker learns on average from the combination (2.2)."""
        return renyi_entropy(self._of_sets, 1)

    @property
    def min_entropy(self) -> float:
        """Bits of the most common combination: the Rényi entropy of infinite order."""
        return self.renyi_entropy(float("inf"))

    def renyi_entropy(self, order: float) -> float:
        """Return the Rényi entropy in bits (2.5); order 0, 1 and infinity are limits.

        Parameters
        ----------
        order
            0 gives the logarithm of the number of sets, 1 Shannon's entropy, infinity the
            min-entropy.
        """
        if not order >= 0:
            raise BadChoice(f"The order of a Rényi entropy is 0 or more, not {order}.")
        return renyi_entropy(self._of_sets, order)

    def degree_of_anonymity(self, cells: int | None = None) -> float:
        """Return the entropy as a share of the largest possible (2.4); 0 for a single cell.

        It says how evenly the records are spread over the combinations, not how safe they are:
        where everybody is unique it is 1.

        Parameters
        ----------
        cells
            How many combinations are possible; if not given, as many as were stated or observed.
        """
        possible = self._cells(cells)
        if possible == 1:
            return 0.0
        return min(1.0, self.shannon_entropy / float(np.log2(possible)))

    def kl_distance(self, cells: int | None = None) -> float:
        """Return the Kullback-Leibler distance to the uniform distribution, in nats (4.3.2).

        Parameters
        ----------
        cells
            How many combinations are possible; if not given, as many as were stated or observed.
        """
        nats = self.shannon_entropy * float(np.log(2))
        return max(0.0, float(np.log(self._cells(cells))) - nats)

    def _cells(self, cells: int | None) -> int:
        possible = self.cells if cells is None else cells
        if possible is not None and possible < self.sets:
            raise BadChoice(
                f"cells is {possible:,}, but {self.sets:,} different combinations were observed; "
                "give at least that many."
            )
        return max(self.sets if possible is None else possible, 1)

    def require_cells(self) -> None:
        """Refuse a stated number of cells that is smaller than that of the sets observed."""
        if self.has_sets:
            self._cells(None)

    @framed
    def sorted_by(self, order: str) -> AnonymitySets:
        """Return the same with the groups in another order, the largest number first.

        Parameters
        ----------
        order
            ``records``, ``sets``, ``minimum``, ``median``, ``mean``, ``maximum``, ``unique``,
            ``unique-share`` or ``distance``.
        """
        chosen = choose(GroupOrder, order, "order of groups")
        key = _ORDERS[chosen]
        groups = sorted(self.groups.items(), key=lambda item: -key(item[1]))
        return replace(self, groups=dict(groups))

    @cached_property
    def power_sums(self) -> tuple[float, float, float, float]:
        """Sums of the second to fifth powers of the shares of all sets: s2, s3, s4, s5."""
        s2, s3, s4, s5 = (power_sum(self._of_sets, power) for power in (2, 3, 4, 5))
        return s2, s3, s4, s5

    @property
    def size_median_correlation(self) -> float | None:
        """Pearson's correlation of a group's records with its median; None if it is undefined."""
        parts = [part for part in self.groups.values() if part.records]
        if not all(part.has_sets for part in parts):
            return None
        return correlation([p.records for p in parts], [p.median for p in parts])

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The quasi-identifier as it is written on the command line."""
        return "+".join(self.quasi_identifiers)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        sets = self.has_sets
        answer: dict[str, Any] = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "missing": str(self.missing),
            "unit": self.unit,
            "records": self.records,
            "dropped": self.dropped,
            "sets": self.sets if sets else None,
            "cells": self.cells,
            "minimum": self.minimum,
            "quartiles": list(self.quartiles) if sets else None,
            "mean": self.mean if sets else None,
            "maximum": self.maximum,
            "k": self.k,
            "unique": self.unique,
            "unique_share": self.unique_share,
            "at_most": {str(k): self.at_most(k) for k in THRESHOLDS},
            "weighted_total": self.weighted_total,
            "weighted_minimum": self.weighted_minimum,
            "shannon_entropy_bits": self.shannon_entropy if sets else None,
            "renyi_entropy_bits": (
                {str(order): self.renyi_entropy(order) for order in (0, 2)} if sets else None
            ),
            "min_entropy_bits": self.min_entropy if sets else None,
            "degree_of_anonymity": self.degree_of_anonymity() if sets else None,
            "kl_distance_nats": self.kl_distance() if sets else None,
            "power_sums": list(self.power_sums) if sets else None,
            "histogram": {str(k): n for k, n in self.histogram.items()} if sets else None,
            "notes": list(self.notes),
        }
        if self.by:
            answer["by"] = list(self.by)
            answer["size_median_correlation"] = self.size_median_correlation
            answer["groups"] = [
                {"group": _plain(value), **part.to_dict()} for value, part in self.groups.items()
            ]
        return answer

    def to_frame(self) -> Frame:
        """Return the summary as a polars frame: one row, and one more for each group."""
        from singleout.core.frames import pl

        rows = [{"group": None, **self._row()}]
        rows += [
            {"group": self.group_name(value), **part._row()} for value, part in self.groups.items()
        ]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return frame if self.by else frame.drop("group")

    def _five_numbers(self) -> dict[str, float | None]:
        first, median, third = self.quartiles if self.has_sets else (None, None, None)
        return {
            "minimum": self.minimum,
            "first_quartile": first,
            "median": median,
            "third_quartile": third,
            "maximum": self.maximum,
        }

    def _row(self) -> dict[str, Any]:
        whole = self.to_dict() | self._five_numbers()
        return {
            "quasi_identifier": self.name,
            **{name: whole[name] for name in ("records", "dropped", "sets", *_SIZES)},
            "unique": self.unique,
            "unique_share": self.unique_share,
            **{f"at_most_{k}": self.at_most(k) for k in THRESHOLDS[1:]},
            **{name: whole[name] for name in _MEASURES},
        }

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: box and whiskers (minimum to maximum), and the size histogram."""
        from singleout.methods.anonymity.chart import boxes_and_histogram

        whole = say("anonymity.chart.all_records") if self.groups else self.name
        parts = [(whole, self)]
        parts += [(self.group_name(v), part) for v, part in self.groups.items() if part.records]
        rows = [{"label": label, **part._five_numbers()} for label, part in parts]
        return boxes_and_histogram(rows, self.histogram, self.name)

    def __str__(self) -> str:
        return say(
            "anonymity.summary_people"
            if self.unit is not None
            else "anonymity.summary"
            if self.has_sets
            else "anonymity.summary_no_sets",
            name=self.name,
            records=count(self.records),
            sets=count(self.sets) if self.has_sets else None,
            unique=count(self.unique),
            share=percent(self.unique_share),
            k=count(self.k),
        )


class GroupOrder(StrEnum):
    """What groups are ordered by."""

    RECORDS = "records"
    SETS = "sets"
    MINIMUM = "minimum"
    MEDIAN = "median"
    MEAN = "mean"
    MAXIMUM = "maximum"
    UNIQUE = "unique"
    UNIQUE_SHARE = "unique-share"
    DISTANCE = "distance"


_ORDERS: dict[GroupOrder, Callable[[AnonymitySets], float]] = {
    GroupOrder.RECORDS: lambda part: part.records,
    GroupOrder.SETS: lambda part: part.sets,
    GroupOrder.MINIMUM: lambda part: part.minimum,
    GroupOrder.MEDIAN: lambda part: part.median,
    GroupOrder.MEAN: lambda part: part.mean,
    GroupOrder.MAXIMUM: lambda part: part.maximum,
    GroupOrder.UNIQUE: lambda part: part.unique,
    GroupOrder.UNIQUE_SHARE: lambda part: part.unique_share,
    GroupOrder.DISTANCE: lambda part: part.kl_distance(),
}

_NO_RECORDS = (
    "The set size of each record is not known here: only counts of counts were taken where the "
    'data is; measure with engine="local", which fetches the data, to have it.'
)
_SIZES = ("minimum", "first_quartile", "median", "mean", "third_quartile", "maximum")
_MEASURES = (
    "shannon_entropy_bits",
    "min_entropy_bits",
    "degree_of_anonymity",
    "kl_distance_nats",
)


def _plain(value: Any) -> Any:
    """Return a group's value as JSON can hold it."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
