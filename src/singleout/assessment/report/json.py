"""`report.json`: an assessment for programs, with a published JSON schema.

The numbers are those of `Assessment.to_dict`: no values of single records. What a program may rely
on is in the schema; further keys may come within one ``format``, and none goes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from singleout.assessment.advice.actions import ActionKind
from singleout.assessment.rating.rows import Kind
from singleout.assessment.rating.scales import RISKS, SEVERITIES
from singleout.assessment.report.content import time_of_report
from singleout.assessment.result import Assessment
from singleout.core.text import json_text

__all__ = ["FORMAT", "report_json", "report_json_text", "report_schema", "report_schema_text"]

FORMAT = 1

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_LEVEL: Schema = {"type": "integer", "minimum": 1, "maximum": 4}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_TEXTS: Schema = {"type": "array", "items": _TEXT}


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


def _object(properties: Schema, *, closed: bool = False, **more: Any) -> Schema:
    """Return the schema of an object that has all of these properties."""
    answer: Schema = {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        **more,
    }
    return {**answer, "additionalProperties": False} if closed else answer


def _or_none(schema: Schema, why: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": why}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _row() -> Schema:
    unit = "0 to 1"
    return _object(
        {
            "kind": {"enum": [str(kind) for kind in Kind]},
            "name": _TEXT,
            "columns": _list(_TEXT, minItems=1),
            "exposure": _LEVEL,
            "sensitive": _or_none({"type": "string"}, "What is inferred; null for the identity."),
            "rate": {**_SHARE, "description": "The discrimination rate."},
            "inference": _LEVEL,
            "exploitability": _LEVEL,
            "severity": _LEVEL,
            "risk": _LEVEL,
            "mutual_information": _or_none(_SHARE, f"Another reading of the rate, {unit}."),
            "worst_value": _or_none(_SHARE, f"The rate of the worst value, {unit}."),
            "combinations": _COUNT,
            "k": _COUNT,
            "unique_share": _SHARE,
        },
        description="What could be known together, rated against one sensitive attribute.",
    )


def _action() -> Schema:
    states: Schema = {}
    for name, kind in (
        ("level", _LEVEL),
        ("at_risk", _COUNT),
        ("rate", _SHARE),
        ("mutual_information", _SHARE),
        ("unique_share", _SHARE),
        ("k", _COUNT),
    ):
        for when in ("before", "after"):
            states[f"{name}_{when}"] = _or_none(kind, "Null where nothing was computed.")
    return _object(
        {
            "kind": {"enum": [str(kind) for kind in ActionKind]},
            "what": _TEXT,
            "column": _or_none(_TEXT, "Null if records are meant, or several columns."),
            "effect": _TEXT,
            "computed": _FLAG,
            "loss": _or_none(_SHARE, "The share of the information or of the records given up."),
            **states,
        },
        description="What could be done, with the effect that was measured.",
    )


def _by_name(names: tuple[str, ...]) -> Schema:
    return _object(dict.fromkeys(names, _COUNT), closed=True)


def _measures() -> Schema:
    """Return the schemas of the methods: what of them stays the same."""
    sets = _object(
        {
            "quasi_identifiers": _TEXTS,
            "records": _COUNT,
            "k": _COUNT,
            "unique": _COUNT,
            "unique_share": _SHARE,
        },
        description="How many records share the values of all quasi-identifiers.",
    )
    risk = _object({"risk": {"type": "number"}, "alpha": _SHARE, "columns": _TEXTS})
    uniques = _object(
        {
            "records": _COUNT,
            "columns": _TEXTS,
            "max_size": _COUNT,
            "records_with_uniques": _COUNT,
            "special_uniques": _COUNT,
            "highest_score": {"type": "number", "minimum": 0},
        }
    )
    return {
        "anonymity": sets,
        "qar": _or_none(risk, "The risk of the table by QaR; null if it was not measured."),
        "contributions": _or_none(
            {"type": "object"}, "What records add to it; null if it was not measured."
        ),
        "suda": _or_none(uniques, "Special uniques; null if they were not searched."),
    }


def report_schema() -> Schema:
    """Return the JSON schema of ``report.json``."""
    table = _object(
        {
            "source": _TEXT,
            "sha256": _or_none(
                {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "Null if it was not a file."
            ),
            "rows": _COUNT,
            "columns": _TEXTS,
            "dropped": _COUNT,
            "reading": {
                "type": "object",
                "additionalProperties": _TEXT,
                "description": "The options with which the file was read.",
            },
        },
        description="What was assessed.",
    )
    records = _object(
        {
            "rated": _COUNT,
            "at_risk": {**_COUNT, "description": "Records at severe or critical risk."},
            "by_risk": _by_name(RISKS),
            "by_severity": _by_name(SEVERITIES),
        },
        description="How many records have each level; no single record.",
    )
    answer = _object(
        {
            "format": {"const": FORMAT},
            "singleout": {**_TEXT, "description": "The version that made it."},
            "made": {
                "type": "string",
                "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
                "description": "When it was made, in UTC.",
            },
            "title": _or_none(_TEXT, "As the plan has it."),
            "level": {**_LEVEL, "description": "The risk of the table."},
            "level_name": {"enum": list(RISKS)},
            "verdict": _TEXT,
            "met": _or_none(_FLAG, "Whether the policy is kept; null if there is none."),
            "failures": _TEXTS,
            "table": table,
            "guessed": {**_FLAG, "description": "Whether the plan is a guess."},
            "rows": _list(_row(), minItems=1),
            "records": records,
            "actions": _list(_action()),
            **_measures(),
            "warnings": _TEXTS,
            "notes": _TEXTS,
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
