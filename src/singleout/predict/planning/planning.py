"""Planning a collection: the most detailed questionnaire that keeps a policy.

What an attribute tells about a person on average is its entropy, in bits. Bits are also what makes
people unique, so that the plain sum of them hardly decides what to ask: all of one attribute, or
a little of each. By default the first bits of an attribute therefore count more than its last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import whole
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.errors import BadChoice, did_you_mean
from singleout.predict.distribution.distribution import (
    Distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.distribution.people import is_real_number
from singleout.predict.planning.coding_search import BestLevels, Space, search
from singleout.predict.planning.coding_spaces import Asked, Independent, Joint, named_codings
from singleout.predict.planning.plan import CollectionPlan
from singleout.predict.planning.policy import Policy
from singleout.predict.planning.steps import GROUPS_IN_SEARCH, steps_to
from singleout.predict.questionnaire.independent import MOST_GROUPS
from singleout.predict.questionnaire.questions import DROP
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.questionnaire.questionnaire import Questionnaire

__all__ = ["plan_collection", "plan_questionnaire"]

_ROUNDING = 1e-9  # bits


class _Preference(StrEnum):
    """What makes one questionnaire more detailed than another."""

    BALANCE = "balance"  # the first bits of an attribute count more than the last
    BITS = "bits"  # all bits count the same


@framed
def plan_collection(
    attributes: Mapping[str, Any],
    people: int,
    policy: Policy | Mapping[str, Any],
    *,
    joint: Any = None,
    prefer: str = "balance",
    weights: Mapping[str, float] | None = None,
    never_drop: Collection[str] = (),
    without_replacement: bool | None = None,
    evaluations: int = 5000,
) -> CollectionPlan:
    """Find the most detailed way to collect attributes that keeps a policy.

    Parameters
    ----------
    attributes
        For each attribute its codings, the most detailed first: by name, or as a list. A coding is
        a `Distribution` (cut into intervals by ``Distribution.from_scipy``, say), probabilities,
        or shares by option. Not to ask for the attribute, ``drop``, is always the last coding.
        With ``joint``, a coding is the group of each option instead: ``[0, 0, 1]`` puts the first
        two together.
    people
        How many people will answer.
    policy
        What must hold among them, such as ``{"unique": 0.05, "in_sets_of": (5, 0.95)}``.
    joint
        How people spread over the combinations of the options: an array of shares or counts with
        an axis for each attribute. If not given, attributes count as independent.
    prefer
        What is most detailed. ``balance``: the sum over the attributes of the square root of their
        bits, so that rather several are made coarser than one is dropped; ``bits``: the sum of the
        bits themselves.
    weights
        How much each attribute counts in this sum; 1 if not given.
    never_drop
        The names of attributes that are asked in any case, in one of their codings.
    without_replacement
        Nobody is asked twice; needs counts in ``joint``. If not given, above 1 % of the population.
    evaluations
        How many questionnaires to try. If they run out, the best so far is returned with a warning,
        and ``bound`` says what another one could be worth at most.

    Returns
    -------
    CollectionPlan
        The coding of each attribute, and the steps towards it: what each buys, what it costs.

    Examples
    --------
    >>> from singleout.predict import plan_collection
    >>> plan = plan_collection(
    ...     {
    ...         "age": {"year": [1 / 80] * 80, "decade": [1 / 8] * 8},
    ...         "region": {"town": [0.01] * 100, "province": [0.1] * 10},
    ...         "sex": {"sex": [0.5, 0.5]},
    ...     },
    ...     people=1000,
    ...     policy={"unique": 0.05},
    ... )
    >>> dict(plan.codings)
    {'age': 'decade', 'region': 'province', 'sex': 'sex'}
    >>> [f"{step.attribute}: {step.before} -> {step.after}" for step in plan.steps]
    ['age: year -> decade', 'region: town -> province']
    >>> round(plan.unique_before, 3), round(plan.unique, 3)
    (0.939, 0.002)
    """
    if not isinstance(attributes, Mapping) or not attributes:
        raise BadChoice(
            "attributes must give the codings of one attribute at least, as in "
            "{'age': {'year': [...], 'decade': [...]}}."
        )
    named = {str(name): named_codings(name, codings) for name, codings in attributes.items()}
    answering = check_people(people, least=1)
    space: Space
    if joint is not None:
        space = Joint(joint, named)
    elif without_replacement:
        raise BadChoice(
            "without_replacement=True needs to know how many people each combination has; give "
            "joint= as counts."
        )
    else:
        space = Independent(named)
    return _planned(
        space,
        {name: [*names, DROP] for name, names in named.items()},
        answering,
        Policy.of(policy),
        prefer=prefer,
        weights=weights,
        never_drop=never_drop,
        without_replacement=without_replacement,
        evaluations=evaluations,
    )


def plan_questionnaire(
    questionnaire: Questionnaire,
    people: int,
    policy: Policy | Mapping[str, Any],
    **options: Any,
) -> CollectionPlan:
    """Find the most detailed codings of a questionnaire that keep a policy: `plan_collection`."""
    kept = [question.name for question in questionnaire.questions if question.never_drop]
    options["never_drop"] = [*kept, *_listed(options.get("never_drop", ()))]
    codings = {
        question.name: [*(coding.name for coding in question.codings), DROP]
        for question in questionnaire.questions
    }
    return _planned(Asked(questionnaire), codings, people, Policy.of(policy), **options)


def _listed(names: Any) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise BadChoice(f"never_drop must be a list of names, not {names!r}.")
    return list(names)


def _checked_never_drop(never_drop: Any, names: Sequence[str]) -> list[int]:
    """Return the indices of the attributes that every questionnaire must have."""
    wanted = _listed(never_drop)
    unknown = next((name for name in wanted if name not in names), None)
    if unknown is not None:
        raise BadChoice(
            f"never_drop has {unknown!r}, which is none of: {', '.join(names)}."
            f"{did_you_mean(unknown, names)}"
        )
    return sorted({names.index(name) for name in wanted})


def _checked_weights(weights: Mapping[str, float] | None, names: Sequence[str]) -> list[float]:
    weights = weights or {}
    unknown = next((name for name in weights if name not in names), None)
    if unknown is not None:
        raise BadChoice(f"weights has {unknown!r}, which is none of: {', '.join(names)}.")
    for name, weight in weights.items():
        if not is_real_number(weight) or not isfinite(weight) or weight < 0:
            raise BadChoice(f"The weight of {name!r} must be a number from 0, not {weight!r}.")
    return [float(weights.get(name, 1.0)) for name in names]


def _worths(
    space: Space, names: Sequence[str], prefer: str, weights: Mapping[str, float] | None
) -> list[list[float]]:
    """Return the worth of each coding of each attribute."""
    plain = choose(_Preference, prefer, "preference") is _Preference.BITS
    return [
        [weight * (one if plain else sqrt(max(0.0, one))) for one in bits]
        for bits, weight in zip(space.bits, _checked_weights(weights, names), strict=True)
    ]


# ---- the plan


def _planned(
    space: Space,
    codings: Mapping[str, Sequence[str]],
    people: int,
    policy: Policy,
    *,
    prefer: str,
    weights: Mapping[str, float] | None,
    evaluations: int,
    never_drop: Collection[str] = (),
    without_replacement: bool | None = None,
    notes: tuple[str, ...] = (),
) -> CollectionPlan:
    kept = _checked_never_drop(never_drop, list(codings))
    worths = _worths(space, list(codings), prefer, weights)
    most = whole(evaluations, "evaluations")
    _check_order(space, codings)
    everything = space.distribution((0,) * len(codings), MOST_GROUPS)
    without, drawn = draws_without_replacement(everything, people, without_replacement)

    def measured(distribution: Distribution) -> tuple[float, float | None]:
        return policy.measured(distribution, people, without_replacement=without)

    def keeps(distribution: Distribution) -> bool:
        return policy.keeps(*measured(distribution))

    best = _best(space, worths, keeps, most, kept)
    if best is None and kept:
        fixed = ", ".join(repr(list(codings)[index]) for index in kept)
        raise BadChoice(
            f"No questionnaire with {fixed} keeps the policy ({policy}) for {people:,} people, "
            f"however coarsely these are asked; give them a coarser coding, allow them to be "
            "dropped, or ask less of the policy."
        )
    if best is None:
        raise BadChoice(
            f"No questionnaire keeps the policy ({policy}): with {people:,} people, it is broken "
            "even if nothing is asked; ask more people, or less of the policy."
        )
    chosen = space.distribution(best.levels, MOST_GROUPS)
    unique, in_sets = measured(chosen)
    names = [names[level] for names, level in zip(codings.values(), best.levels, strict=True)]
    return CollectionPlan(
        people=people,
        policy=policy,
        codings=dict(zip(codings, names, strict=True)),
        unique=unique,
        in_sets=in_sets,
        bits=sum(bits[level] for bits, level in zip(space.bits, best.levels, strict=True)),
        most_bits=sum(bits[0] for bits in space.bits),
        prefer=str(prefer),
        worth=best.worth,
        bound=best.bound,
        steps=steps_to(space, codings, policy, measured, best.levels),
        distribution=chosen,
        tried=best.tried,
        never_drop=tuple(list(codings)[index] for index in kept),
        notes=tuple(dict.fromkeys((*notes, *drawn, *space.notes, *chosen.notes))),
        warnings=_unfinished(best),
    )


def _best(
    space: Space,
    worths: Sequence[Sequence[float]],
    keeps: Callable[[Distribution], bool],
    most: int,
    never_drop: Sequence[int],
) -> BestLevels | None:
    """Search with few groups of cells, and with many where that was not accurate enough."""
    for groups in (GROUPS_IN_SEARCH, MOST_GROUPS):
        best = search(space, worths, keeps, most, groups, never_drop)
        if best is None or keeps(space.distribution(best.levels, MOST_GROUPS)):
            break
    return best


def _check_order(space: Space, codings: Mapping[str, Sequence[str]]) -> None:
    for (attribute, names), bits in zip(codings.items(), space.bits, strict=True):
        for (finer, more), (coarser, less) in pairwise(zip(names, bits, strict=True)):
            if less > more + _ROUNDING:
                raise BadChoice(
                    f"The coding {coarser!r} of {attribute!r} tells more than {finer!r} before it "
                    f"({less:.2f} and {more:.2f} bits); give the most detailed first."
                )


def _unfinished(best: BestLevels) -> tuple[str, ...]:
    if best.bound <= best.worth + _ROUNDING:
        return ()
    return (say("predict.plan.unfinished", tried=best.tried),)
