"""What `correlated` may be asked, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.correlation.fitting import shares_table
from singleout.predict.correlation.normal import Normals

__all__ = ["check_question", "checked_normals", "checked_rng"]


_QUESTIONS = ("covariance", "joint", "margins")


def check_question(**given: Any) -> str:
    """Return which question is asked: normal, groups, joint, margins or copula."""
    asked = [name for name in _QUESTIONS if given[name] is not None]
    if len(asked) != 1:
        found = "none of them" if not asked else " and ".join(f"{name}=" for name in asked)
        raise BadChoice(
            "Give one of covariance= (numbers in intervals), joint= (a joint table) and margins= "
            f"(tables of some attributes), not {found}."
        )
    kind = asked[0]
    if kind == "covariance":
        _check_fits(given, kind, ("correlation",))
        return "normal" if given["groups"] is None else "groups"
    _check_fits(given, kind, ("widths", "means", "groups", "offsets", "rng"))
    if kind == "joint":
        _check_fits(given, kind, ("correlation",))
        return kind
    if not isinstance(given["margins"], Mapping):
        raise BadChoice(
            "margins must be a mapping from attributes to tables, such as "
            f"{{('age', 'sex'): [[…]]}}, not a {type(given['margins']).__name__}."
        )
    return "margins" if given["correlation"] is None else "copula"


def _check_fits(given: Mapping[str, Any], kind: str, others: tuple[str, ...]) -> None:
    for other in others:
        if given[other] is not None:
            belongs = "margins=" if other == "correlation" else "covariance="
            raise BadChoice(f"{other}= goes with {belongs}, not with {kind}=.")


def checked_rng(rng: Any) -> np.random.Generator:
    """Return the source of chance; the same for every call if none is given."""
    try:
        return np.random.default_rng(0 if rng is None else rng)
    except (TypeError, ValueError):
        raise BadChoice(
            f"rng must be a numpy.random.Generator or a whole number from 0 as a seed, not {rng!r}."
        ) from None


def checked_normals(covariance: Any, widths: Any, means: Any, offsets: Any, groups: Any) -> Normals:
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


def _covariances(given: Any, groups: int) -> F64:
    """Return one covariance matrix for each group."""
    try:
        matrices = np.atleast_2d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadChoice("covariance must be a square matrix of numbers.") from None
    if matrices.ndim == 2:
        matrices = np.repeat(matrices[None], groups, axis=0)
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or len(matrices) != groups:
        raise BadChoice(
            "covariance must be a square matrix with a row for each attribute, or one for each "
            f"of the {groups} groups, but its shape is {np.shape(given)}."
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


def _numbers(given: Any, what: str, shape: tuple[int, ...]) -> F64:
    """Return numbers in a shape; where there is one group or attribute, its axis may be missing."""
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(f"{what} must hold numbers only, not {given!r}.") from None
    squeezed = tuple(size for size in shape if size != 1)
    if numbers.shape != shape and tuple(s for s in numbers.shape if s != 1) != squeezed:
        wanted = " by ".join(str(size) for size in shape)
        raise BadChoice(f"{what} must have the shape {wanted}, but has {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise BadChoice(f"{what} must be finite numbers.")
    return numbers.reshape(shape)
