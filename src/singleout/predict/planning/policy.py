"""The policy of a collection: how many may be unique, how many must be in large sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singleout.core.arguments import share
from singleout.core.results import ResultPart
from singleout.core.wording import stated_percent
from singleout.errors import BadChoice, did_you_mean
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.set_sizes.shares import share_below
from singleout.report.say import say

__all__ = ["Policy"]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Policy(ResultPart):
    """What must hold for the people who answer.

    Parameters
    ----------
    unique
        The expected share of them that may be unique, at most; None for any.
    in_sets_of
        A size and a share: at least this share of them is expected in sets of that size or larger;
        None if that does not matter.

    Examples
    --------
    >>> from singleout.predict import Policy
    >>> str(Policy(unique=0.05, in_sets_of=(5, 0.95)))
    'at most 5% unique and at least 95% in sets of 5 or more'
    """

    unique: float | None = None
    in_sets_of: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        if self.unique is None and self.in_sets_of is None:
            raise BadChoice(
                "The policy asks for nothing; give unique=0.05, in_sets_of=(5, 0.95), or both."
            )
        if self.unique is not None:
            unique = share(self.unique, "unique", zero=True, one=True)
            object.__setattr__(self, "unique", unique)
        if self.in_sets_of is not None:
            object.__setattr__(self, "in_sets_of", _checked_sets(self.in_sets_of))

    @classmethod
    def of(cls, policy: Policy | Mapping[str, Any]) -> Policy:
        """Take a policy as it is, or from its parts by name.

        Parameters
        ----------
        policy
            A policy, or such as ``{"unique": 0.05, "in_sets_of": (5, 0.95)}``.
        """
        if isinstance(policy, Policy):
            return policy
        if not isinstance(policy, Mapping):
            raise BadChoice(
                f"policy must be a Policy or such as {{'unique': 0.05}}, not {policy!r}."
            )
        unknown = next((key for key in policy if key not in ("unique", "in_sets_of")), None)
        if unknown is not None:
            advice = did_you_mean(unknown, ["unique", "in_sets_of"])
            raise BadChoice(f"A policy has unique and in_sets_of, and not {unknown!r}.{advice}")
        return cls(**policy)

    @property
    def size(self) -> int | None:
        """The size that sets should have; None if only uniqueness matters."""
        return None if self.in_sets_of is None else self.in_sets_of[0]

    def measured(
        self, distribution: Distribution, people: int, *, without_replacement: bool = False
    ) -> tuple[float, float | None]:
        """Return the expected share of the unique, and of those in sets that are large enough.

        Parameters
        ----------
        distribution
            How people spread over the cells.
        people
            How many there are.
        without_replacement
            Nobody can be drawn twice.
        """
        how = {"without_replacement": without_replacement}
        unique = share_below(distribution, people, 2, **how)
        if self.size is None:
            return unique, None
        return unique, 1 - share_below(distribution, people, self.size, **how)

    def keeps(self, unique: float, in_sets: float | None) -> bool:
        """Whether what was measured is within the policy.

        Parameters
        ----------
        unique, in_sets
            As `measured` returns them.
        """
        few_unique = self.unique is None or unique <= self.unique + _ROUNDING
        if self.in_sets_of is None or in_sets is None:
            return few_unique
        return few_unique and in_sets >= self.in_sets_of[1] - _ROUNDING

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        sets = None if self.in_sets_of is None else list(self.in_sets_of)
        return {"unique": self.unique, "in_sets_of": sets}

    def __str__(self) -> str:
        unique = sets = ""
        if self.unique is not None:
            unique = say("predict.plan.policy_unique", share=stated_percent(self.unique))
        if self.in_sets_of is not None:
            size, least = self.in_sets_of
            sets = say("predict.plan.policy_sets", share=stated_percent(least), size=size)
        both = unique and sets
        return say("predict.plan.policy_both", unique=unique, sets=sets) if both else unique or sets


def _checked_sets(pair: Any) -> tuple[int, float]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise BadChoice(f"in_sets_of must be a size and a share, such as (5, 0.95), not {pair!r}.")
    size = check_people(pair[0], least=2, what="The size in in_sets_of")
    return size, share(pair[1], "The share in in_sets_of", zero=True, one=True)
