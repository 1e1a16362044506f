"""The gate of a pipeline: whether a policy is kept, and one line that says why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from singleout.assessment.findings import Findings
from singleout.assessment.plan.checks import check_policy
from singleout.assessment.plan.plan import ReleasePolicy
from singleout.assessment.report.levels import risk_in_words
from singleout.assessment.result import Assessment
from singleout.assessment.words import records_at_risk
from singleout.core.wording import percent, stated_percent
from singleout.errors import BadChoice
from singleout.io.yaml.file import Mistake, Origin, checked, plain, read_yaml
from singleout.report.say import in_a_row, say

__all__ = ["gate_line", "read_policy", "under_policy"]

_LARGEST_FILE = 1_000_000  # bytes


def read_policy(given: ReleasePolicy | str | os.PathLike[str] | Mapping[str, Any]) -> ReleasePolicy:
    """Return a policy from a policy, the path of a YAML file or a mapping.

    The file holds what is accepted, as under ``policy`` in a plan; a whole plan is taken as well,
    for its policy.

    >>> read_policy({"highest_risk": "Significant", "unique_share": "1 %"}).unique_share
    0.01
    """
    origin = Origin("policy")
    if isinstance(given, ReleasePolicy):
        return _checked(given, origin)
    if isinstance(given, str | os.PathLike):
        values, origin = read_yaml(Path(given), "policy", largest=_LARGEST_FILE)
    elif isinstance(given, Mapping):
        values = plain(given, origin)
    else:
        raise BadChoice(
            f"A policy cannot be made of a {type(given).__name__}; give the path of a YAML "
            "file or a mapping of what the file would hold."
        )
    if isinstance(values, dict) and isinstance(values.get("policy"), dict):
        values, origin = values["policy"], _within(origin)
    elif isinstance(values, dict) and "columns" in values:
        raise origin.refusal(
            Mistake((), "this is a plan without a policy; add one, or give a file of its own.")
        )
    return _checked(checked(ReleasePolicy, values, origin), origin)


def _checked(policy: ReleasePolicy, origin: Origin) -> ReleasePolicy:
    try:
        check_policy(policy, ())
    except Mistake as mistake:
        raise origin.refusal(mistake) from None
    return policy


def _within(origin: Origin) -> Origin:
    """Return where the values under ``policy`` come from."""
    lines = {path[1:]: line for path, line in origin.lines.items() if path[:1] == ("policy",)}
    return replace(origin, lines=lines)


def under_policy(assessment: Assessment, policy: ReleasePolicy) -> Assessment:
    """Return the assessment judged by another policy; nothing is measured anew."""
    if "tolerated" not in policy.model_fields_set:  # how the level is read stays as it is
        policy = policy.model_copy(update={"tolerated": assessment.plan.policy.tolerated})
    plan = assessment.plan.model_copy(update={"policy": policy})
    groups = {value: under_policy(part, policy) for value, part in assessment.groups.items()}
    return replace(assessment, plan=plan, groups=groups)


def gate_line(assessment: Assessment) -> str | None:
    """Return whether the policy is kept and why, in one line; None if there is no policy."""
    if assessment.met is None:
        return None
    if not assessment.met:
        return say("gate.not_met", reasons=" ".join(assessment.failures))
    reasons = _reasons(assessment.plan.policy, assessment.findings)
    return say("gate.met", reasons=in_a_row(reasons))


def _reasons(policy: ReleasePolicy, found: Findings) -> Iterator[str]:
    if policy.highest_risk is not None:
        yield say(
            "gate.risk",
            level=risk_in_words(found.level),
            highest=risk_in_words(policy.highest_risk),
        )
    if policy.k is not None:
        yield say("gate.k", k=found.k, wanted=policy.k)
    if policy.unique_share is not None:
        limit, share = policy.unique_share, found.unique_share
        yield say("gate.unique", share=percent(share, beside=limit), limit=stated_percent(limit))
    if policy.special_uniques is not None and found.special_share is not None:
        limit, share = policy.special_uniques, found.special_share
        yield say("gate.special", share=percent(share, beside=limit), limit=stated_percent(limit))
    if policy.dis_suda is not None and found.dis_suda is not None:
        yield say("gate.dis_suda", value=found.dis_suda, limit=policy.dis_suda)
    if policy.records_at_risk is not None:
        limit = policy.records_at_risk
        records = _within_a_sentence(records_at_risk(found, limit))
        yield say("gate.at_risk", records=records, limit=stated_percent(limit))
    elif found.at_risk:
        # a low level of the table can hide a few people for whom it is high
        yield say("gate.not_limited", records=_within_a_sentence(records_at_risk(found)))


def _within_a_sentence(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"
