"""The steps to a plan: which coding to make coarser first, and what that buys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from singleout.predict.distribution.distribution import Distribution
from singleout.predict.planning.coding_search import Levels, Space
from singleout.predict.planning.plan import PlanStep
from singleout.predict.planning.policy import Policy

__all__ = ["GROUPS_IN_SEARCH", "Measure", "steps_to"]

GROUPS_IN_SEARCH = 1 << 10  # of cells of nearly the same probability: enough to decide
_GROUPS_OF_STEPS = 1 << 12  # enough for the numbers that are shown
_ROUNDING = 1e-9  # bits

# the share of the unique, and of those in sets that are large enough
Measure = Callable[[Distribution], tuple[float, float | None]]


def steps_to(
    space: Space,
    codings: Mapping[str, Sequence[str]],
    policy: Policy,
    measured: Measure,
    goal: Levels,
) -> tuple[PlanStep, ...]:
    """Return the way from the most detailed codings to the chosen ones, the best buy first.

    Parameters
    ----------
    space
        What can be chosen.
    codings
        The names of the codings of each attribute.
    policy
        What must hold.
    measured
        Measures what the policy is about.
    goal
        The codings that were chosen.
    """
    attributes = list(codings)
    levels: Levels = (0,) * len(goal)
    now = measured(space.distribution(levels, _GROUPS_OF_STEPS))
    found = []
    while levels != goal:
        place = _best_buy(space, measured, levels, goal)
        after = _coarser(levels, place)
        new = measured(space.distribution(after, _GROUPS_OF_STEPS))
        names = codings[attributes[place]]
        found.append(
            PlanStep(
                attributes[place],
                names[levels[place]],
                names[after[place]],
                now[0],
                new[0],
                now[1],
                new[1],
                _lost(space, levels, place),
                policy.keeps(*new),
            )
        )
        levels, now = after, new
    return tuple(found)


def _best_buy(space: Space, measured: Measure, levels: Levels, goal: Levels) -> int:
    """Return whose coding to make coarser next.

    The best is what lowers the share of the unique (and raises that in large sets) most for a bit.
    """
    now = measured(space.distribution(levels, GROUPS_IN_SEARCH))

    def rank(place: int) -> tuple[float, float]:
        unique, in_sets = measured(space.distribution(_coarser(levels, place), GROUPS_IN_SEARCH))
        gain = now[0] - unique + (in_sets or 0.0) - (now[1] or 0.0)
        lost = _lost(space, levels, place)
        # where nothing is bought yet, the largest step is the nearest to buying something
        return round(gain / max(lost, _ROUNDING), 6), lost

    return max((place for place in range(len(goal)) if levels[place] < goal[place]), key=rank)


def _coarser(levels: Levels, place: int) -> Levels:
    return (*levels[:place], levels[place] + 1, *levels[place + 1 :])


def _lost(space: Space, levels: Levels, place: int) -> float:
    bits = space.bits[place]
    return bits[levels[place]] - bits[levels[place] + 1]
