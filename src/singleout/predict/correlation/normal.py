"""Numbers that depend on each other, rounded to intervals: normal, also within groups.

Height and weight are correlated, and both differ between men and women. With a category, each group
has a normal distribution of its own, and a cell is a group and an interval of each number: a cell
of group c has the probability pi_c F_i|c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.progress import track
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.correlation.normal_cells import (
    fixed_masses,
    grid_work,
    mixture_shares,
    window_shares,
)
from singleout.predict.correlation.normal_closed import (
    CLOSED_DOMAIN,
    check_closed,
    closed_shares,
    conditional_deviations,
    normal_polynomial,
    peak,
)
from singleout.predict.correlation.result import Correlated
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.shares import SIZES, set_shares
from singleout.report.say import say

__all__ = ["NormalMethod", "Normals", "answer_normals"]


_DRAWS = 200_000  # of people, in a simulation
_LEAST_REPEATS = 30


class NormalMethod(StrEnum):
    """How the shares are computed."""

    AUTO = "auto"  # exact where that is fast enough, else the closed form where it holds
    EXACT = "exact"
    CLOSED = "closed"
    ORDER1 = "order1"
    ORDER2 = "order2"
    SIMULATE = "simulate"


@dataclass(frozen=True, eq=False)
class Normals:
    """Groups of people, in each of which the attributes are normal."""

    kind: str  # "normal" without groups, or "groups"
    shares: F64  # of all people, those in each group; they sum to 1
    means: F64  # of each group (row) and attribute
    covariances: F64  # of the attributes, for each group
    widths: F64  # of the intervals of each attribute
    offsets: F64 | None  # where an interval of each begins; None for the mean over all offsets

    @property
    def attributes(self) -> int:
        """How many numbers there are for each person."""
        return len(self.widths)

    def independent(self) -> Normals:
        """Return the same without correlation within each group."""
        return replace(self, covariances=self.covariances * np.eye(self.attributes))

    @property
    def information(self) -> float | None:
        """The total correlation of the numbers before rounding, in nats; for one group only."""
        if len(self.shares) > 1:
            return None
        variances = np.log(np.diag(self.covariances[0])).sum()
        return max(0.0, float(variances - np.linalg.slogdet(self.covariances[0])[1]) / 2)


def answer_normals(
    normals: Normals, people: int, method: NormalMethod, rng: np.random.Generator
) -> Correlated:
    """Return the shares of people in sets of 1, 2 and 3; the generator is for a simulation."""
    chosen = _chosen(normals) if method is NormalMethod.AUTO else method
    if chosen is NormalMethod.SIMULATE:
        return _simulated(normals, people, rng)
    if chosen is NormalMethod.EXACT:
        return _exact(normals, people)
    return _approximate(normals, people, chosen)


def _chosen(normals: Normals) -> NormalMethod:
    if _is_feasible(normals):
        return NormalMethod.EXACT
    if _widest(normals) <= CLOSED_DOMAIN[1]:
        return NormalMethod.CLOSED
    raise UndefinedMeasure(
        f"{normals.attributes} attributes in wide intervals have too many cells to be exact, and "
        "the closed form does not hold; use method='simulate'."
    )


def _is_feasible(normals: Normals) -> bool:
    sliding = normals.offsets is None
    each = [grid_work(c, normals.widths, sliding=sliding) for c in normals.covariances]
    return sum(each) <= 1


def _widest(normals: Normals) -> float:
    """Return the widest interval in conditional standard deviations."""
    return max(
        float((normals.widths / conditional_deviations(c)).max()) for c in normals.covariances
    )


# ---- exact


def _exact(normals: Normals, people: int) -> Correlated:
    if not _is_feasible(normals):
        raise UndefinedMeasure(
            f"{normals.attributes} attributes in these intervals have too many cells to be exact; "
            "use method='closed' for narrow intervals, or 'simulate'."
        )
    shares, cells, error = _exact_shares(normals, people)
    certain_to = (say("predict.correlation.certain_to", error=error),) if error > 1e-6 else ()
    return Correlated(
        normals.kind,
        people,
        shares,
        _independent_shares(normals, people),
        "exact",
        normals.information,
        cells,
        warnings=certain_to,
    )


def _exact_shares(normals: Normals, people: int) -> tuple[F64, Distribution | None, float]:
    """Return the shares, the cells if offsets are fixed, and the error."""
    shares, masses, error = np.zeros(SIZES), [], 0.0
    groups = list(zip(normals.shares, normals.means, normals.covariances, strict=True))
    for weight, mean, covariance in track(groups, say("progress.groups")):
        if normals.offsets is None:
            part, part_error = window_shares(covariance, normals.widths, people, float(weight))
            error = max(error, part_error)
        else:
            cells = weight * fixed_masses(covariance, normals.widths, normals.offsets - mean)
            masses.append(cells.ravel())
            part = set_shares(masses[-1], people)
        shares += part
    if not masses:
        return shares, None, error
    every = np.concatenate(masses)
    return shares, Distribution.from_probabilities(every / every.sum(), cells=np.inf), error


def _independent_shares(normals: Normals, people: int) -> F64 | None:
    if len(normals.shares) == 1:
        return _exact_shares(normals.independent(), people)[0]
    deviations = np.sqrt(np.diagonal(normals.covariances, axis1=1, axis2=2))
    return mixture_shares(
        normals.shares, normals.means, deviations, normals.widths, normals.offsets, people
    )


# ---- approximations


def _approximate(normals: Normals, people: int, method: NormalMethod) -> Correlated:
    several = len(normals.shares) > 1
    if method is not NormalMethod.CLOSED and several:
        raise BadChoice(f"method='{method}' is for one group; use 'exact' or 'closed'.")
    shares, warnings = _approximate_shares(normals, people, method)
    # without correlation intervals are narrower for their conditional deviation: also in domain
    independent, _ = _approximate_shares(normals.independent(), people, method)
    return Correlated(
        normals.kind,
        people,
        shares,
        independent,
        str(method),
        normals.information,
        notes=(say("predict.correlation.within_groups"),) if several else (),
        warnings=warnings,
    )


def _approximate_shares(
    normals: Normals, people: int, method: NormalMethod
) -> tuple[F64, tuple[str, ...]]:
    widths = normals.widths
    if method is not NormalMethod.CLOSED:
        order = 1 if method is NormalMethod.ORDER1 else 2
        return normal_polynomial(normals.covariances[0], widths, people, order)
    shares, warnings = np.zeros(SIZES), list[str]()
    for weight, covariance in zip(normals.shares, normals.covariances, strict=True):
        warnings += check_closed(covariance, widths, people)
        q = peak(covariance, widths)
        shares += closed_shares(q, normals.attributes, people, float(weight))
    return shares, tuple(dict.fromkeys(warnings))


# ---- simulation


def _simulated(normals: Normals, people: int, rng: np.random.Generator) -> Correlated:
    repeats = max(_LEAST_REPEATS, math.ceil(_DRAWS / people))
    shares, error = _simulate(normals, people, repeats, rng)
    independent = None
    if len(normals.shares) == 1:
        independent, _ = _simulate(normals.independent(), people, repeats, rng)
    return Correlated(
        normals.kind,
        people,
        shares,
        independent,
        "simulate",
        normals.information,
        standard_error=error,
        notes=(say("predict.correlation.simulated", repeats=repeats, error=error),),
    )


def _simulate(
    normals: Normals, people: int, repeats: int, rng: np.random.Generator
) -> tuple[F64, float]:
    at_once = max(1, _DRAWS // (4 * people))
    blocks = [
        _counted(normals, people, min(at_once, repeats - begin), rng)
        for begin in track(range(0, repeats, at_once), say("progress.simulation"))
    ]
    shares = np.concatenate(blocks, axis=1)
    error = float(shares[0].std(ddof=1)) / math.sqrt(repeats)
    return shares.mean(axis=1), error


def _counted(normals: Normals, people: int, repeats: int, rng: np.random.Generator) -> F64:
    """Draw people, and return for each repetition the shares in sets of 1, 2 and 3."""
    total = repeats * people
    group = rng.choice(len(normals.shares), size=total, p=normals.shares)
    roots = np.linalg.cholesky(normals.covariances)
    drawn = rng.standard_normal((total, normals.attributes))
    values = normals.means[group] + np.einsum("nij,nj->ni", roots[group], drawn)
    repeat = np.repeat(np.arange(repeats), people)
    begin: Any = normals.offsets
    if begin is None:
        begin = (rng.random((repeats, normals.attributes)) * normals.widths)[repeat]
    intervals = np.floor((values - begin) / normals.widths).astype(np.int64)
    cell = repeat
    for column in (group, *intervals.T):
        # dense numbers after every column keep the product far below 2**63
        code = column - column.min()
        _, cell = np.unique(cell * (code.max() + 1) + code, return_inverse=True)
    _, first, sizes = np.unique(cell, return_index=True, return_counts=True)
    return np.array(
        [
            size * np.bincount(repeat[first[sizes == size]], minlength=repeats) / people
            for size in range(1, SIZES + 1)
        ]
    )
