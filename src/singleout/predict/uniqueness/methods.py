"""Four methods for the chance that everybody is unique, and the error of each.

Exactly: e_k(p), the sum of the products of k different probabilities, is a coefficient of the
product of 1 + p x. Tilted, it is the chance that of cells taken independently exactly k are taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from singleout.core.arrays import F64
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.uniqueness.contour import Factors, bernstein_points, coefficient, solve_tilt
from singleout.predict.uniqueness.factorials import log_all_different, stirling_rest
from singleout.report.say import say

__all__ = ["UniquenessMethod", "log_by_method", "trust"]


class UniquenessMethod(StrEnum):
    """How to find the chance that everybody is unique."""

    EXACT = "exact"
    SADDLEPOINT = "saddlepoint"
    KL = "kl"
    UNIFORM = "uniform"


_KL_TOO_FAR = 0.25
_WORTH_A_WARNING = 0.05
# the next term of the saddlepoint's expansion falls with the square of the variance of the number
# of taken cells; times that, errors up to 0.07 occurred on 35,000 distributions
_SADDLEPOINT_ERROR = 0.1
_LEAST_VARIANCE = 0.5
_ROUNDING = 1e-12


class LogChance(NamedTuple):
    """The logarithm of a chance, and if by saddlepoint, the variance that its error depends on."""

    log: float
    variance: float | None = None


def _exact(spread: Distribution, people: int) -> LogChance:
    if _has_closed_form(spread, people):
        return _closed_form(spread, people)
    tilted = _Tilted.of(spread, people)
    if not spread.has_whole_cells:  # fractional powers give no polynomial
        return tilted.saddlepoint()
    parts = Factors(None, tilted.taken, tilted.taken, spread.multiplicity)
    chance = coefficient(
        parts.ordered(spread.multiplicity * tilted.taken * tilted.free),
        people,
        bernstein_points(tilted.variance),
        tilted.variance,
        turn=lambda circle: circle - 1,
        term=lambda circle: circle - 1,
    )
    if chance > 0:
        return LogChance(tilted.log_lead + math.log(chance))
    return tilted.saddlepoint()  # the chance is smaller than the rounding error


def _saddlepoint(spread: Distribution, people: int) -> LogChance:
    if _has_closed_form(spread, people):
        return _closed_form(spread, people)
    return _Tilted.of(spread, people).saddlepoint()


def _uniform(spread: Distribution, people: int) -> LogChance:
    if not math.isfinite(spread.cells):
        return LogChance(0.0)
    return LogChance(float(log_all_different(people, spread.cells)))


def _kl(spread: Distribution, people: int) -> LogChance:
    if not math.isfinite(spread.cells):
        raise UndefinedMeasure(
            "The Kullback-Leibler distance needs a number of cells, and there are infinitely many; "
            "use method='exact'."
        )
    if people > spread.support:
        return LogChance(-math.inf)
    return LogChance(_uniform(spread, people).log - people * (people / spread.cells) * spread.kl)


def log_by_method(method: UniquenessMethod, spread: Distribution, people: int) -> LogChance:
    """Return the logarithm of the chance, for people drawn with replacement."""
    return _LOGARITHMS[method](spread, people)


_LOGARITHMS = {
    UniquenessMethod.EXACT: _exact,
    UniquenessMethod.SADDLEPOINT: _saddlepoint,
    UniquenessMethod.KL: _kl,
    UniquenessMethod.UNIFORM: _uniform,
}


def _has_closed_form(spread: Distribution, people: int) -> bool:
    return people <= 1 or people >= spread.support or len(spread.probabilities) == 1


def _closed_form(spread: Distribution, people: int) -> LogChance:
    """Return the logarithm for one person, for as many people as cells or more, or equal cells."""
    if people <= 1:
        return LogChance(0.0)
    if people > spread.support:
        return LogChance(-math.inf)
    if len(spread.probabilities) == 1:
        return LogChance(float(log_all_different(people, spread.support)))
    logs = spread.multiplicity * np.log(spread.probabilities * people)
    return LogChance(float(logs.sum()) - people + _log_stirling(people))


def _log_stirling(people: int) -> float:
    return 0.5 * math.log(2 * math.pi * people) + float(stirling_rest(people))


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Every cell taken or not, independently, so that k are taken on average.

    ``times`` cells are each taken with chance ``taken`` and not with chance ``free``. The logarithm
    ``log_lead`` is that of the factor before the probability of exactly k taken cells.
    """

    taken: F64
    free: F64
    times: NDArray[Any]
    log_lead: float

    @classmethod
    def of(cls, spread: Distribution, people: int) -> _Tilted:
        times = spread.multiplicity
        logs = np.log(people * spread.probabilities)
        tilt = solve_tilt(lambda u: float((times * special.expit(logs + u)).sum()), people)
        taken, free = special.expit(logs + tilt), special.expit(-logs - tilt)
        # k! by Stirling's formula; the large terms cancel within each cell
        gain = times * (np.logaddexp(0.0, logs + tilt) - taken)
        residual = math.fsum((times * taken).tolist()) - people
        lead = float(gain.sum()) - people * tilt + residual + _log_stirling(people)
        return cls(taken, free, times, lead)

    @property
    def variance(self) -> float:
        return float((self.times * self.taken * self.free).sum())

    def saddlepoint(self) -> LogChance:
        """Return the chance by the saddlepoint of second order."""
        each = self.times * self.taken * self.free
        variance = float(each.sum())
        third = float((each * (self.free - self.taken)).sum()) / variance
        fourth = float((each * (1 - 6 * self.taken * self.free)).sum()) / variance
        correction = (fourth / 8 - 5 * third**2 / 24) / variance
        log = self.log_lead - 0.5 * math.log(2 * math.pi * variance) + correction
        return LogChance(log, variance)


# ---- errors


def trust(
    method: UniquenessMethod, spread: Distribution, people: int, chance: LogChance
) -> tuple[float | None, tuple[str, ...]]:
    """Return the largest error of the logarithm for draws with replacement, and warnings."""
    if people <= 1 or spread.is_uniform:
        return 0.0, ()
    if method == UniquenessMethod.UNIFORM:
        return None, (say("predict.uniqueness.upper_bound"),)
    if spread.summary is not None:
        by_distance = method == UniquenessMethod.KL and spread.summary.kl is not None
        return None, (
            say("predict.uniqueness.only_distance" if by_distance else "predict.stand_in"),
        )
    if chance.log == -math.inf:
        return 0.0, ()
    if method == UniquenessMethod.KL:
        return _trust_kl(spread, people, chance.log)
    return (0.0, ()) if chance.variance is None else _trust_saddlepoint(method, chance.variance)


def _trust_saddlepoint(
    method: UniquenessMethod, variance: float
) -> tuple[float | None, tuple[str, ...]]:
    warnings = []
    if method == UniquenessMethod.EXACT:
        warnings.append(say("predict.uniqueness.not_exact"))
    error = None
    if variance >= _LEAST_VARIANCE:
        error = _SADDLEPOINT_ERROR / variance**2 + _ROUNDING
    else:
        warnings.append(say("predict.uniqueness.few_cells"))
    return error, tuple(warnings)


def _trust_kl(spread: Distribution, people: int, log: float) -> tuple[float, tuple[str, ...]]:
    """Return the error and a warning: the cells are known, and so is the exact answer."""
    if spread.kl > _KL_TOO_FAR and log < math.log(0.5):
        raise UndefinedMeasure(
            f"At a Kullback-Leibler distance of {spread.kl:.3g} nats the approximation means "
            "nothing for a probability below 0.5; use method='exact', or 'saddlepoint'."
        )
    error = abs(log - _exact(spread, people).log)
    if error <= _WORTH_A_WARNING:
        return error, ()
    return error, (say("predict.uniqueness.off", factor=math.exp(min(error, 700))),)
