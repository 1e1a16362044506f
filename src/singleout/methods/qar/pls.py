"""Can a record's values predict whether it adds to the risk? Béra et al. (2023), section 3.5.

Partial least squares with three factors, the columns as ordinal codes, and a response of 1 for a
record whose removal lowers the risk and 0 for the others; or the contribution itself. Three
quarters of the records, drawn by chance, train the model and the others test it. How well it tells
the two kinds apart is the area under the ROC curve: 0.5 is no better than chance, 1 is without
error. How much of the response it explains is R²: 0 is no better than the mean, 1 is all of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import share, whole
from singleout.core.arrays import F64, Flags
from singleout.core.choices import choose
from singleout.core.memory import require_memory
from singleout.core.results import ResultPart, read_only
from singleout.errors import BadChoice, MissingDependency
from singleout.methods.qar.roc import area_under_curve, explained, roc_curve
from singleout.report.say import say

__all__ = [
    "Model",
    "PartialLeastSquares",
    "Response",
    "Terms",
    "chosen_model",
    "partial_least_squares",
]

FACTORS = 3
TRAINED = 0.75  # records that train the model / all records

_SLICE = 1 << 16  # records predicted at a time
_COPIES = 4  # of the terms that scikit-learn holds at its peak


class Terms(StrEnum):
    """What the columns enter the model as."""

    LINEAR = "linear"  # each column
    QUADRATIC = "quadratic"  # also squares, and products of two columns


class Response(StrEnum):
    """What the model predicts."""

    SIGN = "sign"  # 1 for a record whose removal lowers the risk, 0 for the others
    CONTRIBUTION = "contribution"  # by how much it lowers it


@dataclass(frozen=True)
class Model:
    """What is to be fitted."""

    terms: Terms = Terms.LINEAR
    response: Response = Response.SIGN
    factors: int = FACTORS
    train: float = TRAINED


def chosen_model(
    pls: str | None,
    response: str | None = None,
    factors: int | None = None,
    train: float | None = None,
) -> Model | None:
    """Return the model that is asked for, if one is; refuse choices for one that is not."""
    if pls is None:
        given = {"response": response, "factors": factors, "train": train}
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise BadChoice(
                f"{idle[0]} has a meaning for partial least squares only; ask for it with pls, "
                "linear or quadratic."
            )
        return None
    return Model(
        choose(Terms, pls, "kind of terms for pls"),
        Response.SIGN if response is None else choose(Response, response, "response for pls"),
        FACTORS if factors is None else whole(factors, "factors"),
        TRAINED if train is None else share(train, "train"),
    )


@dataclass(frozen=True, eq=False)
class PartialLeastSquares(ResultPart):
    """What the model predicts, and how well.

    Parameters
    ----------
    terms
        What the columns entered the model as.
    response
        What it predicts: ``sign``, whether the removal of a record lowers the risk, or
        ``contribution``, by how much.
    factors
        How many factors the model has; 0 if there was nothing to learn.
    score
        For each record the predicted response: the larger, the more likely its removal lowers
        the risk.
    in_training
        For each record whether it trained the model.
    positive
        For each record whether its removal does lower the risk.
    cutoff
        The score above which a removal is predicted to lower the risk: the mean response of the
        records that trained the model, which is what a record with average chances would score; 0
        if the response is the contribution.
    r2_train, r2_test
        R²: the share of the variance of the response that the score explains, on the records that
        trained the model and on the others; below 0 where the mean would predict better, None
        where all responses are the same.
    notes
        What a reader should know, one sentence each.
    """

    terms: Terms
    response: Response
    factors: int
    score: F64 = field(repr=False)
    in_training: Flags = field(repr=False)
    positive: Flags = field(repr=False)
    cutoff: float
    r2_train: float | None
    r2_test: float | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.score, self.in_training, self.positive):
            read_only(array)

    @property
    def trained(self) -> int:
        """How many records trained the model."""
        return int(self.in_training.sum())

    @cached_property
    def auc_train(self) -> float | None:
        """Area under the ROC curve on the records that trained the model; None if all are alike."""
        return self._area(self.in_training)

    @cached_property
    def auc_test(self) -> float | None:
        """Area under the ROC curve on the other records; None if all are alike."""
        return self._area(~self.in_training)

    def _area(self, some: Flags) -> float | None:
        # without a model the score is the same for all, and its area would be one half
        return area_under_curve(self.score[some], self.positive[some]) if self.factors else None

    def roc(self, *, train: bool) -> tuple[F64, F64] | None:
        """Return the ROC curve: false and true positive rates; None if all are alike.

        Parameters
        ----------
        train
            Whether that of the records that trained the model, or of the others.
        """
        some = self.in_training if train else ~self.in_training
        return roc_curve(self.score[some], self.positive[some]) if self.factors else None

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
            "response": str(self.response),
            "factors": self.factors,
            "records_trained": self.trained,
            "records_tested": len(self.score) - self.trained,
            "auc_train": self.auc_train,
            "auc_test": self.auc_test,
            "r2_train": self.r2_train,
            "r2_test": self.r2_test,
            "predicted_to_lower": int(self.lowers.sum()),
        }


def partial_least_squares(
    columns: Sequence[NDArray[Any]],
    contribution: F64,
    model: Model,
    rng: np.random.Generator,
) -> PartialLeastSquares:
    """Learn from some records what the removal of a record does to the risk; predict it for all.

    ``columns`` are codes in the order of the values, and ``contribution`` is by how much the
    removal of each record lowers the risk.
    """
    regression = _regression()
    positive = contribution > 0
    of_sign = model.response == Response.SIGN
    response = positive.astype(np.float64) if of_sign else contribution
    records = len(response)
    train, test = np.split(rng.permutation(records), [max(1, round(model.train * records))])
    in_training = np.zeros(records, dtype=np.bool_)
    in_training[train] = True
    design = _Design(columns, model.terms)
    require_memory(
        8 * _COPIES * len(train) * len(design),
        f"Learning from {len(train):,} records with {len(design):,} terms",
    )
    known = response[train]
    learnt = design.rows(train)
    varying = np.flatnonzero(np.ptp(learnt, axis=0) > 0)
    factors = min(model.factors, len(varying), len(train))
    notes: tuple[str, ...] = ()
    if len(varying) == 0 or np.ptp(known) == 0:
        factors, score = 0, np.full(records, known.mean())
        why = "same_values" if len(varying) == 0 else "same_response"
        notes = (say(f"contributions.notes.{why}"),)
    else:
        fitted = regression(n_components=factors)
        with warnings.catch_warnings():
            # fewer factors than asked for may explain all there is to explain
            warnings.filterwarnings("ignore", message="[yY] residual is constant at iteration")
            fitted.fit(learnt[:, varying], known)
        score = np.empty(records, dtype=np.float64)
        for begin in range(0, records, _SLICE):
            part = np.arange(begin, min(begin + _SLICE, records))
            score[part] = np.ravel(fitted.predict(design.rows(part)[:, varying]))
        if factors < model.factors:
            notes = (say("contributions.notes.factors", asked=model.factors, n=factors),)
    return PartialLeastSquares(
        model.terms,
        model.response,
        factors,
        score,
        in_training,
        positive,
        float(known.mean()) if of_sign else 0.0,
        explained(score[train], known),
        explained(score[test], response[test]),
        notes,
    )


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
