"""Can original and treated records be told apart? The propensity score mean squared error.

A logistic regression on all columns guesses which table a record comes from; pMSE is the mean
squared distance of its guesses from the share of treated records. Snoke et al. (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import I64
from singleout.treatment.utility.common import Common, reduced
from singleout.treatment.utility.fitting import Design, fit_logistic

__all__ = ["MOST_RECORDS", "Propensity", "propensity"]

MOST_RECORDS = 20_000  # of each table; more are drawn by chance
_CATEGORIES = 8
_RIDGE = 1e-5  # of the number of records
_CLOSE = 1e-5


@dataclass(frozen=True)
class Propensity:
    """How well a model tells treated records from original ones.

    Parameters
    ----------
    pmse
        Mean squared distance of the guesses from the share of treated records: 0 if they cannot
        be told apart, .25 if always.
    expected
        What it would be by chance if the treated records were drawn anew, with replacement, from
        the original ones.
    parameters
        How many effects the model has.
    records
        Records looked at, of both tables.
    """

    pmse: float
    expected: float
    parameters: int
    records: int

    @property
    def ratio(self) -> float | None:
        """Pmse / what is expected by chance; None where the model has no effects."""
        return self.pmse / self.expected if self.expected > 0 else None


def propensity(columns: Sequence[Common], rng: np.random.Generator, *, aligned: bool) -> Propensity:
    """Return how well all columns together tell the two tables apart."""
    before, after = len(columns[0].before), len(columns[0].after)
    chosen = _drawn(before, rng)
    others = chosen if aligned else _drawn(after, rng)
    design = _one_hot(columns, chosen, others)
    is_treated = np.repeat([0.0, 1.0], [len(chosen), len(others)])
    share, total = float(is_treated.mean()), len(is_treated)
    each = np.ones(total)
    fit = fit_logistic(design, is_treated, each, ridge=_RIDGE * total, close=_CLOSE)
    rank = int(np.linalg.matrix_rank(design.products(each, each)[0], hermitian=True))
    expected = (rank - 1) * (1 - share) ** 2 * share / total
    pmse = float(((fit.fitted - share) ** 2).mean())
    return Propensity(pmse, expected, rank - 1, total)


def _drawn(records: int, rng: np.random.Generator) -> I64:
    """Return all records, or so many drawn by chance, in their order."""
    if records <= MOST_RECORDS:
        return np.arange(records, dtype=np.int64)
    return np.sort(rng.choice(records, MOST_RECORDS, replace=False)).astype(np.int64)


def _one_hot(columns: Sequence[Common], chosen: I64, others: I64) -> Design:
    """Return a constant, and an effect for each category but the first of each column."""
    slots, width = [np.zeros(len(chosen) + len(others), dtype=np.int32)], 1
    for column in columns:
        before, after, size = reduced(column, _CATEGORIES)
        codes = np.concatenate([before[chosen], after[others]])
        there = np.flatnonzero(np.bincount(codes, minlength=size))
        effect = np.full(size, -1, dtype=np.int32)
        effect[there[1:]] = width + np.arange(len(there) - 1)
        width += len(there) - 1
        slots.append(effect[codes])
    effects = np.ascontiguousarray(np.stack(slots, axis=1))
    return Design(effects, np.ones(effects.shape), width)
