"""The entropy of an attacker's probabilities: Koot (2012), 2.2.

An attacker gives each person a probability to be the one who is looked for. Shannon's entropy is
how many bits are missing on average, the degree of anonymity how much of all the bits that is, and
Rényi's entropies go from the number of people who are possible (order 0) to the likeliest one alone
(infinite order). The quantile cuts off the few who are far likelier than others: at least so many
bits are missing for 90 % of the people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share as checked_share
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution, as_distribution
from singleout.predict.distribution.people import is_real_number
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["AttackerEntropy", "attacker_entropy"]

_ORDERS = (0.0, 0.5, 1.0, 2.0, 5.0, 20.0, math.inf)
_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
_NEAR_ONE = 1e-9  # of the order: the formula divides by its distance from 1


@dataclass(frozen=True, eq=False)
class AttackerEntropy(Result):
    """How many bits an attacker lacks to be certain.

    Parameters
    ----------
    distribution
        How likely each person is to be the one.
    """

    distribution: Distribution

    @property
    def people(self) -> float:
        """N: how many people there are, those who are ruled out included."""
        return self.distribution.cells

    @property
    def possible(self) -> float:
        """M: how many of them are not ruled out."""
        return self.distribution.support

    @property
    def entropy(self) -> float:
        """Shannon's entropy in bits (2.2): what is missing on average."""
        return self.distribution.entropy

    @property
    def most(self) -> float:
        """The entropy in bits if all were equally likely (2.3)."""
        return math.log2(self.people)

    @property
    def degree(self) -> float:
        """The degree of anonymity (2.4): the entropy / the most it can be; 0 for one person."""
        return self.entropy / self.most if self.people > 1 else 0.0

    @property
    def least(self) -> float:
        """The min-entropy in bits: what is missing for the likeliest person."""
        return self.renyi(math.inf)

    def renyi(self, order: float) -> float:
        """Return Rényi's entropy in bits (2.5).

        Parameters
        ----------
        order
            From 0 (people who are possible) over 1 (Shannon) to infinity (the likeliest alone).
        """
        if not is_real_number(order) or math.isnan(order) or order < 0:
            raise BadChoice(f"The order of an entropy is a number from 0 on, not {order!r}.")
        shares, times = self.distribution.probabilities, self.distribution.multiplicity
        if math.isinf(order):
            return -math.log2(float(shares[0])) + 0.0
        if abs(order - 1) < _NEAR_ONE:
            return self.entropy
        # relative to the likeliest, so that high powers do not vanish
        ratio = float((times * (shares / shares[0]) ** order).sum())
        return (order * math.log2(float(shares[0])) + math.log2(ratio)) / (1 - order) + 0.0

    def bits_for(self, share: float) -> float:
        """Return how many bits are missing at least for this share of the people.

        Those who are likeliest are cut off; people who are ruled out are not counted. For all of
        them it is the min-entropy.

        Parameters
        ----------
        share
            Of the people who are possible, above 0 and at most 1.
        """
        wanted = checked_share(share, "share", one=True)
        shares, times = self.distribution.probabilities, self.distribution.multiplicity
        # from the least likely on: the first probability at which enough people are reached
        reached = np.cumsum(times[::-1]) / self.possible
        index = int(np.searchsorted(reached, wanted - 1e-12))
        return -math.log2(float(shares[::-1][min(index, len(shares) - 1)])) + 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "people": self.people,
            "possible": self.possible,
            "entropy_bits": self.entropy,
            "most_bits": self.most,
            "degree": self.degree,
            "min_entropy_bits": self.least,
            "largest": self.distribution.largest,
            "renyi": [
                {"order": None if math.isinf(order) else order, "bits": self.renyi(order)}
                for order in _ORDERS
            ],
            "quantiles": [
                {"share": share, "bits_at_least": self.bits_for(share)} for share in _SHARES
            ],
            "notes": list(self.distribution.notes),
        }

    def to_frame(self) -> Frame:
        """Return one row for each share of the people: the bits that are missing at least."""
        from singleout.core.frames import pl

        return pl.DataFrame(self.to_dict()["quantiles"])

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the bits that are missing for a share of the people."""
        from singleout.predict.entropies.chart import bits_by_share

        return bits_by_share(self)

    def __str__(self) -> str:
        return say(
            "predict.entropy.says",
            entropy=self.entropy,
            most=self.most,
            degree=self.degree,
            bits=self.bits_for(0.9),
            least=self.least,
        )


@framed
def attacker_entropy(probabilities: Any) -> AttackerEntropy:
    """Measure how uncertain an attacker is who gives each person a probability.

    Parameters
    ----------
    probabilities
        The probability of each person to be the one who is looked for: numbers that sum to 1, by
        name or in a list, or a `Distribution`. For odds such as 10 to 1 give
        ``Distribution.from_counts([10, 1, 1])``.

    Examples
    --------
    >>> from singleout.predict import attacker_entropy
    >>> found = attacker_entropy([0.5] + [0.5 / 9] * 9)
    >>> round(found.entropy, 3), round(found.degree, 3), found.least
    (2.585, 0.778, 1.0)
    >>> round(found.bits_for(0.9), 2)
    4.17
    """
    distribution = as_distribution(probabilities)
    if not math.isfinite(distribution.cells):
        raise BadChoice("There must be finitely many people to choose from.")
    return AttackerEntropy(distribution)
