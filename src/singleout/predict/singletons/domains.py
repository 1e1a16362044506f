"""How far an approximation from a distance can be off, and where it is refused.

Many distributions have the same number of cells and the same distance to uniform. The error that is
stated is the largest that any of them has, by the proven limits of what they can have.
"""

from __future__ import annotations

from enum import StrEnum

from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.people import readable

__all__ = ["Formula", "largest_error", "refuse_far"]

_REFUSE_KL = 0.5
_REFUSE_KL_IF_CROWDED = 0.1
_CROWDED = 2.0  # people per cell
_WORTH_A_WARNING = 0.1


class Formula(StrEnum):
    """Which approximation to take."""

    KL = "kl"
    KL_FINITE = "kl-finite"
    GAMMA = "gamma"


def refuse_far(formula: Formula, distance: float, crowd: float) -> None:
    """Refuse a first-order formula where it says nothing.

    Parameters
    ----------
    formula
        Which approximation.
    distance
        The Kullback-Leibler distance to uniform, in nats.
    crowd
        People per cell.
    """
    far = distance > _REFUSE_KL or (crowd > _CROWDED and distance > _REFUSE_KL_IF_CROWDED)
    if formula is not Formula.GAMMA and far:
        raise UndefinedMeasure(
            f"At {distance:.3g} nats and {crowd:.3g} people per cell a first-order formula means "
            "nothing; use method 'exact' with the distribution or with Distribution.from_summary, "
            "or formula 'gamma'."
        )


def largest_error(
    value: float, low: float, high: float, what: str
) -> tuple[float | None, tuple[str, ...]]:
    """Return how far off a value can be, relative to a truth between two limits, and warnings.

    Parameters
    ----------
    value
        The approximation.
    low, high
        Between which the truth lies.
    what
        What is approximated, for the warning.

    Examples
    --------
    >>> largest_error(10.0, 9.8, 10.4, "unique people on average")
    (0.03846153846153855, ())
    """
    among = f"Distributions at this distance have {readable(low)} to {readable(high)} {what}"
    if low <= 0:
        return None, (f"{among}, so that the formula can be off by any factor.",)
    error = max(value / low - 1, 1 - value / high, 0.0)
    if error <= _WORTH_A_WARNING:
        return error, ()
    return error, (f"{among}: the formula can be off by {error:.0%}.",)
