"""How an assessment looks on the screen: the verdict, what is worst, and what to do first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from singleout.cli.output import number, print_table, screen, share
from singleout.core.text import printable

if TYPE_CHECKING:
    from singleout.assessment.actions import Action
    from singleout.assessment.assessment import Assessment
    from singleout.assessment.rows import Row

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
    if found.guessed or not briefly:
        for note in found.notes:
            _say(f"Note: {note}")


def show_outputs(*paths: Path | None) -> None:
    """Say which files were written."""
    for path in filter(None, paths):
        _say(f"Written: {path}")


def _say(sentence: str) -> None:
    lines = "\n".join(map(printable, sentence.split("\n")))
    screen().print(lines, soft_wrap=True)


def _show_rows(found: Assessment, top: int) -> None:
    from singleout.assessment.scales import (
        EXPLOITABILITIES,
        INFERENCES,
        RISKS,
        SEVERITIES,
        Exposure,
        named_level,
    )

    if not top:
        return
    print_table(
        "Worst of what could be known",
        ["who knows", "exposure", "infers", "rate", "inference", "exploitable", "severity", "risk"],
        [
            [
                _known(row),
                Exposure(row.combination.exposure).name,
                "who it is" if row.sensitive is None else row.sensitive,
                f"{row.measured.rate:.3f}",
                named_level(row.inference, INFERENCES),
                named_level(row.exploitability, EXPLOITABILITIES),
                named_level(row.severity, SEVERITIES),
                named_level(row.risk, RISKS),
            ]
            for row in _worst(found)[:top]
        ],
    )


def _worst(found: Assessment) -> list[Row]:
    return sorted(
        found.ratings,
        key=lambda row: (-row.risk, -row.exploitability, -row.severity, -row.measured.rate),
    )


def _known(row: Row) -> str:
    names = row.combination.columns
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def _show_records(found: Assessment) -> None:
    sets, risks = found.anonymity, found.record_risks
    rated = len(risks.record)
    _say(
        f"{number(risks.at_risk)} of {rated:,} records ({share(risks.at_risk, rated)}) are at "
        f"severe or critical risk; {number(sets.unique)} ({share(sets.unique, sets.records)}) are "
        f"unique in all {len(sets.quasi_identifiers)} quasi-identifiers (k = {sets.k:,})."
    )
    for result in (found.qar, found.suda):
        if result is not None:
            _say(f"{result}.")
    _say("")


def _show_actions(found: Assessment, first: int) -> None:
    if not found.actions:
        return
    _say("What to do first")
    for place, action in enumerate(found.actions[:first], start=1):
        _say(f" {place}. {action.what} {_effect(action)}".rstrip())
    _say("")


def _effect(action: Action) -> str:
    """Return what of the effect people look at first."""
    one, other = action.before, action.after
    if one is None or other is None:
        return ""
    parts = [
        f"risk {one.level} → {other.level}",
        f"records at risk {one.at_risk:,} → {other.at_risk:,}",
        f"rate {one.rate:.3f} → {other.rate:.3f}",
        f"unique {one.unique_share:.1%} → {other.unique_share:.1%}",
        f"k {one.k:,} → {other.k:,}",
    ]
    return f"({'; '.join(parts)})"
