"""Normal attributes in intervals, in closed form. Koot (2012), 6.3 and 6.4.

Averaged over where the intervals begin, a cell around x has about the probability q e^(-X/2), X
being the squared distance of x from the mean in standard deviations, chi-square with d degrees of
freedom. With q = prod(D) / sqrt((2 pi)^d det(S + diag(D^2)/12)), where D^2/12 is what rounding adds
to a variance, this gives E S = k E (1 - q e^(-X/2))^(k-1): for two attributes (1 - (1-q)^k) / q.
"""

from __future__ import annotations

import math

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import UndefinedMeasure
from singleout.predict.intervals.polynomial import check_domain, polynomial, polynomial_shares
from singleout.predict.intervals.quadrature import gauss
from singleout.predict.set_sizes.shares import SIZES, in_sets
from singleout.report.say import say

__all__ = [
    "CLOSED_DOMAIN",
    "check_closed",
    "closed_shares",
    "conditional_deviations",
    "normal_polynomial",
    "peak",
]


CLOSED_DOMAIN = (0.5, 0.75)  # widths in conditional standard deviations: good, and at most
_CLOSED_ERROR = {1: 0.037, 2: 0.013}  # relative, at the most; less with more attributes
_CLOSED_PEOPLE = 500


def conditional_deviations(covariance: F64) -> F64:
    """Return the standard deviation of each attribute where all others are known."""
    deviations: F64 = 1 / np.sqrt(np.diag(np.linalg.inv(covariance)))
    return deviations


def peak(covariance: F64, widths: F64, *, widened: bool = True) -> float:
    """Return q, about the probability of the cell around the mean."""
    spread = covariance + np.diag(widths**2) / 12 if widened else covariance
    _, log_determinant = np.linalg.slogdet(2 * math.pi * spread)
    return float(np.exp(np.log(widths).sum() - log_determinant / 2))


def closed_shares(q: float, attributes: int, people: int, weight: float = 1.0) -> F64:
    """Return the shares of people in sets of 1, 2 and 3 by the closed form, with q from `peak`.

    The weight is the share of all people that have this normal distribution; the shares sum to it.
    """
    from scipy.stats import binom

    top = min(1.0, weight * q)
    if attributes == 2:
        sizes = np.arange(1, SIZES + 1)
        shares: F64 = weight * binom.sf(sizes - 1, people, top) / (people * top)
        return shares
    # the distance from the mean, chi with d degrees of freedom, in panels of half a deviation
    nodes, weights = gauss(12)
    panels = np.arange(0.0, math.sqrt(attributes) + 12.0, 0.5)
    distance = (panels[:, None] + 0.5 * nodes).ravel()
    log_density = (attributes - 1) * np.log(distance) - distance**2 / 2
    density = np.exp(log_density - log_density.max()) * np.tile(weights, len(panels))
    chances = in_sets(top * np.exp(-(distance**2) / 2), people)
    averaged: F64 = weight * (chances @ density) / density.sum()
    return averaged


def check_closed(covariance: F64, widths: F64, people: int) -> tuple[str, ...]:
    """Warn where the closed form is not good any more, and refuse where it is bad."""
    ratio = float((widths / conditional_deviations(covariance)).max())
    good, most = CLOSED_DOMAIN
    if ratio <= good and (people <= _CLOSED_PEOPLE or ratio <= good / 2):
        return ()
    if ratio <= good:
        key = "predict.correlation.closed_people"
        return (say(key, verified=_CLOSED_PEOPLE, people=people, ratio=ratio),)
    if ratio > most:
        raise UndefinedMeasure(
            f"The closed form holds for intervals of up to {most} conditional standard deviations, "
            f"and one is {ratio:.2g} wide; use method='exact', or 'simulate' for many attributes."
        )
    error = _CLOSED_ERROR[min(len(widths), 2)]
    return (say("predict.correlation.closed_wide", ratio=ratio, good=good, error=error),)


def normal_polynomial(
    covariance: F64, widths: F64, people: int, order: int
) -> tuple[F64, tuple[str, ...]]:
    """Return the shares in sets of 1 to 3, to order 1 or 2 in the volume of a cell, and warnings.

    Order 2 takes into account how the density bends within a cell.
    """
    attributes = len(widths)
    q = peak(covariance, widths, widened=False)
    second, third, fourth = (q ** (m - 1) * m ** (-attributes / 2) for m in (2, 3, 4))
    bend = float(((widths / conditional_deviations(covariance)) ** 2).sum()) / 24
    powers = (second * (1 - bend) if order > 1 else second, third, fourth)
    orders = [polynomial(people, 1.0, powers, upto) for upto in (order, order + 1)]
    warnings = check_domain(people, second, order, orders[1] - orders[0])
    return polynomial_shares(people, 1.0, powers, order), warnings
