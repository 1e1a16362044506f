"""The slide negative binomial model: Chen and Keller-McNulty (1998), with its two errata.

The population has K classes of 1 + X people, X negative binomial with parameters a and b; the
number of population uniques is K b^a. K is Shlosser's (1981) estimate; a and b are those at which
the expected numbers of sample uniques and of classes of two are those observed. Thinned by the
sampling fraction pi, X is negative binomial with a and b / (1 - d), d = (1 - pi)(1 - b). Hence

    E s1 = K pi (b/(1-d))^a (1 + a d/(1-d))
    E s2 = K pi^2 a (1-b) b^a (2 - (1-a) d) / (2 (1-d)^(a+2))

where a published implementation multiplies by (1-d)^(a+2), and loses brackets in Shlosser's K.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from singleout.core.arrays import F64
from singleout.methods.population.sample import Fit, Samples

__all__ = ["shlosser", "snb", "snb_expected"]

_GRID = 400
_STEPS = 60
_TOLERANCE = 1e-6


def shlosser(samples: Samples) -> F64:
    """Estimate the number of classes in the population."""
    pi, i = samples.fraction, samples.sizes
    missed = np.exp(i * np.log1p(-pi)) if pi < 1 else np.zeros(len(i))
    once = i * pi * np.exp((i - 1) * np.log1p(-pi)) if pi < 1 else (i == 1) * 1.0
    if pi == 1:
        return samples.classes
    # (1-pi)^i ((1+pi)^i - 1), where the second factor alone may be too large for a float
    both = -np.exp(i * np.log1p(-(pi**2))) * np.expm1(-i * np.log1p(pi))
    thinned = i * pi**2 * np.exp((i - 1) * np.log1p(-(pi**2)))
    with np.errstate(invalid="ignore", divide="ignore"):
        unseen = (samples.sets @ thinned) / (samples.sets @ both)
        unseen = unseen * ((samples.sets @ missed) / (samples.sets @ once)) ** 2
    classes: F64 = samples.classes + np.where(
        samples.of_size(1) > 0, samples.of_size(1) * unseen, 0
    )
    return classes


def snb_expected(classes: F64, a: F64, b: F64, pi: float) -> tuple[F64, F64]:
    """Return the expected number of sample uniques and of sample classes of two."""
    rest = b + pi * (1 - b)  # 1 - d
    d = (1 - pi) * (1 - b)
    power = np.exp(a * (np.log(b) - np.log(rest)))
    ones = classes * pi * power * (1 + a * d / rest)
    twos = classes * pi**2 * a * (1 - b) * power * (2 - (1 - a) * d) / (2 * rest**2)
    return ones, twos


def _excess(rise: F64, fall: F64, target: F64, a: F64) -> F64:
    """Return log(E s1 / s1) as a function of a: a fall, and the logarithm of a line."""
    excess: F64 = target + a * fall + np.log1p(a * rise)
    return excess


def _a_given(b: F64, classes: F64, ones: F64, pi: float, *, upper: bool) -> F64:
    """Return an a at which E s1 is s1, for each b: the root above or below the hump; NaN if none.

    log(E s1 / s1) rises to a maximum and falls from there: it has no root, one or two.
    """
    rest = b + pi * (1 - b)
    rise, fall = (1 - pi) * (1 - b) / rest, np.log(b) - np.log(rest)
    target = np.log(classes * pi / ones)
    hump = np.maximum(0.0, -1 / fall - 1 / rise)
    top = _excess(rise, fall, target, hump)
    if upper:
        low, high = hump, np.maximum(2 * hump, 1.0)
        for _ in range(_STEPS):
            high = np.where(_excess(rise, fall, target, high) > 0, 2 * high, high)
        possible = top > 0
    else:
        low, high = np.zeros_like(b), hump
        possible = (top > 0) & (target < 0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        positive = _excess(rise, fall, target, middle) > 0
        grows = positive if upper else ~positive
        low, high = np.where(grows, middle, low), np.where(grows, high, middle)
    return np.where(possible, (low + high) / 2, np.nan)


def snb(samples: Samples, start: tuple[float, float] | None = None) -> Fit:
    """Estimate the population uniques of each sample.

    ``start`` are the a and b of the model that replicates were drawn from; otherwise all roots of
    the first sample are found, and of several the one that fits all class sizes best is taken.
    """
    classes = shlosser(samples)
    ones, twos = samples.of_size(1), samples.of_size(2)
    if start is not None:
        a, b = _newton(classes, ones, twos, samples.fraction, start)
        return Fit(classes * b**a, {"K": classes, "a": a, "b": b})
    reason = _not_applicable(samples, classes[0])
    if reason:
        return Fit(np.full(1, np.nan), {"K": classes}, reason)
    if samples.fraction == 1 or not ones[0]:
        return Fit(ones[:1], {"K": classes})
    roots = _all_roots(classes[0], ones[0], twos[0], samples.fraction)
    if not len(roots):
        return Fit(np.full(1, np.nan), {"K": classes}, "snb_no_root")
    fits = [_profile_likelihood(samples, a, b) for a, b in roots]
    shape, odds = roots[int(np.argmax(fits))]
    found = {"K": classes, "a": np.array([shape]), "b": np.array([odds])}
    return Fit(classes * odds**shape, found)


def _not_applicable(samples: Samples, classes: float) -> str:
    if not samples.records:
        return "no_records"
    ones, twos = samples.of_size(1)[0], samples.of_size(2)[0]
    if ones and not twos and samples.fraction < 1:
        return "no_pairs"
    if not np.isfinite(classes):
        return "snb_no_classes"
    return ""


def _all_roots(classes: float, ones: float, twos: float, pi: float) -> list[tuple[float, float]]:
    """Return every pair of a and b that solves both equations."""
    logits = np.linspace(np.log(1e-9), np.log(1e6), _GRID)
    grid = 1 / (1 + np.exp(-logits))
    roots: list[tuple[float, float]] = []
    for upper in (False, True):

        def excess(b: F64, upper: bool = upper) -> tuple[F64, F64]:
            a = _a_given(b, np.asarray(classes), np.asarray(ones), pi, upper=upper)
            return a, snb_expected(np.asarray(classes), a, b, pi)[1] - twos

        with np.errstate(all="ignore"):
            _, gaps = excess(grid)
            at = np.flatnonzero(np.sign(gaps[:-1]) * np.sign(gaps[1:]) < 0)
            if not len(at):
                continue
            low, high, below = logits[at], logits[at + 1], np.sign(gaps[at])
            for _ in range(_STEPS):
                middle = (low + high) / 2
                same = np.sign(excess(1 / (1 + np.exp(-middle)))[1]) == below
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            b = 1 / (1 + np.exp(-(low + high) / 2))
            a, gap = excess(b)
        solved = np.isfinite(a) & (a > 0) & (np.abs(gap) <= _TOLERANCE * max(twos, 1))
        roots += [(float(x), float(y)) for x, y in zip(a[solved], b[solved], strict=True)]
    return roots


def _profile_likelihood(samples: Samples, a: float, b: float) -> float:
    """Return the log-likelihood of the class sizes of the sample, given that they are not 0."""
    pi = samples.fraction
    thinned = b / (b + pi * (1 - b))

    def law(x: F64) -> F64:
        with np.errstate(all="ignore"):
            logs = gammaln(x + a) - gammaln(a) - gammaln(x + 1) + a * np.log(thinned)
            logs = logs + x * np.log1p(-thinned)
        return np.where(x >= 0, np.exp(logs), 0.0)

    chance = pi * law(samples.sizes - 1) + (1 - pi) * law(samples.sizes)
    unseen = (1 - pi) * thinned**a
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(chance, 1e-300)) - np.log1p(-unseen)
    return float(samples.sets[0] @ logs)


def _newton(
    classes: F64, ones: F64, twos: F64, pi: float, start: tuple[float, float]
) -> tuple[F64, F64]:
    """Solve both equations for every replicate, from the root of the model they were drawn from."""
    x = np.full(len(classes), np.log(start[0]))
    y = np.full(len(classes), np.log(start[1] / (1 - start[1])))

    def gaps(x: F64, y: F64) -> tuple[F64, F64]:
        expected = snb_expected(classes, np.exp(x), 1 / (1 + np.exp(-y)), pi)
        return np.log(expected[0] / ones), np.log(expected[1] / twos)

    step = 1e-6
    with np.errstate(all="ignore"):
        for _ in range(50):
            f, g = gaps(x, y)
            fx, gx = ((p - q) / step for p, q in zip(gaps(x + step, y), (f, g), strict=True))
            fy, gy = ((p - q) / step for p, q in zip(gaps(x, y + step), (f, g), strict=True))
            det = fx * gy - fy * gx
            dx, dy = (f * gy - g * fy) / det, (fx * g - gx * f) / det
            shrink = np.minimum(1.0, 1.0 / np.maximum(np.abs(dx), np.abs(dy)))
            x, y = x - shrink * dx, y - shrink * dy
        f, g = gaps(x, y)
        solved = (np.abs(f) < _TOLERANCE) & (np.abs(g) < _TOLERANCE)
        a, b = np.exp(x), 1 / (1 + np.exp(-y))
    return np.where(solved, a, np.nan), np.where(solved, b, np.nan)
