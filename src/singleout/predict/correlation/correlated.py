"""How identifying several attributes are together, where they depend on each other. Koot, 6.4.

The thesis treats two normal attributes. Here also tables: the joint table if it is known, the one
of largest entropy if only margins are, a Gaussian copula for ordered values, and groups with normal
attributes of their own. The more attributes tell about each other, the less they single out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.errors import BadChoice
from singleout.predict.correlation.fitting import shares_table
from singleout.predict.correlation.normal import NormalMethod, Normals, answer_normals
from singleout.predict.correlation.result import Correlated
from singleout.predict.correlation.tables import from_copula, from_joint, from_margins
from singleout.predict.distribution.distribution import check_people

__all__ = ["correlated"]

_SOURCES = ("covariance", "joint", "margins")


@framed
def correlated(
    people: int,
    *,
    covariance: Any = None,
    widths: Any = None,
    means: Any = None,
    offsets: Any = "average",
    groups: Any = None,
    joint: Any = None,
    margins: Mapping[Any, Any] | None = None,
    correlation: Any = None,
    without_replacement: bool | None = None,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
) -> Correlated:
    """Predict how many people are alone in a cell of attributes that depend on each other.

    Give one of three: ``covariance`` for numbers that are rounded, ``joint`` for a joint table, or
    ``margins`` for what is known of one.

    Parameters
    ----------
    people
        How many people there will be.
    covariance
        Of attributes with a normal distribution; with ``groups`` one for all or one for each.
    widths
        How wide the intervals of each attribute are.
    means
        Of each attribute; with ``groups`` a row for each. They matter only where offsets are given,
        or for groups.
    offsets
        Where an interval of each attribute begins; ``average`` for the mean over all offsets.
    groups
        A category beside the numbers: the share of people in each group.
    joint
        Counts or shares of every combination: an array with an axis for each attribute.
    margins
        Tables by attribute: ``{("age", "sex"): [[…]], ("sex", "town"): [[…]]}``. The joint table is
        the one of largest entropy that has them.
    correlation
        With one table for each attribute as ``margins``, whose values are ordered: the correlation
        of their normal scores, a number for two attributes, else a matrix.
    without_replacement
        Whether nobody is drawn twice from a joint table of counts. If not given, so above 1 %.
    method
        For ``covariance``: ``auto``, ``exact``, ``closed``, ``order1``, ``order2`` or ``simulate``.
    rng
        The random generator of a simulation, or a seed; if not given, the same seed for every call.

    Returns
    -------
    Correlated

    Examples
    --------
    >>> from singleout.predict import correlated
    >>> height_and_weight = [[4.83**2, 12.844], [12.844, 5.289**2]]
    >>> print(correlated(40, covariance=height_and_weight, widths=[2, 2]))
    Of 40 people 24.12 (60.3%) are alone in their cell; 25.64 if the attributes were independent
    >>> age_and_sex = correlated(20, joint=[[30, 10], [20, 40]])
    >>> round(age_and_sex.share_unique, 4)
    0.0157
    """
    k = check_people(people, least=1)
    source = _checked_source(
        covariance=covariance,
        joint=joint,
        margins=margins,
        widths=widths,
        means=means,
        groups=groups,
        correlation=correlation,
        offsets=None if isinstance(offsets, str) and offsets == "average" else offsets,
        rng=rng,
    )
    if source == "covariance":
        if without_replacement:
            raise BadChoice("without_replacement=True needs a joint table of counts.")
        normals = _checked_normals(covariance, widths, means, offsets, groups)
        chosen = choose(NormalMethod, method, "method of correlated")
        return answer_normals(normals, k, chosen, _checked_rng(rng))
    if method not in ("auto", "exact"):
        raise BadChoice(f"method={method!r} is for covariance=; tables are always exact.")
    if source == "joint":
        return from_joint(joint, k, without_replacement)
    if correlation is None:
        return from_margins(margins, k, without_replacement)
    return from_copula(margins, correlation, k, without_replacement)


# ---- checks of arguments


def _checked_source(**arguments: Any) -> str:
    """Return which of covariance, joint and margins is given, and check that the rest fits it."""
    sources = [name for name in _SOURCES if arguments[name] is not None]
    if len(sources) != 1:
        names = "none of them" if not sources else " and ".join(f"{name}=" for name in sources)
        raise BadChoice(
            "Give one of covariance= (numbers in intervals), joint= (a joint table) and margins= "
            f"(tables of some attributes), not {names}."
        )
    source = sources[0]
    others = [] if source == "covariance" else ["widths", "means", "groups", "offsets", "rng"]
    if source != "margins":
        others.append("correlation")
    for other in others:
        if arguments[other] is not None:
            owner = "margins=" if other == "correlation" else "covariance="
            raise BadChoice(f"{other}= goes with {owner}, not with {source}=.")
    return source


def _checked_rng(rng: Any) -> np.random.Generator:
    """Return the random generator; without one, the same seed for every call."""
    try:
        return np.random.default_rng(0 if rng is None else rng)
    except (TypeError, ValueError):
        raise BadChoice(
            f"rng must be a numpy.random.Generator or a whole number from 0 as a seed, not {rng!r}."
        ) from None


def _checked_normals(
    covariance: Any, widths: Any, means: Any, offsets: Any, groups: Any
) -> Normals:
    """Return the groups of normal attributes, or say what is wrong with them."""
    shares = np.ones(1) if groups is None else _shares(groups)
    covariances = _covariances(covariance, len(shares))
    attributes = covariances.shape[1]
    if attributes == 1 and groups is None:
        raise BadChoice(
            "One attribute has nothing to depend on; use interval_width, or give groups=."
        )
    if widths is None:
        raise BadChoice(
            f"widths= is missing: give the width of each of the {attributes} attributes."
        )
    sides = _numbers(widths, "widths", (attributes,))
    if not (sides > 0).all():
        raise BadChoice(f"widths must be positive, but one of them is {sides.min():g}.")
    rows = (len(shares), attributes)
    return Normals(
        "normal" if groups is None else "groups",
        shares,
        np.zeros(rows) if means is None else _numbers(means, "means", rows),
        covariances,
        sides,
        _offsets(offsets, attributes),
    )


def _shares(groups: Any) -> F64:
    values = list(groups.values()) if isinstance(groups, Mapping) else groups
    shares = shares_table(values, "groups")
    if shares.ndim != 1 or not (shares > 0).all():
        raise BadChoice("groups must be the share of people in each group, all of them positive.")
    return shares


def _covariances(covariance: Any, groups: int) -> F64:
    """Return one covariance matrix for each group."""
    try:
        matrices = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadChoice("covariance must be a square matrix of numbers.") from None
    if matrices.ndim == 2:
        matrices = np.repeat(matrices[None], groups, axis=0)
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or len(matrices) != groups:
        raise BadChoice(
            "covariance must be a square matrix with a row for each attribute, or one for each "
            f"of the {groups} groups, but its shape is {np.shape(covariance)}."
        )
    for matrix in matrices:
        _check_covariance(matrix)
    return matrices


def _check_covariance(matrix: F64) -> None:
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise BadChoice("covariance must be symmetric, and all its numbers finite.")
    deviations = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    if not (deviations > 0).all():
        raise BadChoice("covariance must have positive variances on its diagonal.")
    if np.linalg.eigvalsh(matrix / np.outer(deviations, deviations)).min() <= 1e-9:
        raise BadChoice(
            "covariance must be positive definite: these correlations cannot occur together, or "
            "one attribute determines another; leave that one out."
        )


def _offsets(offsets: Any, attributes: int) -> F64 | None:
    if isinstance(offsets, str):
        if offsets == "average":
            return None
        raise BadChoice(
            f"offsets must be 'average' or a number for each attribute, not {offsets!r}."
        )
    return _numbers(offsets, "offsets", (attributes,))


def _numbers(values: Any, what: str, shape: tuple[int, ...]) -> F64:
    """Return numbers in a shape; where there is one group or attribute, its axis may be missing."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(f"{what} must hold numbers only, not {values!r}.") from None
    squeezed = tuple(size for size in shape if size != 1)
    if numbers.shape != shape and tuple(s for s in numbers.shape if s != 1) != squeezed:
        wanted = " by ".join(str(size) for size in shape)
        raise BadChoice(f"{what} must have the shape {wanted}, but has {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise BadChoice(f"{what} must be finite numbers.")
    return numbers.reshape(shape)
