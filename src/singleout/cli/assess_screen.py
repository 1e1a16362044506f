"""How an assessment looks on the screen: the verdict, what is worst, and what to do first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from singleout.cli.output import number, print_table, screen
from singleout.cli.output import share_of as share
from singleout.core.text import printable
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.advice.actions import Action
    from singleout.assessment.rating.rows import Row
    from singleout.assessment.result import Assessment

__all__ = ["show", "show_outputs"]

_FIRST = 3  # things to do
_NAMES = 4  # columns of a row


def show(found: Assessment, *, top: int, briefly: bool = False) -> None:
    """Print an assessment for people.

    Parameters
    ----------
    found
        The assessment.
    top
        How many of the worst rows to show.
    briefly
        Whether there is a report to read: then only the verdict and the first thing to do.
    """
    facts = found.facts
    _say(f"{facts.source}: {facts.rows:,} records, {len(facts.columns):,} columns\n")
    _say(found.verdict)
    for warning in found.warnings:
        _say(f"Warning: {warning}")
    _say("")
    if not briefly:
        _show_rows(found, top)
        _show_records(found)
    _show_actions(found, 1 if briefly else _FIRST)
    for note in found.notes if found.guessed or not briefly else _not_to_be_missed(found):
        _say(f"Note: {note}")


def _not_to_be_missed(found: Assessment) -> list[str]:
    """Return the notes without which the level and the first proposal are misread."""
    from singleout.assessment.words import on_the_rate
    from singleout.methods.discrimination.measure import Variant

    variant = Variant(found.plan.methods.discrimination.variant)
    kept = {say("advice.level_stays"), *on_the_rate(found.ratings, variant)}
    return [note for note in found.notes if note in kept]


def show_outputs(*paths: Path | None) -> None:
    """Say which files were written."""
    for path in filter(None, paths):
        _say(f"Written: {path}")


def _say(sentence: str) -> None:
    lines = "\n".join(map(printable, sentence.split("\n")))
    screen().print(lines, soft_wrap=True)


def _show_rows(found: Assessment, top: int) -> None:
    from singleout.assessment.rating.scales import (
        EXPLOITABILITIES,
        INFERENCES,
        RISKS,
        SEVERITIES,
        Exposure,
        named_level,
    )
    from singleout.assessment.words import told_apart

    if not top:
        return
    print_table(
        "Worst of what could be known",
        [
            *("who knows", "exposure", "infers", "rate", _head(found), "inference"),
            *("exploitable", "severity", "risk"),
        ],
        [
            [
                _known(row),
                Exposure(row.combination.exposure).name,
                "who it is" if row.sensitive is None else row.sensitive,
                f"{row.rate:.3f}",
                _beside_rate(row),
                named_level(row.inference, INFERENCES),
                named_level(row.exploitability, EXPLOITABILITIES),
                named_level(row.severity, SEVERITIES),
                named_level(row.risk, RISKS),
            ]
            for row in told_apart(found.ratings)[:top]
        ],
    )


def _head(found: Assessment) -> str:
    return say("screen.at_risk" if found.by_certainty else "screen.information")


def _beside_rate(row: Row) -> str:
    """Return the share of the records at severe or critical risk, or the mutual information."""
    from singleout.core.wording import percent

    if row.by_risk:
        return percent(row.reaching(3) / sum(row.by_risk))
    information = row.measured.mutual_information
    return "–" if information is None else f"{information:.3f}"


def _known(row: Row) -> str:
    names = row.combination.columns
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def _show_records(found: Assessment) -> None:
    from singleout.methods.registry import methods, results

    sets, risks = found.anonymity, found.record_risks
    rated = len(risks.record)
    count = len(sets.quasi_identifiers)
    columns = "the only quasi-identifier" if count == 1 else f"all {count} quasi-identifiers"
    _say(
        f"{number(risks.at_risk)} of {rated:,} records ({share(risks.at_risk, rated)}) are at "
        f"severe or critical risk; {number(sets.unique)} ({share(sets.unique, sets.records)}) are "
        f"unique in {columns} (k = {sets.k:,})."
    )
    measured = list(results(found.measured, methods()))
    said = [sentence for method, result in measured for sentence in method.sentences(result)]
    cautions = [caution for method, result in measured for caution in method.cautions(result)]
    for sentence in (*said, *cautions):
        _say(sentence)
    _say("")


def _show_actions(found: Assessment, first: int) -> None:
    if found.actions:
        _say(say("screen.what_to_do"))
        for index, action in enumerate(found.actions[:first], start=1):
            _say(f" {index}. {action.what} {_effect(action)}".rstrip())
        _say("")
    if found.remedy is not None:
        from singleout.assessment.report.levels import LOW_RISK, risk_in_words

        goal = "screen.to_reach_the_policy" if found.plan.policy.limits else "screen.to_reach_level"
        _say(f"{say(goal, level=risk_in_words(LOW_RISK))} {found.remedy}")
        for index, step in enumerate(found.remedy.steps, start=1):
            _say(f" {index}. {step}")
        _say("")


def _effect(action: Action) -> str:
    """Return what of the effect people look at first."""
    from singleout.assessment.report.levels import risk_in_words
    from singleout.core.wording import percent

    one, other = action.before, action.after
    if one is None or other is None:
        return ""
    parts = [
        f"risk {risk_in_words(one.level)} → {risk_in_words(other.level)}",
        f"records at risk {one.at_risk:,} → {other.at_risk:,}",
        f"rate {one.rate:.3f} → {other.rate:.3f}",
        f"unique {percent(one.unique_share)} → {percent(other.unique_share)}",
        f"k {one.k:,} → {other.k:,}",
    ]
    return f"({'; '.join(parts)})"
