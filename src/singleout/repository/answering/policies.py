"""What a collection or release must keep to, and whether a prediction does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from singleout.core.arguments import share
from singleout.core.results import ResultPart
from singleout.core.wording import stated_percent
from singleout.errors import BadChoice, did_you_mean
from singleout.predict.planning.policy import Policy
from singleout.report.say import in_a_row, say
from singleout.repository.answering.prediction import RepositoryPrediction

__all__ = ["DisclosurePolicy", "Predicted"]

_KEYS = ("unique", "in_sets_of", "any_unique")
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Predicted(ResultPart):
    """What is predicted of a quasi-identifier, and the most that it can be by the record.

    Parameters
    ----------
    unique, unique_most
        The expected share of unique people, and the upper end of its interval.
    small, small_most
        The same for people in sets below the size of the policy; None without one.
    any_unique, any_unique_most
        The chance that anybody is unique, and the most it can be.
    """

    unique: float
    unique_most: float
    any_unique: float
    any_unique_most: float
    small: float | None = None
    small_most: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return dict(vars(self))


@dataclass(frozen=True)
class DisclosurePolicy(ResultPart):
    """What must hold for the people who answer.

    Parameters
    ----------
    unique
        The expected share of them that may be unique, at most; None for any.
    in_sets_of
        A size and a share: at least this share of them is expected in sets of that size or larger.
    any_unique
        The chance that anybody is unique, at most; None for any.

    Examples
    --------
    >>> str(DisclosurePolicy.of({"unique": 0.05, "in_sets_of": (5, 0.9), "any_unique": 0.5}))
    'at most 5% unique and at least 90% in sets of 5 or more; anybody unique with at most 50%'
    """

    unique: float | None = None
    in_sets_of: tuple[int, float] | None = None
    any_unique: float | None = None

    def __post_init__(self) -> None:
        if self.unique is None and self.in_sets_of is None and self.any_unique is None:
            raise BadChoice(
                "The policy asks for nothing; give unique=0.05, in_sets_of=(5, 0.95) or "
                "any_unique=0.5."
            )
        if self.any_unique is not None:
            any_unique = share(self.any_unique, "any_unique", zero=True, one=True)
            object.__setattr__(self, "any_unique", any_unique)
        if self._ordinary is not None:
            checked = self._ordinary
            object.__setattr__(self, "unique", checked.unique)
            object.__setattr__(self, "in_sets_of", checked.in_sets_of)

    @property
    def _ordinary(self) -> Policy | None:
        if self.unique is None and self.in_sets_of is None:
            return None
        return Policy(self.unique, self.in_sets_of)

    @classmethod
    def of(cls, policy: DisclosurePolicy | Policy | Mapping[str, Any]) -> DisclosurePolicy:
        """Take a policy as it is, a policy of `predict`, or its parts by name."""
        if isinstance(policy, DisclosurePolicy):
            return policy
        if isinstance(policy, Policy):
            return cls(policy.unique, policy.in_sets_of)
        if not isinstance(policy, Mapping):
            raise BadChoice(
                f"policy must be a policy or such as {{'unique': 0.05}}, not {policy!r}."
            )
        unknown = next((key for key in policy if key not in _KEYS), None)
        if unknown is not None:
            advice = did_you_mean(unknown, _KEYS)
            raise BadChoice(f"A policy has {', '.join(_KEYS)}, and not {unknown!r}.{advice}")
        return cls(**policy)

    @property
    def size(self) -> int | None:
        """The size that sets should have; None if that does not matter."""
        return None if self.in_sets_of is None else self.in_sets_of[0]

    def measured(self, prediction: RepositoryPrediction, cells: float | None = None) -> Predicted:
        """Return what is predicted; with the number of possible cells, not above what these allow.

        Parameters
        ----------
        prediction
            From a record of this quasi-identifier, or of a finer one.
        cells
            How many combinations of the quasi-identifier asked for are possible; None if not known.
        """
        people = max(prediction.people, 1)
        cap = self.by_cells(cells, people)
        unique, _, most = prediction.below(2)
        small = small_most = None
        if self.size is not None:
            small, _, small_most = prediction.below(self.size)
            small, small_most = min(small, cap.small or 1.0), min(small_most, cap.small or 1.0)
        most = min(most, cap.unique)
        return Predicted(
            min(unique, cap.unique),
            most,
            min(prediction.probability_any, cap.any_unique),
            min(1.0, most * people),
            small,
            small_most,
        )

    def by_cells(self, cells: float | None, people: int) -> Predicted:
        """Return the most that any population has over so many cells.

        The uniform distribution has the most unique people if there are as many cells as people;
        else no cell has more unique people than one of probability 1 / people.
        """
        unique = small = 1.0
        size = self.size
        if cells is not None and people > 1:
            likely = 1 / max(cells, people)
            unique = min(cells, people) / people * (1 - likely) ** (people - 1)
            small = 1.0 if size is None else min(1.0, cells * (size - 1) / people)
        chance = min(1.0, unique * people)
        known = None if size is None else small
        return Predicted(unique, unique, chance, chance, known, known)

    def broken(self, predicted: Predicted) -> tuple[str, ...]:
        """Return a sentence for each part of the policy that is not kept, by the upper ends."""
        reasons = []
        if self.unique is not None and predicted.unique_most > self.unique + _ROUNDING:
            reasons.append(
                say(
                    "repository.answering.decide.unique",
                    most=predicted.unique_most,
                    limit=stated_percent(self.unique),
                )
            )
        if self.in_sets_of is not None and predicted.small_most is not None:
            size, least = self.in_sets_of
            if predicted.small_most > 1 - least + _ROUNDING:
                values = {"most": predicted.small_most, "limit": stated_percent(1 - least)}
                reasons.append(say("repository.answering.decide.small", **values, size=size))
        if self.any_unique is not None and predicted.any_unique_most > self.any_unique + _ROUNDING:
            values = {"most": predicted.any_unique_most, "limit": stated_percent(self.any_unique)}
            reasons.append(say("repository.answering.decide.any_unique", **values))
        return tuple(reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        sets = None if self.in_sets_of is None else list(self.in_sets_of)
        return {"unique": self.unique, "in_sets_of": sets, "any_unique": self.any_unique}

    def __str__(self) -> str:
        parts = [] if self._ordinary is None else [str(self._ordinary)]
        if self.any_unique is not None:
            limit = stated_percent(self.any_unique)
            parts.append(say("repository.answering.decide.policy_any", limit=limit))
        return in_a_row(parts)
