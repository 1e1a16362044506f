"""What each record contributes to the risk of a table. Béra et al. (2023), section 3.

The contribution of a record is the risk of the table less its risk without the record: positive
where removing the record would make the table safer. Beside it stand measures that are quicker to
get and may tell the same: in how many combinations of columns the record is unique, these weighted
by their risk (U+) or by its complement (U*), record entropy, and a prediction from the values.

Plotted against U+, contributions may fall into two clusters. They are told apart by one
combination: the threshold u is (1 - g) theta_(k) + g theta_(k+1), and a record unique in the
combination at the heavier of these two ranks moves the threshold, and the risk the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I64, Flags
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, read_only
from singleout.core.wording import count, figure, in_figures
from singleout.errors import BadChoice
from singleout.kernels.entropy.record import bin_count
from singleout.methods.qar import weighted
from singleout.methods.qar.pls import PartialLeastSquares
from singleout.methods.qar.reasons import combination_columns, unique_combinations
from singleout.methods.qar.result import DatasetRisk, combination_name
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["RankCombination", "RecordContributions", "rank_combination"]

_VISIBLE_SHIFT = 2.0  # standard deviations between two clusters that a picture shows
_NO_SPREAD = 1e-14  # of contributions: what rounding leaves


@dataclass(frozen=True)
class RankCombination:
    """The combination at the heavier rank of the threshold, which tells the clusters apart.

    Parameters
    ----------
    number
        The combination, numbered in lexicographic order; the first of those tied.
    ties
        How many combinations have its distinct count, itself included.
    needed
        In how many of these a record must be unique for its removal to lower the count at that
        rank: 1 without ties.
    """

    number: int
    ties: int
    needed: int


def rank_combination(distinct: I64, k: int, g: float) -> RankCombination | None:
    """Return the combination at rank k, or at k + 1 if that carries more of the threshold.

    Ranks count from 1, ascending; None if k is the last one: then there is no tail. Removing a
    record lowers the counts of the combinations in which it is unique by one, and within a tie the
    lowered ones come first. So the count at a rank falls if the record is unique in as many of
    those tied as there are from their first rank to this one.
    """
    if k >= len(distinct):
        return None
    rank = k if g < 0.5 else k + 1
    value = int(np.partition(distinct, rank - 1)[rank - 1])
    tied = np.flatnonzero(distinct == value)
    below = int((distinct < value).sum())
    return RankCombination(int(tied[0]), ties=len(tied), needed=rank - below)


@dataclass(frozen=True, eq=False)
class RecordContributions(Result):
    """What each record contributes to the risk of a table, and measures that may stand in for it.

    Every array has one element for each record that was counted, in the order of the data. Of a
    table of counts it has one for each row: what holds of any one person of it.

    Parameters
    ----------
    dataset
        The risk of the table, and what it was estimated from.
    record
        The number of each record in the data, from 1.
    contribution
        DT: the risk of the table, less the risk without the record.
    uniqueness_plus
        U+: the sum of theta over the combinations in which the record is unique.
    uniqueness_star
        U*: the sum of 1 - theta over them.
    unique_in
        How many they are.
    cluster
        Whether the removal of the record lowers the distinct count at that rank. Without ties at
        that rank: whether the record is unique in the one combination that has it.
    rank
        The combination at the heavier rank of the threshold; None if there is none.
    ordinal
        The columns that entropy was computed from, if it was.
    entropy
        E: how evenly the record's ranks spread over all combinations of these, in nats; or None.
    pls
        What partial least squares predicts from the record's values; or None.
    score
        The score that was given for each record; or None.
    people
        Of a table of counts, how many people each row stands for; otherwise None.
    notes
        What a reader should know, one sentence each.
    """

    dataset: DatasetRisk
    record: I64 = field(repr=False)
    contribution: F64 = field(repr=False)
    uniqueness_plus: F64 = field(repr=False)
    uniqueness_star: F64 = field(repr=False)
    unique_in: I64 = field(repr=False)
    cluster: Flags = field(repr=False)
    rank: RankCombination | None = None
    ordinal: tuple[str, ...] = ()
    entropy: F64 | None = field(default=None, repr=False)
    pls: PartialLeastSquares | None = None
    score: F64 | None = field(default=None, repr=False)
    people: I64 | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    _codes: Sequence[NDArray[Any]] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for array in (self.record, self.cluster, *self._measures().values()):
            read_only(array)

    # ---- the table

    @property
    def risk(self) -> float:
        """T: the risk of the table with all its records."""
        return self.dataset.risk

    @property
    def records(self) -> int:
        """How many records were counted; those dropped are not among them."""
        return self.dataset.records

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the risk, and with it the contributions, may not be trusted, one sentence each."""
        return self.dataset.warnings

    @property
    def rank_quasi_identifier(self) -> str | None:
        """The combination of `rank`, as ``A+B+C``; the first of those tied, or None."""
        return None if self.rank is None else self._name(self.rank.number)

    @property
    def lowering(self) -> int:
        """Records whose removal, each on its own, would lower the risk."""
        return self.counted(self.contribution > 0)

    def counted(self, some: Flags) -> int:
        """Return how many records there are in some rows."""
        return int(some.sum() if self.people is None else self.people[some].sum())

    # ---- the measures

    @cached_property
    def filtered_entropy(self) -> F64 | None:
        """The entropy; 0 for a record whose removal PLS predicts to raise the risk.

        None unless both were asked for.
        """
        if self.entropy is None or self.pls is None:
            return None
        return np.where(self.pls.lowers, self.entropy, 0.0)

    @property
    def entropy_bins(self) -> int | None:
        """How many bins the ranks were cut into, √combinations rounded up; None without entropy."""
        if self.entropy is None:
            return None
        return bin_count(comb(len(self.ordinal), self.dataset.size))

    def _measures(self) -> dict[str, NDArray[Any]]:
        """Return all measures that there are, by name."""
        measures: dict[str, NDArray[Any]] = {
            "contribution": self.contribution,
            "uniqueness_plus": self.uniqueness_plus,
            "uniqueness_star": self.uniqueness_star,
            "unique_in": self.unique_in,
        }
        if self.entropy is not None:
            measures["entropy"] = self.entropy
        if self.pls is not None:
            measures["pls_score"] = self.pls.score
        if self.filtered_entropy is not None:
            measures["filtered_entropy"] = self.filtered_entropy
        if self.score is not None:
            measures["score"] = self.score
        return measures

    @cached_property
    def correlations(self) -> pl.DataFrame:
        """Pearson's and Kendall's correlation of each pair of measures; null if one is constant."""
        return self.correlated(list(combinations(self._measures(), 2)))

    def correlated(self, pairs: Sequence[tuple[str, str]]) -> pl.DataFrame:
        """Return the correlations of some pairs of measures, by name."""
        measures = self._measures()
        rows = [
            {
                "measure": one,
                "other": other,
                **_correlated(measures[one], measures[other], self.people),
            }
            for one, other in pairs
        ]
        return _with_correlations(rows)

    @property
    def telling_pairs(self) -> list[tuple[str, str]]:
        """The pairs that the paper looks at: the contribution with each measure, U+ with U*."""
        others = [name for name in self._measures() if name != "contribution"]
        pairs = [("contribution", other) for other in others]
        return [*pairs, ("uniqueness_plus", "uniqueness_star")]

    @cached_property
    def within_clusters(self) -> pl.DataFrame:
        """The correlation of the contribution with U+: all records, and each cluster alone."""
        every = np.ones(len(self.record), dtype=np.bool_)
        parts = {"all records": every, "in the cluster": self.cluster, "others": ~self.cluster}
        rows = [
            {
                "among": among,
                "records": self.counted(some),
                **_correlated(
                    self.contribution[some],
                    self.uniqueness_plus[some],
                    None if self.people is None else self.people[some],
                ),
            }
            for among, some in parts.items()
        ]
        return _with_correlations(rows)

    @cached_property
    def cluster_shift(self) -> float | None:
        """How far the cluster lies from the other records, in standard deviations of the rest.

        The contribution is regressed on U+ and on being in the cluster. None if the cluster is
        empty, holds everybody, or leaves nothing to compare with.
        """
        inside, rows = self.cluster.astype(np.float64), len(self.record)
        if self.records < 4 or not 0 < inside.sum() < rows:
            return None
        known = np.column_stack([np.ones(rows), self.uniqueness_plus, inside])
        weights = np.ones(rows) if self.people is None else np.sqrt(self.people)
        fitted, *_ = np.linalg.lstsq(known * weights[:, np.newaxis], self.contribution * weights)
        spread = weighted.spread(self.contribution - known @ fitted, self.people)
        return None if spread <= _NO_SPREAD else float(fitted[2]) / spread

    @property
    def has_clusters(self) -> bool:
        """Whether the contributions fall into two clusters that can be told apart."""
        return self.cluster_shift is not None and abs(self.cluster_shift) >= _VISIBLE_SHIFT

    # ---- why

    def reasons(self, record: int, limit: int | None = None) -> pl.DataFrame:
        """Return the combinations in which a record is unique, worst first: columns, theta.

        Parameters
        ----------
        record
            The number of the record in the data, from 1.
        limit
            How many to give at most; all if not given.
        """
        from singleout.core.frames import pl

        index = int(np.searchsorted(self.record, record))
        if index == len(self.record) or self.record[index] != record:
            raise BadChoice(
                f"There is no record {record} among those counted; their numbers lie between "
                f"{self.record[0]} and {self.record[-1]}."
            )
        numbers = self._unique_in(index, limit)
        return pl.DataFrame(
            {
                "columns": [self._name(number) for number in numbers.tolist()],
                "theta": self.dataset.theta[numbers],
            },
            schema={"columns": pl.String, "theta": pl.Float64},
        )

    def _unique_in(self, index: int, limit: int | None) -> I64:
        """Return combinations in which a record is unique, worst first."""
        most = int(self.unique_in[index])
        wanted = most if limit is None else min(limit, most)
        if wanted == 0:
            return np.empty(0, dtype=np.int64)
        return unique_combinations(self._codes, self.dataset.size, index, self._worst_first, wanted)

    @cached_property
    def _worst_first(self) -> I64:
        return np.argsort(-self.dataset.distinct, kind="stable")

    def _name(self, number: int) -> str:
        names = self.dataset.columns
        members = combination_columns(np.array([number]), len(names), self.dataset.size)[0]
        return combination_name([names[column] for column in members.tolist()])

    def _reasons_in_words(self, index: int, limit: int) -> str:
        shown = [self._name(number) for number in self._unique_in(index, limit).tolist()]
        more = int(self.unique_in[index]) - len(shown)
        if not shown:
            return (
                say("contributions.unique_in", n=more)
                if more
                else say("contributions.unique_in_none")
            )
        names = ", ".join(shown)
        return say("contributions.and_more", names=names, n=more) if more else names

    @cached_property
    def order(self) -> I64:
        """Indexes into the arrays, from 0, largest contribution first; ties by U+, then in order.

        ``record[order]`` are the numbers of the records, from 1.
        """
        return np.lexsort((-self.uniqueness_plus, -self.contribution))

    def top(self, n: int = 10, reasons: int = 3) -> pl.DataFrame:
        """Return the records with the largest contributions, and why they stand out.

        Parameters
        ----------
        n
            How many records.
        reasons
            How many combinations to name for each, worst theta first.
        """
        n = whole(n, "n", at_least=0, of="records")
        reasons = whole(reasons, "reasons", at_least=0)
        from singleout.core.frames import pl

        indexes = self.order[:n]
        words = [self._reasons_in_words(index, reasons) for index in indexes.tolist()]
        return self._rows(indexes).with_columns(pl.Series("unique_for", words, dtype=pl.String))

    # ---- ways to look at it

    def to_frame(self) -> Frame:
        """Return one row for each record: its number from 1, its cluster and its measures.

        Of a table of counts it is one for each of its rows, with the people that it stands for.
        """
        return self._rows(np.arange(len(self.record)))

    def _rows(self, indexes: I64) -> pl.DataFrame:
        from singleout.core.frames import pl

        counts = {} if self.people is None else {"people": self.people}
        columns = {"record": self.record, **counts, "cluster": self.cluster, **self._measures()}
        return pl.DataFrame({name: array[indexes] for name, array in columns.items()})

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return everything but the single records as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the records with the largest contributions to give.
        """
        return {
            "risk": self.risk,
            "size": self.dataset.size,
            "alpha": self.dataset.alpha,
            "tail": self.dataset.tail,
            "estimator": str(self.dataset.fit.estimator),
            "missing": str(self.dataset.missing),
            "columns": list(self.dataset.columns),
            "combinations": self.dataset.combinations,
            "records": self.records,
            "dropped": self.dataset.dropped,
            "lowering": self.lowering,
            "unique_in_none": self.counted(self.unique_in == 0),
            "rank_quasi_identifier": self.rank_quasi_identifier,
            "rank_ties": None if self.rank is None else self.rank.ties,
            "in_cluster": self.counted(self.cluster),
            "cluster_shift": self.cluster_shift,
            "ordinal": list(self.ordinal),
            "entropy_bins": self.entropy_bins,
            "pls": None if self.pls is None else self.pls.to_dict(),
            "correlations": self.correlations.to_dicts(),
            "within_clusters": self.within_clusters.to_dicts(),
            "top": self.top(top).to_dicts(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def plot(self) -> alt.VConcatChart:
        """Return the pictures of the paper: Figures 2 to 4, and 6 and 8 if they were asked for.

        U* against U+ with their means, contribution against U+ by cluster, and boxes of the top by
        U+; with entropy or a score of one's own, the contribution against it; with a prediction,
        its ROC curves.
        """
        from singleout.methods.qar.contribution_chart import pictures

        return pictures(self)

    @property
    def cluster_in_words(self) -> str:
        """What puts a record into the cluster."""
        if self.rank is None:
            return say("contributions.cluster.no_rank")
        name = self.rank_quasi_identifier
        if self.rank.ties == 1:
            return say("contributions.cluster.single", name=name)
        needed, ties = self.rank.needed, self.rank.ties
        return say("contributions.cluster.tied", name=name, needed=needed, ties=ties)

    def __str__(self) -> str:
        most = self.order[0]
        return say(
            "contributions.summary" if self.lowering else "contributions.summary_none",
            risk=figure(self.risk, ".4f"),
            lowering=count(self.lowering),
            records=count(self.records),
            most=in_figures(self.contribution[most], 3),
            record=self.record[most],
        )

    def _shown(self) -> pl.DataFrame:
        return self.top()


def _with_correlations(rows: list[dict[str, Any]]) -> pl.DataFrame:
    from singleout.core.frames import pl

    # they may be null in every row
    return pl.DataFrame(rows, schema_overrides={"pearson": pl.Float64, "kendall": pl.Float64})


def _correlated(
    one: NDArray[Any], other: NDArray[Any], people: I64 | None
) -> dict[str, float | None]:
    """Return Pearson's and Kendall's correlation; None where one of them does not vary."""
    from scipy.stats import kendalltau

    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return {"pearson": None, "kendall": None}
    if people is None and len(one) == 2:  # scipy divides by the number of records less two
        people = np.ones(2, dtype=np.int64)
    if people is not None:
        return {
            "pearson": weighted.pearson(one, other, people),
            "kendall": weighted.kendall(one, other, people),
        }
    # the p-value is not asked for, and its exact form would take long
    kendall = kendalltau(one, other, method="asymptotic").statistic
    return {"pearson": float(np.corrcoef(one, other)[0, 1]), "kendall": float(kendall)}
