"""A step from what was asked to what was found, and what it does to a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from singleout.core.results import ResultPart

__all__ = ["PathEffect", "PathStep"]


class PathEffect(StrEnum):
    """What a step does to the predicted number of unique people."""

    NONE = "none"
    TOO_HIGH = "too high"
    TOO_LOW = "too low"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class PathStep(ResultPart):
    """A step from what was asked to what was found.

    Parameters
    ----------
    kind
        ``exact``, ``super-population``, ``finer``, ``coarser`` or ``date``.
    asked, found
        What was asked for, and what was taken instead.
    effect
        What it does to the predicted number of unique people.
    certain
        Whether the direction is proven; otherwise it is that of a typical population.
    says
        The same as a sentence.
    turning
        From how many people on the direction reverses; None if it does not.
    """

    kind: str
    asked: str
    found: str
    effect: PathEffect
    certain: bool
    says: str
    turning: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return vars(self) | {"effect": str(self.effect)}

    def __str__(self) -> str:
        return self.says
