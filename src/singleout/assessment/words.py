"""The sentences of an assessment: the verdict, and where a policy is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.assessment.findings import Findings, worst_first
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.core.text import printable
from singleout.core.wording import percent, stated_percent
from singleout.methods.discrimination.measure import Variant
from singleout.methods.levels import level_name
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import ReleasePolicy
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = [
    "failures_of",
    "failures_of_people",
    "in_words",
    "on_the_rate",
    "records_at_risk",
    "verdict_by_certainty",
    "verdict_by_paper",
]

_NAMED_COLUMNS = 4
_SURELY_SEVERE = 2  # value combinations from which the paper's rate is at least 0.5


# ---- the verdict by certainty


def verdict_by_certainty(
    rows: Sequence[Row], findings: Findings, tolerated: float, met: bool | None
) -> str:
    """Return the verdict in words: under which assumption, how many people, and how.

    The rows are without the columns that identify people directly; ``tolerated`` is the share of
    the records that may exceed the level, and ``met`` is None without a policy.
    """
    sentences = []
    if findings.highest_level > findings.level:
        sentences.append(
            say(
                "verdict.range",
                low=_risk(findings.level),
                high=_risk(findings.highest_level),
                n=len(findings.unexplained),
                columns=in_words(findings.unexplained),
            )
        )
    if findings.personal:
        sentences.append(_with_names(findings))
    else:
        sentences.append(_by_assumption(findings))
    sentences += [_how_many(findings, tolerated), _by_attacker(worst_first(rows)[0])]
    if findings.unit is not None:
        unit = printable(findings.unit)
        sentences.append(say("verdict.people", n=findings.rated, rows=findings.rows, unit=unit))
    return " ".join([*sentences, *_on_policy(met)])


def _with_names(findings: Findings) -> str:
    without = _risk(findings.without_names)
    if findings.possible > findings.without_names:
        without = say(
            "verdict.names_open",
            low=findings.without_names,
            high=findings.possible,
            columns=in_words(findings.unexplained),
        )
    return say(
        "verdict.names",
        risk=level_name("risk", findings.level),
        level=findings.level,
        columns=in_words(findings.personal),
        n=len(findings.personal),
        without=without,
    )


def _by_assumption(findings: Findings) -> str:
    risk = level_name("risk", findings.level)
    if findings.if_member is None:
        return say("verdict.member", risk=risk, level=findings.level)
    member = _risk(findings.if_member)
    if findings.highest_if_member == findings.if_member:
        return say("verdict.population", risk=risk, level=findings.level, member=member)
    return say(
        "verdict.population_open",
        risk=risk,
        level=findings.level,
        low=member,
        high=_risk(findings.highest_if_member),
        n=len(findings.unexplained),
        columns=in_words(findings.unexplained),
    )


def _how_many(findings: Findings, tolerated: float) -> str:
    sentence = f"{records_at_risk(findings)}."
    if findings.highest <= findings.level:
        return sentence
    beyond = findings.by_risk[findings.highest - 1]
    share = beyond / findings.rated
    few = say(
        _counting(findings, "verdict.few_higher"),
        n=beyond,
        share=percent(share, beside=tolerated),
        risk=_risk(findings.highest),
        tolerated=stated_percent(tolerated),
    )
    return f"{sentence} {few}"


def _by_attacker(row: Row) -> str:
    known = in_words(row.combination.columns)
    exposure = level_name("exposure", row.combination.exposure)
    severity = _of_four(level_name("severity", row.severity).lower(), row.severity)
    rate = percent(row.rate)
    if row.sensitive is None:
        return say("verdict.finds", known=known, exposure=exposure, rate=rate, severity=severity)
    points = round(100 * row.rate)
    if row.by_identity:
        key = "verdict.finds_and_learns"
    else:
        key = "verdict.learns" if points else "verdict.learns_nothing"
    return say(
        key,
        known=known,
        exposure=exposure,
        rate=rate,
        n=points,
        sensitive=printable(row.sensitive),
        severity=severity,
    )


def _on_policy(met: bool | None) -> list[str]:
    return [] if met is None else [say("verdict.met" if met else "verdict.not_met")]


# ---- the verdict by the paper


def verdict_by_paper(rows: Sequence[Row], findings: Findings, met: bool | None) -> str:
    """Return the verdict in words: the risk, how it comes about, and whether it is accepted."""
    row = worst_first(rows)[0]
    sentences = []
    if findings.level > row.risk:  # through columns that identify people directly
        sentences.append(_through_identifiers(rows, findings))
        sentences.append(
            say(
                "verdict.without_names",
                n=len(findings.personal),
                risk=_risk(row.risk),
                how=_by_row(row),
            )
        )
    else:
        sentences.append(
            say(
                "verdict.by_row",
                risk=level_name("risk", row.risk),
                level=row.risk,
                how=_by_row(row),
            )
        )
    if findings.at_risk:
        sentences.append(f"{records_at_risk(findings)}.")
    if findings.personal and findings.level == row.risk:
        sentences.append(say("verdict.also_names", n=len(findings.personal)))
    return " ".join([*sentences, *_on_policy(met)])


def _risk(level: int) -> str:
    return _of_four(level_name("risk", level), level)


def _of_four(name: str, level: int) -> str:
    return say("verdict.of_four", name=name, level=level)


def _aim(row: Row) -> str:
    if row.sensitive is None:
        return say("verdict.single_out")
    return say("verdict.infer", sensitive=printable(row.sensitive))


def _by_row(row: Row) -> str:
    return say(
        "verdict.row",
        known=in_words(row.combination.columns),
        exposure=level_name("exposure", row.combination.exposure),
        easily=level_name("exploitability", row.exploitability).lower(),
        aim=_aim(row),
        severity=level_name("severity", row.severity).lower(),
    )


def _through_identifiers(rows: Sequence[Row], findings: Findings) -> str:
    gravest = max(worst_first(rows), key=lambda row: row.severity)
    return say(
        "verdict.through_names",
        risk=level_name("risk", findings.level),
        level=findings.level,
        columns=in_words(findings.personal),
        n=len(findings.personal),
        easily=level_name("exploitability", 4).lower(),
        aim=_aim(gravest),
        severity=level_name("severity", gravest.severity).lower(),
    )


# ---- parts of sentences


def records_at_risk(findings: Findings, limit: float | None = None) -> str:
    """Return how many records are at severe or critical risk, as a sentence without its end."""
    if not findings.at_risk:
        return say(_counting(findings, "verdict.none_at_risk"), rated=findings.rated)
    return say(
        _counting(findings, "verdict.at_risk"),
        n=findings.at_risk,
        rated=findings.rated,
        share=percent(findings.at_risk_share, beside=limit),
    )


def _counting(findings: Findings, key: str) -> str:
    """Return the key of a sentence, or that of the same about people where they are counted."""
    return key if findings.unit is None else f"{key}_people"


def in_words(columns: Sequence[str]) -> str:
    """Return names as a list in words, not longer than can be read.

    Examples
    --------
    >>> in_words(["age", "sex", "zip"])
    'age, sex and zip'
    """
    names = [printable(name) for name in columns]
    if len(names) > _NAMED_COLUMNS:
        more = len(names) - _NAMED_COLUMNS + 1
        names = [*names[: _NAMED_COLUMNS - 1], say("verdict.more_columns", more=more)]
    if len(names) < 2:
        return "".join(names)
    return say("verdict.list", first=", ".join(names[:-1]), last=names[-1])


# ---- the policy


def failures_of_people(policy: ReleasePolicy, people: AnonymitySets) -> dict[str, str]:
    """Return where a policy is not kept if people are counted in place of their records."""
    failures = {}
    if policy.k is not None and people.k < policy.k:
        failures["k"] = say("verdict.people_fail_by_k", n=people.k, wanted=policy.k)
    limit = policy.unique_share
    if limit is not None and people.unique_share > limit:
        share = percent(people.unique_share, beside=limit)
        failures["unique_share"] = say(
            "verdict.people_fail_by_unique", share=share, limit=stated_percent(limit)
        )
    return failures


def failures_of(policy: ReleasePolicy, findings: Findings) -> tuple[bool | None, dict[str, str]]:
    """Return whether a policy is kept (None if it asks for nothing), and where it is not.

    There is a sentence for each limit that is not kept, under its name in the policy. With columns
    that identify people directly, or with records that nobody looked at, no policy is kept. What is
    not known counts as bad as it can be.
    """
    if not policy.limits:
        return None, {}
    failures = {
        **_too_risky(policy, findings),
        **_too_few_alike(policy, findings),
        **_too_special(policy, findings),
    }
    if findings.personal:
        names = in_words(findings.personal)
        failures["direct_identifiers"] = say("verdict.fails_by_names", columns=names)
    if findings.dropped:
        failures["dropped_records"] = say(
            "verdict.fails_by_dropped",
            dropped=findings.dropped,
            records=findings.rated + findings.dropped,
        )
    return not failures, failures


def _too_risky(policy: ReleasePolicy, findings: Findings) -> dict[str, str]:
    failures = {}
    highest, share = policy.highest_risk, policy.records_at_risk
    if highest is not None and findings.highest_level > highest:
        level = findings.level if findings.level > highest else findings.highest_level
        key = "verdict.fails_by_risk" if level == findings.level else "verdict.may_fail_by_risk"
        failures["highest_risk"] = say(
            key,
            level=level,
            risk=level_name("risk", level),
            highest=highest,
            accepted=level_name("risk", highest),
            n=len(findings.unexplained),
        )
    if share is not None and findings.at_risk_share > share:
        failures["records_at_risk"] = say(
            "verdict.fails_by_records",
            records=records_at_risk(findings, share),
            limit=stated_percent(share),
        )
    return failures


def _too_few_alike(policy: ReleasePolicy, findings: Findings) -> dict[str, str]:
    failures = {}
    fails = "verdict.fails" if findings.unit is None else "verdict.people_fail"
    if policy.k is not None and findings.k < policy.k:
        failures["k"] = say(f"{fails}_by_k", n=findings.k, wanted=policy.k)
    limit = policy.unique_share
    if limit is not None and findings.unique_share > limit:
        failures["unique_share"] = say(
            f"{fails}_by_unique",
            share=percent(findings.unique_share, beside=limit),
            limit=stated_percent(limit),
        )
    return failures


def _too_special(policy: ReleasePolicy, findings: Findings) -> dict[str, str]:
    failures = {}
    limit, share = policy.special_uniques, findings.special_share
    if limit is not None and share is None:
        failures["special_uniques"] = say("verdict.special_unknown")
    elif limit is not None and share is not None and share > limit:
        shown = percent(share, beside=limit)
        failures["special_uniques"] = say(
            "verdict.fails_by_special", share=shown, limit=stated_percent(limit)
        )
    limit, highest = policy.dis_suda, findings.dis_suda
    if limit is not None and highest is None:
        failures["dis_suda"] = say("verdict.dis_suda_unknown")
    elif limit is not None and highest is not None and highest > limit:
        failures["dis_suda"] = say("verdict.fails_by_dis_suda", value=highest, limit=limit)
    return failures


def on_the_rate(rows: Sequence[Row], variant: Variant) -> list[str]:
    """Return a note where the paper's rate says more about the number of values than about people.

    The mean over c values of 1 - p(y) H(X|y) / H(X) is 1 - H(X|Y) / (c H(X)), so it is never below
    1 - 1/c, whatever the data.
    """
    sure = any(
        row.sensitive is not None
        and row.combination.kind == Kind.EXPOSURE
        and row.measured.combinations >= _SURELY_SEVERE
        for row in rows
    )
    if variant != Variant.PAPER or not sure or any(row.by_risk for row in rows):
        return []
    return [say("verdict.on_the_rate")]
