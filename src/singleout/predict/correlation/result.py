"""How many people are alone in a cell of attributes that depend on each other: the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.predict.correlation.fitting import Fitted
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.distribution.people import readable
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Correlated"]


@dataclass(frozen=True, eq=False)
class Correlated(Result):
    """How many people are alone in a cell of several attributes, and how many if independent.

    Parameters
    ----------
    kind
        What was known: ``normal``, ``groups``, ``joint``, ``margins`` or ``copula``.
    people
        k: how many people there are.
    shares
        Of all people, those in sets of 1, 2 and 3.
    independent_shares
        The same if the attributes did not depend on each other; None where that was not computed.
    method
        How the shares were computed.
    information
        The mutual information of the attributes (for several, their total correlation), in nats:
        for tables of the cells, for normal attributes before rounding; None for groups.
    distribution
        The cells, where there are such.
    joint
        The joint table as shares of all people, where there is one.
    fitted
        How the joint table was fitted to margins, if it was.
    standard_error
        Of the share of unique people, if it was simulated.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the numbers may not be trusted, one sentence each.
    """

    kind: str
    people: int
    shares: F64
    independent_shares: F64 | None
    method: str
    information: float | None = None
    distribution: Distribution | None = None
    joint: F64 | None = field(default=None, repr=False)
    fitted: Fitted | None = field(default=None, repr=False)
    standard_error: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.shares, self.independent_shares, self.joint):
            if array is not None:
                array.flags.writeable = False

    @property
    def share_unique(self) -> float:
        """The share of all people that are alone in their cell."""
        return float(self.shares[0])

    @property
    def singletons(self) -> float:
        """How many people are expected to be alone in their cell."""
        return self.people * self.share_unique

    @property
    def independent_share_unique(self) -> float | None:
        """The share of all people that would be alone if the attributes were independent."""
        return None if self.independent_shares is None else float(self.independent_shares[0])

    @property
    def independent_singletons(self) -> float | None:
        """How many people would be alone if the attributes were independent."""
        share = self.independent_share_unique
        return None if share is None else self.people * share

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        independent = self.independent_shares
        fit = self.fitted
        return {
            "kind": self.kind,
            "people": self.people,
            "method": self.method,
            "singletons": self.singletons,
            "share_unique": self.share_unique,
            "shares_in_sets_of_1_to_3": self.shares.tolist(),
            "independent_singletons": self.independent_singletons,
            "independent_share_unique": self.independent_share_unique,
            "independent_shares_in_sets_of_1_to_3": None
            if independent is None
            else independent.tolist(),
            "information_nats": self.information,
            "standard_error": self.standard_error,
            "distribution": None if self.distribution is None else self.distribution.to_dict(),
            "fit": None if fit is None else {"rounds": fit.rounds, "misfit": fit.misfit},
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return a polars frame with one row for each size of a set."""
        from singleout.core.frames import pl

        independent = self.independent_shares
        none = [None] * len(self.shares)
        return pl.DataFrame(
            {
                "set_size": np.arange(1, len(self.shares) + 1),
                "share": self.shares,
                "share_if_independent": none if independent is None else independent,
            },
            schema_overrides={"share_if_independent": pl.Float64},
        )

    def plot(self) -> alt.Chart | alt.LayerChart:
        """Return the picture: who is in small sets, with dependence and without."""
        from singleout.predict.intervals.chart import small_sets

        return small_sets(self.shares, self.independent_shares, people=self.people)

    def __str__(self) -> str:
        numbers = {
            "people": self.people,
            "singletons": readable(self.singletons),
            "share": self.share_unique,
        }
        independent = self.independent_singletons
        if independent is None:
            return say("predict.correlation.alone", **numbers)
        return say(
            "predict.correlation.alone_compared", independent=readable(independent), **numbers
        )
