"""How an assessment looks on the screen: the verdict, what is worst, and what to do first."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from singleout.cli.shared.output import number, share_of, show_table, tell
from singleout.cli.shared.streams import STANDARD_INPUT, is_standard_input
from singleout.core.wording import figure
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.advice.action import Action
    from singleout.assessment.rating.rows import Row
    from singleout.assessment.result import Assessment

__all__ = ["show", "tell_how_to_apply", "tell_how_to_gate"]

_FIRST = 3  # things to do
_NAMES = 4  # columns of a row


def show(found: Assessment, *, top: int, briefly: bool = False) -> None:
    """Print an assessment for people.

    ``briefly`` where there is a report to read: only the verdict and the first thing to do.
    """
    facts = found.facts
    table = say("screen.table", source=facts.source, records=facts.rows, columns=len(facts.columns))
    tell(table, found.verdict, warnings=found.warnings)
    tell("")
    if not briefly:
        _show_rows(found, top)
        _show_records(found)
    if found.groups:
        _show_groups(found)
    _show_actions(found, 1 if briefly else _FIRST)
    tell(notes=found.notes if found.guessed or not briefly else _not_to_be_missed(found))


def _show_groups(found: Assessment) -> None:
    from singleout.assessment.report.levels import risk_range

    rows = [
        [
            row["group"],
            number(row["records"]),
            risk_range(row["level"], row["possible_level"]),
            share_of(row["at_risk"], row["records"]),
            number(row["k"]),
        ]
        for row in found.groups_frame.to_dicts()
    ]
    show_table("screen.assess.groups", rows, by=", ".join(found.by))


def _not_to_be_missed(found: Assessment) -> list[str]:
    """Return the notes without which the level and the first proposal are misread."""
    from singleout.assessment.words import on_the_rate
    from singleout.methods.discrimination.measure import Variant

    variant = Variant(found.plan.methods.discrimination.variant)
    kept = {say("advice.level_stays"), *on_the_rate(found.ratings, variant)}
    return [note for note in found.notes if note in kept]


def _show_rows(found: Assessment, top: int) -> None:
    from singleout.assessment.findings import distinct_rows
    from singleout.assessment.rating.scales import Exposure, named_level
    from singleout.methods.levels import level_names

    if not top:
        return
    show_table(
        "screen.assess.worst",
        [
            [
                _known(row),
                Exposure(row.combination.exposure).name,
                say("screen.assess.who_it_is") if row.sensitive is None else row.sensitive,
                figure(row.rate, ".3f"),
                _beside_rate(row),
                named_level(row.inference, level_names("inference")),
                named_level(row.exploitability, level_names("exploitability")),
                named_level(row.severity, level_names("severity")),
                named_level(row.risk, level_names("risk")),
            ]
            for row in distinct_rows(found.ratings)[:top]
        ],
        beside_rate=say(
            "screen.assess.at_risk" if found.by_certainty else "screen.assess.information"
        ),
    )


def _beside_rate(row: Row) -> str:
    """Return the share of the records at severe or critical risk, or the mutual information."""
    from singleout.core.wording import percent

    if row.by_risk:
        return percent(row.reaching(3) / sum(row.by_risk))
    information = row.measured.mutual_information
    return "–" if information is None else figure(information, ".3f")


def _known(row: Row) -> str:
    names = row.combination.columns
    shown, more = ", ".join(names[:_NAMES]), len(names) - _NAMES
    return say("screen.assess.more_columns", columns=shown, n=more) if more > 0 else shown


def _show_records(found: Assessment) -> None:
    from singleout.methods.registry import methods, results

    sets, risks = found.anonymity, found.record_risks
    rated = risks.rated
    tell(
        say(
            "screen.assess.records" if found.unit is None else "screen.assess.records_people",
            at_risk=number(risks.at_risk),
            rated=rated,
            share=share_of(risks.at_risk, rated),
            unique=number(sets.unique),
            unique_share=share_of(sets.unique, sets.records),
            n=len(sets.quasi_identifiers),
            k=sets.k,
        )
    )
    measured = list(results(found.measured, methods()))
    said = [sentence for method, result in measured for sentence in method.sentences(result)]
    cautions = [caution for method, result in measured for caution in method.cautions(result)]
    tell(*said, *cautions, "")


def _show_actions(found: Assessment, first: int) -> None:
    if found.actions:
        tell(say("screen.what_to_do"))
        for index, action in enumerate(found.actions[:first], start=1):
            tell(f" {index}. {action.what} {_effect(action)}".rstrip())
        tell("")
    if found.remedy is not None:
        from singleout.assessment.report.levels import LOW_RISK, risk_in_words

        goal = "screen.to_reach_the_policy" if found.plan.policy.limits else "screen.to_reach_level"
        tell(f"{say(goal, level=risk_in_words(LOW_RISK))} {found.remedy}")
        for index, step in enumerate(found.remedy.sentences, start=1):
            tell(f" {index}. {step}")
        tell("")


def tell_how_to_apply(found: Assessment, data: str, plan: Path | None, steps: Path | None) -> None:
    """Print the commands that apply what is advised, and that lose less."""
    from singleout.assessment.report.levels import LOW_RISK

    shown, with_plan = _as_typed(data, plan, found)
    file = shlex.quote(str(steps or "steps.yaml"))
    written = "" if steps is not None else f"singleout assess {shown}{with_plan} --steps {file}; "
    goal = "" if found.plan.policy.limits else f" --highest-risk {LOW_RISK}"
    tell(
        say("screen.assess.apply", command=f"{written}singleout treat {shown} {file} -o OUT"),
        say("screen.assess.lose_less", command=f"singleout suggest {shown}{with_plan}{goal}"),
    )


def tell_how_to_gate(found: Assessment, data: str, plan: Path | None) -> None:
    """Print the command that lets a policy decide, where there is none."""
    shown, with_plan = _as_typed(data, plan, found)
    command = f"singleout assess {shown}{with_plan} --policy policy.yaml"
    tell(say("gate.none", command=command, file="policy.yaml"))


def _as_typed(data: str, plan: Path | None, found: Assessment) -> tuple[str, str]:
    """Return the data and the options of what it means, for a command line.

    An address, which may hold a password, is not among them.
    """
    from singleout.engines.sql.urls import is_database_url

    if is_standard_input(data):
        shown = STANDARD_INPUT
    else:
        shown = "DATA" if is_database_url(data) else shlex.quote(data)
    options = "" if plan is None else f" --plan {shlex.quote(str(plan))}"
    if found.unit is not None:
        options += f" --unit {shlex.quote(found.unit)}"
    return shown, options


def _effect(action: Action) -> str:
    """Return what of the effect people look at first."""
    from singleout.assessment.report.levels import risk_in_words
    from singleout.core.wording import percent

    one, other = action.before, action.after
    if one is None or other is None:
        return ""
    return say(
        "screen.assess.effect_people" if one.of_people else "screen.assess.effect",
        level=risk_in_words(one.level),
        level_after=risk_in_words(other.level),
        at_risk=one.at_risk,
        at_risk_after=other.at_risk,
        rate=one.rate,
        rate_after=other.rate,
        unique=percent(one.unique_share),
        unique_after=percent(other.unique_share),
        k=one.k,
        k_after=other.k,
    )
