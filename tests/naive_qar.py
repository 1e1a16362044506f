"""Slow twins of QaR, written from Béra et al. (2023) and the verified rules: never fast."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

Record = tuple[Any, ...]


def golden_records() -> list[Record]:
    """The 400 x 12 table of the verified values (sum 8986)."""
    levels = np.array([2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12])
    draws = np.random.default_rng(20230718).random((400, 12))
    return [tuple(row) for row in np.floor(levels * draws**2).astype(np.int64).tolist()]


def column_sets(width: int, size: int) -> list[tuple[int, ...]]:
    """All quasi-identifiers of a size, in lexicographic order."""
    return list(combinations(range(width), size))


def distinct_counts(records: Sequence[Record], size: int) -> list[int]:
    """H(j): how many different values each quasi-identifier takes."""
    return [
        len({tuple(record[c] for c in columns) for record in records})
        for columns in column_sets(len(records[0]), size)
    ]


def unique_flags(records: Sequence[Record], size: int) -> list[list[bool]]:
    """U(i, j): whether record i is alone in its value of quasi-identifier j."""
    answer: list[list[bool]] = [[] for _ in records]
    for columns in column_sets(len(records[0]), size):
        values = [tuple(record[c] for c in columns) for record in records]
        times = Counter(values)
        for flags, value in zip(answer, values, strict=True):
            flags.append(times[value] == 1)
    return answer


@dataclass(frozen=True)
class Fit:
    risk: float
    threshold: float
    exceedances: int
    shape: float
    scale: float


def dataset_risk(
    distinct: Sequence[int],
    records: int,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
) -> Fit:
    """T(p, alpha) with all edge rules of the specification."""
    ordered, n = sorted(distinct), len(distinct)
    place = (n + Fraction(1, 3)) * (1 - Fraction(str(tail))) + Fraction(1, 3)
    k, weight = math.floor(place), float(place - math.floor(place))
    if k >= n:
        k, weight = n, 0.0
    if k < 1:
        k, weight = 1, 0.0
    low = ordered[k - 1]
    high = ordered[k] if k < n else low
    u = low / records if low == high else ((1 - weight) * low + weight * high) / records
    above = [h for h in ordered if h > low]
    nan = math.nan
    if u >= 1 or sum(h >= records for h in distinct) >= alpha * n:
        return Fit(1.0, u, len(above), nan, nan)
    if not above:
        return Fit(u, u, 0, nan, nan)
    level = math.log(u / (1 - u))
    excesses = [_logit(h, records) - level for h in above]
    if max(excesses) <= 0:  # theta = 1 is clipped below u: no tail is left above the threshold
        return Fit(u, u, len(above), nan, nan)
    shape, scale = generalised_pareto(excesses, estimator)
    span = math.log(tail / alpha)
    t = shape * span
    growth = scale * span * (math.expm1(t) / t if abs(t) > 1e-12 else 1.0)
    return Fit(1 / (1 + math.exp(-(level + growth))), u, len(above), shape, scale)


def _logit(distinct: int, records: int) -> float:
    theta = 1 - 1 / (2 * records) if distinct >= records else distinct / records
    return math.log(theta / (1 - theta))


def generalised_pareto(excesses: Sequence[float], estimator: str) -> tuple[float, float]:
    """Shape and scale by probability-weighted moments (Hosking & Wallis 1987)."""
    ordered, m = sorted(excesses), len(excesses)
    a0 = sum(ordered) / m
    if estimator == "plotting":
        a1 = sum((1 - (i - 0.35) / m) * x for i, x in enumerate(ordered, 1)) / m
    else:
        a1 = sum((m - i) / (m - 1) * x for i, x in enumerate(ordered, 1)) / m
    spread = a0 - 2 * a1
    shape, scale = 2 - a0 / spread, 2 * a0 * a1 / spread
    if shape < 0 and -scale / shape < ordered[-1]:  # it would end below what was observed
        shape = -scale / ordered[-1]  # Dupuis & Tsao (1998)
    return shape, scale


def contributions(records: Sequence[Record], size: int, **options: Any) -> list[float]:
    """DT(i): the risk, less the risk when record i is really deleted."""
    whole = dataset_risk(distinct_counts(records, size), len(records), **options).risk
    return [
        whole
        - dataset_risk(
            distinct_counts([*records[:i], *records[i + 1 :]], size), len(records) - 1, **options
        ).risk
        for i in range(len(records))
    ]


def uniqueness(records: Sequence[Record], size: int) -> tuple[list[float], list[float]]:
    """U+ and U*: uniqueness weighted by theta and by 1 - theta."""
    theta = [h / len(records) for h in distinct_counts(records, size)]
    flags = unique_flags(records, size)
    plus = [sum(t for f, t in zip(row, theta, strict=True) if f) for row in flags]
    star = [sum(1 - t for f, t in zip(row, theta, strict=True) if f) for row in flags]
    return plus, star


def entropy(records: Sequence[Record], size: int) -> list[float]:
    """E(i) by its O(L^2) definition: bins of the ECDF of the joint ECDF, in exact integers."""
    sets, n = column_sets(len(records[0]), size), len(records)
    bins = math.isqrt(len(sets))
    bins += bins * bins < len(sets)
    found: list[Counter[int]] = [Counter() for _ in records]
    for columns in sets:
        values = [tuple(record[c] for c in columns) for record in records]
        below = [
            sum(all(a <= b for a, b in zip(w, v, strict=True)) for w in values) for v in values
        ]
        for i, mine in enumerate(below):
            rank = sum(other <= mine for other in below)
            found[i][-(-rank * bins // n)] += 1
    return [-sum(c / len(sets) * math.log(c / len(sets)) for c in f.values()) for f in found]
