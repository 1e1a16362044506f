"""Populations with known shares of answers: bounds over all of them, and that of largest entropy.

A population is a probability for each pattern of answers: which are given and which are not. Bounds
over all populations with the known shares are linear programs. The population of largest entropy
scales everybody who gives a group of answers by one factor (Deming and Stephan, 1940). The factors
minimise a convex function, by Newton's method, which works also where some patterns are impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from singleout.core.arrays import F64, Flags
from singleout.errors import BadChoice, UndefinedMeasure

__all__ = ["Known", "Populations", "populations"]

# the share of people who give all answers of a group, by the indices of the answers
Known = Mapping[frozenset[int], float]

_CONTRADICTORY = 1e-3  # shares are often rounded; a larger misfit is a contradiction
_MOST_LINKED = 12  # answers that groups tie together: they have 2**12 patterns
_EXACT = 1e-12  # a smaller misfit is rounding
_ROUNDING = 1e-15
_NOISE = 1e-13  # rounding error of the function that is minimised: a sum of large logarithms
_STEPS = 200
_LEVEL_STEPS = 3  # without descent: each of them still doubles the digits
_HALVINGS = 40
_LEAST_GAIN = 1e-4  # of the linear prediction: Armijo's condition
_FLAT = 1e-16  # a smaller curvature is rounding


@dataclass(frozen=True, eq=False)
class Populations:
    """All populations with known shares of answers and of groups of them."""

    members: tuple[int, ...]  # indices of the answers: bit b of a pattern is answer members[b]
    known: Known  # shares of each answer, of groups, and of everybody
    misfit: float  # the smallest achievable error of the shares of groups
    fitting: Known  # shares in a population that attains it; the known ones if there is no misfit
    _events: Mapping[frozenset[int], Flags] = field(repr=False)

    def bounds(self, group: frozenset[int]) -> tuple[float, float]:
        """Return the least and the largest share of people who give all answers of a group."""
        if group in self.known:
            return self.known[group], self.known[group]
        objective = self._event(group).astype(np.float64)
        exact = self.misfit <= _EXACT
        targets = self.fitting if exact else self.known
        slack = 0.0 if exact else self.misfit * (1 + 1e-6)  # not so tight that rounding decides
        constraints = _constraints(self._events, targets, slack)
        low, high = (_solved(sign * objective, **constraints) for sign in (1, -1))
        # + 0.0 turns -0.0 into 0.0
        upper = min(1.0, max(0.0, -high.fun)) + 0.0
        return min(max(0.0, low.fun) + 0.0, upper), upper

    def likeliest(self, groups: Iterable[frozenset[int]]) -> tuple[list[float], float]:
        """Return the shares of groups in the population of largest entropy, and its misfit."""
        shares = self._independent()
        targets = {group: share for group, share in self.fitting.items() if group}
        if all(len(group) == 1 for group in targets):
            return [float(shares[self._event(group)].sum()) for group in groups], 0.0
        self._rule_out(shares)
        left = {group: share for group, share in targets.items() if _EXACT < share < 1 - _EXACT}
        inside = np.array([self._events[group] for group in left], dtype=np.float64)
        inside = inside.reshape(len(left), len(shares))
        fitted = _largest_entropy(shares, inside, np.array(list(left.values())))
        misfit = max(abs(fitted[self._events[group]].sum() - targets[group]) for group in targets)
        return [float(fitted[self._event(group)].sum()) for group in groups], float(misfit)

    def _rule_out(self, shares: F64) -> None:
        """Set patterns to 0 that nobody can have: fitting would approach 0 without reaching it."""
        for group, share in self.fitting.items():
            if share <= _EXACT:
                shares[self._events[group]] = 0
        for larger, smaller in permutations(self.fitting, 2):
            if larger < smaller and self.fitting[smaller] >= self.fitting[larger] - _EXACT:
                shares[self._events[larger] & ~self._events[smaller]] = 0

    def _event(self, group: frozenset[int]) -> Flags:
        return _events(self.members, [group])[group]

    def _independent(self) -> F64:
        patterns = np.arange(1 << len(self.members))
        shares = np.ones(len(patterns))
        for bit, index in enumerate(self.members):
            share = self.known[frozenset([index])]
            shares *= np.where(patterns >> bit & 1, share, 1 - share)
        return shares


def populations(members: Sequence[int], singles: Sequence[float], known: Known) -> Populations:
    """Return the populations that have some shares, or say that there is none.

    The shares of single answers, by index, are met exactly. Those of groups may be rounded: where
    no population has them all, those with the smallest misfit are taken.
    """
    if len(members) > _MOST_LINKED:
        raise UndefinedMeasure(
            f"{len(members)} answers are tied together by shares of groups, and {_MOST_LINKED} are "
            "the most that can be combined; give fewer groups."
        )
    shares = {frozenset([index]): singles[index] for index in members} | dict(known)
    shares[frozenset()] = 1.0
    events = _events(members, shares)
    if not known:
        return Populations(tuple(members), shares, 0.0, shares, events)
    misfit, fitting = _closest(events, shares)
    if misfit > _CONTRADICTORY:
        raise BadChoice(
            "The shares of answers together contradict each other: no population has them all; "
            "check them, or leave some out."
        )
    return Populations(tuple(members), shares, misfit, fitting, events)


def _events(
    members: Sequence[int], groups: Iterable[frozenset[int]]
) -> dict[frozenset[int], Flags]:
    """Return which patterns have all answers of each group."""
    patterns = np.arange(1 << len(members))
    masks = {group: sum(1 << members.index(index) for index in group) for group in groups}
    return {group: (patterns & mask) == mask for group, mask in masks.items()}


# ---- linear programs


def _closest(
    events: Mapping[frozenset[int], Flags], known: Known
) -> tuple[float, dict[frozenset[int], float]]:
    """Return the smallest achievable misfit, and the shares in a population that attains it."""
    patterns = len(events[frozenset()])
    solution = _solved(np.r_[np.zeros(patterns), 1.0], **_constraints(events, known, None))
    fitting = {
        group: share if len(group) < 2 else float(solution.x[:patterns][events[group]].sum())
        for group, share in known.items()
    }
    misfit = max(abs(fitting[group] - share) for group, share in known.items())
    return misfit, dict(known) if misfit <= _EXACT else fitting


def _constraints(
    events: Mapping[frozenset[int], Flags], targets: Known, slack: float | None
) -> dict[str, Any]:
    """Return the constraints of a linear program; without a slack, it is one more variable."""
    single = [group for group in targets if len(group) < 2]
    several = [group for group in targets if len(group) > 1]
    exact = np.array([events[group] for group in single], dtype=np.float64)
    close = np.array([events[group] for group in several], dtype=np.float64)
    close = close.reshape(len(several), exact.shape[1])
    shares = np.array([targets[group] for group in several])
    both = np.vstack([close, -close])
    if slack is None:
        exact = np.hstack([exact, np.zeros((len(single), 1))])
        both = np.hstack([both, np.full((len(both), 1), -1.0)])
    fixed = slack or 0.0
    return {
        "A_eq": exact,
        "b_eq": np.array([targets[group] for group in single]),
        "A_ub": both,
        "b_ub": np.r_[shares + fixed, fixed - shares],
    }


def _solved(objective: F64, **constraints: Any) -> Any:
    from scipy.optimize import linprog

    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    solution = linprog(objective, **constraints, method="highs", options=options)
    if solution.status != 0:
        raise UndefinedMeasure(
            "The shares of answers together are too close to a contradiction to say what they "
            "allow; leave some out."
        )
    return solution


# ---- largest entropy


def _largest_entropy(start: F64, inside: F64, targets: F64) -> F64:
    """Return the population of largest entropy, or the closest to it that Newton's method reaches.

    Its shares are those of ``start`` times a factor for each group that a pattern is inside of. The
    logarithms of the factors minimise log(sum of shares) - factors · targets, whose gradient is the
    misfit of the shares.
    """
    possible = start > 0
    base = np.log(start[possible])
    # unit variance for rare groups and for common ones
    scale = 1 / np.sqrt(targets * (1 - targets))
    problem = _Problem(base, inside[:, possible] * scale[:, None], targets * scale)
    best = point = problem.at(np.zeros(len(targets)))
    level = 0  # steps without descent
    for _ in range(_STEPS):
        lower = problem.lower(point)
        if best.misfit <= _ROUNDING or level > _LEVEL_STEPS or lower is None:
            break
        level = level + 1 if lower.value >= point.value - _NOISE else 0
        point = lower
        best = min(best, point, key=lambda one: one.misfit)
    population = np.zeros(len(start))
    population[possible] = best.shares
    return population


@dataclass(frozen=True, eq=False)
class _Point:
    """A point of the search."""

    factors: F64  # logarithms
    value: float
    shares: F64
    gradient: F64

    @property
    def misfit(self) -> float:
        return float(np.abs(self.gradient).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class _Problem:
    """The function to minimise."""

    base: F64  # logarithms of the shares of patterns without factors
    inside: F64  # for each group (row), which patterns are inside of it; scaled
    targets: F64  # shares of the groups; scaled

    def at(self, factors: F64) -> _Point:
        """Return the value, the shares and the gradient at these factors."""
        heights = self.base + factors @ self.inside
        top = float(heights.max())
        shares = np.exp(heights - top)
        total = float(shares.sum())
        shares /= total
        value = top + float(np.log(total)) - float(factors @ self.targets)
        return _Point(factors, value, shares, self.inside @ shares - self.targets)

    def lower(self, point: _Point) -> _Point | None:
        """Return the next point by Newton's step with backtracking; None without descent."""
        step = self._newton_step(point)
        slope = float(point.gradient @ step)
        noise = _NOISE * max(1.0, abs(point.value))
        for halvings in range(_HALVINGS):
            there = self.at(point.factors + step / 2**halvings)
            if there.value <= point.value + _LEAST_GAIN * slope / 2**halvings + noise:
                return there
        return None

    def _newton_step(self, point: _Point) -> F64:
        """Return Newton's step, with the pseudo-inverse of the Hessian.

        The Hessian is a covariance matrix, which is singular where groups have the same people.
        """
        mean = self.inside @ point.shares
        spread = (self.inside - mean[:, None]) * np.sqrt(point.shares)
        directions, sizes, _ = np.linalg.svd(spread, full_matrices=False)
        curved = sizes**2 > _FLAT
        along = directions[:, curved].T @ point.gradient / sizes[curved] ** 2
        step: F64 = -directions[:, curved] @ along
        return step
