"""The first page of a report: a summary that stands alone, for who reads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from singleout.assessment.findings import worst_first
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import Exposure
from singleout.assessment.report.levels import LOW_RISK, level_change, risk_in_words, risk_range
from singleout.assessment.report.measured import columns_by_role, records_in_words
from singleout.assessment.report.records import bars_by_risk
from singleout.assessment.words import in_words
from singleout.core.wording import count, percent, stated_percent
from singleout.methods.levels import level_name, level_names
from singleout.methods.registry import in_report, results
from singleout.report.content import (
    Cell,
    Facts,
    Glossary,
    Heading,
    Level,
    Message,
    Paragraph,
    Part,
    ReportTable,
    Verdict,
)
from singleout.report.say import say, term, words
from singleout.report.words import first_of, head, listed, messages, shortened

if TYPE_CHECKING:
    from singleout.assessment.advice.action import Action
    from singleout.assessment.result import Assessment

__all__ = ["aim_of_remedy", "glossary", "summary"]

_ATTACKERS = 3  # the worst; the others are in the evidence
_STEPS = 6
_ACTIONS = 3


def summary(assessment: Assessment) -> Verdict:
    """Return the verdict and all that is needed to understand it and to act on it."""
    low, high = assessment.range
    return Verdict(
        say("report.summary"),
        Level(low, level_name("risk", low)),
        level_names("risk"),
        assessment.verdict,
        (
            *_meaning(assessment),
            Heading(say("report.assessed")),
            _assessed(assessment),
            bars_by_risk(assessment, say(_of_people(assessment, "report.people"))),
            Facts(_figures(assessment), large=True),
            _attackers(assessment),
            Heading(say("report.to_do")),
            *_to_do(assessment),
            Message(
                say("report.not_known"),
                tuple(_not_known(assessment)),
                urgent=assessment.guessed or bool(assessment.unexplained),
            ),
            Glossary(say("report.glossary_title"), glossary()),
        ),
        highest=high,
    )


def glossary() -> tuple[tuple[str, str], ...]:
    """Return the terms of the summary with their meaning."""
    return tuple(term(f"report.glossary.{name}") for name in words("report.glossary"))


# ---- the verdict and what it means


def _meaning(assessment: Assessment) -> Iterator[Part]:
    by = "certainty" if assessment.by_certainty else "paper"
    level = assessment.level
    means = say(
        f"report.level_is.{by}",
        level=risk_in_words(level),
        place=say(f"report.places.{level}"),
        tolerated=stated_percent(assessment.plan.policy.tolerated),
    )
    yield Paragraph(means)
    yield _policy(assessment)
    if assessment.warnings:
        yield messages(say("report.warnings"), assessment.warnings, urgent=True)


def _policy(assessment: Assessment) -> Part:
    if assessment.met is None:
        return Paragraph(say("report.no_policy"))
    if assessment.met:
        return Paragraph(say("report.policy_met"))
    return Message(say("report.policy_not_met"), assessment.failures, urgent=True)


# ---- the file, and how many people


def _assessed(assessment: Assessment) -> Facts:
    plan = "report.plan_guessed" if assessment.guessed else "report.plan_given"
    return Facts(
        (
            (say("report.data"), assessment.facts.source),
            (say("report.records"), records_in_words(assessment)),
            (say("report.columns"), columns_by_role(assessment)),
            (say("report.plan_from"), say(plan)),
        )
    )


def _figures(assessment: Assessment) -> tuple[tuple[str, str], ...]:
    sets, risks = assessment.anonymity, assessment.record_risks
    figures = [
        *_levels(assessment),
        (
            say(_of_people(assessment, "report.figure_at_risk")),
            _of_whole(risks.at_risk, risks.rated),
        ),
        (say(_of_people(assessment, "report.figure_unique")), _of_whole(sets.unique, sets.records)),
        (say("report.figure_k"), count(sets.k)),
    ]
    for method, result in results(assessment.measured, in_report()):
        figures += method.headline(result)
    return tuple(figures)


def _levels(assessment: Assessment) -> Iterator[tuple[str, str]]:
    """Yield the levels, each with the assumption that it rests on."""
    found = assessment.findings
    if not assessment.by_certainty:
        yield say("report.figure_risk"), risk_in_words(found.level)
    elif found.if_member is None:
        yield say("report.figure_member"), risk_range(*assessment.range_if_member)
    else:
        yield say("report.figure_population"), risk_range(*assessment.range)
        yield say("report.figure_member"), risk_range(*assessment.range_if_member)
    held = found.by_risk[found.highest - 1]
    yield (
        say(_of_people(assessment, "report.figure_highest")),
        say(
            "report.value_of",
            column=risk_in_words(found.highest),
            value=_of_whole(held, found.rated),
        ),
    )
    if found.highest_level > found.level:
        yield say("report.figure_range"), risk_range(*assessment.range)


def _of_people(assessment: Assessment, key: str) -> str:
    """Return the key of a sentence, or that of the same about people where they are counted."""
    return key if assessment.unit is None else f"{key}_people"


def _of_whole(part: int, whole: int) -> str:
    share = percent(part / whole if whole else 0.0)
    return say("report.of_records", part=count(part), whole=count(whole), share=share)


# ---- who could attack


def _attackers(assessment: Assessment) -> ReportTable:
    """Return the attackers that decide, each with what is worst of it."""
    worst: dict[tuple[Kind, str], Row] = {}
    for row in worst_first(assessment.ratings):
        if row.decides and row.combination.kind != Kind.ATTRIBUTE:
            worst.setdefault((row.combination.kind, row.combination.name), row)
    rows = list(worst.values()) or [assessment.worst]
    columns = [
        head("report.who"),
        head("report.risk", "level"),  # beside the name, where narrow screens show it
        head("report.known"),
        head("report.learnt"),
    ]
    if assessment.by_certainty:
        columns += [head("report.how_sure"), head("report.at_risk", "number")]
    left = len(rows) - _ATTACKERS
    below = say("report.more_attackers", n=left, rows=say("report.rows")) if left > 0 else ""
    return ReportTable(
        say("report.attackers_caption"),
        tuple(columns),
        tuple(_attacker(row) for row in rows[:_ATTACKERS]),
        below=below,
    )


def _attacker(row: Row) -> tuple[Cell, ...]:
    exposure = Exposure(row.combination.exposure)
    who = say(f"report.attackers.{exposure.name}", exposure=f"{int(exposure)} {exposure.name}")
    if row.combination.kind == Kind.NAMED:
        name = shortened(row.combination.name)
        who = say("report.named_attacker", name=name, exposure=f"{int(exposure)} {exposure.name}")
    risk = Level(row.risk, level_name("risk", row.risk))
    cells: list[Cell] = [who, risk, listed(row.combination.columns), _learnt(row)]
    if row.by_risk:
        at_risk = row.reaching(3)
        cells += [
            _how_sure(row),
            say("report.share_of", part=count(at_risk), share=percent(at_risk / sum(row.by_risk))),
        ]
    return tuple(cells)


def _learnt(row: Row) -> str:
    if row.sensitive is None:
        return say("report.identity")
    name = shortened(row.sensitive)
    return say("report.found_and_learnt", sensitive=name) if row.by_identity else name


def _how_sure(row: Row) -> str:
    if row.sensitive is None or row.by_identity:
        return say("report.sure_by_identity", rate=percent(row.rate))
    return say("report.sure_by_gain", n=round(100 * row.rate))


# ---- what to do


def _to_do(assessment: Assessment) -> Iterator[Part]:
    """Yield what to do: names first, then the sequence that reaches the aim, or single changes."""
    names = [action for action in assessment.actions if action.before is None]
    others = [action for action in assessment.actions if action.before is not None]
    if names:
        shown, more = first_of([action.what for action in names], _STEPS)
        yield Message(say("report.first_names"), (*shown, more) if more else tuple(shown))
    yield from _remedy(assessment)
    reached = _kept(assessment) or (assessment.remedy is not None and assessment.remedy.reached)
    if others and not reached:
        changes = tuple(_effect(action) for action in others[:_ACTIONS])
        yield Message(say("report.single_changes"), changes)
    elif not (names or others or assessment.remedy or _kept(assessment)):
        yield Paragraph(say("report.nothing_to_do" if assessment.advised else "report.no_advice"))


def _kept(assessment: Assessment) -> bool:
    """Whether nothing has to be done."""
    if assessment.met is None:
        return assessment.range[1] <= LOW_RISK
    return assessment.met


def _remedy(assessment: Assessment) -> Iterator[Part]:
    remedy = assessment.remedy
    if remedy is None:
        if _kept(assessment):
            yield Paragraph(say("report.kept" if assessment.met else "report.kept_without_policy"))
        return
    yield Paragraph(aim_of_remedy(assessment))
    left = len(remedy.sentences) - _STEPS
    more = say("report.more_steps", n=left, actions=say("report.actions")) if left > 0 else ""
    if remedy.sentences:
        yield Message(
            say("report.in_this_order"), remedy.sentences[:_STEPS], numbered=True, below=more
        )


def aim_of_remedy(assessment: Assessment) -> str:
    """Return what the changes aim at, and how far they get."""
    asked = bool(assessment.plan.policy.limits)
    aim = say("report.aim_policy" if asked else "report.aim_level", level=risk_in_words(LOW_RISK))
    return f"{aim} {assessment.remedy}"


def _effect(action: Action) -> str:
    if action.before is None or action.after is None:
        return action.what
    return f"{action.what} {level_change(action.before.level, action.after.level)}"


# ---- what is not known


def _not_known(assessment: Assessment) -> Iterator[str]:
    if assessment.guessed:
        yield say("report.guessed")
    columns: Sequence[str] = assessment.unexplained
    if columns:
        yield say("report.unexplained", n=len(columns), columns=in_words(columns))
    if assessment.by_certainty and assessment.findings.if_member is None:
        yield say("report.no_population")
    if assessment.facts.dropped:
        yield say("report.dropped_unknown", n=assessment.facts.dropped)
    yield say("report.never_known")
