"""Where an approximation from a distance holds, where it needs a warning, and where it is refused.

The largest errors of the number of unique people were taken on a grid of 982 distributions. They
are what to expect and no bound: a single heavy cell can be further off.
"""

from __future__ import annotations

from enum import StrEnum

from singleout.errors import UndefinedMeasure

__all__ = ["CROWDED", "Formula", "beyond", "domain"]

# (largest kl, largest people per cell, largest error): on the grid, for 80 cells and more
_RULES = (
    (0.14, 0.25, 0.02),
    (0.03, 2.0, 0.02),
    (0.08, 2.0, 0.05),
    (0.14, 1.0, 0.10),
    (0.10, 2.0, 0.10),
)
_WARN_KL = 0.15
_REFUSE_KL = 0.5
_REFUSE_KL_IF_CROWDED = 0.1
CROWDED = 2.0  # people per cell
_MANY_CELLS = 80


class Formula(StrEnum):
    """Which approximation to take."""

    KL = "kl"
    KL_FINITE = "kl-finite"
    GAMMA = "gamma"


def domain(
    formula: Formula, cells: float, distance: float, crowd: float
) -> tuple[float | None, tuple[str, ...]]:
    """Return the error to expect and warnings, or refuse where the formula says nothing.

    Parameters
    ----------
    formula
        Which approximation.
    cells
        N: how many cells are possible.
    distance
        The Kullback-Leibler distance to uniform, in nats.
    crowd
        People per cell.
    """
    if formula is Formula.GAMMA:
        error, warnings = _domain_of_gamma(distance, crowd)
    else:
        error, warnings = _domain_of_kl(distance, crowd)
    if formula is Formula.KL_FINITE or cells >= _MANY_CELLS:
        return error, warnings
    few = (
        f"{cells:.0f} cells are few for this formula, which adds an error of up to {1 / cells:.1%};"
        " formula 'kl-finite' has none of it."
    )
    return None if error is None else error + 1 / cells, (*warnings, few)


def _domain_of_kl(distance: float, crowd: float) -> tuple[float | None, tuple[str, ...]]:
    if distance > _REFUSE_KL or (crowd > CROWDED and distance > _REFUSE_KL_IF_CROWDED):
        raise UndefinedMeasure(
            f"At {distance:.3g} nats and {crowd:.3g} people per cell a first-order formula is off "
            "by 57% to more than 100%; use method 'exact' with the distribution or with "
            "Distribution.from_summary, or formula 'gamma'."
        )
    errors = [error for kl, most, error in _RULES if distance <= kl and crowd <= most]
    if errors:
        return min(errors), ()
    if distance > _WARN_KL:
        return None, (
            f"At {distance:.3g} nats a first-order formula is rough: above {_WARN_KL} nine of ten "
            "distributions that were tried were within 9%, the others further off.",
        )
    return None, (beyond(distance, crowd, "10%"),)


def _domain_of_gamma(distance: float, crowd: float) -> tuple[float | None, tuple[str, ...]]:
    """Nine of ten distributions within the limits were within 4%, but there is no largest error."""
    if distance <= _REFUSE_KL and crowd <= CROWDED:
        return None, ()
    return None, (beyond(distance, crowd, "50%"),)


def beyond(distance: float, crowd: float, error: str) -> str:
    """Return the warning that a formula is used where nothing is known of its error."""
    return (
        f"At {distance:.3g} nats and {crowd:.3g} people per cell the formula was not shown to hold:"
        f" errors of more than {error} were seen."
    )
