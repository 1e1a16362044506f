"""The gate for pipelines: each limit of a policy as a test case (JUnit) or a finding (SARIF 2.1.0).

Both name the columns that a limit fails by, worst first. They hold no values of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from singleout.assessment.findings import worst_first
from singleout.assessment.report.content import time_of_report
from singleout.assessment.result import Assessment
from singleout.core.text import json_text, printable
from singleout.errors import BadChoice
from singleout.report.say import say

__all__ = ["Check", "checks_of", "junit_text", "sarif_text"]

_ALWAYS = ("direct_identifiers", "dropped_records")  # what no policy accepts
_NAMED = 8  # columns in a message
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


@dataclass(frozen=True)
class Check:
    """One limit of a policy: why it is not kept (None if it is), and the columns it is about."""

    limit: str
    failure: str | None = None
    columns: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """What the limit asks for, in words."""
        return say(f"gate.rules.{self.limit}")

    @property
    def message(self) -> str:
        """Why the limit is not kept, and by which columns."""
        shown = [printable(name) for name in self.columns[:_NAMED]]
        more = len(self.columns) - len(shown)
        if more > 0:
            shown.append(say("verdict.more_columns", more=more))
        named = say("gate.columns", columns=", ".join(shown)) if shown else ""
        return printable(f"{self.failure} {named}".strip())


def checks_of(assessment: Assessment) -> list[Check]:
    """Return every limit of the policy, kept or not; those that no policy accepts are the last."""
    if not assessment.plan.policy.limits:
        raise BadChoice(
            "JUnit and SARIF files say which limits of a policy are kept, and there is no policy; "
            "put one into a file of its own, or under policy in the plan."
        )
    broken = assessment.broken_limits
    limits = [*assessment.plan.policy.limits, *_ALWAYS]
    return [
        Check(limit, broken[limit], tuple(dict.fromkeys(_columns(assessment, limit))))
        if limit in broken
        else Check(limit)
        for limit in limits
    ]


# ---- columns


def _columns(assessment: Assessment, limit: str) -> Iterable[str]:
    """Return the columns by which a limit is not kept, worst first."""
    if limit == "direct_identifiers":
        return assessment.direct_identifiers
    if limit in ("highest_risk", "records_at_risk"):
        return _of_the_riskiest(assessment)
    if limit == "dropped_records":
        return assessment.anonymity.quasi_identifiers
    return _by_special_uniques(assessment)


def _of_the_riskiest(assessment: Assessment) -> Iterator[str]:
    """Yield what the attackers at the highest level know and learn."""
    rows = worst_first(assessment.ratings)
    for row in rows:
        if row.risk == rows[0].risk and row.decides == rows[0].decides:
            yield from row.combination.columns
            if row.sensitive is not None:
                yield row.sensitive
    yield from assessment.unexplained


def _by_special_uniques(assessment: Assessment) -> list[str]:
    """Return the quasi-identifiers, those first that single out most by few values."""
    names = list(assessment.anonymity.quasi_identifiers)
    if assessment.suda is None:
        return names
    shares = dict(assessment.suda.variable_contributions.select("variable", "share").iter_rows())
    return sorted(names, key=lambda name: -(shares.get(name) or 0.0))


# ---- formats


def junit_text(assessment: Assessment, when: datetime | None = None) -> str:
    """Return the checks as JUnit's XML: a test case for each limit; ``when`` as in a report."""
    checks = checks_of(assessment)
    failed = sum(check.failure is not None for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0"}
    source = printable(assessment.facts.source)
    suites = Element("testsuites", {"name": "singleout", **counts, "time": "0"})
    suite = SubElement(
        suites,
        "testsuite",
        {
            "name": source,
            **counts,
            "skipped": "0",
            "time": "0",
            "timestamp": f"{time_of_report(when):%Y-%m-%dT%H:%M:%S}",
            "hostname": "localhost",
        },
    )
    for check in checks:
        case = SubElement(
            suite, "testcase", {"classname": source, "name": check.limit, "time": "0"}
        )
        if check.failure is not None:
            broken = SubElement(
                case, "failure", {"type": check.limit, "message": printable(check.failure)}
            )
            broken.text = check.message
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def sarif_text(assessment: Assessment, file: str | None = None) -> str:
    """Return the limits that are not kept as SARIF 2.1.0; ``file`` is the path of the data file."""
    checks = checks_of(assessment)
    artifact: dict[str, Any] = {}
    if file is not None:
        artifact = {"location": {"uri": _uri(file)}}
        if assessment.facts.sha256 is not None:
            artifact["hashes"] = {"sha-256": assessment.facts.sha256}
    run = {
        "tool": {
            "driver": {
                "name": "singleout",
                "version": version("singleout"),
                "rules": [
                    {"id": check.limit, "shortDescription": {"text": check.rule}}
                    for check in checks
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        **({"artifacts": [artifact]} if artifact else {}),
        "results": [
            {
                "ruleId": check.limit,
                "ruleIndex": index,
                "level": "error",
                "message": {"text": check.message},
                "locations": [_location(check, assessment.facts.source, file)],
                "partialFingerprints": {"limit/v1": check.limit},
            }
            for index, check in enumerate(checks)
            if check.failure is not None
        ],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _location(check: Check, source: str, file: str | None) -> dict[str, Any]:
    """Return the columns within the data, and the first line of the file if there is one."""
    logical = [
        {
            "name": printable(name),
            "kind": "column",
            "fullyQualifiedName": printable(f"{source}#{name}"),
        }
        for name in check.columns
    ] or [{"name": printable(source), "kind": "table"}]
    location: dict[str, Any] = {"logicalLocations": logical}
    if file is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(file), "index": 0},
            "region": {"startLine": 1},  # the names of the columns
        }
    return location


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
