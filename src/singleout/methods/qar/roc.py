"""How well a score predicts a response: the ROC curve, the area below it, and R²."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, Flags

__all__ = ["area_under_curve", "explained", "roc_curve"]


def explained(score: F64, response: F64) -> float | None:
    """Return R², one less the squared errors over those of the mean; None if all are alike.

    >>> explained(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    0.5
    """
    if len(response) == 0 or np.ptp(response) == 0:
        return None
    errors, spread = response - score, response - response.mean()
    return float(1 - (errors @ errors) / (spread @ spread))


def roc_curve(score: F64, positive: Flags) -> tuple[F64, F64] | None:
    """Return the rates of false and of true positives above each score; None without a pair.

    Both begin at 0 and end at 1, and the area below is that of `area_under_curve`.

    >>> false, true = roc_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([0, 0, 1, 1], bool))
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    many = int(positive.sum())
    others = len(positive) - many
    if many == 0 or others == 0:
        return None
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)  # ties make one step
    hits = np.cumsum(positive[order])[ends]
    true = np.append(0, hits) / many
    false = np.append(0, ends + 1 - hits) / others
    return false, true


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
