"""Special uniques as a result to look at. Elliot, Manning, Mayes, Gurd and Bane (2005).

A record that is alone with its values in a few columns is riskier than one that is alone only when
all columns are combined: it is a special unique. Every smallest set of columns that singles it out,
a minimal sample unique (MSU), adds to its score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I32, I64
from singleout.core.memory import require_memory
from singleout.core.results import Result, read_only
from singleout.core.table import Table
from singleout.core.wording import count, in_figures, percent
from singleout.errors import UndefinedMeasure
from singleout.kernels.uniques.search import MinimalUniques, minimal_uniques_of
from singleout.methods.groups import Grouped
from singleout.methods.suda.breakdown import by_value, by_variable
from singleout.methods.suda.measure import (
    MOST_VARIABLES_OF_DIS_SCORES,
    Scoring,
    dis,
    dis_scores,
    shares_of_lattice,
    weighted,
    weights,
)
from singleout.methods.suda.reasons import reason, reasons_in_words
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["MissingCells", "Suda", "never_codes"]


class MissingCells(StrEnum):
    """What a missing value means when records are compared."""

    VALUE = "value"  # missing is a value like another
    NEVER = "never"  # a missing cell is never part of an MSU
    DROP = "drop"  # records with a missing key are left out, and counted


@dataclass(frozen=True, eq=False)
class Suda(Grouped, Result):
    """The minimal sample uniques (MSUs) of a table: scores, contributions and reasons.

    Parameters
    ----------
    table
        The columns that were combined, without the records that were dropped.
    record
        The number of each record in the data, from 1.
    found
        How many MSUs of each size each record has, and how many of them hold each column.
    max_size
        M: the largest size that was searched.
    unique
        U: records that are unique on all columns.
    in_pairs
        P: records whose combination of all columns one other record shares.
    scoring
        What an MSU of each size weighs.
    missing
        What a missing value meant.
    sampling_fraction
        f: the share of the population that is in the sample; None if it was not given.
    listed
        Whether the MSUs themselves were kept, and not only counted.
    dropped
        Records left out because a value is missing.
    by
        The columns of the groups.
    groups
        The same within the records of each group, by its value; records keep their numbers.
    notes
        What a reader should know, one sentence each.
    """

    table: Table = field(repr=False)
    record: I64 = field(repr=False)
    found: MinimalUniques = field(repr=False)
    max_size: int
    unique: int
    in_pairs: int
    scoring: Scoring = Scoring.LATTICE
    missing: MissingCells = MissingCells.VALUE
    sampling_fraction: float | None = None
    listed: bool = False
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, Suda] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.record)

    # ---- the table

    @property
    def records(self) -> int:
        """How many records were compared; those dropped are not among them."""
        return self.table.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were combined."""
        return self.table.columns

    @cached_property
    def counts_by_size(self) -> I32:
        """For each record (row) how many MSUs of size 1, 2, … M it has."""
        return read_only(self.found.by_size)

    @property
    def special_uniques(self) -> I64:
        """The numbers of the records that are unique on all columns and on fewer of them.

        Those that an MSU of a size up to M shows; a larger M may find more.
        """
        smaller = self.counts_by_size[:, : len(self.columns) - 1]
        return self.record[smaller.any(axis=1)]

    @property
    def with_uniques(self) -> int:
        """How many records have an MSU of a size up to M."""
        return int(self.counts_by_size.any(axis=1).sum())

    @property
    def uniques(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """All MSUs, one after the other: the number of the record, and the columns.

        Only if they were asked for with ``list_uniques``: there can be very many.
        """
        if not self.listed:
            raise UndefinedMeasure(
                "The minimal uniques were counted, not listed; ask for the list with "
                "list_uniques=True, or look at the riskiest records with risky()."
            )
        return self._uniques()

    def _uniques(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        names: dict[int, tuple[str, ...]] = {}
        for records, masks in self.found.listed():
            for number, mask in zip(self.record[records].tolist(), masks.tolist(), strict=True):
                if mask not in names:
                    names[mask] = tuple(
                        name for bit, name in enumerate(self.columns) if mask >> bit & 1
                    )
                yield number, names[mask]

    # ---- scores of records

    @property
    def weights(self) -> F64:
        """What an MSU of size 1, 2, … M weighs."""
        return weights(len(self.columns), self.max_size, self.scoring)

    @cached_property
    def score(self) -> F64:
        """The score of each record: the weights of its MSUs, added up. It depends on M."""
        return read_only(weighted(self.counts_by_size.T, self.weights))

    @cached_property
    def proportion_of_lattice(self) -> F64:
        """The score of the scoring ``lattice`` as a share of all m! paths through the lattice.

        The paths are those from the record's MSUs down, one column more at each step. The same
        whichever scoring was chosen.
        """
        shares = shares_of_lattice(len(self.columns), self.max_size)
        return read_only(weighted(self.counts_by_size.T, shares))

    @property
    def dis(self) -> float:
        """How often a match with a unique record is right, for the file as a whole (DIS)."""
        return dis(self.unique, self.in_pairs, self._fraction)

    @cached_property
    def dis_score(self) -> F64:
        """For each record how sure an intruder may be of a match with it (DIS-SUDA)."""
        variables = len(self.columns)
        return read_only(dis_scores(self.score, variables, self.in_pairs, self._fraction))

    @property
    def has_dis_score(self) -> bool:
        """Whether DIS-SUDA is defined: there is a sampling fraction, and at most 28 columns."""
        few = len(self.columns) <= MOST_VARIABLES_OF_DIS_SCORES
        return few and self.sampling_fraction is not None

    @property
    def _fraction(self) -> float:
        if self.sampling_fraction is None:
            raise UndefinedMeasure(
                "DIS needs to know which share of the population is in the data; give it as "
                "sampling_fraction, 0.05 for one person in twenty."
            )
        return self.sampling_fraction

    # ---- where the risk comes from

    @cached_property
    def contributions(self) -> F64:
        """For each record (row) and column the share of its score from MSUs that hold the column.

        An MSU counts for all of its columns, so a row adds up to more than 1. Where the score is 0,
        so are the contributions.
        """
        parts = self._weighted_by_variable()
        parts /= np.where(self.score > 0, self.score, 1.0)[:, np.newaxis]
        return read_only(parts)

    def _weighted_by_variable(self) -> F64:
        """Return for each record (row) and column the weight of its MSUs that hold the column."""
        require_memory(
            16 * self.records * len(self.columns),
            f"What {len(self.columns)} columns contribute to {self.records:,} scores",
        )
        return weighted(self.found.by_variable, self.weights)

    @cached_property
    def counts_by_variable(self) -> I64:
        """For each column (row) how many MSUs of size 1, 2, … M hold it, over all records."""
        return read_only(self.found.by_variable.sum(axis=1, dtype=np.int64).T)

    @cached_property
    def variable_contributions(self) -> pl.DataFrame:
        """What each column contributes: ``share`` of the sum of all scores, and its MSUs by size.

        The share is that of MSUs which hold the column; an MSU counts for all of its columns.
        """
        return by_variable(self.columns, self.counts_by_variable, self.weights, self.total_score)

    @cached_property
    def value_contributions(self) -> pl.DataFrame:
        """What each value of each column contributes, and how many records have it.

        ``share`` is that of MSUs which hold the value in the sum of all scores, as in the paper;
        ``share_of_variable`` that in what the column contributes, as sdcMicro has it. Columns whose
        role is direct identifier are left out.
        """
        return by_value(self.table, self._weighted_by_variable(), self.total_score)

    @property
    def total_score(self) -> float:
        """The sum of all scores: the denominator of shares of the file."""
        # from whole numbers, as the shares of columns are
        return float(self.counts_by_size.sum(axis=0, dtype=np.int64) @ self.weights)

    # ---- who is at risk, and why

    def risky(self, n: int = 10, reasons: int = 3) -> pl.DataFrame:
        """Return the records with the highest scores, and what singles them out, in words.

        Records that no MSU was found for are not among them. The words hold values of the record.

        Parameters
        ----------
        n
            How many records.
        reasons
            How many MSUs to put into words for each, the smallest first.
        """
        n, reasons = whole(n, "n", at_least=0, of="records"), whole(reasons, "reasons")
        from singleout.core.frames import pl

        indexes = self._order[:n]
        words = [self._because(index, reasons) for index in indexes.tolist()]
        return self._measures(indexes).with_columns(pl.Series("because", words, dtype=pl.String))

    @cached_property
    def _order(self) -> I64:
        """Indexes of records with an MSU, highest score first; ties by MSUs, then as in data."""
        uniques = self.counts_by_size.sum(axis=1)
        some = np.flatnonzero(uniques)
        return some[np.lexsort((-uniques[some], -self.score[some]))]

    @cached_property
    def _known_sets(self) -> dict[int, list[tuple[int, ...]]]:
        """The MSUs of the records that were asked about, for they can take long to find."""
        return {}

    def _because(self, index: int, limit: int) -> str:
        columns = list(self.table)
        sets = self._known_sets.get(index)
        if sets is None:
            sets = self._known_sets[index] = minimal_uniques_of(
                [column.codes for column in columns],
                index,
                self.max_size,
                never=never_codes(self.table) if self.missing == MissingCells.NEVER else None,
            )
        shown = [reason([columns[c] for c in members], index) for members in sets[:limit]]
        return reasons_in_words(shown, len(sets) - len(shown))

    # ---- ways to look at it

    def _measures(self, indexes: I64 | slice) -> pl.DataFrame:
        """Return what there is to say about records, without the single columns."""
        from singleout.core.frames import pl

        parts: dict[str, Any] = {
            "record": self.record[indexes],
            "score": self.score[indexes],
            "max_size": np.full(len(self.record[indexes]), self.max_size),
            "proportion_of_lattice": self.proportion_of_lattice[indexes],
        }
        if self.has_dis_score:
            parts["dis_score"] = self.dis_score[indexes]
        for size in range(1, self.max_size + 1):
            parts[f"uniques_of_size_{size}"] = self.counts_by_size[indexes, size - 1]
        return pl.DataFrame(parts)

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each record: its number from 1, scores, MSUs and contributions.

        The largest size that was searched stands beside the score. The contribution of a column is
        its share of the record's score.
        """
        from singleout.core.frames import pl

        parts = [
            pl.Series(f"contribution of {name}", shares)
            for name, shares in zip(self.columns, self.contributions.T, strict=True)
        ]
        return self._measures(slice(None)).with_columns(parts)

    @property
    def summary(self) -> dict[str, Any]:
        """The run in plain values that JSON can hold; None where undefined."""
        sizes = range(1, self.max_size + 1)
        totals = self.counts_by_size.sum(axis=0, dtype=np.int64).tolist()
        return {
            "records": self.records,
            "dropped": self.dropped,
            "columns": list(self.columns),
            "max_size": self.max_size,
            "scoring": str(self.scoring),
            "weights": self.weights.tolist(),
            "missing": str(self.missing),
            "sampling_fraction": self.sampling_fraction,
            "dis": None if self.sampling_fraction is None else self.dis,
            "unique": self.unique,
            "in_pairs": self.in_pairs,
            "special_uniques": len(self.special_uniques),
            "records_with_uniques": self.with_uniques,
            "uniques_by_size": {str(k): n for k, n in zip(sizes, totals, strict=True)},
            "highest_score": float(self.score.max()),
            "total_score": self.total_score,
            "notes": list(self.notes),
        }

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return everything but the single records as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the riskiest records, and of the values that contribute most, to give.
        """
        risky = self.risky(top).to_dicts()
        values = self.value_contributions.sort("share", descending=True, maintain_order=True)
        answer = {
            **self.summary,
            "variable_contributions": self.variable_contributions.to_dicts(),
            "value_contributions": values.head(min(top, len(values))).to_dicts(),
            "risky": risky,
        }
        return self._with_groups(answer, top)

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: scores, what columns contribute, and at which sizes."""
        from singleout.methods.suda.chart import DrawnScores, pictures

        return pictures(
            DrawnScores(
                self.score,
                self.max_size,
                self.columns,
                self.variable_contributions["share"].to_numpy(),
                self.counts_by_variable,
                self.counts_by_size.sum(axis=0, dtype=np.int64),
            )
        )

    def __str__(self) -> str:
        sentence = say(
            "suda.summary",
            with_uniques=count(self.with_uniques),
            records=count(self.records),
            searched=say("suda.searched", n=self.max_size, columns=len(self.columns)),
            special=say("suda.special_uniques", n=len(self.special_uniques)),
        )
        if len(self._order):
            first = self._order[0]
            sentence += say(
                "suda.summary_highest",
                size=self.max_size,
                score=in_figures(self.score[first]),
                record=self.record[first],
            )
        if self.sampling_fraction is not None:
            sentence += say("suda.summary_dis", dis=percent(self.dis))
        return sentence

    def _shown(self) -> pl.DataFrame:
        return self.risky()


def never_codes(table: Table) -> list[int]:
    """Return for each column the code that takes part in no MSU: that of missing, or -1."""
    return [-1 if column.missing_code is None else column.missing_code for column in table]
