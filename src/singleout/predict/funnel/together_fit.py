"""Populations that have given shares of answers: which there are, and the one of largest entropy.

A population is the share of each way to give or not to give the answers. Those with the given
shares are found by linear programs. Among them, the one of largest entropy scales everybody who
gives a group of answers by one factor (Deming and Stephan, 1940); the factors are those that
minimise a convex function, which Newton's method finds also where some of the ways are impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from singleout.core.arrays import F64, Flags
from singleout.errors import BadChoice, UndefinedMeasure

__all__ = ["CONTRADICTORY", "Known", "Populations", "populations"]

# the share of people who give all answers of a group, by the places of the answers
Known = Mapping[frozenset[int], float]

CONTRADICTORY = 1e-3  # shares are often rounded; what is further off than this cannot be
_MOST_LINKED = 12  # answers that groups tie together: there are 2**12 ways to give or not give them
_EXACT = 1e-12  # what is off by less than this was rounded by the computer
_ROUNDING = 1e-15
_NOISE = 1e-13  # of the function that is minimised: a sum of large logarithms
_STEPS = 200
_LEVEL_STEPS = 3  # each of them still doubles the digits
_HALVINGS = 40
_LEAST_GAIN = 1e-4  # of what a straight line promises
_FLAT = 1e-16  # what curves less than this is flat but for rounding


@dataclass(frozen=True, eq=False)
class Populations:
    """All populations with given shares of answers and of groups of them.

    Parameters
    ----------
    members
        The places of the answers: bit b of a way says whether member b is given.
    given
        The shares as they were given: of each answer, of groups, and of everybody.
    misfit
        By how much the shares of groups must be changed so that a population has them all.
    fitting
        The shares of one population that fits best; as given, if there is no misfit.
    """

    members: tuple[int, ...]
    given: Known
    misfit: float
    fitting: Known
    _events: Mapping[frozenset[int], Flags] = field(repr=False)

    def bounds(self, group: frozenset[int]) -> tuple[float, float]:
        """Return the least and the largest share of people who give all answers of a group."""
        if group in self.given:
            return self.given[group], self.given[group]
        aim = self._event(group).astype(np.float64)
        exact = self.misfit <= _EXACT
        wanted = self.fitting if exact else self.given
        slack = 0.0 if exact else self.misfit * (1 + 1e-6)  # not so tight that rounding decides
        limits = _limits(self._events, wanted, slack)
        low, high = (_solved(sign * aim, **limits) for sign in (1, -1))
        # plus zero, which has no sign
        upper = min(1.0, max(0.0, -high.fun)) + 0.0
        return min(max(0.0, low.fun) + 0.0, upper), upper

    def likeliest(self, groups: Iterable[frozenset[int]]) -> tuple[list[float], float]:
        """Return shares in the population of largest entropy, and by how much that misses a share.

        Parameters
        ----------
        groups
            The answers that the shares are wanted of.
        """
        shares = self._independent()
        targets = {group: share for group, share in self.fitting.items() if group}
        if all(len(group) == 1 for group in targets):
            return [float(shares[self._event(group)].sum()) for group in groups], 0.0
        self._rule_out(shares)
        left = {group: share for group, share in targets.items() if _EXACT < share < 1 - _EXACT}
        inside = np.array([self._events[group] for group in left], dtype=np.float64)
        inside = inside.reshape(len(left), len(shares))
        fitted = _largest_entropy(shares, inside, np.array(list(left.values())))
        off = max(abs(fitted[self._events[group]].sum() - targets[group]) for group in targets)
        return [float(fitted[self._event(group)].sum()) for group in groups], float(off)

    def _rule_out(self, shares: F64) -> None:
        """Clear ways that obviously nobody takes, which fitting would only come closer to."""
        for group, share in self.fitting.items():
            if share <= _EXACT:
                shares[self._events[group]] = 0
        for larger, smaller in permutations(self.fitting, 2):
            if larger < smaller and self.fitting[smaller] >= self.fitting[larger] - _EXACT:
                shares[self._events[larger] & ~self._events[smaller]] = 0

    def _event(self, group: frozenset[int]) -> Flags:
        return _events(self.members, [group])[group]

    def _independent(self) -> F64:
        ways = np.arange(1 << len(self.members))
        shares = np.ones(len(ways))
        for bit, place in enumerate(self.members):
            share = self.given[frozenset([place])]
            shares *= np.where(ways >> bit & 1, share, 1 - share)
        return shares


def populations(members: Sequence[int], singles: Sequence[float], known: Known) -> Populations:
    """Return the populations that have some shares, or say that there is none.

    The shares of single answers are kept exactly. Those of groups may be rounded: where no
    population has them all, those that miss them by as little as can be are taken.

    Parameters
    ----------
    members
        The places of the answers.
    singles
        The share of people who give each answer, by place.
    known
        The shares of some groups of the members.
    """
    if len(members) > _MOST_LINKED:
        raise UndefinedMeasure(
            f"{len(members)} answers are tied together by shares of groups, and {_MOST_LINKED} are "
            "the most that can be combined; give fewer groups."
        )
    given = {frozenset([place]): singles[place] for place in members} | dict(known)
    given[frozenset()] = 1.0
    events = _events(members, given)
    if not known:
        return Populations(tuple(members), given, 0.0, given, events)
    misfit, fitting = _closest(events, given)
    if misfit > CONTRADICTORY:
        raise BadChoice(
            "The shares of answers together contradict each other: no population has them all; "
            "check them, or leave some out."
        )
    return Populations(tuple(members), given, misfit, fitting, events)


def _events(
    members: Sequence[int], groups: Iterable[frozenset[int]]
) -> dict[frozenset[int], Flags]:
    """Return which ways give all answers of each group."""
    ways = np.arange(1 << len(members))
    bits = {group: sum(1 << members.index(place) for place in group) for group in groups}
    return {group: (ways & bit) == bit for group, bit in bits.items()}


# ---- linear programs


def _closest(
    events: Mapping[frozenset[int], Flags], given: Known
) -> tuple[float, dict[frozenset[int], float]]:
    """Return by how much no population can but miss the shares of groups, and the shares of one."""
    limits = _limits(events, given, None)
    ways = len(events[frozenset()])
    found = _solved(np.r_[np.zeros(ways), 1.0], **limits)
    fitting = {
        group: share if len(group) < 2 else float(found.x[:ways][events[group]].sum())
        for group, share in given.items()
    }
    misfit = max(abs(fitting[group] - share) for group, share in given.items())
    if misfit <= _EXACT:
        return misfit, dict(given)
    return misfit, fitting


def _limits(
    events: Mapping[frozenset[int], Flags], wanted: Known, slack: float | None
) -> dict[str, Any]:
    """Return what populations must keep; without a slack, it is one more unknown."""
    single = [group for group in wanted if len(group) < 2]
    several = [group for group in wanted if len(group) > 1]
    exact = np.array([events[group] for group in single], dtype=np.float64)
    close = np.array([events[group] for group in several], dtype=np.float64)
    ways = exact.shape[1]
    close = close.reshape(len(several), ways)
    shares = np.array([wanted[group] for group in several])
    both = np.vstack([close, -close])
    if slack is None:
        exact = np.hstack([exact, np.zeros((len(single), 1))])
        both = np.hstack([both, np.full((len(both), 1), -1.0)])
    room = slack or 0.0
    return {
        "A_eq": exact,
        "b_eq": np.array([wanted[group] for group in single]),
        "A_ub": both,
        "b_ub": np.r_[shares + room, room - shares],
    }


def _solved(aim: F64, **limits: Any) -> Any:
    from scipy.optimize import linprog

    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(aim, **limits, method="highs", options=options)
    if found.status != 0:
        raise UndefinedMeasure(
            "The shares of answers together are too close to a contradiction to say what they "
            "allow; leave some out."
        )
    return found


# ---- largest entropy


def _largest_entropy(start: F64, inside: F64, wanted: F64) -> F64:
    """Return the population of largest entropy, as well as it can be found.

    Its shares are those of ``start`` times a factor for each group that a way is inside of. The
    logarithms of the factors minimise log(sum of shares) - factors · wanted, whose gradient is what
    the shares are off by.
    """
    possible = start > 0
    base = np.log(start[possible])
    # the same for rare groups and for common ones
    scale = 1 / np.sqrt(wanted * (1 - wanted))
    problem = _Problem(base, inside[:, possible] * scale[:, None], wanted * scale)
    best = place = problem.at(np.zeros(len(wanted)))
    level = 0  # how many steps led no further down
    for _ in range(_STEPS):
        lower = problem.lower(place)
        if best.worst <= _ROUNDING or level > _LEVEL_STEPS or lower is None:
            break
        level = level + 1 if lower.value >= place.value - _NOISE else 0
        place = lower
        best = min(best, place, key=lambda one: one.worst)
    found = np.zeros(len(start))
    found[possible] = best.shares
    return found


@dataclass(frozen=True, eq=False)
class _Place:
    """Where the search is."""

    factors: F64
    value: float
    shares: F64
    off: F64

    @property
    def worst(self) -> float:
        return float(np.abs(self.off).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class _Problem:
    """The function to minimise: what the ways weigh without factors, and what the groups should."""

    base: F64
    inside: F64
    wanted: F64

    def at(self, factors: F64) -> _Place:
        """Return the value, the shares and what they are off by, with these factors."""
        heights = self.base + factors @ self.inside
        top = float(heights.max())
        shares = np.exp(heights - top)
        total = float(shares.sum())
        shares /= total
        value = top + float(np.log(total)) - float(factors @ self.wanted)
        return _Place(factors, value, shares, self.inside @ shares - self.wanted)

    def lower(self, place: _Place) -> _Place | None:
        """Return where a part of Newton's step leads; None if no part of it leads down."""
        step = self._newton_step(place)
        slope = float(place.off @ step)
        noise = _NOISE * max(1.0, abs(place.value))
        for halvings in range(_HALVINGS):
            there = self.at(place.factors + step / 2**halvings)
            if there.value <= place.value + _LEAST_GAIN * slope / 2**halvings + noise:
                return there
        return None

    def _newton_step(self, place: _Place) -> F64:
        """Return the step to where the function would be least if it were a parabola.

        The curvature is a sum of squares, of which groups of the same people make some nothing.
        """
        mean = self.inside @ place.shares
        spread = (self.inside - mean[:, None]) * np.sqrt(place.shares)
        directions, sizes, _ = np.linalg.svd(spread, full_matrices=False)
        curved = sizes**2 > _FLAT
        along = directions[:, curved].T @ place.off / sizes[curved] ** 2
        found: F64 = -directions[:, curved] @ along
        return found
