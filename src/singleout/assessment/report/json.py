"""`report.json`: an assessment for programs, with a published JSON schema.

The numbers are those of `Assessment.to_dict`: no values of single records. What a program may rely
on is in the schema; further keys may come within one ``format``, and none goes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from singleout.assessment.advice.actions import ActionKind
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.scales import RISKS, SEVERITIES
from singleout.assessment.report.content import time_of_report
from singleout.assessment.result import Assessment
from singleout.core.text import json_text
from singleout.methods.registry import methods
from singleout.report.schema import (
    COUNT,
    FLAG,
    LEVEL,
    SHARE,
    TEXT,
    TEXTS,
    Schema,
    array,
    or_none,
    record,
)

__all__ = ["FORMAT", "report_json", "report_json_text", "report_schema", "report_schema_text"]

FORMAT = 1


def report_json(assessment: Assessment, when: datetime | None = None) -> dict[str, Any]:
    """Return an assessment as the plain values of ``report.json``.

    Parameters
    ----------
    assessment
        What was found.
    when
        The time to put on it; now, or that of SOURCE_DATE_EPOCH, if not given.
    """
    answer = assessment.to_dict()
    return {
        "format": FORMAT,
        "singleout": answer.pop("version"),
        "made": f"{time_of_report(when):%Y-%m-%dT%H:%M:%SZ}",
        **answer,
    }


def report_json_text(assessment: Assessment, when: datetime | None = None) -> str:
    """Return the same as the text of a JSON file."""
    return json_text(report_json(assessment, when))


# ---- the schema


def _row() -> Schema:
    unit = "0 to 1"
    return record(
        {
            "kind": {"enum": [str(kind) for kind in Kind]},
            "name": TEXT,
            "columns": array(TEXT, minItems=1),
            "exposure": LEVEL,
            "sensitive": or_none({"type": "string"}, "What is inferred; null for the identity."),
            "decides": {**FLAG, "description": "Whether it decides about records."},
            "identity": or_none(SHARE, "How often a match is right, mean; null by the paper."),
            "gain": or_none(SHARE, "Belief beyond guessing, mean; null by the paper."),
            "rate": {**SHARE, "description": "What the level of inference is read off."},
            "inference": LEVEL,
            "exploitability": LEVEL,
            "severity": LEVEL,
            "risk": LEVEL,
            "by_risk": {**array(COUNT), "description": "Records by level; empty by the paper."},
            "discrimination_rate": SHARE,
            "mutual_information": or_none(SHARE, f"Another reading of the rate, {unit}."),
            "worst_value": or_none(SHARE, f"The rate of the worst value, {unit}."),
            "combinations": COUNT,
            "k": COUNT,
            "unique_share": SHARE,
        },
        description="What could be known together, rated against one sensitive attribute.",
    )


def _action() -> Schema:
    states: Schema = {}
    for name, kind in (
        ("level", LEVEL),
        ("at_risk", COUNT),
        ("rate", SHARE),
        ("unique_share", SHARE),
        ("k", COUNT),
    ):
        for when in ("before", "after"):
            states[f"{name}_{when}"] = or_none(kind, "Null where nothing was computed.")
    return record(
        {
            "kind": {"enum": [str(kind) for kind in ActionKind]},
            "what": TEXT,
            "column": or_none(TEXT, "Null if records are meant, or several columns."),
            "effect": TEXT,
            "computed": FLAG,
            "loss": or_none(SHARE, "The share of the information or of the records given up."),
            **states,
        },
        description="What could be done, with the effect that was measured.",
    )


def _remedy() -> Schema:
    state = record(
        {
            "records": COUNT,
            "level": LEVEL,
            "at_risk": COUNT,
            "rate": SHARE,
            "unique_share": SHARE,
            "k": COUNT,
        }
    )
    return record(
        {
            "steps": TEXTS,
            "reached": FLAG,
            "loss": SHARE,
            "removed": COUNT,
            "before": state,
            "after": state,
        },
        description="Changes that together reach the policy, or come nearest.",
    )


def _by_name(names: tuple[str, ...]) -> Schema:
    return record(dict.fromkeys(names, COUNT), closed=True)


def report_schema() -> Schema:
    """Return the JSON schema of ``report.json``."""
    table = record(
        {
            "source": TEXT,
            "sha256": or_none(
                {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "Null if it was not a file."
            ),
            "rows": COUNT,
            "columns": TEXTS,
            "dropped": COUNT,
            "reading": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": "The options with which the file was read.",
            },
        },
        description="What was assessed.",
    )
    records = record(
        {
            "rated": COUNT,
            "at_risk": {**COUNT, "description": "Records at severe or critical risk."},
            "by_risk": _by_name(RISKS),
            "by_severity": _by_name(SEVERITIES),
        },
        description="How many records have each level; no single record.",
    )
    answer = record(
        {
            "format": {"const": FORMAT},
            "singleout": {**TEXT, "description": "The version that made it."},
            "made": {
                "type": "string",
                "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
                "description": "When it was made, in UTC.",
            },
            "title": or_none(TEXT, "As the plan has it."),
            "level": {**LEVEL, "description": "The risk of the table."},
            "level_name": {"enum": list(RISKS)},
            "if_member": {**LEVEL, "description": "If a person is known to be in the file."},
            "highest": {**LEVEL, "description": "The highest risk of any record."},
            "range": array(LEVEL, minItems=2, maxItems=2),
            "unexplained": {**TEXTS, "description": "Columns whose role nobody has stated."},
            "shares": record(dict.fromkeys("1234", SHARE), closed=True),
            "rating": {"enum": ["certainty", "paper"]},
            "verdict": TEXT,
            "met": or_none(FLAG, "Whether the policy is kept; null if there is none."),
            "failures": TEXTS,
            "table": table,
            "guessed": {**FLAG, "description": "Whether the plan is a guess."},
            "rows": array(_row(), minItems=1),
            "records": records,
            "actions": array(_action()),
            "remedy": or_none(_remedy(), "Null if the policy is kept already."),
            **{method.name: method.schema for method in methods() if method.schema is not None},
            "warnings": TEXTS,
            "notes": TEXTS,
            "plan": {"type": "object", "description": "The plan, as its own schema says."},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Report of a singleout assessment",
        "description": "Everything that was found, without values of single records.",
        **answer,
    }


def report_schema_text() -> str:
    """Return the JSON schema of ``report.json`` as it is published."""
    return json_text(report_schema())
