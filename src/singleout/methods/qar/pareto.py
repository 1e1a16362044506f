"""The generalised Pareto distribution, fitted by probability-weighted moments.

Hosking & Wallis (1987). What lies above a high threshold follows it in the limit, whatever the
distribution below. Shape and scale may be arrays: then everything holds element by element.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from singleout.core.arrays import F64

__all__ = [
    "Estimator",
    "excess_at",
    "feasible_shape",
    "fit_moments",
    "free_moments",
    "ordered_draws",
]


_NEARLY_ZERO = 1e-8  # below this exp(t) - 1 is t + t^2/2 to the last digit


class Estimator(StrEnum):
    """How the probability-weighted moments are estimated from m excesses in ascending order."""

    PLOTTING = "plotting"  # weights 1 - (i - 0.35) / m, defined for any excesses
    UNBIASED = "unbiased"  # weights (m - i) / (m - 1), undefined where all excesses are equal


def fit_moments(excesses: F64, estimator: Estimator) -> tuple[F64, F64]:
    """Return shape and scale for excesses over a threshold, ascending along the last axis."""
    shape, scale = free_moments(excesses, estimator)
    return feasible_shape(shape, scale, excesses[..., -1]), scale


def feasible_shape(shape: F64 | float, scale: F64 | float, largest: F64 | float) -> F64:
    """Return the shape, or the least one whose distribution reaches the largest excess.

    With a negative shape the distribution ends at minus scale over shape. One that ends below the
    largest excess contradicts the data. An infeasible shape therefore becomes minus scale over the
    largest excess: the hybrid estimator of Dupuis and Tsao (1998).
    """
    return np.maximum(shape, np.divide(np.negative(scale), largest))


def free_moments(excesses: F64, estimator: Estimator) -> tuple[F64, F64]:
    """Return shape and scale as `fit_moments` does, also where they contradict the excesses."""
    weights = _weights(excesses.shape[-1], estimator)
    mean = excesses.mean(axis=-1)
    weighted = (excesses * weights).mean(axis=-1)
    spread = mean - 2 * weighted
    return 2 - mean / spread, 2 * mean * weighted / spread


def _weights(m: int, estimator: Estimator) -> F64:
    rank = np.arange(1, m + 1)
    if estimator == Estimator.UNBIASED:
        return (m - rank) / (m - 1)
    return 1 - (rank - 0.35) / m


def excess_at(shape: F64 | float, scale: F64 | float, span: F64 | float) -> F64:
    """Return the excess that is exceeded with the probability exp(-span)."""
    t = np.multiply(shape, span)
    near = np.abs(t) < _NEARLY_ZERO
    with np.errstate(over="ignore"):  # an infinite excess is an answer
        growth = np.where(near, 1 + t / 2, np.expm1(t) / np.where(near, 1.0, t))
        answer: F64 = np.asarray(scale * span * growth, dtype=np.float64)
    return answer


def ordered_draws(
    shape: float, scale: float, m: int, repeats: int, rng: np.random.Generator
) -> F64:
    """Return samples of ``m`` excesses, one in each row, ascending.

    The gaps between the order statistics of exponential numbers are exponential themselves (Rényi
    1953), so nothing needs sorting.
    """
    gaps = rng.standard_exponential((repeats, m)) / np.arange(m, 0, -1)
    return excess_at(shape, scale, gaps.cumsum(axis=1))
