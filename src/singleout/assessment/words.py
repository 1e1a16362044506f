"""The sentences of an assessment: the verdict, and where a policy is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from singleout.assessment.rating.rows import Kind, Row
from singleout.assessment.rating.scales import EXPLOITABILITIES, EXPOSURES, RISKS, SEVERITIES
from singleout.core.text import printable
from singleout.methods.discrimination.result import Variant

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Policy

__all__ = [
    "Findings",
    "failures_of",
    "in_percent",
    "in_words",
    "on_the_rate",
    "records_at_risk",
    "told_apart",
    "verdict_of",
    "worst_first",
]

_NAMED_COLUMNS = 4
_SURELY_SEVERE = 2  # value combinations from which the paper's rate is at least 0.5
_PREFERRED = (Kind.EXPOSURE, Kind.NAMED, Kind.CUMULATIVE, Kind.ATTRIBUTE)


@dataclass(frozen=True)
class Findings:
    """What a verdict speaks of and a policy looks at.

    Parameters
    ----------
    level
        The risk, 1 to 4.
    severity
        The highest severity of any row.
    k
        How many records share the rarest combination of the quasi-identifiers.
    unique_share
        Records that are unique / records that were rated.
    at_risk
        Records at severe or critical risk.
    rated, dropped
        Records that were rated, and those left out because a value is missing.
    personal
        Columns that identify people directly.
    """

    level: int
    severity: int
    k: int
    unique_share: float
    at_risk: int
    rated: int
    dropped: int = 0
    personal: tuple[str, ...] = ()

    @property
    def at_risk_share(self) -> float:
        """Records at severe or critical risk / records that were rated."""
        return self.at_risk / self.rated if self.rated else 0.0


def worst_first(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, that which the verdict speaks of first: highest risk, easiest attack."""
    return sorted(
        rows,
        key=lambda row: (
            -row.risk,
            -row.exploitability,
            -row.severity,
            -row.combination.exposure,
            -row.measured.rate,
            _PREFERRED.index(row.combination.kind),
        ),
    )


def told_apart(rows: Sequence[Row]) -> list[Row]:
    """Return the rows worst first, without those of an exposure level that has one column only.

    Such a row says the same as that of the column.
    """
    return [
        row
        for row in worst_first(rows)
        if row.combination.kind != Kind.EXPOSURE or len(row.combination.columns) > 1
    ]


def verdict_of(rows: Sequence[Row], findings: Findings, met: bool | None) -> str:
    """Return the verdict in words: the risk, how it comes about, and whether it is accepted.

    Parameters
    ----------
    rows
        All rows.
    findings
        What was found of the table.
    met
        Whether the policy is kept; None if there is none.
    """
    row = worst_first(rows)[0]
    sentences = []
    if findings.level > row.risk:  # through columns that identify people directly
        sentences.append(_through_identifiers(rows, findings))
        columns = "this column" if len(findings.personal) == 1 else "these columns"
        sentences.append(f"Without {columns} the risk is {_risk(row.risk)}: {_by_row(row)}")
    else:
        sentences.append(f"{RISKS[row.risk - 1]} risk ({row.risk} of 4): {_by_row(row)}")
    if findings.at_risk:
        sentences.append(f"{records_at_risk(findings)}.")
    if findings.personal and findings.level == row.risk:
        holds = "a column that identifies"
        if len(findings.personal) > 1:
            holds = f"{len(findings.personal)} columns that identify"
        sentences.append(f"The data also hold {holds} people directly.")
    if met is not None:
        sentences.append("The policy is met." if met else "The policy is not met.")
    return " ".join(sentences)


def _risk(level: int) -> str:
    return f"{RISKS[level - 1]} ({level} of 4)"


def _aim(row: Row) -> str:
    return "single a person out" if row.sensitive is None else f"infer {printable(row.sensitive)}"


def _by_row(row: Row) -> str:
    known = in_words(row.combination.columns)
    easily = EXPLOITABILITIES[row.exploitability - 1].lower()
    return (
        f"for someone who knows {known} ({EXPOSURES[row.combination.exposure - 1]}) it is {easily} "
        f"to {_aim(row)}, and a disclosure has {SEVERITIES[row.severity - 1].lower()} impact."
    )


def _through_identifiers(rows: Sequence[Row], findings: Findings) -> str:
    gravest = max(worst_first(rows), key=lambda row: row.severity)
    identify = "identifies" if len(findings.personal) == 1 else "identify"
    return (
        f"{RISKS[findings.level - 1]} risk ({findings.level} of 4): the data hold "
        f"{in_words(findings.personal)}, which {identify} people directly, so that it is "
        f"{EXPLOITABILITIES[-1].lower()} to {_aim(gravest)}, and a disclosure has "
        f"{SEVERITIES[gravest.severity - 1].lower()} impact."
    )


def records_at_risk(findings: Findings) -> str:
    """Return how many records are at severe or critical risk, as a sentence without its end."""
    people = "record" if findings.rated == 1 else "records"
    return (
        f"{findings.at_risk:,} of {findings.rated:,} {people} "
        f"({in_percent(findings.at_risk_share)}) {'is' if findings.at_risk == 1 else 'are'} at "
        "severe or critical risk"
    )


def in_words(columns: Sequence[str]) -> str:
    """Return names as a list in words, not longer than can be read.

    Examples
    --------
    >>> in_words(["age", "sex", "zip"])
    'age, sex and zip'
    """
    names = [printable(name) for name in columns]
    if len(names) > _NAMED_COLUMNS:
        names = [*names[: _NAMED_COLUMNS - 1], f"{len(names) - _NAMED_COLUMNS + 1} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def failures_of(policy: Policy, findings: Findings) -> tuple[bool | None, tuple[str, ...]]:
    """Return whether a policy is kept (None if it asks for nothing), and where it is not.

    With columns that identify people directly, or with records that nobody looked at, none is.

    Parameters
    ----------
    policy
        What is accepted.
    findings
        What was found.
    """
    if all(asked is None for asked in policy.model_dump().values()):
        return None, ()
    failures = [*_too_risky(policy, findings), *_too_few_alike(policy, findings)]
    if findings.personal:
        failures.append(
            f"The data hold what identifies people directly: {in_words(findings.personal)}."
        )
    if findings.dropped:
        failures.append(
            f"{findings.dropped:,} of {findings.rated + findings.dropped:,} records lack a value "
            "and were left out, so that nothing is known about them; let missing be a value, or "
            "take these records out of the data."
        )
    return not failures, tuple(failures)


def _too_risky(policy: Policy, findings: Findings) -> list[str]:
    failures = []
    level, highest, share = findings.level, policy.highest_risk, policy.records_at_risk
    if highest is not None and level > highest:
        failures.append(
            f"The risk is {level}, {RISKS[level - 1]}; at most {highest}, {RISKS[highest - 1]}, is "
            "accepted."
        )
    if share is not None and findings.at_risk_share > share:
        accepted = f"at most {in_percent(share)} are accepted"
        failures.append(f"{records_at_risk(findings)}; {accepted}.")
    return failures


def _too_few_alike(policy: Policy, findings: Findings) -> list[str]:
    failures = []
    k, share = findings.k, findings.unique_share
    if policy.k is not None and k < policy.k:
        failures.append(
            f"k is {k:,}: some combination of the quasi-identifiers is shared by {k:,} "
            f"{'record' if k == 1 else 'records'} only; at least {policy.k:,} must share each."
        )
    if policy.unique_share is not None and share > policy.unique_share:
        failures.append(
            f"{in_percent(share)} of the records are unique; at most "
            f"{in_percent(policy.unique_share)} are accepted."
        )
    return failures


def on_the_rate(rows: Sequence[Row], variant: Variant) -> list[str]:
    """Return a note where the paper's rate says more about the number of values than about people.

    The mean over c values of 1 - p(y) H(X|y) / H(X) is 1 - H(X|Y) / (c H(X)), so it is never below
    1 - 1/c, whatever the data.

    Parameters
    ----------
    rows
        All rows.
    variant
        How the rate was read.
    """
    sure = any(
        row.sensitive is not None
        and row.combination.kind == Kind.EXPOSURE
        and row.measured.combinations >= _SURELY_SEVERE
        for row in rows
    )
    if variant != Variant.PAPER or not sure:
        return []
    return [
        "In the paper's reading the discrimination rate is at least 1 - 1/c for c value "
        "combinations, whatever they tell: two are Severe at least, and four or more are Critical; "
        "compare the mutual information, or choose it as the variant."
    ]


def in_percent(share: float) -> str:
    """Return a share in percent with four figures, or more where they would make it a whole.

    Examples
    --------
    >>> in_percent(40 / 5040), in_percent(99_999 / 100_000), in_percent(1.0)
    ('0.7937%', '99.999%', '100%')
    """
    figures = 4
    while share < 1 and f"{100 * share:.{figures}g}" == "100":
        figures += 1
    return f"{100 * share:.{figures}g}%"
