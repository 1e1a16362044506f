"""Population uniqueness in an assessment: where the plan states the population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from singleout.core.wording import percent
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Part as Options
from singleout.methods.population.estimators import ESTIMATORS
from singleout.report.content import Message, Paragraph, Part, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, FLAG, SHARE, TEXT, TEXTS, or_none, record
from singleout.report.words import figures, table

if TYPE_CHECKING:
    from singleout.methods.population.measure import Estimate
    from singleout.methods.population.result import PopulationUniqueness

__all__ = ["METHOD"]

_NUMBER = {"type": "number", "minimum": 0}


class PopulationPlan(Options):
    """Whether to estimate population uniqueness."""

    enabled: bool = Field(
        default=True, description="Whether to estimate it, where the population is stated."
    )


class _Population(Method):
    """How many people are alone in the population."""

    name = "population_uniqueness"
    options = PopulationPlan
    about = "Population uniqueness."
    example = "{enabled: true}"
    plan_order = 6
    report_order = 4
    schema = or_none(
        record(
            {
                "people": _NUMBER,
                "sampling_fraction": SHARE,
                "sample_unique": COUNT,
                "best": or_none(TEXT, "The estimator to believe; null if none applies."),
                "estimates": record(
                    {
                        name: record(
                            {
                                "share": or_none(SHARE, "Null if the estimator does not apply."),
                                "count": or_none(_NUMBER, "Null if the estimator does not apply."),
                                "low": or_none(SHARE, "Null if there is no interval."),
                                "high": or_none(SHARE, "Null if there is no interval."),
                                "converged": FLAG,
                                "notes": TEXTS,
                            }
                        )
                        for name in ESTIMATORS
                    }
                ),
                "notes": TEXTS,
            }
        ),
        "Population uniqueness; null if it was not estimated.",
    )

    def applies(self, context: Context) -> bool:
        """Whether a population is stated."""
        return context.stated.basis is not None and super().applies(context)

    def measure(self, context: Context) -> Measured:
        """Estimate from all quasi-identifiers together, by the population of the plan."""
        from singleout.methods.population.function import population_uniqueness

        asked: PopulationPlan = context.options[self.name]
        if not asked.enabled or context.stated.basis is None or not context.has_groups:
            return Measured()
        fraction, notes = context.fraction
        if fraction is None and context.stated.table is None:
            return Measured(None, notes)
        return Measured(population_uniqueness(context.table, context.known, context.stated))

    def section(self, measured: Measured, options: Any) -> Section | None:
        """Return the estimates, or why there are none; None where no population is stated."""
        title = say("population.title")
        if measured.result is None:
            if options.enabled and not measured.notes:
                return None
            return Section(self.name, title, (self.nothing(measured, options),))
        found: PopulationUniqueness = measured.result
        heads = {
            "population.estimator": "text",
            "population.share": "number",
            "population.interval": "number",
            "population.remark": "text",
        }
        rows = (_row(name, one, found) for name, one in found.estimates.items())
        parts: list[Part] = [
            Paragraph(say("report.sentence", text=found)),
            table("population.caption", heads, rows),
            *figures(found.plot, self.name),
        ]
        if found.notes:
            parts.append(Message(say("report.notes"), found.notes))
        return Section(self.name, title, tuple(parts))

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what population uniqueness is."""
        return (term("population.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where the estimators were published."""
        return (say("population.source"),)

    def to_json(self, result: PopulationUniqueness) -> dict[str, Any]:
        """Return the estimates without the models that were tried."""
        answer = result.to_dict()
        wanted = ("people", "sampling_fraction", "sample_unique", "best", "notes")
        estimates = {
            name: {key: value for key, value in one.items() if key != "parameters"}
            for name, one in answer["estimates"].items()
        }
        return {**{key: answer[key] for key in wanted}, "estimates": estimates}

    def numbers(self, result: PopulationUniqueness) -> tuple[Number, ...]:
        """Return the share to believe, which is compared before and after a change."""
        share = result.best.share
        if share is None:
            return ()
        return (Number("population_unique", say("population.compared"), "share", share),)


METHOD = _Population()


def _row(name: str, one: Estimate, found: PopulationUniqueness) -> tuple[str, str, str, str]:
    known = one.low is not None and one.high is not None
    remarks = list(one.notes)
    if found.found.best == name:
        remarks.insert(0, say("population.to_believe"))
    return (
        say(f"population.names.{name}"),
        "–" if one.share is None else percent(one.share),
        f"{percent(one.low or 0)} – {percent(one.high or 0)}" if known else "–",
        " ".join(remarks),
    )
