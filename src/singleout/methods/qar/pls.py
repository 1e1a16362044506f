"""Can a record's values predict whether it adds to the risk? Béra et al. (2023), section 3.5.

Partial least squares with three factors, the columns as ordinal codes, and a response of 1 for a
record whose removal lowers the risk and 0 for the others; or the contribution itself. Three
quarters of the records, drawn by chance, train the model and the others test it. How well it tells
the two kinds apart is the area under the ROC curve: 0.5 is no better than chance, 1 is without
error. How much of the response it explains is R²: 0 is no better than the mean, 1 is all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from singleout.core.arguments import share, whole
from singleout.core.arrays import F64, I64, Flags
from singleout.core.choices import choose
from singleout.core.results import ResultPart, read_only
from singleout.errors import BadChoice
from singleout.methods.qar.roc import area_under_curve, roc_curve

__all__ = [
    "Model",
    "PartialLeastSquares",
    "Response",
    "Terms",
    "chosen_model",
]

FACTORS = 3
TRAINED = 0.75  # records that train the model / all records


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
    people, trained_people
        Of a table of counts, how many people each row stands for, and how many of them trained the
        model; otherwise None.
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
    people: I64 | None = field(default=None, repr=False)
    trained_people: I64 | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for array in (self.score, self.in_training, self.positive):
            read_only(array)

    @property
    def trained(self) -> int:
        """How many records trained the model."""
        return int((self.in_training if self.trained_people is None else self.trained_people).sum())

    @cached_property
    def auc_train(self) -> float | None:
        """Area under the ROC curve on the records that trained the model; None if all are alike."""
        return self._area(train=True)

    @cached_property
    def auc_test(self) -> float | None:
        """Area under the ROC curve on the other records; None if all are alike."""
        return self._area(train=False)

    def _area(self, *, train: bool) -> float | None:
        # without a model the score is the same for all, and its area would be one half
        return area_under_curve(*self._some(train=train)) if self.factors else None

    def _some(self, *, train: bool) -> tuple[F64, Flags, I64 | None]:
        """Return score and response of those who trained the model, or of the others."""
        if self.people is None or self.trained_people is None:
            some = self.in_training if train else ~self.in_training
            return self.score[some], self.positive[some], None
        many = self.trained_people if train else self.people - self.trained_people
        return self.score, self.positive, many

    def roc(self, *, train: bool) -> tuple[F64, F64] | None:
        """Return the ROC curve: false and true positive rates; None if all are alike.

        Parameters
        ----------
        train
            Whether that of the records that trained the model, or of the others.
        """
        return roc_curve(*self._some(train=train)) if self.factors else None

    @property
    def lowers(self) -> Flags:
        """For each record whether its removal is predicted to lower the risk.

        That is where the score is above the cutoff. A cutoff of one half would tell nobody apart
        where few records lower the risk: the score of a rare response seldom reaches it.
        """
        return self.score > self.cutoff

    def to_dict(self) -> dict[str, Any]:
        """Return how the model did, as plain values that JSON can hold."""
        everybody = len(self.score) if self.people is None else int(self.people.sum())
        lowering = self.lowers if self.people is None else self.people[self.lowers]
        return {
            "terms": str(self.terms),
            "response": str(self.response),
            "factors": self.factors,
            "records_trained": self.trained,
            "records_tested": everybody - self.trained,
            "auc_train": self.auc_train,
            "auc_test": self.auc_test,
            "r2_train": self.r2_train,
            "r2_test": self.r2_test,
            "predicted_to_lower": int(lowering.sum()),
        }
