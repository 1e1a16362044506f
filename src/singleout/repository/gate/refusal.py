"""Why a record may not become public, in a sentence, and what would pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from singleout.core.wording import figure, in_figures
from singleout.report.say import say

__all__ = ["REASONS", "Refusal"]

REASONS = ("people", "coincidences", "budget", "difference")


@dataclass(frozen=True)
class Refusal:
    """A refusal, decided on blurred numbers only.

    Parameters
    ----------
    reason
        ``people`` (too few), ``coincidences`` (too few people share a cell), ``budget`` (spent) or
        ``difference`` (from a published population, too small).
    tier
        The tier that was asked for.
    seen
        The blurred numbers that decided.
    registered
        The accuracy that a registered record would have, where that would pass.
    """

    reason: str
    tier: str
    seen: Mapping[str, float] = field(default_factory=dict)
    registered: Mapping[str, float] | None = None

    def beside(self, sd: Mapping[str, float], s2: float) -> Refusal:
        """Return the refusal with the accuracy of the registered record that would pass."""
        return replace(self, registered={"kappa": sd["kappa"], "s2": sd["s2"] / s2})

    @property
    def sentence(self) -> str:
        """Why it is refused, and what to do."""
        if self.reason == "people" and self.tier != "public":
            return say("repository.gate.people_registered", **self._values())
        return say(f"repository.gate.{self.reason}", **self._values())

    @property
    def would_pass(self) -> str:
        """What would pass, and how accurate it would be; nothing where that cannot be said."""
        sentences = []
        if self.reason == "coincidences":
            sentences.append(say("repository.gate.coincidences_needed", **self._values()))
        if self.reason == "budget" and self.seen["left"] > 0:
            times = math.sqrt(self.seen["cost"] / self.seen["left"])
            left = in_figures(self.seen["left"], 2)
            sentences.append(
                say("repository.gate.budget_left", left=left, times=figure(times, ".1f"))
            )
        if self.registered is not None:
            kappa, s2 = in_figures(self.registered["kappa"], 2), self.registered["s2"]
            sentences.append(
                say("repository.gate.registered_passes", kappa=kappa, s2=figure(s2, ".1%"))
            )
        return " ".join(sentences)

    def __str__(self) -> str:
        return f"{self.sentence} {self.would_pass}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        plain: dict[str, Any] = {"reason": self.reason, "tier": self.tier, "seen": dict(self.seen)}
        if self.registered is not None:
            plain["registered"] = dict(self.registered)
        return {**plain, "sentence": self.sentence, "would_pass": self.would_pass}

    def _values(self) -> dict[str, str]:
        shown = {name: in_figures(value, 3) for name, value in self.seen.items()}
        if self.reason == "coincidences":
            people, sd = self.seen["people"], self.seen["sd"]
            shown["others"] = in_figures(max(self.seen["s2"], 0.0) * people, 2)
            shown["needed"] = in_figures(10 * sd * people, 2)
            shown["sd_kappa"] = in_figures(self.seen["sd_kappa"], 2)
        return shown
