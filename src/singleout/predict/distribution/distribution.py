"""The distribution of people over the possible cells, which every prediction starts from.

A cell is a value of the quasi-identifier, such as an age or a combination of age and sex. Only how
many cells have each probability matters, not which: if probabilities come from n counted people,
at most sqrt(2 n) of them differ, so that most predictions cost no more than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.people import (
    MOST_POSSIBLE,
    check_people,
    draws_without_replacement,
    is_real_number,
    readable_cells,
)
from singleout.predict.distribution.sources import (
    counted_cells,
    has_set_sizes,
    margin_cells,
    named_numbers,
    normalised,
    number_of_cells,
    scipy_cells,
    whole_counts,
)
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.distribution.summaries import Summary

__all__ = ["Distribution", "as_distribution", "check_people", "draws_without_replacement"]


@dataclass(frozen=True, eq=False)
class Distribution(Result):
    """How likely each cell is, in groups of cells that are equally likely.

    Made by `from_counts`, `from_probabilities`, `equally_likely`, `from_table`, `from_scipy` or
    `from_summary`.

    Parameters
    ----------
    probabilities
        The different positive probabilities of a cell, descending.
    multiplicity
        How many cells have each; for some stand-ins made from a summary not a whole number.
    cells
        N: how many cells are possible, those of probability 0 included; may be infinite.
    counts
        The counts behind the probabilities, in the same order; None if not made from counts.
    population
        The sum of the counts over all cells; None if not made from counts.
    names
        What the cells are called, if known: in the order they were given.
    cell_probabilities
        The probability of each named cell, in the order of the names.
    notes
        What a reader should know, one sentence each.
    summary
        All that is known, if this is a stand-in for a distribution of which there is only a
        summary; None otherwise.
    """

    probabilities: F64
    multiplicity: I64 | F64
    cells: float
    counts: I64 | None = None
    population: int | None = None
    names: Sequence[Any] | None = field(default=None, repr=False)
    cell_probabilities: F64 | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    summary: Summary | None = None

    def __post_init__(self) -> None:
        for array in (self.probabilities, self.multiplicity, self.counts, self.cell_probabilities):
            if array is not None:
                array.flags.writeable = False

    # ---- ways to make one

    @classmethod
    @framed
    def from_counts(cls, counts: Any, cells: float | None = None) -> Distribution:
        """Take the distribution of a counted population.

        Parameters
        ----------
        counts
            How many people are in each cell: whole numbers, or such numbers by name.
        cells
            How many cells are possible; by default as many as have a number.

        Examples
        --------
        >>> from singleout.predict import Distribution
        >>> ages = Distribution.from_counts([30, 20, 20, 0])
        >>> ages.support, ages.cells, ages.population
        (3, 4, 70)
        """
        names, numbers = named_numbers(counts, "counts")
        return _of_counts(whole_counts(numbers), cells, names)

    @classmethod
    def from_probabilities(cls, probabilities: Any, cells: float | None = None) -> Distribution:
        """Take the probabilities of the cells as they are; a table of any shape will do.

        Parameters
        ----------
        probabilities
            The probability of each cell, or probabilities by name; they sum to 1.
        cells
            How many cells are possible; by default as many as have a number.

        Examples
        --------
        >>> from singleout.predict import Distribution
        >>> round(Distribution.from_probabilities([0.5, 0.25, 0.25]).entropy, 3)
        1.5
        """
        names, numbers = named_numbers(probabilities, "probabilities")
        return _of_shares(numbers, cells, names)

    @classmethod
    def equally_likely(cls, cells: float) -> Distribution:
        """Take so many cells, all of the same probability.

        Parameters
        ----------
        cells
            How many: a whole number of 1 or more.

        Examples
        --------
        >>> from singleout.predict import Distribution
        >>> Distribution.equally_likely(95).largest == 1 / 95
        True
        """
        if not (is_real_number(cells) and cells >= 1 and float(cells).is_integer()):
            raise BadChoice(f"cells must be a whole number of 1 or more, not {cells!r}.")
        if cells > MOST_POSSIBLE:
            raise BadChoice(f"cells must be at most {MOST_POSSIBLE:g}, not {cells:g}.")
        # a whole number of 64 bits holds every number of cells that a float holds exactly
        exact = int(cells) if cells < 2**53 else float(cells)
        return cls(np.array([1 / cells]), np.array([exact]), exact)

    @classmethod
    @framed
    def from_table(
        cls,
        data: Any,
        columns: Sequence[str] | str | None = None,
        *,
        counts: str | None = None,
        shares: str | None = None,
        cells: float | None = None,
        engine: Any = None,
        where: Any = None,
    ) -> Distribution:
        """Take the distribution of data in hand, such as last year's survey or a census table.

        Parameters
        ----------
        data
            A path, a data frame, a `Table`, the `Counts` of one or its `AnonymitySets`; or data
            that is elsewhere, see `singleout.read`. Each record is a person, or a cell if
            ``counts`` or ``shares`` is given.
        columns
            The columns that make a cell. If not given, those that have the role of
            quasi-identifier; with ``counts`` or ``shares``, all others.
        counts, shares
            The column that holds how many people each cell has, or which share of all.
        cells
            How many cells are possible; by default as many as were observed.
        engine
            What counts data that is elsewhere: ``local``, ``database``, ``spark``, a `Database` or
            a `Spark`; chosen by the data if not given.
        where
            The condition that records must meet, as text: ``"age >= 18"``.

        Examples
        --------
        >>> from singleout.predict import Distribution
        >>> census = {"sex": ["f", "m"], "people": [510, 490]}
        >>> Distribution.from_table(census, counts="people").population
        1000
        """
        if counts is None and shares is None:
            sizes, names, notes = counted_cells(data, columns, engine=engine, where=where)
            return _of_counts(sizes, cells, names, notes)
        numbers, names, notes = margin_cells(
            data, columns, counts, shares, engine=engine, where=where
        )
        if counts is not None:
            return _of_counts(whole_counts(numbers), cells, names, notes)
        return _of_shares(numbers, cells, names)

    @classmethod
    def from_scipy(cls, distribution: Any, width: float, offset: float = 0.0) -> Distribution:
        """Cut a distribution of scipy into cells of the same width.

        Parameters
        ----------
        distribution
            A frozen distribution, such as ``scipy.stats.norm(170, 10)``.
        width
            How wide a cell is: 1 for centimetres, 12 for years of a quantity in months.
        offset
            Where one of the cells begins; the others follow to both sides.

        Examples
        --------
        >>> from scipy import stats
        >>> from singleout.predict import Distribution
        >>> round(Distribution.from_scipy(stats.norm(170, 10), width=5).largest, 4)
        0.1915
        """
        shares, multiplicity, possible, notes = scipy_cells(distribution, width, offset)
        return _grouped(shares, multiplicity, possible, notes=notes)

    @classmethod
    def from_summary(
        cls,
        *,
        cells: float,
        kl: float | None = None,
        power_sums: Sequence[float] | None = None,
    ) -> Distribution:
        """Take a stand-in with the same summary, where no more is published.

        From the distance or from sums of powers; or from the distance, s2 and s3 together, as the
        records of a repository have them: then numbers that noise made impossible are replaced by
        the nearest possible ones, and a note says so.

        Predictions for it warn that they are those of a stand-in, and give the least and the most
        unique people that any distribution with this summary has.

        Parameters
        ----------
        cells
            N: how many cells are possible.
        kl
            The Kullback-Leibler distance to the uniform distribution over them, in nats.
        power_sums
            The sums of the squares, cubes and so on of the probabilities, from the square on.

        Examples
        --------
        >>> from singleout.predict import Distribution
        >>> stand_in = Distribution.from_summary(cells=95, power_sums=[0.012, 0.00016])
        >>> round(stand_in.power_sum(2), 6)
        0.012
        """
        from singleout.predict.distribution.summaries import Summary
        from singleout.predict.distribution.surrogate import surrogate_from_kl
        from singleout.predict.distribution.two_levels import stand_in_from_both
        from singleout.predict.distribution.whole_cells import stand_in_from_power_sums

        if kl is not None and power_sums is not None:
            (shares, multiplicity, notes), known = stand_in_from_both(cells, kl, power_sums)
            summary = Summary(float(cells), known.kl, known.power_sums)
        elif kl is not None:
            shares, multiplicity, notes = surrogate_from_kl(cells, kl)
            summary = Summary(float(cells), kl=float(kl))
        elif power_sums is not None:
            shares, multiplicity, notes = stand_in_from_power_sums(cells, power_sums)
            summary = Summary(float(cells), power_sums=tuple(float(each) for each in power_sums))
        else:
            raise BadChoice(
                "A summary is kl=, the Kullback-Leibler distance, or power_sums=, the sums of "
                "squares, cubes and so on, or both; give one at least."
            )
        stand_in = _grouped(shares, multiplicity, cells, notes=tuple(notes))
        if len(stand_in.probabilities) == 1:  # the only distribution with this summary
            return stand_in
        return replace(stand_in, summary=summary)

    # ---- measures

    @property
    def has_whole_cells(self) -> bool:
        """Whether each probability belongs to a whole number of cells, as it does in real data."""
        return bool((self.multiplicity == np.rint(self.multiplicity)).all())

    @property
    def support(self) -> float:
        """M: how many cells have a positive probability."""
        total = self.multiplicity.sum()
        return int(total) if float(total).is_integer() else float(total)

    @property
    def largest(self) -> float:
        """The probability of the most likely cell."""
        return float(self.probabilities[0])

    def power_sum(self, order: float) -> float:
        """Return the sum over all cells of the probability to this power."""
        return float((self.multiplicity * self.probabilities**order).sum())

    @cached_property
    def entropy(self) -> float:
        """Shannon's entropy, in bits."""
        shares = self.probabilities
        return float(-(self.multiplicity * shares * np.log2(shares)).sum()) + 0.0

    @cached_property
    def kl(self) -> float:
        """The Kullback-Leibler distance to the uniform distribution over all cells, in nats."""
        if not math.isfinite(self.cells):
            return float("inf")
        shares = self.probabilities
        # relative to uniform: near it the logarithms are small, and little cancels
        return max(0.0, float((self.multiplicity * shares * np.log(shares * self.cells)).sum()))

    @property
    def chi2(self) -> float:
        """N times the sum of the squares, less 1: 0 for the uniform distribution."""
        return max(0.0, self.cells * self.power_sum(2) - 1)

    @property
    def is_uniform(self) -> bool:
        """Whether all possible cells are equally likely."""
        return len(self.probabilities) == 1 and self.support == self.cells

    @cached_property
    def _index(self) -> dict[Any, int]:
        return {name: index for index, name in enumerate(self.names or ())}

    def probability_of(self, cell: Any) -> float:
        """Return how likely a cell is, by its name."""
        if self.names is None or self.cell_probabilities is None:
            raise UndefinedMeasure(
                "The cells of this distribution have no names; give the probability of the cell, "
                "or make the distribution from a table or from numbers by name."
            )
        if cell not in self._index:
            shown = ", ".join(repr(name) for name in list(self.names[:5]))
            more = ", …" if len(self.names) > 5 else ""
            raise BadChoice(f"There is no cell {cell!r}; the cells are: {shown}{more}.")
        return float(self.cell_probabilities[self._index[cell]])

    # ---- output

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain values that JSON can hold; None where infinite."""
        finite = math.isfinite(self.cells)
        return {
            "cells": self.cells if finite else None,
            "support": self.support,
            "population": self.population,
            "largest": self.largest,
            "entropy_bits": self.entropy,
            "kl_nats": self.kl if finite else None,
            "chi2": self.chi2 if finite else None,
            "s2": self.power_sum(2),
            "s3": self.power_sum(3),
            "summary": None if self.summary is None else self.summary.to_dict(),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return the groups of equally likely cells, the most likely first."""
        from singleout.core.frames import pl

        columns = {"probability": self.probabilities, "cells": self.multiplicity}
        return pl.DataFrame(columns if self.counts is None else {"count": self.counts, **columns})

    def __str__(self) -> str:
        numbers = {
            "cells": readable_cells(self.cells),
            "largest": self.largest,
            "bits": self.entropy,
        }
        if self.population is None:
            return say("predict.distribution.says", **numbers)
        return say("predict.distribution.says_counted", people=self.population, **numbers)


def as_distribution(source: Any) -> Distribution:
    """Return the `Distribution` of a table, of counts, of anonymity sets or of probabilities."""
    from singleout.core.counts import Counts
    from singleout.core.table import Table

    if isinstance(source, Distribution):
        return source
    if isinstance(source, Counts | Table) or has_set_sizes(source):
        return Distribution.from_table(source)
    if hasattr(source, "cdf") and hasattr(source, "ppf"):
        raise BadChoice(
            "A distribution of scipy has no cells; say how wide they are with "
            "Distribution.from_scipy(distribution, width)."
        )
    if hasattr(source, "columns"):
        raise BadChoice(
            f"A {type(source).__name__} is data and not a distribution; say which columns make a "
            "cell with Distribution.from_table(data, columns)."
        )
    return Distribution.from_probabilities(source)


def _of_counts(
    counts: I64,
    cells: float | None,
    names: Sequence[Any] | None,
    notes: tuple[str, ...] = (),
) -> Distribution:
    possible = number_of_cells(cells, counts)
    population = int(counts.sum())
    different, multiplicity = np.unique(counts[counts > 0], return_counts=True)
    different = different[::-1].astype(np.int64)
    return Distribution(
        different / population,
        multiplicity[::-1].astype(np.int64),
        possible,
        different,
        population,
        names,
        None if names is None else counts / population,
        notes,
    )


def _of_shares(numbers: F64, cells: float | None, names: Sequence[Any] | None) -> Distribution:
    shares, notes = normalised(numbers)
    possible, positive = number_of_cells(cells, shares), shares[shares > 0]
    ones = np.ones(len(positive), dtype=np.int64)
    return _grouped(positive, ones, possible, names, None if names is None else shares, notes)


def _grouped(
    shares: F64,
    multiplicity: NDArray[Any],
    cells: float,
    names: Sequence[Any] | None = None,
    cell_probabilities: F64 | None = None,
    notes: tuple[str, ...] = (),
) -> Distribution:
    """Group equally likely cells, the most likely first."""
    different, group = np.unique(np.asarray(shares, dtype=np.float64), return_inverse=True)
    times = np.bincount(group, weights=multiplicity, minlength=len(different))[::-1]
    if (times == np.round(times)).all() and times.max() < 2.0**62:
        times = times.astype(np.int64)
    whole = int(cells) if math.isfinite(cells) and float(cells).is_integer() else float(cells)
    return Distribution(
        different[::-1].copy(), times.copy(), whole, None, None, names, cell_probabilities, notes
    )
