"""Risks by attacker in an assessment: a threshold in a plan, their part of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from singleout.core.wording import percent
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Part as Options
from singleout.methods.options import Share
from singleout.report.content import Message, Paragraph, Part, Section
from singleout.report.say import say, term
from singleout.report.schema import SHARE, TEXT, or_none, record
from singleout.report.words import figures, table

if TYPE_CHECKING:
    from singleout.methods.attackers.result import AttackerRisk

__all__ = ["METHOD"]


class AttackersPlan(Options):
    """Which risk of a record is too high."""

    enabled: bool = Field(default=True, description="Whether to measure them.")
    threshold: Annotated[Share, Field(ge=0, le=1)] = Field(
        default=0.2, description="A record is at risk if the chance to find it is above this."
    )


class _Attackers(Method):
    """Prosecutor, journalist and marketer."""

    name = "attackers"
    options = AttackersPlan
    about = "Prosecutor, journalist and marketer."
    example = "{threshold: 20 %}"
    plan_order = 5
    report_order = 3
    schema = or_none(
        record(
            {
                "threshold": SHARE,
                "population": or_none(TEXT, "How the population is stated; null if it is not."),
                **{
                    name: record(
                        {
                            "at_risk": or_none(SHARE, "Null for a marketer."),
                            "highest": or_none(SHARE, "Null for a marketer."),
                            "success": SHARE,
                        }
                    )
                    for name in ("prosecutor", "journalist", "marketer")
                },
            }
        ),
        "Risks by attacker; null if they were not measured.",
    )

    counts_people = True

    def measure(self, context: Context) -> Measured:
        """Measure all quasi-identifiers together, by the population of the plan."""
        from singleout.methods.attackers.function import attacker_risk

        asked: AttackersPlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        return Measured(
            attacker_risk(
                context.table, context.known, context.stated, asked.threshold, unit=context.unit
            )
        )

    def section(self, measured: Measured, options: Any) -> Section:
        """Return the three attackers, or why they were not measured."""
        if measured.result is None:
            return Section(self.name, say("attackers.title"), (self.nothing(measured, options),))
        risk: AttackerRisk = measured.result
        heads = {
            "attackers.attacker": "text",
            "attackers.at_risk": "number",
            "attackers.highest": "number",
            "attackers.success": "number",
        }
        rows = (
            (
                say(f"attackers.who.{name}"),
                _share(attacker.at_risk),
                _share(attacker.highest),
                percent(attacker.success),
            )
            for name, attacker in risk.attackers.items()
        )
        parts: list[Part] = [
            Paragraph(say("report.sentence", text=risk)),
            table("attackers.caption", heads, rows),
            *figures(risk.plot, self.name),
        ]
        if risk.notes:
            parts.append(Message(say("report.notes"), risk.notes))
        return Section(self.name, say("attackers.title"), tuple(parts))

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return who the attackers are."""
        return (term("attackers.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return (say("attackers.source"),)

    def numbers(self, result: AttackerRisk) -> tuple[Number, ...]:
        """Return the rates of success, which are compared before and after a change."""
        return tuple(
            Number(f"{name}_success", say(f"attackers.compared.{name}"), "share", attacker.success)
            for name, attacker in result.attackers.items()
        )


METHOD = _Attackers()


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
