"""What a disclosure could cost, under stated assumptions: for an insurer or a custodian.

Béra et al. (2023) name insurance as a use of the risk of a table and give no formula for a premium.
So everything here is an assumption, and says so: an attacker knows one combination of columns, any
one as likely as another; of the records that look alike on it, one is matched rightly. A
combination that takes H different values then re-identifies H records, and theta = H / L is the
share of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import share
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.wording import count, figure, stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

    from singleout.methods.qar.result import DatasetRisk

__all__ = ["RiskExposure", "exposure_of"]


@dataclass(frozen=True)
class RiskExposure(Result):
    """The records at stake and the loss they stand for.

    Parameters
    ----------
    records
        How many records the table has.
    alpha
        The share of the combinations that the tail holds.
    cost_per_record
        What one re-identified record costs, in any currency; assumed.
    probability
        The chance that there is an attack within the period that is insured; assumed.
    expected_records
        Records re-identified by an attack, on average over all combinations.
    tail_records
        Records re-identified by the combination at T: only a share alpha of them exceeds it.
    beyond_records
        Records re-identified on average by the riskiest share alpha of the combinations.
    worst_records
        Records re-identified by the riskiest combination.
    curve
        T, and the quantile without a fit, for shares alpha down to a thousandth.
    """

    records: int
    alpha: float
    cost_per_record: float
    probability: float
    expected_records: float
    tail_records: float
    beyond_records: float
    worst_records: int
    curve: tuple[tuple[float, float, float], ...] = ()

    @property
    def expected_loss(self) -> float:
        """The loss expected within the period: the chance of an attack times what it costs."""
        return self.probability * self.cost_per_record * self.expected_records

    @property
    def tail_loss(self) -> float:
        """The loss, if there is an attack, that only a share alpha of the combinations exceeds."""
        return self.cost_per_record * self.tail_records

    @property
    def beyond_loss(self) -> float:
        """The mean loss of an attack with one of the riskiest share alpha of the combinations."""
        return self.cost_per_record * self.beyond_records

    @property
    def worst_loss(self) -> float:
        """The loss of an attack with the riskiest combination."""
        return self.cost_per_record * self.worst_records

    def rows(self) -> list[tuple[str, float, float]]:
        """Return each figure with its name, the records and the loss."""
        return [
            (say("qar.exposure.expected"), self.expected_records, self.expected_loss),
            (say("qar.exposure.tail", alpha=self._share), self.tail_records, self.tail_loss),
            (say("qar.exposure.beyond", alpha=self._share), self.beyond_records, self.beyond_loss),
            (say("qar.exposure.worst"), self.worst_records, self.worst_loss),
        ]

    @property
    def _share(self) -> str:
        return stated_percent(self.alpha)

    @property
    def assumption(self) -> str:
        """What all figures rest on, in words."""
        return say(
            "qar.exposure.assumption",
            cost=figure(self.cost_per_record, ",.10g"),
            probability=stated_percent(self.probability),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "records": self.records,
            "alpha": self.alpha,
            "cost_per_record": self.cost_per_record,
            "probability": self.probability,
            "expected_records": self.expected_records,
            "expected_loss": self.expected_loss,
            "tail_records": self.tail_records,
            "tail_loss": self.tail_loss,
            "beyond_records": self.beyond_records,
            "beyond_loss": self.beyond_loss,
            "worst_records": self.worst_records,
            "worst_loss": self.worst_loss,
            "assumption": self.assumption,
            "curve": [
                {"alpha": alpha, "risk": risk, "empirical": empirical}
                for alpha, risk, empirical in self.curve
            ],
        }

    def to_frame(self) -> Frame:
        """Return a row for each figure: what it is, the records, the loss."""
        from singleout.core.frames import pl

        return pl.DataFrame(self.rows(), schema=["figure", "records", "loss"], orient="row")

    def plot(self) -> alt.Chart:
        """Return the records at stake by alpha: fitted, and as they were counted."""
        from singleout.methods.qar.chart import risk_by_alpha

        return risk_by_alpha(self.curve, self.records)

    def __str__(self) -> str:
        return say(
            "qar.exposure.summary",
            expected=count(round(self.expected_records)),
            records=count(self.records),
            loss=figure(self.expected_loss, ",.0f"),
            tail=count(round(self.tail_records)),
            tail_loss=figure(self.tail_loss, ",.0f"),
            alpha=self._share,
            assumption=self.assumption,
        )


def exposure_of(risk: DatasetRisk, cost_per_record: float, probability: float) -> RiskExposure:
    """Return the records at stake and the loss, from the risk of a table."""
    if isinstance(cost_per_record, bool) or not isinstance(cost_per_record, Real):
        raise BadChoice(f"cost_per_record must be an amount of money, not {cost_per_record!r}.")
    if not 0 <= cost_per_record < float("inf"):
        raise BadChoice(f"cost_per_record must be 0 or more, not {cost_per_record}.")
    chance = share(probability, "probability", zero=True, one=True)
    beyond = max(1, round(risk.alpha * risk.combinations))
    largest = sorted(risk.distinct.tolist())[-beyond:]
    return RiskExposure(
        records=risk.records,
        alpha=risk.alpha,
        cost_per_record=float(cost_per_record),
        probability=chance,
        expected_records=float(risk.distinct.mean()),
        tail_records=risk.risk * risk.records,
        beyond_records=sum(largest) / beyond,
        worst_records=int(largest[-1]),
        curve=tuple(risk.by_alpha().iter_rows()),
    )
