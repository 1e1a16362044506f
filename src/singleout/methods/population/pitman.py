"""Pitman's sampling formula: Hoshino (2001), Applying Pitman's sampling formula to microdata.

The next person makes a new class with probability (theta + u alpha) / (theta + n). Where the
likelihood is largest,

    sum_{0<i<u} 1/(theta + i alpha) = sum_{0<i<n} 1/(theta + i)
    sum_{0<i<u} i/(theta + i alpha) = sum_j s_j sum_{0<i<j} 1/(i - alpha)

For a given alpha the first equation has one root theta. The second is then a
function of alpha alone, the slope of the profile likelihood: every change of its sign is looked
at, and the one with the largest likelihood is the estimate. A general solver of two equations,
started somewhere, finds points that solve neither.

Hoshino has 0 < alpha < 1: new classes never end. With alpha < 0 there are m = theta / -alpha
classes in all, whose probabilities follow a symmetric Dirichlet law: the Poisson-gamma model of
Bethlehem, Keller and Pannekoek (1990). The likelihood decides between the two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import digamma, gammaln

from singleout.core.arrays import F64
from singleout.methods.population.sample import Fit, Samples

__all__ = ["expected_uniques", "log_likelihood", "pitman", "theta_given"]

_SMALLEST = 1e-4  # alpha: below it the sums lose their digits, and the model is that of alpha = 0
_LARGEST = 1 - 1e-6
_EVEN = 1e2  # -alpha: beyond it all classes are equally likely
_STEPS = 36  # for theta given alpha
_SECANTS = 20  # for alpha
_TOLERANCE = 1e-3  # of log-likelihoods


def _harmonic(start: F64, terms: F64) -> F64:
    """Return the sum of 1/(start + i) for i = 0 … terms - 1, to the last digits.

    For a large start two digammas differ in their last digits only; there it is the logarithm of
    a ratio, with a correction: digamma(x) = log(x - 1/2) + 1/24 (x - 1/2)^-2 - …
    """
    large = start > 1e4
    first = np.where(large, start, 1e4) - 0.5
    last = first + terms
    smooth = np.log1p(terms / first) + (last**-2 - first**-2) / 24
    small = np.where(large, 1.0, start)
    total: F64 = np.where(large, smooth, digamma(small + terms) - digamma(small))
    return total


def _least_theta(alpha: F64, classes: F64) -> F64:
    """Return what theta must exceed for all probabilities to be positive."""
    return np.maximum(-alpha, -(classes - 1) * alpha)


def _new_class_sum(excess: F64, alpha: F64, terms: F64) -> F64:
    """Return the sum of 1/(theta + i alpha) for i = 1 … terms, u - 1 of them.

    ``excess`` is by how much theta exceeds its least value: the smallest of these denominators.
    """
    return _harmonic(excess / np.abs(alpha), terms) / np.abs(alpha)


def _excess_given(alpha: F64, records: float, classes: F64) -> F64:
    """Return by how much theta, the root of the first equation, exceeds its least value."""
    least = _least_theta(alpha, classes)

    def slope(logs: F64) -> F64:
        excess = np.exp(logs)
        drawn = _harmonic(least + excess + 1, np.asarray(records - 1))
        # times the excess it is smooth over all orders of magnitude
        rise: F64 = excess * (_new_class_sum(excess, alpha, classes - 1) - drawn)
        return rise

    # so many people have n^2 (1 - alpha) / 2 theta pairs, at least one of which is there
    highest = np.log(1e3 * records**2 * (1 + np.abs(alpha)))
    root = _zero(slope, np.full(alpha.shape, np.log(1e-12)), highest, _STEPS)
    found = (slope(highest) < 0) & (classes > 1) & (classes < records)
    return np.where(found, np.exp(root), np.nan)


def theta_given(alpha: F64, records: float, classes: F64) -> F64:
    """Return the root theta of the first equation for each alpha; NaN where there is none."""
    return _least_theta(alpha, classes) + _excess_given(alpha, records, classes)


def _zero(function: Callable[[F64], F64], low: F64, high: F64, steps: int) -> F64:
    """Return where a function falls through zero between two values, for each element.

    The secant where it is quick (with the Illinois rule: an end that stays loses half its weight),
    and the middle at every third step, so that it always ends.
    """
    above, below = function(low), function(high)
    best, least = low, np.abs(above)
    stayed = np.zeros(low.shape)  # 1 where the upper end did, -1 where the lower end did
    for step in range(steps):
        with np.errstate(all="ignore"):
            middle = (low * below - high * above) / (below - above)
        inside = (middle > low) & (middle < high) & (step % 3 < 2)
        middle = np.where(inside, middle, (low + high) / 2)
        value = function(middle)
        closer = np.abs(value) < least
        best, least = np.where(closer, middle, best), np.where(closer, np.abs(value), least)
        up = value > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
        above = np.where(up, value, np.where(stayed == -1, above / 2, above))
        below = np.where(up, np.where(stayed == 1, below / 2, below), value)
        stayed = np.where(up, 1.0, -1.0)
    return best


def _alpha_slope(samples: Samples, alpha: F64) -> F64:
    """Return the slope of the profile likelihood at an alpha for each sample.

    One sample and many values of alpha go together as well.
    """
    classes = np.broadcast_to(samples.classes, alpha.shape)
    excess = _excess_given(alpha, samples.records, classes)
    theta = _least_theta(alpha, classes) + excess
    new = ((classes - 1) - theta * _new_class_sum(excess, alpha, classes - 1)) / alpha
    kept = digamma(samples.sizes - alpha[:, None]) - digamma(1 - alpha)[:, None]
    slope: F64 = new - (samples.sets * kept).sum(axis=1)
    return slope


def log_likelihood(samples: Samples, alpha: F64, theta: F64) -> F64:
    """Return the log-likelihood of the first sample at each alpha and theta, but for a constant."""
    classes, records = samples.classes[0], samples.records
    ratio = theta / alpha
    start = np.where(alpha > 0, ratio + 1, -ratio - classes + 1)
    end = np.where(alpha > 0, ratio + classes, -ratio)
    new = (classes - 1) * np.log(np.abs(alpha)) + gammaln(end) - gammaln(start)
    drawn = gammaln(theta + records) - gammaln(theta + 1)
    kept = gammaln(samples.sizes - alpha[:, None]) - gammaln(1 - alpha)[:, None]
    likelihood: F64 = new - drawn + kept @ samples.sets[0]
    return likelihood


def pitman_uniques(alpha: F64, theta: F64, people: float) -> F64:
    """Return the number of population uniques.

    Hoshino's Gamma(theta+1)/Gamma(theta+alpha) N^alpha for a positive alpha. It is the limit for
    many people, which is not reached where there are as many classes as people: for a negative
    alpha the expected number is taken itself.
    """
    limit = np.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(people))
    return np.where(alpha > 0, limit, expected_uniques(alpha, theta, people))


def expected_uniques(alpha: F64, theta: F64, people: float) -> F64:
    """Return the expected number of population uniques, of which Hoshino's is the limit."""
    logs = gammaln(theta + alpha + people - 1) - gammaln(theta + people)
    uniques: F64 = people * np.exp(logs + gammaln(theta + 1) - gammaln(theta + alpha))
    return uniques


def pitman(samples: Samples, around: float | None = None) -> Fit:
    """Estimate the population uniques of each sample.

    ``around`` is the alpha of the model that replicates were drawn from: then one root near it is
    looked for in each, otherwise all roots of the first sample.
    """
    if around is not None:
        alpha = _roots_near(samples, around)
    else:
        roots, reason = _all_roots(samples)
        if not len(roots):
            return Fit(np.full(1, np.nan), {}, reason)
        alpha = roots[[np.argmax(_profile_likelihood(samples, roots))]]
    theta = theta_given(alpha, samples.records, samples.classes)
    return Fit(pitman_uniques(alpha, theta, samples.people), {"alpha": alpha, "theta": theta})


def _grid() -> F64:
    """Return values of alpha, ascending, closer to each other near 0 and near 1."""
    negative = -np.geomspace(_EVEN, _SMALLEST, 90)
    positive = np.concatenate([[_SMALLEST], np.linspace(0.008, 0.99, 120)])
    return np.concatenate([negative, positive, 1 - np.geomspace(0.009, 1 - _LARGEST, 40)])


def _all_roots(samples: Samples) -> tuple[F64, str]:
    """Return every alpha at which the likelihood of the first sample has a maximum, or why none."""
    if samples.classes[0] >= samples.records:
        return np.array([]), "all_unique"
    if samples.classes[0] < 2:
        return np.array([]), "one_class"
    alphas = _grid()
    slopes = _alpha_slope(samples, alphas)
    at = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    if not len(at):
        known = slopes[np.isfinite(slopes)]
        return np.array([]), _no_root(bool(len(known)) and bool(known[-1] > 0))
    roots = _root_between(samples, alphas[at], alphas[at + 1])
    highest = np.nanmax(_profile_likelihood(samples, alphas))
    if np.max(_profile_likelihood(samples, roots)) < highest - _TOLERANCE:
        # the likelihood is larger at an end than at any of its maxima
        return np.array([]), "pitman_too_even"
    return roots, ""


def _profile_likelihood(samples: Samples, alphas: F64) -> F64:
    theta = theta_given(alphas, samples.records, np.full(len(alphas), samples.classes[0]))
    return log_likelihood(samples, alphas, theta)


def _no_root(rises: bool) -> str:
    if rises:
        return "pitman_no_maximum"
    return "pitman_too_even"


def _roots_near(samples: Samples, around: float) -> F64:
    """Return the root of each sample that is next to an alpha; NaN if it has none."""
    grid = _grid()
    middle = int(np.searchsorted(grid, around))
    low, high = (np.full(len(samples.sets), np.nan) for _ in range(2))
    reach = 8
    while np.isnan(low).any() and reach < 4 * len(grid):
        ends = grid[max(0, middle - reach)], grid[min(len(grid) - 1, middle + reach)]
        open_ = np.flatnonzero(np.isnan(low))
        part = samples.with_sets(samples.sizes, samples.sets[open_])
        below, above = (_alpha_slope(part, np.full(len(open_), end)) for end in ends)
        inside = open_[(below > 0) & (above <= 0)]
        low[inside], high[inside] = ends
        reach *= 4
    known = np.flatnonzero(np.isfinite(low))
    roots = np.full(len(samples.sets), np.nan)
    part = samples.with_sets(samples.sizes, samples.sets[known])
    roots[known] = _root_between(part, low[known], high[known])
    return roots


def _root_between(samples: Samples, low: F64, high: F64) -> F64:
    """Return the alpha at which the slope of each sample is zero, between two values."""

    def slope(alpha: F64) -> F64:
        return _alpha_slope(samples, np.where(np.abs(alpha) < _SMALLEST, _SMALLEST, alpha))

    root = _zero(slope, low, high, _SECANTS)
    return np.where(np.abs(root) < _SMALLEST, _SMALLEST, root)
