"""How likely a record is re-identified, given its class in a sample. Benedetti and Franconi (1998).

Somebody who knows the quasi-identifiers of a person finds f records with them, and guesses one of
the F people of the population who have them. F is not known. Under the model it is negative
binomial given f, with a probability p that is estimated as f over the sum of the weights of these
records. The individual risk is the mean of 1/F:

    r = E[1/F | f] = (p / f) 2F1(1, 1; f + 1; 1 - p) = p * integral of u^(f-1) / (p + (1-p) u)

over u from 0 to 1. The integral gives r(1) = p log(1/p) / (1-p), and r(f+1) from r(f):

    p / f = p r(f) + (1-p) r(f+1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, total

__all__ = ["RiskSpread", "RiskThreshold", "expected_inverse", "household_risks", "individual_risks"]

# From here on the series converges in some thirty terms whatever p is.
_LARGE = 32
_HALF = 0.5
_MOST_TERMS = 64
_NEGLIGIBLE = 1e-18  # of a sum that is 1 or more


def individual_risks(records: NDArray[Any], people: F64) -> F64:
    """Return the risk of a record of each class, from its records and the sum of their weights.

    A class cannot have fewer people in the population than records in the sample. Where weights
    below 1 say so, all its people are in the sample: the risk is then 1 over its records.

    >>> individual_risks(np.array([1, 3, 2]), np.array([17.0, 108.0, 1.5])).round(6).tolist()
    [0.177076, 0.013553, 0.5]
    """
    share = records / np.maximum(people, records)
    return expected_inverse(records, share)


def expected_inverse(f: NDArray[Any], p: F64) -> F64:
    """Return E[1/F | f] for F negative binomial with f successes of probability p, 0 < p <= 1.

    All terms of the series are positive, and the recurrence multiplies an error by -p/(1-p) at
    each step, so it is used up to p = 1/2 only: neither loses digits.
    """
    risks = np.empty(len(f), dtype=np.float64)
    few = (p < _HALF) & (f < _LARGE)
    risks[few] = _by_recurrence(f[few], p[few])
    many = ~few
    risks[many] = p[many] / f[many] * _series(f[many], 1 - p[many])
    return risks


def _by_recurrence(f: NDArray[Any], p: F64) -> F64:
    odds = p / (1 - p)
    risks: F64 = -odds * np.log(p)
    left = np.flatnonzero(f > 1)
    step = 1
    while len(left):
        risks[left] = odds[left] * (1 / step - risks[left])
        step += 1
        left = left[f[left] > step]
    return risks


def _series(f: NDArray[Any], q: F64) -> F64:
    """Return 2F1(1, 1; f + 1; q): the sum of k! q^k / ((f + 1) ... (f + k)) over k."""
    total = np.ones(len(f))
    term = np.ones(len(f))
    for k in range(_MOST_TERMS):
        term *= q * (k + 1) / (f + (k + 1))
        total += term
        if term.max(initial=0.0) < _NEGLIGIBLE:
            break
    return total


def household_risks(
    members: NDArray[Any], risks: F64, records: NDArray[Any] | None, households: int
) -> F64:
    """Return for each household how likely one of its members or more is re-identified.

    ``members`` has the household of each row, and ``records`` how many records each row stands
    for, None for one. Members are re-identified independently: 1 - product of (1 - r).
    """
    with np.errstate(divide="ignore"):  # who is certainly re-identified
        escape = np.log1p(-risks)
    if records is not None:
        escape = escape * records
    return -np.expm1(np.bincount(members, escape, minlength=households))


@dataclass(frozen=True)
class RiskThreshold:
    """The risk above which records must be treated, for a wanted global risk.

    Parameters
    ----------
    wanted
        The global risk that is wanted: expected re-identifications / records.
    risk
        The threshold. If no risk above it remains, the global risk is at most the wanted one.
    records
        Records with a higher risk.
    """

    wanted: float
    risk: float
    records: int


@dataclass(frozen=True, eq=False)
class RiskSpread:
    """How the risk spreads over records.

    Parameters
    ----------
    risks
        The risks of classes of records, or of households.
    records
        How many records have each.
    """

    risks: F64
    records: I64

    @property
    def total(self) -> int:
        """How many records there are."""
        return int(self.records.sum())

    @property
    def expected(self) -> float:
        """The sum of the risks of all records."""
        return total(self.risks, self.records)

    @property
    def mean(self) -> float:
        """The mean risk of a record; 0 where there is none."""
        return self.expected / self.total if self.total else 0.0

    @property
    def highest(self) -> float:
        """The highest risk of a record; 0 where there is none."""
        return float(self.risks.max(initial=0.0))

    def above(self, risk: float) -> int:
        """Return how many records have a higher risk."""
        return int(self.records[self.risks > risk].sum())

    def threshold(self, wanted: float) -> RiskThreshold:
        """Return the highest t so that the mean of min(risk, t) over records is at most wanted.

        Franconi and Polettini (2004), and the manual of mu-Argus: a treated record has a risk of
        at most t. They stop at the highest risk of a class that is low enough. The same records
        are above it and above t, which is not lower.
        """
        order = np.argsort(self.risks)
        risks, records = self.risks[order], self.records[order].astype(np.float64)
        allowed = wanted * float(records.sum())
        if self.expected <= allowed:
            return RiskThreshold(wanted, self.highest, 0)
        below = np.cumsum(risks * records) - risks * records  # the sum of all lower risks
        at_least = np.cumsum(records[::-1])[::-1]  # records with this risk or a higher one
        # the first that cannot keep its risk; rounding may hide that of the last
        too_high = below + risks * at_least > allowed
        first = int(np.argmax(too_high)) if too_high.any() else len(risks) - 1
        limit = max(0.0, (allowed - float(below[first])) / float(at_least[first]))
        return RiskThreshold(wanted, limit, self.above(limit))
