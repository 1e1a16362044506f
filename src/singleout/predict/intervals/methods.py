"""The ways to compute who is alone in an interval, each with its domain. Koot (2012), 6.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

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

__all__ = ["METHODS", "WidthMethod"]


# of a line, a width, how many people there are, and an offset
Method = Callable[[Line, float, int, float | None], IntervalShares]


class WidthMethod(StrEnum):
    """How the shares are computed."""

    EXACT = "exact"  # the cells themselves
    CLOSED = "closed"  # the closed form of a normal distribution
    ORDER1 = "order1"  # the polynomial in the width, to order 1
    ORDER2 = "order2"  # and to order 2


def _closed(line: Line, width: float, people: int, offset: float | None) -> IntervalShares:  # noqa: ARG001
    law = _continuous(line, "closed")
    if getattr(getattr(law, "dist", None), "name", "") != "norm":
        raise BadChoice(
            f"method='closed' is for a normal distribution, not for {line.name}; use 'exact'."
        )
    covariance, sides = np.array([[float(law.var())]]), np.array([width])
    warnings = check_closed(covariance, sides, people)
    return IntervalShares(closed_shares(peak(covariance, sides), 1, people), (), warnings)


def _order(order: int) -> Method:
    def answer(line: Line, width: float, people: int, offset: float | None) -> IntervalShares:
        law = _continuous(line, f"order{order}")
        powers = power_integrals(law)
        jump = jumps(law, width, offset)
        left_out = [polynomial(people, width, powers, o, jump=jump) for o in (order, order + 1)]
        warnings = check_domain(people, width * powers[0], order, left_out[1] - left_out[0])
        return IntervalShares(polynomial_shares(people, width, powers, order, jump), (), warnings)

    return answer


METHODS: Mapping[WidthMethod, Method] = {
    WidthMethod.EXACT: lambda line, width, people, offset: line.shares(width, people, offset),
    WidthMethod.CLOSED: _closed,
    WidthMethod.ORDER1: _order(1),
    WidthMethod.ORDER2: _order(2),
}


def _continuous(line: Line, method: str) -> Any:
    if not isinstance(line, Continuous):
        raise BadChoice(
            f"method={method!r} needs a continuous distribution of scipy, not {line.name}; use "
            "'exact'."
        )
    return line.distribution
