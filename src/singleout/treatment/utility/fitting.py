"""Linear and logistic regression on numbers and categories, with standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import expit

from singleout.core.arrays import F64, I32
from singleout.kernels.regression import loops

__all__ = ["Design", "Fit", "fit_line", "fit_logistic"]

_ROUNDS = 50
_CLOSE = 1e-8  # the next step would be its square
_FAR = 30.0  # a linear predictor beyond this is certain
_LONGEST = 4.0
_RIDGE = 1e-6  # too small to be seen, but it makes a single answer of many
_FEW = 5_000


@dataclass(frozen=True, eq=False)
class Design:
    """The predictors of each record, as slots: an effect each, -1 for none, and its value.

    Parameters
    ----------
    effects, values
        A row of slots for each record; the first is the constant.
    width
        How many effects there are.
    """

    effects: I32 = field(repr=False)
    values: F64 = field(repr=False)
    width: int

    def __len__(self) -> int:
        return len(self.effects)

    def take(self, rows: Any) -> Design:
        """Return some records only."""
        effects, values = self.effects[rows], self.values[rows]
        return Design(np.ascontiguousarray(effects), np.ascontiguousarray(values), self.width)

    def products(self, weights: F64, amounts: F64) -> tuple[F64, F64]:
        """Return X'WX and X'a."""
        gram, slope = np.zeros((self.width, self.width)), np.zeros(self.width)
        loops.add_products(self.effects, self.values, weights, amounts, gram, slope)
        return gram, slope

    def predict(self, coefficients: F64) -> F64:
        """Return the sum of coefficients times values of each record."""
        answer = np.empty(len(self))
        loops.predict(self.effects, self.values, coefficients, answer)
        return answer


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted regression.

    Parameters
    ----------
    coefficients, errors
        One for each effect, and their standard errors.
    fitted
        The fitted value of each record.
    rank
        How many effects are independent.
    """

    coefficients: F64 = field(repr=False)
    errors: F64 = field(repr=False)
    fitted: F64 = field(repr=False)
    rank: int


def fit_line(design: Design, y: F64, weights: F64) -> Fit:
    """Return the least squares fit; effects that depend on others share what they explain."""
    gram, slope = design.products(weights, weights * y)
    inverse, rank = _inverse(gram)
    coefficients = inverse @ slope
    fitted = design.predict(coefficients)
    free = max(len(y) - rank, 1)
    variance = float((weights * (y - fitted) ** 2).sum()) / free
    errors = np.sqrt(np.maximum(np.diag(inverse), 0.0) * variance)
    return Fit(coefficients, errors, fitted, rank)


def fit_logistic(
    design: Design, y: F64, weights: F64, *, ridge: float = _RIDGE, close: float = _CLOSE
) -> Fit:
    """Return the fit by iteratively reweighted least squares.

    A small ``ridge`` keeps effects finite where a category settles the answer. The fit ends
    when no linear predictor moves by more than ``close``.
    """
    coefficients = _start(design, y, weights)
    penalty = np.full(design.width, ridge)
    penalty[0] = 0.0
    line = design.predict(coefficients)
    for _ in range(_ROUNDS):
        fitted = expit(np.clip(line, -_FAR, _FAR))
        curvature = weights * np.maximum(fitted * (1 - fitted), 1e-12)
        gram, slope = design.products(curvature, weights * (y - fitted))
        gram += np.diag(penalty)
        step: F64 = np.linalg.solve(gram, slope - penalty * coefficients).astype(np.float64)
        moved = design.predict(step)
        # a longer step may end where all are certain, and find no way back
        damped = min(1.0, _LONGEST / max(float(np.abs(moved).max(initial=0.0)), _LONGEST))
        coefficients = coefficients + damped * step
        line += damped * moved
        if float(np.abs(moved).max(initial=0.0)) < close:
            break
    inverse, rank = _inverse(gram)
    fitted = expit(np.clip(line, -_FAR, _FAR))
    return Fit(coefficients, np.sqrt(np.maximum(np.diag(inverse), 0.0)), fitted, rank)


def _start(design: Design, y: F64, weights: F64) -> F64:
    """Return where to begin: the share of ones, or what a few of many records say."""
    if len(y) > 4 * _FEW:
        some = slice(None, None, len(y) // _FEW)
        return fit_logistic(design.take(some), y[some], weights[some], ridge=1.0).coefficients
    share = min(max(float(np.average(y, weights=weights)), 1e-9), 1 - 1e-9)
    start = np.zeros(design.width)
    start[0] = np.log(share / (1 - share))
    return start


def _inverse(gram: F64) -> tuple[F64, int]:
    """Return the inverse of a symmetric matrix, on the space where it has one, and its rank."""
    values, vectors = np.linalg.eigh(gram)
    limit = values.max(initial=0.0) * len(values) * 1e-13
    there = values > limit
    scaled = vectors[:, there] / values[there]
    return scaled @ vectors[:, there].T, int(there.sum())
