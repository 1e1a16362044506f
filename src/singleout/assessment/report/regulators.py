"""What was found in the terms of regulators: WP29, US practice, the EMA, HIPAA and the CNIL.

Sondeck and Laurent set their method beside these (their section 2.2): singling out, linkability and
inference of the Article 29 Working Party, and prosecutor, journalist and marketer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.assessment.findings import worst_first
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import Exposure
from singleout.methods.attackers.measure import above
from singleout.methods.levels import level_name
from singleout.report.content import Paragraph, Section
from singleout.report.say import say
from singleout.report.words import listed, table

if TYPE_CHECKING:
    import polars as pl

    from singleout.assessment.result import Assessment
    from singleout.methods.attackers.result import AttackerRisk

__all__ = ["EMA_THRESHOLD", "Criterion", "criteria_of", "regulators_frame", "regulators_section"]

EMA_THRESHOLD = 0.09  # external guidance on Policy 0070


@dataclass(frozen=True)
class Criterion:
    """What a regulator names, and what was found about it.

    Parameters
    ----------
    source, criterion
        Who names it, and how.
    finding
        What was found, as a sentence.
    kept
        Whether a stated limit is kept; None where there is none, or nothing was measured.
    """

    source: str
    criterion: str
    finding: str
    kept: bool | None = None


def _criterion(source: str, criterion: str, finding: str, kept: bool | None = None) -> Criterion:
    return Criterion(
        say(f"report.regulators.sources.{source}"),
        say(f"report.regulators.criteria.{criterion}"),
        finding,
        kept,
    )


def _found(key: str, **values: Any) -> str:
    return say(f"report.regulators.found.{key}", **values)


def regulators_section(assessment: Assessment) -> Section:
    """Return the findings by what regulators name."""
    heads = dict.fromkeys(
        (f"report.regulators.{name}" for name in ("criterion", "source", "finding", "kept")), "text"
    )
    rows = (
        (one.criterion, one.source, one.finding, say(f"report.regulators.{_limit(one.kept)}"))
        for one in criteria_of(assessment)
    )
    return Section(
        "regulators",
        say("report.regulators.title"),
        (
            Paragraph(say("report.regulators.says")),
            table("report.regulators.caption", heads, rows),
        ),
    )


def _limit(kept: bool | None) -> str:
    return "no_limit" if kept is None else "is_kept" if kept else "is_broken"


def regulators_frame(assessment: Assessment) -> pl.DataFrame:
    """Return the findings as a polars frame."""
    from singleout.core.frames import pl

    kinds: dict[str, Any] = dict.fromkeys(("source", "criterion", "finding"), pl.String)
    rows = [vars(one) for one in criteria_of(assessment)]
    return pl.DataFrame(rows, schema=kinds | {"kept": pl.Boolean})


def criteria_of(assessment: Assessment) -> Iterator[Criterion]:
    """Yield each criterion with what was found about it."""
    yield from _wp29(assessment)
    yield from _attackers(assessment)
    yield from _ema(assessment)
    yield _safe_harbor(assessment)
    yield from _cnil(assessment)


# ---- one by one


def _wp29(assessment: Assessment) -> Iterator[Criterion]:
    sets = assessment.anonymity
    alone = {"unique": sets.unique, "records": sets.records, "share": sets.unique_share}
    yield _criterion("wp29", "singling_out", _found("singling_out", **alone, k=sets.k))
    yield _criterion("wp29", "linkability", _linkable(assessment))
    yield _criterion("wp29", "inference", _inferred(assessment))


def _linkable(assessment: Assessment) -> str:
    """Return how many records match one to one by all that is found outside."""
    together = (Kind.EXPOSURE, Kind.CUMULATIVE)
    outside = [
        row
        for row in assessment.ratings
        if row.combination.kind in together and row.combination.exposure >= Exposure.ER
    ]
    if not outside:
        return _found("not_linkable")
    row = max(outside, key=lambda row: len(row.combination.columns))
    columns = listed(row.combination.columns)
    return _found("linkability", columns=columns, share=row.measured.unique_share)


def _inferred(assessment: Assessment) -> str:
    row = _telling(assessment)
    if row is None:
        return _found("no_inference")
    return _found(
        "inference",
        known=listed(row.combination.columns),
        sensitive=row.sensitive,
        share=row.measured.mutual_information,
        worst=row.measured.worst_value,
    )


def _telling(assessment: Assessment) -> Row | None:
    """Return the worst attacker who infers something."""
    rows = [row for row in assessment.ratings if row.measured.mutual_information is not None]
    return worst_first(rows)[0] if rows else None


def _attackers(assessment: Assessment) -> Iterator[Criterion]:
    risk: AttackerRisk | None = assessment._result("attackers")
    for name in ("prosecutor", "journalist", "marketer"):
        if risk is None:
            finding = say("report.regulators.not_measured")
        else:
            one = risk.attackers[name]
            finding = _found(
                name,
                highest=one.highest,
                at_risk=one.at_risk,
                success=one.success,
                threshold=risk.threshold,
            )
            if name == "journalist" and risk.population is None:
                finding = f"{finding} {_found('no_population')}"
        yield _criterion("us", name, finding)


def _ema(assessment: Assessment) -> Iterator[Criterion]:
    risk: AttackerRisk | None = assessment._result("attackers")
    if risk is None:
        yield _criterion("ema", "threshold", say("report.regulators.not_measured"))
        return
    sizes = risk.classes
    (share,) = above(sizes.records, sizes.matches, np.array([EMA_THRESHOLD]))
    highest = float(1 / sizes.matches.min())
    finding = _found("threshold", highest=highest, share=float(share))
    yield _criterion("ema", "threshold", finding, highest <= EMA_THRESHOLD)


def _safe_harbor(assessment: Assessment) -> Criterion:
    found = assessment.safe_harbor
    if found is None:
        return _criterion("hipaa", "safe_harbor", _found("not_examined"))
    if found.clean:
        return _criterion("hipaa", "safe_harbor", _found("no_identifiers"))
    titles = dict.fromkeys(f"({one.identifier}) {one.title}" for one in found.findings)
    columns = listed(tuple(dict.fromkeys(one.column for one in found.findings)))
    finding = _found("safe_harbor", columns=columns, identifiers=", ".join(titles))
    return _criterion("hipaa", "safe_harbor", finding, kept=False)


def _cnil(assessment: Assessment) -> Iterator[Criterion]:
    level, likely = assessment.severity, assessment.exploitability
    yield _criterion(
        "cnil", "severity", _found("severity", level=level, name=level_name("severity", level))
    )
    finding = _found(
        "likelihood",
        level=likely,
        name=say(f"report.regulators.cnil.{likely}"),
        exploitability=f"{likely} {level_name('exploitability', likely)}",
    )
    yield _criterion("cnil", "likelihood", finding)
