"""The steps to a plan: which coding to make coarser first, and the effect of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from singleout.predict.distribution.distribution import Distribution
from singleout.predict.planning.coding_search import Levels, Space
from singleout.predict.planning.plan import PlanStep
from singleout.predict.planning.policy import Policy

__all__ = ["GROUPS_IN_SEARCH", "steps_to"]

# groups of cells of nearly the same probability
GROUPS_IN_SEARCH = 1 << 10  # accurate enough to decide
_GROUPS_OF_STEPS = 1 << 12  # accurate enough for the numbers that are shown
_ROUNDING = 1e-9  # bits

# the share of the unique, and of those in sets that are large enough
_Measure = Callable[[Distribution], tuple[float, float | None]]


def steps_to(
    space: Space,
    codings: Mapping[str, Sequence[str]],
    policy: Policy,
    measured: _Measure,
    goal: Levels,
) -> tuple[PlanStep, ...]:
    """Return the steps from the most detailed codings to the chosen ones, the best buy first."""
    attributes = list(codings)
    levels: Levels = (0,) * len(goal)
    now = measured(space.distribution(levels, _GROUPS_OF_STEPS))
    steps = []
    while levels != goal:
        index = _best_buy(space, measured, levels, goal)
        after = _coarser(levels, index)
        new = measured(space.distribution(after, _GROUPS_OF_STEPS))
        attribute = attributes[index]
        steps.append(
            PlanStep(
                attribute,
                codings[attribute][levels[index]],
                codings[attribute][after[index]],
                now[0],
                new[0],
                now[1],
                new[1],
                _lost(space, levels, index),
                policy.keeps(*new),
            )
        )
        levels, now = after, new
    return tuple(steps)


def _best_buy(space: Space, measured: _Measure, levels: Levels, goal: Levels) -> int:
    """Return the attribute whose coding to make coarser next.

    It is the one that lowers the share of the unique (and raises that in large sets) most per bit.
    """
    now = measured(space.distribution(levels, GROUPS_IN_SEARCH))

    def rank(index: int) -> tuple[float, float]:
        coarser = space.distribution(_coarser(levels, index), GROUPS_IN_SEARCH)
        unique, in_sets = measured(coarser)
        gain = now[0] - unique + (in_sets or 0.0) - (now[1] or 0.0)
        lost = _lost(space, levels, index)
        # while no step has an effect, the largest one is the nearest to having one
        return round(gain / max(lost, _ROUNDING), 6), lost

    return max((index for index in range(len(goal)) if levels[index] < goal[index]), key=rank)


def _coarser(levels: Levels, index: int) -> Levels:
    return (*levels[:index], levels[index] + 1, *levels[index + 1 :])


def _lost(space: Space, levels: Levels, index: int) -> float:
    bits = space.bits[index]
    return bits[levels[index]] - bits[levels[index] + 1]
