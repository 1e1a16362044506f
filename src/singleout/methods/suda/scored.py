"""Records with their minimal sample uniques, scores and what columns and values contribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.core.memory import require_memory
from singleout.core.results import Result, read_only
from singleout.core.table import Table
from singleout.errors import UndefinedMeasure
from singleout.kernels.uniques.search import MinimalUniques
from singleout.methods.groups import Grouped
from singleout.methods.suda.breakdown import by_set, by_value, by_variable, members
from singleout.methods.suda.measure import (
    MOST_VARIABLES_OF_DIS_SCORES,
    Scoring,
    dis,
    shares_of_lattice,
    weighted,
    weights,
)
from singleout.methods.suda.missing import MissingCells

if TYPE_CHECKING:
    import polars as pl

    from singleout.methods.suda.result import Suda
    from singleout.methods.suda.validation import Validation

__all__ = ["Scored"]


@dataclass(frozen=True, eq=False)
class Scored(Grouped, Result):
    """The minimal sample uniques (MSUs) of a table and their scores; see `Suda`."""

    table: Table = field(repr=False)
    record: I64 = field(repr=False)
    found: MinimalUniques = field(repr=False)
    max_size: int
    unique: int
    in_pairs: int
    scoring: Scoring = Scoring.LATTICE
    missing: MissingCells = MissingCells.VALUE
    sampling_fraction: float | None = None
    chosen: bool = False
    threshold: float | None = None
    validation: Validation | None = None
    listed: bool = False
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, Suda] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()
    people: I64 | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        read_only(self.record)

    # ---- the table

    @property
    def records(self) -> int:
        """How many records were compared; those dropped are not among them."""
        return self.table.rows if self.people is None else int(self.people.sum())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were combined."""
        return self.table.columns

    @cached_property
    def counts_by_size(self) -> I32:
        """For each record (row) how many MSUs of size 1, 2, … M it has."""
        return read_only(self.found.by_size)

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
                    names[mask] = members(mask, self.columns)
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
            16 * self.table.rows * len(self.columns),
            f"What {len(self.columns)} columns contribute to {self.table.rows:,} scores",
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
        parts = self._weighted_by_variable()
        return by_value(self.table, parts, self.total_score, self.people)

    @cached_property
    def set_contributions(self) -> pl.DataFrame:
        """What each set of columns contributes, the largest ``share`` of all scores first.

        An MSU counts for its own set only, so the shares add up to 1. ``records`` is how many have
        the set as an MSU.
        """
        return by_set(self.columns, self.found.by_set, self.weights, self.total_score)

    @property
    def total_score(self) -> float:
        """The sum of all scores: the denominator of shares of the file."""
        # from whole numbers, as the shares of columns are
        return float(self.counts_by_size.sum(axis=0, dtype=np.int64) @ self.weights)
