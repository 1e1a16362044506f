"""Partial least squares with one response, where a row stands for several people.

The NIPALS algorithm (Wold 1975; as scikit-learn has it): both sides are centred and scaled; each
factor is the direction of the largest covariance with what is left of the response, and is taken
out of both. Sums over people are sums over rows, each as often as it counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I64

__all__ = ["Fitted", "fit"]

_NOTHING_LEFT = 1e-24  # of a response with variance one, squared: what rounding leaves


@dataclass(frozen=True, eq=False)
class Fitted:
    """A linear prediction of the response."""

    means: F64  # of each term
    slopes: F64  # for each term, in its own unit
    level: float  # the mean response

    def predict(self, terms: F64) -> F64:
        """Return the predicted response of each row of terms."""
        return np.asarray((terms - self.means) @ self.slopes + self.level)


def fit(terms: F64, response: F64, people: I64, factors: int) -> Fitted:
    """Fit so many factors, or fewer if these explain all; no term may be constant.

    ``terms`` has a row for each row of the table, ``people`` how many people it stands for.
    """
    weights = people.astype(np.float64)
    means, scales = _standard(terms, weights)
    (level,), (unit,) = _standard(response[:, np.newaxis], weights)
    left, wanted = (terms - means) / scales, (response - level) / unit
    directions, loadings, shares = [], [], []
    for _ in range(factors):
        covariance = left.T @ (weights * wanted)
        length = float(np.linalg.norm(covariance))
        if length**2 <= _NOTHING_LEFT * weights.sum() ** 2:
            break
        direction = covariance / length
        scores = left @ direction
        size = float(weights @ scores**2)
        loading = left.T @ (weights * scores) / size
        share = float((weights * scores) @ wanted / size)
        left, wanted = left - np.outer(scores, loading), wanted - share * scores
        directions.append(direction)
        loadings.append(loading)
        shares.append(share)
    if not directions:
        return Fitted(means, np.zeros(len(means)), float(level))
    together = np.column_stack(directions)
    rotated = together @ np.linalg.pinv(np.column_stack(loadings).T @ together)
    return Fitted(means, rotated @ np.array(shares) * unit / scales, float(level))


def _standard(values: F64, weights: F64) -> tuple[F64, F64]:
    """Return the mean and the standard deviation of each column over people."""
    means = np.average(values, axis=0, weights=weights)
    squares = (weights[:, np.newaxis] * (values - means) ** 2).sum(axis=0)
    return means, np.sqrt(squares / (weights.sum() - 1))
