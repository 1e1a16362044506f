"""The distribution of the combinations of independent questions, without listing them.

Ten questions of ten options have ten thousand million combinations, but far fewer different
probabilities. Only these are multiplied. Where even they are too many, those that differ by a
fraction of a percent are merged, which keeps the number of cells and of people.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy.special import entr

from singleout.core.arrays import F64, I64
from singleout.core.memory import require_memory
from singleout.predict.distribution.distribution import Distribution
from singleout.report.say import say

__all__ = ["MOST_GROUPS", "combined", "entropy_bits", "no_questions"]

MOST_GROUPS = 1 << 14  # different probabilities of a combination
_MOST_PRODUCTS = 1 << 22  # in memory at once
_LEAST_GROUPS = 1 << 11  # so that of two questions of many options both are merged alike
_SORTED = 4  # times the groups: up to so many products are sorted to find equal ones
_SAME = 1e-13  # relative difference of products that would be equal without rounding
_EXACT_WHOLE = 2**53


def entropy_bits(shares: F64) -> float:
    """Return Shannon's entropy of shares, in bits."""
    return float(entr(shares).sum()) / math.log(2) + 0.0  # not -0.0


def no_questions() -> Distribution:
    """Return the distribution before the first question: everybody in one cell."""
    return Distribution(np.ones(1), np.ones(1, dtype=np.int64), 1)


def combined(distributions: Iterable[Distribution], groups: int = MOST_GROUPS) -> Distribution:
    """Return the distribution of the combinations of independent questions.

    Beyond so many ``groups`` of different probabilities, nearly equal ones are merged, and a note
    says so.

    >>> from singleout.predict import Distribution
    >>> sex = Distribution.from_probabilities([0.5, 0.5])
    >>> age = Distribution.from_probabilities([0.2, 0.8])
    >>> both = combined([sex, age])
    >>> both.cells, both.probabilities.tolist(), both.multiplicity.tolist()
    (4, [0.4, 0.1], [2, 2])
    """
    shares, times, cells = np.ones(1), np.ones(1), 1.0
    notes: dict[str, None] = {}
    merged = 0.0
    require_memory(6 * 8 * _MOST_PRODUCTS, "Combining the questions", "give fewer questions")
    for one in distributions:
        notes.update(dict.fromkeys(one.notes))
        more, more_times = one.probabilities, one.multiplicity.astype(np.float64)
        room = max(_LEAST_GROUPS, _MOST_PRODUCTS // len(more))
        shares, times, lost = _fewer(shares, times, room)
        more, more_times, lost_too = _fewer(more, more_times, _MOST_PRODUCTS // len(shares))
        shares = np.outer(shares, more).ravel()
        times = np.outer(times, more_times).ravel()
        if len(shares) <= _SORTED * groups:  # more of them are merged in any case
            shares, times = _grouped(shares, times)
        shares, times, last = _fewer(shares, times, groups)
        merged = max(merged, lost, lost_too, last)
        cells *= one.cells
    if merged:
        notes[say("predict.questionnaire.merged", apart=merged)] = None
    return Distribution(
        shares[::-1].copy(),
        _whole_if_possible(times[::-1]),
        int(cells) if cells < _EXACT_WHOLE else cells,
        notes=tuple(notes),
    )


def _grouped(shares: F64, times: F64) -> tuple[F64, F64]:
    """Merge equal probabilities, ascending."""
    order = np.argsort(shares)
    shares, times = shares[order], times[order]
    starts = np.flatnonzero(np.diff(shares, prepend=-1) > _SAME * shares)
    return shares[starts], np.add.reduceat(times, starts)


def _fewer(shares: F64, times: F64, most: int) -> tuple[F64, F64, float]:
    """Merge neighbours until there are at most so many; also return their relative difference.

    Neighbours are in the same small interval of the logarithm, so that large and tiny probabilities
    have the same relative error. A group has all their cells and all their people.
    """
    if len(shares) <= most:
        return shares, times, 0.0
    height = np.log(shares)
    lowest = height.min()
    width = max(float(height.max() - lowest) / most, _SAME)
    interval = np.minimum((height - lowest) / width, most - 1).astype(np.int64)
    cells = np.bincount(interval, weights=times, minlength=most).astype(np.float64)
    people = np.bincount(interval, weights=times * shares, minlength=most).astype(np.float64)
    some = cells > 0
    return people[some] / cells[some], cells[some], float(np.expm1(width))


def _whole_if_possible(times: F64) -> I64 | F64:
    if times.max() < _EXACT_WHOLE and (times == np.round(times)).all():
        return times.astype(np.int64)
    return times.copy()
