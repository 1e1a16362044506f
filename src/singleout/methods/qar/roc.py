"""How well a score predicts a response: the ROC curve, the area below it, and R².

With ``people`` each element stands for so many people, possibly none.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64, Flags, sums, total

__all__ = ["area_under_curve", "explained", "roc_curve"]


def explained(score: F64, response: F64, people: I64 | None = None) -> float | None:
    """Return R², one less the squared errors over those of the mean; None if all are alike.

    >>> explained(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    0.5
    """
    if people is not None:
        score, response, people = score[people > 0], response[people > 0], people[people > 0]
    if len(response) == 0 or np.ptp(response) == 0:
        return None
    if people is not None:
        middle = np.average(response, weights=people)
        return 1 - total((response - score) ** 2, people) / total((response - middle) ** 2, people)
    errors, spread = response - score, response - response.mean()
    return float(1 - (errors @ errors) / (spread @ spread))


def roc_curve(score: F64, positive: Flags, people: I64 | None = None) -> tuple[F64, F64] | None:
    """Return the rates of false and of true positives above each score; None without a pair.

    Both begin at 0 and end at 1, and the area below is that of `area_under_curve`.

    >>> false, true = roc_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([0, 0, 1, 1], bool))
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    some = np.ones(len(score), dtype=np.int64) if people is None else people
    counted = some > 0
    score, hit, miss = score[counted], (some * positive)[counted], (some * ~positive)[counted]
    if hit.sum() == 0 or miss.sum() == 0:
        return None
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)  # ties make one step
    true = np.append(0, np.cumsum(hit[order])[ends]) / hit.sum()
    false = np.append(0, np.cumsum(miss[order])[ends]) / miss.sum()
    return false, true


def area_under_curve(score: F64, positive: Flags, people: I64 | None = None) -> float | None:
    """Return how often a positive record has the larger score, ties half; None without a pair.

    >>> area_under_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    if people is not None:
        return _area_of_people(score, positive, people)
    many = int(positive.sum())
    others = len(positive) - many
    if many == 0 or others == 0:
        return None
    from scipy.stats import rankdata  # slow to load, and seldom needed

    ranks = rankdata(score)[positive].sum()
    return float((ranks - many * (many + 1) / 2) / (many * others))


def _area_of_people(score: F64, positive: Flags, people: I64) -> float | None:
    ranks = np.unique(score, return_inverse=True)[1]
    hits, misses = sums(ranks, people * positive), sums(ranks, people * ~positive)
    if hits.sum() == 0 or misses.sum() == 0:
        return None
    lower = np.cumsum(misses) - misses / 2  # those that tie count half
    return float((hits * lower).sum() / (hits.sum() * misses.sum()))
