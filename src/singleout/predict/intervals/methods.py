"""The ways to compute who is alone in an interval, each with its domain. Koot (2012), 6.3."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from singleout.errors import BadChoice
from singleout.predict.correlation.normal_closed import check_closed, closed_shares, peak
from singleout.predict.intervals.line import Continuous, IntervalShares, Line
from singleout.predict.intervals.polynomial import (
    check_domain,
    jumps,
    polynomial,
    polynomial_shares,
    power_integrals,
)

__all__ = ["WidthMethod", "shares_by"]


class WidthMethod(StrEnum):
    """How the shares are computed."""

    EXACT = "exact"  # the cells themselves
    CLOSED = "closed"  # the closed form of a normal distribution
    ORDER1 = "order1"  # the polynomial in the width, to order 1
    ORDER2 = "order2"  # and to order 2


def shares_by(
    method: WidthMethod, line: Line, width: float, people: int, offset: float | None
) -> IntervalShares:
    """Return the shares of people in sets of 1 to 3 by a method, or say why it does not hold."""
    if method is WidthMethod.EXACT:
        return line.shares(width, people, offset)
    if not isinstance(line, Continuous):
        raise BadChoice(
            f"method='{method}' needs a continuous distribution of scipy, not {line.name}; use "
            "'exact'."
        )
    if method is WidthMethod.CLOSED:
        return _closed(line, width, people)
    return _polynomial(line, width, people, offset, 1 if method is WidthMethod.ORDER1 else 2)


def _closed(line: Continuous, width: float, people: int) -> IntervalShares:
    law = line.distribution
    if law.dist.name != "norm":
        raise BadChoice(
            f"method='closed' is for a normal distribution, not for {line.name}; use 'exact'."
        )
    covariance, sides = np.array([[float(law.var())]]), np.array([width])
    warnings = check_closed(covariance, sides, people)
    return IntervalShares(closed_shares(peak(covariance, sides), 1, people), (), warnings)


def _polynomial(
    line: Continuous, width: float, people: int, offset: float | None, order: int
) -> IntervalShares:
    powers = power_integrals(line.distribution)
    jump = jumps(line.distribution, width, offset)
    shorter, longer = (polynomial(people, width, powers, o, jump=jump) for o in (order, order + 1))
    warnings = check_domain(people, width * powers[0], order, longer - shorter)
    return IntervalShares(polynomial_shares(people, width, powers, order, jump), (), warnings)
