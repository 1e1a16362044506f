"""Attributes with few values that depend on each other: tables, margins, copulas.

The cells of several attributes together are those of their joint table, so nothing is lost by
treating them as one. For the Kullback-Leibler distances to uniform,
kl(A, B) = kl(A) + kl(B) + I(A; B): dependence adds exactly the mutual information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.correlation.fitting import (
    Fitted,
    Margin,
    fit_margins,
    read_margins,
    shares_table,
)
from singleout.predict.correlation.normal_cells import cell_masses
from singleout.predict.distribution.distribution import Distribution, draws_without_replacement
from singleout.predict.set_sizes.shares import drawn_shares, set_shares

__all__ = ["TableAnswer", "checked_correlation", "from_copula", "from_joint", "from_margins"]


@dataclass(frozen=True, eq=False)
class TableAnswer:
    """What a joint table says about people in its cells."""

    names: tuple[str, ...]
    joint: F64
    distribution: Distribution
    shares: F64
    independent: F64 | None
    information: float
    fitted: Fitted | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def from_joint(given: Any, people: int, without_replacement: bool | None) -> TableAnswer:
    """Answer from a joint table of counts or shares, one axis for each attribute."""
    joint = shares_table(given, "The joint table")
    if joint.ndim < 2:
        raise BadChoice(
            "The joint table has one axis; give a table with an axis for each attribute, such as "
            "[[10, 20], [5, 40]]."
        )
    numbers = np.asarray(given, dtype=np.float64)
    whole = bool((numbers == np.floor(numbers)).all()) and numbers.sum() > 1
    names = tuple(f"attribute {axis + 1}" for axis in range(joint.ndim))
    cells = numbers.ravel() if whole else joint.ravel()
    distribution = (
        Distribution.from_counts(cells) if whole else Distribution.from_probabilities(cells)
    )
    return _answer(names, joint, distribution, people, without_replacement)


def from_margins(
    given: Mapping[Any, Any], people: int, without_replacement: bool | None
) -> TableAnswer:
    """Answer from the joint table of largest entropy that has the margins given."""
    fitted, warnings = fit_margins(read_margins(given))
    distribution = Distribution.from_probabilities(fitted.joint.ravel())
    note = (
        f"The joint table has the given margins and otherwise the largest entropy "
        f"({fitted.rounds:,} rounds, misfit {fitted.misfit:.1e}).",
    )
    return _answer(
        fitted.names,
        fitted.joint,
        distribution,
        people,
        without_replacement,
        fitted=fitted,
        notes=note,
        warnings=warnings,
    )


def from_copula(
    given: Mapping[Any, Any], correlation: Any, people: int, without_replacement: bool | None
) -> TableAnswer:
    """Answer for ordered values whose normal scores have a correlation."""
    margins = read_margins(given)
    if any(len(margin.names) > 1 for margin in margins):
        raise BadChoice(
            "With correlation= each attribute has a table of its own; tables over several are for "
            "margins= alone."
        )
    names = tuple(margin.names[0] for margin in margins)
    matrix = checked_correlation(correlation, len(names))
    joint = _copula(margins, matrix)
    distribution = Distribution.from_probabilities(joint.ravel())
    note = ("The values are taken as ordered, with a Gaussian copula of this correlation.",)
    return _answer(names, joint, distribution, people, without_replacement, notes=note)


def _copula(margins: Sequence[Margin], correlation: F64) -> F64:
    from scipy.special import ndtri

    edges, kept = [], []
    for margin in margins:
        positive = margin.table > 0  # a value that nobody has takes no room
        upto = np.minimum(np.cumsum(margin.table[positive]), 1.0)
        # from the nearer end, so that rare values at the top keep their digits
        above = np.maximum(np.cumsum(margin.table[positive][::-1])[::-1][1:], 0.0)
        inner = np.where(upto[:-1] < 0.5, ndtri(upto[:-1]), -ndtri(above))
        edges.append(np.concatenate([[-np.inf], inner, [np.inf]]))
        kept.append(np.flatnonzero(positive))
    joint = np.zeros([len(margin.table) for margin in margins])
    joint[np.ix_(*kept)] = cell_masses(edges, correlation)
    shares: F64 = joint / joint.sum()
    return shares


def _answer(
    names: tuple[str, ...],
    joint: F64,
    distribution: Distribution,
    people: int,
    without_replacement: bool | None,
    *,
    fitted: Fitted | None = None,
    notes: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> TableAnswer:
    drawn, drawing = draws_without_replacement(distribution, people, without_replacement)
    times = distribution.multiplicity.astype(np.float64)
    apart = _independent(joint)
    compared: F64 | None
    if drawn and distribution.counts is not None and distribution.population is not None:
        shares = drawn_shares(distribution.counts, distribution.population, people, times)
        compared = None
        drawing = (*drawing, "To compare with independence, say without_replacement=False.")
    else:
        shares = set_shares(distribution.probabilities, people, times)
        compared = set_shares(apart.ravel(), people)
    return TableAnswer(
        names,
        joint,
        distribution,
        shares,
        compared,
        _information(joint, apart),
        fitted,
        (*distribution.notes, *notes, *drawing),
        warnings,
    )


def _independent(joint: F64) -> F64:
    """Return the joint table that the same attributes would have if they were independent."""
    apart = np.ones(())
    for axis in range(joint.ndim):
        others = tuple(other for other in range(joint.ndim) if other != axis)
        apart = np.multiply.outer(apart, joint.sum(axis=others))
    return apart


def _information(joint: F64, apart: F64) -> float:
    """Return what the attributes tell about each other, in nats."""
    some = joint > 0
    return max(0.0, float((joint[some] * np.log(joint[some] / apart[some])).sum()))


def checked_correlation(given: Any, attributes: int) -> F64:
    """Return a correlation matrix; a single number will do for two attributes."""
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(f"correlation must hold numbers only, not {given!r}.") from None
    if matrix.ndim == 0 and attributes == 2:
        matrix = np.array([[1.0, float(matrix)], [float(matrix), 1.0]])
    if matrix.shape != (attributes, attributes):
        raise BadChoice(
            f"correlation must have one row and one column for each of the {attributes} "
            f"attributes, but its shape is {matrix.shape}."
        )
    if not np.isfinite(matrix).all() or np.abs(np.diag(matrix) - 1).max() > 1e-9:
        raise BadChoice("correlation must have 1 on its diagonal and finite numbers elsewhere.")
    if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix).min() <= 1e-9:
        raise BadChoice(
            "correlation must be symmetric and positive definite: these correlations cannot occur "
            "together, or one attribute determines another."
        )
    return matrix
