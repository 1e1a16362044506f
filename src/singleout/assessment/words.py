"""The sentences of an assessment: the verdict, and where a policy is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.assessment.rows import Kind, Row
from singleout.assessment.scales import EXPLOITABILITIES, EXPOSURES, RISKS, SEVERITIES
from singleout.core.text import printable
from singleout.measure.discrimination import Variant

if TYPE_CHECKING:
    from singleout.assessment.plan import Policy

__all__ = ["failures_of", "in_words", "on_the_rate", "verdict_of", "worst_row"]

_NAMED_COLUMNS = 4
_SURELY_CRITICAL = 4  # value combinations from which the paper's rate is at least 0.75
_PREFERRED = (Kind.EXPOSURE, Kind.NAMED, Kind.CUMULATIVE, Kind.ATTRIBUTE)


def worst_row(rows: Sequence[Row]) -> Row:
    """Return the row that the verdict speaks of: the highest risk, then the easiest attack."""
    return max(
        rows,
        key=lambda row: (
            row.risk,
            row.exploitability,
            row.severity,
            row.combination.exposure,
            row.measured.rate,
            -_PREFERRED.index(row.combination.kind),
        ),
    )


def verdict_of(rows: Sequence[Row], personal: Sequence[str], met: bool | None) -> str:
    """Return the verdict in words: the risk, how it comes about, and whether it is accepted.

    Parameters
    ----------
    rows
        All rows.
    personal
        Columns that identify people directly.
    met
        Whether the policy is kept; None if there is none.
    """
    row = worst_row(rows)
    known = in_words(row.combination.columns)
    easily = EXPLOITABILITIES[row.exploitability - 1].lower()
    aim = "single a person out" if row.sensitive is None else f"infer {printable(row.sensitive)}"
    sentence = (
        f"{RISKS[row.risk - 1]} risk ({row.risk} of 4): for someone who knows {known} "
        f"({EXPOSURES[row.combination.exposure - 1]}) it is {easily} to {aim}, and a disclosure "
        f"has {SEVERITIES[row.severity - 1].lower()} impact."
    )
    if personal:
        columns = "a column" if len(personal) == 1 else f"{len(personal)} columns"
        sentence += f" The data also hold {columns} that identify people directly."
    if met is not None:
        sentence += " The policy is met." if met else " The policy is not met."
    return sentence


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


def failures_of(
    policy: Policy, level: int, k: int, unique_share: float, personal: Sequence[str]
) -> tuple[bool | None, tuple[str, ...]]:
    """Return whether a policy is kept (None if it asks for nothing), and where it is not.

    Parameters
    ----------
    policy
        The highest risk, the smallest k and the largest share of unique records that are accepted.
    level, k, unique_share
        What was found.
    personal
        Columns that identify people directly: with them no policy is kept.
    """
    failures = []
    if policy.highest_risk is not None and level > policy.highest_risk:
        failures.append(
            f"The risk is {level}, {RISKS[level - 1]}; at most {policy.highest_risk}, "
            f"{RISKS[policy.highest_risk - 1]}, is accepted."
        )
    if policy.k is not None and k < policy.k:
        failures.append(
            f"k is {k:,}: some combination of the quasi-identifiers is shared by {k:,} "
            f"{'record' if k == 1 else 'records'} only; at least {policy.k:,} must share each."
        )
    if policy.unique_share is not None and unique_share > policy.unique_share:
        failures.append(
            f"{_percent(unique_share)} of the records are unique; at most "
            f"{_percent(policy.unique_share)} are accepted."
        )
    asks = any(part is not None for part in (policy.highest_risk, policy.k, policy.unique_share))
    if not asks:
        return None, ()
    if personal:
        failures.append(f"The data hold what identifies people directly: {in_words(personal)}.")
    return not failures, tuple(failures)


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
        and row.measured.combinations >= _SURELY_CRITICAL
        for row in rows
    )
    if variant != Variant.PAPER or not sure:
        return []
    return [
        "In the paper's reading the discrimination rate is at least 1 - 1/c for c value "
        "combinations, so that four or more of them are Critical whatever they tell; compare the "
        "mutual information, or choose it as the variant."
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
