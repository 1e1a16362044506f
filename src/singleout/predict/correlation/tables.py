"""Attributes with few values that depend on each other: tables, margins, copulas.

The cells of several attributes together are those of their joint table, so nothing is lost by
treating them as one. For the Kullback-Leibler distances to uniform,
kl(A, B) = kl(A) + kl(B) + I(A; B): dependence adds exactly the mutual information.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.correlation.fitting import (
    Margin,
    fit_margins,
    read_margins,
    shares_table,
)
from singleout.predict.correlation.normal_cells import cell_masses
from singleout.predict.correlation.result import Correlated
from singleout.predict.distribution.distribution import Distribution, draws_without_replacement
from singleout.predict.set_sizes.shares import drawn_shares, set_shares
from singleout.report.say import say

__all__ = ["from_copula", "from_joint", "from_margins"]


def from_joint(table: Any, people: int, without_replacement: bool | None) -> Correlated:
    """Answer from a joint table of counts or shares, one axis for each attribute."""
    joint = shares_table(table, "The joint table")
    if joint.ndim < 2:
        raise BadChoice(
            "The joint table has one axis; give a table with an axis for each attribute, such as "
            "[[10, 20], [5, 40]]."
        )
    numbers = np.asarray(table, dtype=np.float64)
    if (numbers == np.floor(numbers)).all() and numbers.sum() > 1:
        distribution = Distribution.from_counts(numbers.ravel())
    else:
        distribution = Distribution.from_probabilities(joint.ravel())
    return _result("joint", joint, distribution, people, without_replacement)


def from_margins(tables: Any, people: int, without_replacement: bool | None) -> Correlated:
    """Answer from the joint table of largest entropy that has these margins."""
    fitted, warnings = fit_margins(read_margins(tables))
    distribution = Distribution.from_probabilities(fitted.joint.ravel())
    note = say("predict.correlation.largest_entropy", rounds=fitted.rounds, misfit=fitted.misfit)
    result = _result("margins", fitted.joint, distribution, people, without_replacement, note)
    return replace(result, fitted=fitted, warnings=warnings)


def from_copula(
    tables: Any, correlation: Any, people: int, without_replacement: bool | None
) -> Correlated:
    """Answer for ordered values whose normal scores have a correlation."""
    margins = read_margins(tables)
    if any(len(margin.names) > 1 for margin in margins):
        raise BadChoice(
            "With correlation= each attribute has a table of its own; tables over several are for "
            "margins= alone."
        )
    joint = _copula(margins, _checked_correlation(correlation, len(margins)))
    distribution = Distribution.from_probabilities(joint.ravel())
    note = say("predict.correlation.copula")
    return _result("copula", joint, distribution, people, without_replacement, note)


def _copula(margins: Sequence[Margin], correlation: F64) -> F64:
    from scipy.special import ndtri

    edges, occupied = [], []
    for margin in margins:
        positive = margin.table > 0  # a value that nobody has gets no interval
        upto = np.minimum(np.cumsum(margin.table[positive]), 1.0)
        # from the nearer end, so that rare values at the top keep their digits
        above = np.maximum(np.cumsum(margin.table[positive][::-1])[::-1][1:], 0.0)
        inner = np.where(upto[:-1] < 0.5, ndtri(upto[:-1]), -ndtri(above))
        edges.append(np.concatenate([[-np.inf], inner, [np.inf]]))
        occupied.append(np.flatnonzero(positive))
    joint = np.zeros([len(margin.table) for margin in margins])
    joint[np.ix_(*occupied)] = cell_masses(edges, correlation)
    shares: F64 = joint / joint.sum()
    return shares


def _result(
    kind: str,
    joint: F64,
    distribution: Distribution,
    people: int,
    without_replacement: bool | None,
    *notes: str,
) -> Correlated:
    drawn, drawing = draws_without_replacement(distribution, people, without_replacement)
    times = distribution.multiplicity.astype(np.float64)
    product = _independent(joint)
    independent: F64 | None = None
    if drawn and distribution.counts is not None and distribution.population is not None:
        shares = drawn_shares(distribution.counts, distribution.population, people, times)
        drawing = (*drawing, say("predict.correlation.to_compare"))
    else:
        shares = set_shares(distribution.probabilities, people, times)
        independent = set_shares(product.ravel(), people)
    return Correlated(
        kind,
        people,
        shares,
        independent,
        "exact",
        _information(joint, product),
        distribution,
        joint,
        notes=(*distribution.notes, *notes, *drawing),
    )


def _independent(joint: F64) -> F64:
    """Return the joint table that the same attributes would have if they were independent."""
    product = np.ones(())
    for axis in range(joint.ndim):
        others = tuple(other for other in range(joint.ndim) if other != axis)
        product = np.multiply.outer(product, joint.sum(axis=others))
    return product


def _information(joint: F64, product: F64) -> float:
    """Return the Kullback-Leibler distance from the independent table, in nats."""
    some = joint > 0
    return max(0.0, float((joint[some] * np.log(joint[some] / product[some])).sum()))


def _checked_correlation(correlation: Any, attributes: int) -> F64:
    """Return a correlation matrix; a single number will do for two attributes."""
    try:
        matrix = np.asarray(correlation, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(f"correlation must hold numbers only, not {correlation!r}.") from None
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
