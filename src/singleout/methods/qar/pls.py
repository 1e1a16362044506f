"""Can a record's values predict whether it adds to the risk? Béra et al. (2023), section 3.5.

Partial least squares with three factors, the columns as ordinal codes, and a response of 1 for a
record whose removal lowers the risk and 0 for the others. Three quarters of the records, drawn by
chance, train the model and the others test it. How well it tells the two kinds apart is the area
under the ROC curve: 0.5 is no better than chance, 1 is without error.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, Flags
from singleout.core.memory import require_memory
from singleout.core.results import ResultPart, read_only
from singleout.errors import MissingDependency
from singleout.report.say import say

__all__ = ["PartialLeastSquares", "Terms", "area_under_curve", "partial_least_squares"]

FACTORS = 3
TRAINED = 0.75  # records that train the model / all records

_SLICE = 1 << 16  # records predicted at a time
_COPIES = 4  # of the terms that scikit-learn holds at its peak


class Terms(StrEnum):
    """What the columns enter the model as."""

    LINEAR = "linear"  # each column
    QUADRATIC = "quadratic"  # also squares, and products of two columns


@dataclass(frozen=True, eq=False)
class PartialLeastSquares(ResultPart):
    """What the model predicts, and how well.

    Parameters
    ----------
    terms
        What the columns entered the model as.
    factors
        How many factors the model has; 0 if there was nothing to learn.
    score
        For each record the predicted response: the larger, the more likely its removal lowers
        the risk.
    trained
        How many records trained the model.
    cutoff
        The mean response of these: what a record with average chances would score.
    auc_train, auc_test
        Area under the ROC curve on the records that trained the model and on the others; None
        where all responses are the same.
    notes
        What a reader should know, one sentence each.
    """

    terms: Terms
    factors: int
    score: F64 = field(repr=False)
    trained: int
    cutoff: float
    auc_train: float | None
    auc_test: float | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read_only(self.score)

    @property
    def lowers(self) -> Flags:
        """For each record whether its removal is predicted to lower the risk.

        That is where the score is above the cutoff. A cutoff of one half would tell nobody apart
        where few records lower the risk: the score of a rare response seldom reaches it.
        """
        return self.score > self.cutoff

    def to_dict(self) -> dict[str, Any]:
        """Return how the model did, as plain values that JSON can hold."""
        return {
            "terms": str(self.terms),
            "factors": self.factors,
            "records_trained": self.trained,
            "records_tested": len(self.score) - self.trained,
            "auc_train": self.auc_train,
            "auc_test": self.auc_test,
            "predicted_to_lower": int(self.lowers.sum()),
        }


def partial_least_squares(
    columns: Sequence[NDArray[Any]],
    contribution: F64,
    terms: Terms,
    rng: np.random.Generator,
) -> PartialLeastSquares:
    """Learn from some records whether the removal of a record lowers the risk; predict it for all.

    ``columns`` are codes in the order of the values, and ``contribution`` is by how much the
    removal of each record lowers the risk.
    """
    regression = _regression()
    response = (contribution > 0).astype(np.float64)
    records = len(response)
    order = rng.permutation(records)
    train, test = np.split(order, [max(1, round(TRAINED * records))])
    design = _Design(columns, terms)
    require_memory(
        8 * _COPIES * len(train) * len(design),
        f"Learning from {len(train):,} records with {len(design):,} terms",
    )
    known = response[train]
    learnt = design.rows(train)
    varying = np.flatnonzero(np.ptp(learnt, axis=0) > 0)
    if len(varying) == 0 or np.ptp(known) == 0:
        score = np.full(records, known.mean())
        why = "same_values" if len(varying) == 0 else "same_response"
        notes = (say(f"contributions.notes.{why}"),)
        return PartialLeastSquares(terms, 0, score, len(train), float(score[0]), None, None, notes)
    factors = min(FACTORS, len(varying), len(train))
    model = regression(n_components=factors)
    with warnings.catch_warnings():
        # fewer factors than asked for may explain all there is to explain
        warnings.filterwarnings("ignore", message="[yY] residual is constant at iteration")
        model.fit(learnt[:, varying], known)
    score = np.empty(records, dtype=np.float64)
    for begin in range(0, records, _SLICE):
        part = np.arange(begin, min(begin + _SLICE, records))
        score[part] = np.ravel(model.predict(design.rows(part)[:, varying]))
    return PartialLeastSquares(
        terms,
        factors,
        score,
        len(train),
        float(known.mean()),
        area_under_curve(score[train], known > 0),
        area_under_curve(score[test], response[test] > 0),
    )


def area_under_curve(score: F64, positive: Flags) -> float | None:
    """Return how often a positive record has the larger score, ties half; None without a pair.

    >>> area_under_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    many = int(positive.sum())
    others = len(positive) - many
    if many == 0 or others == 0:
        return None
    from scipy.stats import rankdata  # slow to load, and seldom needed

    ranks = rankdata(score)[positive].sum()
    return float((ranks - many * (many + 1) / 2) / (many * others))


class _Design:
    """The terms of the model, made for some records at a time."""

    def __init__(self, columns: Sequence[NDArray[Any]], terms: Terms) -> None:
        self._columns = columns
        width = range(len(columns))
        self._products = (
            list(combinations_with_replacement(width, 2)) if terms == Terms.QUADRATIC else []
        )

    def __len__(self) -> int:
        return len(self._columns) + len(self._products)

    def rows(self, records: NDArray[Any]) -> F64:
        """Return the terms of some records, one row for each record."""
        answer = np.empty((len(records), len(self)), dtype=np.float64)
        for term, column in enumerate(self._columns):
            answer[:, term] = column[records]
        for term, (one, other) in enumerate(self._products, start=len(self._columns)):
            answer[:, term] = answer[:, one] * answer[:, other]
        return answer


def _regression() -> Any:
    try:
        from sklearn.cross_decomposition import PLSRegression
    except ImportError:
        raise MissingDependency(
            "Partial least squares needs scikit-learn, which is not installed: "
            "pip install 'singleout[pls]'."
        ) from None
    return PLSRegression
