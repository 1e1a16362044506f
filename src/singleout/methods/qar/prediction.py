"""Learn from some records what the removal of a record does to the risk, and predict it for all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.memory import require_memory
from singleout.errors import BadChoice, MissingDependency
from singleout.methods.qar import regression
from singleout.methods.qar.pls import Model, PartialLeastSquares, Response, Terms
from singleout.methods.qar.roc import explained
from singleout.report.say import say

__all__ = ["partial_least_squares"]

_SLICE = 1 << 16  # records predicted at a time
_COPIES = 4  # of the terms that scikit-learn holds at its peak
_MOST_PEOPLE = 10**9  # of whom numpy can draw some without replacement

Predict = Callable[[F64], F64]


def partial_least_squares(
    columns: Sequence[NDArray[Any]],
    contribution: F64,
    model: Model,
    rng: np.random.Generator,
    people: I64 | None = None,
) -> PartialLeastSquares:
    """Learn from some records what the removal of a record does to the risk; predict it for all.

    ``columns`` are codes in the order of the values, and ``contribution`` is by how much the
    removal of each record lowers the risk. With ``people`` each element stands for so many.
    """
    drawn = _drawn(len(contribution), model.train, rng, people)
    return _learnt(columns, contribution, model, drawn)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Who trains the model, and who tests it; of a table of counts, how many of each row."""

    train: I64  # rows
    test: I64
    people: I64 | None = None  # of all rows
    trained: I64 | None = None

    @property
    def trains(self) -> I64 | None:
        """How many people of each row that trains do so; None if each is one."""
        return None if self.trained is None else self.trained[self.train]

    @property
    def tests(self) -> I64 | None:
        """How many people of each row that tests do so; None if each is one."""
        if self.people is None or self.trained is None:
            return None
        found: I64 = (self.people - self.trained)[self.test]
        return found


def _drawn(rows: int, share: float, rng: np.random.Generator, people: I64 | None) -> _Drawn:
    if people is None:
        return _Drawn(*np.split(rng.permutation(rows), [max(1, round(share * rows))]))
    everybody = int(people.sum())
    if everybody >= _MOST_PEOPLE:
        raise BadChoice(
            f"The people who train the prediction cannot be drawn from {everybody:,}, only from "
            f"fewer than {_MOST_PEOPLE:,}; leave pls out."
        )
    many = max(1, round(share * everybody))
    # how many of each row are among them: which of them does not matter
    trained = rng.multivariate_hypergeometric(people, many, method="marginals")
    return _Drawn(np.flatnonzero(trained), np.flatnonzero(people > trained), people, trained)


def _learnt(
    columns: Sequence[NDArray[Any]], contribution: F64, model: Model, drawn: _Drawn
) -> PartialLeastSquares:
    positive = contribution > 0
    of_sign = model.response == Response.SIGN
    response = positive.astype(np.float64) if of_sign else contribution
    train, test = drawn.train, drawn.test
    in_training = np.zeros(len(response), dtype=np.bool_)
    in_training[train] = True
    design = _Design(columns, model.terms)
    require_memory(
        8 * _COPIES * len(train) * len(design),
        f"Learning from {len(train):,} records with {len(design):,} terms",
    )
    known = response[train]
    learnt = design.rows(train)
    varying = np.flatnonzero(np.ptp(learnt, axis=0) > 0)
    many = len(train) if drawn.trained is None else int(drawn.trained.sum())
    factors = min(model.factors, len(varying), many)
    level = float(np.average(known, weights=drawn.trains))
    notes: tuple[str, ...] = ()
    if len(varying) == 0 or np.ptp(known) == 0:
        factors, score = 0, np.full(len(response), level)
        why = "same_values" if len(varying) == 0 else "same_response"
        notes = (say(f"contributions.notes.{why}"),)
    else:
        predict = _fitted(learnt[:, varying], known, drawn.trains, factors)
        score = design.predicted(predict, varying)
        if factors < model.factors:
            notes = (say("contributions.notes.factors", asked=model.factors, n=factors),)
    return PartialLeastSquares(
        model.terms,
        model.response,
        factors,
        score,
        in_training,
        positive,
        level if of_sign else 0.0,
        explained(score[train], known, drawn.trains),
        explained(score[test], response[test], drawn.tests),
        notes,
        drawn.people,
        drawn.trained,
    )


def _fitted(terms: F64, response: F64, people: I64 | None, factors: int) -> Predict:
    if people is not None:
        return regression.fit(terms, response, people, factors).predict
    fitted = _regression()(n_components=factors)
    with warnings.catch_warnings():
        # fewer factors than asked for may explain all there is to explain
        warnings.filterwarnings("ignore", message="[yY] residual is constant at iteration")
        fitted.fit(terms, response)
    return lambda rows: np.ravel(fitted.predict(rows))


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

    def predicted(self, predict: Predict, varying: I64) -> F64:
        """Return what a model of some terms predicts for each record."""
        records = len(self._columns[0])
        score = np.empty(records, dtype=np.float64)
        for begin in range(0, records, _SLICE):
            part = np.arange(begin, min(begin + _SLICE, records))
            score[part] = predict(self.rows(part)[:, varying])
        return score

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
