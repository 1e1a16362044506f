"""Estimators of population uniqueness as their papers have them: loops, fractions, sums."""

import math
from collections.abc import Sequence
from fractions import Fraction

Profile = dict[int, int]  # class size: how many classes have it


def zayatz(profile: Profile, people: int) -> Fraction:
    """The number of population uniques, by exact hypergeometric probabilities."""
    records = sum(size * sets for size, sets in profile.items())
    fraction = Fraction(records, people)
    once = {
        size: Fraction(size * math.comb(people - size, records - 1), math.comb(people, records))
        if records - 1 <= people - size
        else Fraction(0)
        for size in profile
    }
    classes = sum(profile.values())
    singles = profile.get(1, 0)
    if not singles:
        return Fraction(0)
    seen = sum(Fraction(sets, classes) * once[size] for size, sets in profile.items())
    chance = Fraction(singles, classes) * fraction / seen
    return singles * chance / fraction


def shlosser(profile: Profile, people: int) -> Fraction:
    records = sum(size * sets for size, sets in profile.items())
    q = Fraction(records, people)
    first = sum(i * q**2 * (1 - q**2) ** (i - 1) * s for i, s in profile.items())
    second = sum((1 - q) ** i * ((1 + q) ** i - 1) * s for i, s in profile.items())
    third = sum((1 - q) ** i * s for i, s in profile.items())
    fourth = sum(i * q * (1 - q) ** (i - 1) * s for i, s in profile.items())
    return sum(profile.values()) + profile.get(1, 0) * first / second * (third / fourth) ** 2


def pitman_gaps(profile: Profile, alpha: float, theta: float) -> tuple[float, float]:
    """Left minus right side of the two equations of the likelihood."""
    records = sum(size * sets for size, sets in profile.items())
    classes = sum(profile.values())
    first = sum(1 / (theta + i * alpha) for i in range(1, classes))
    first -= sum(1 / (theta + i) for i in range(1, records))
    second = sum(i / (theta + i * alpha) for i in range(1, classes))
    second -= sum(
        sets * sum(1 / (i - alpha) for i in range(1, size)) for size, sets in profile.items()
    )
    return first, second


def pitman_likelihood(profile: Profile, alpha: float, theta: float) -> float:
    """The logarithm of the probability of the class sizes, one person after the other."""
    total, records, classes = 0.0, 0, 0
    for size, sets in profile.items():
        for _ in range(sets):
            for seen in range(size):
                weight = theta + classes * alpha if seen == 0 else seen - alpha
                total += math.log(weight / (theta + records)) if records else 0.0
                records += 1
            classes += 1
    return total


def snb_expected(
    classes: float, a: float, b: float, fraction: float, size: int, terms: int = 3000
) -> float:
    """How many classes have a size in the sample: a sum over their sizes in the population."""
    total = 0.0
    for more in range(max(0, size - 1), terms):
        people = more + 1
        law = math.exp(
            math.lgamma(more + a)
            - math.lgamma(a)
            - math.lgamma(more + 1)
            + a * math.log(b)
            + more * math.log1p(-b)
        )
        drawn = math.comb(people, size) * fraction**size * (1 - fraction) ** (people - size)
        total += law * drawn
    return classes * total


def predicted(
    expected: Sequence[float], weights: Sequence[float], classes: int, fraction: float
) -> float:
    """Population uniques if classes seen have these expected records with these weights."""
    total = 0.0
    for mean, weight in zip(expected, weights, strict=True):
        everywhere = classes * weight / (1 - math.exp(-mean))  # seen and not seen
        people = mean / fraction
        total += everywhere * people * math.exp(-people)
    return total


def taus(counts: Sequence[int], fitted: Sequence[float], fraction: float) -> tuple[float, float]:
    """Population uniques among sample uniques, and right matches: Skinner and Shlomo (2008)."""
    first = second = 0.0
    for count, mu in zip(counts, fitted, strict=True):
        if count == 1:
            v = mu / fraction * (1 - fraction)
            first += math.exp(-v)
            second += (1 - math.exp(-v)) / v
    return first, second


def test_statistic(counts: Sequence[int], fitted: Sequence[float], pi: float) -> float:
    """Their B over the root of its variance."""
    bias = variance = 0.0
    for f, mu in zip(counts, fitted, strict=True):
        rate = mu / pi
        a = (1 - pi) * rate * math.exp(-rate)
        b = (1 - pi) ** 2 / (2 * pi) * rate * math.exp(-rate)
        bias += a * (f - mu) + b * ((f - mu) ** 2 - f)
        variance += a * a * mu + 2 * b * b * mu * mu
    return bias / math.sqrt(variance)


# ---- models without circles


def drawn(chances: Sequence[Sequence[float]], before: int, point: float) -> int:
    """Return the first value whose chances, with those of the values before it, exceed a point."""
    total = 0.0
    for value, chance in enumerate(chances[before]):
        total += chance
        if before + total > before + point:
            return value
    return len(chances[before]) - 1


def alone(records: Sequence[tuple[int, ...]]) -> set[int]:
    """Return the places of the records that no other equals."""
    return {place for place, record in enumerate(records) if list(records).count(record) == 1}
