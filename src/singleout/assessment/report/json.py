"""`report.json`: an assessment for programs, with a published JSON schema.

The numbers are those of `Assessment.to_dict`: no values of single records. What a program may rely
on is in the schema; further keys may come within one ``format``, and none goes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from singleout.assessment.advice.action import ActionKind
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.scales import RISKS, SEVERITIES
from singleout.assessment.report.content import time_of_report
from singleout.assessment.report.plain import MOST_TOLD
from singleout.assessment.result import Assessment
from singleout.core.text import json_text
from singleout.methods.registry import methods
from singleout.report.say import say
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

FORMAT = 2


def report_json(assessment: Assessment, when: datetime | None = None) -> dict[str, Any]:
    """Return the plain values of ``report.json``; ``when`` as in `time_of_report`."""
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
    return record(
        {
            "kind": {"enum": [str(kind) for kind in Kind]},
            "name": TEXT,
            "columns": array(TEXT, minItems=1),
            "exposure": LEVEL,
            "sensitive": or_none({"type": "string"}, say("schema.sensitive")),
            "decides": {**FLAG, "description": say("schema.decides")},
            "identity": or_none(SHARE, say("schema.identity")),
            "gain": or_none(SHARE, say("schema.gain")),
            "rate": {**SHARE, "description": say("schema.rate")},
            "inference": LEVEL,
            "exploitability": LEVEL,
            "severity": LEVEL,
            "risk": LEVEL,
            "by_risk": array(COUNT, description=say("schema.by_risk")),
            "discrimination_rate": {**SHARE, "description": say("schema.discrimination_rate")},
            "mutual_information": or_none(SHARE, say("schema.mutual_information")),
            "worst_value": or_none(SHARE, say("schema.worst_value")),
            "combinations": COUNT,
            "k": COUNT,
            "unique_share": SHARE,
        },
        description=say("schema.row"),
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
            states[f"{name}_{when}"] = or_none(kind, say("schema.state"))
    return record(
        {
            "kind": {"enum": [str(kind) for kind in ActionKind]},
            "what": TEXT,
            "column": or_none(TEXT, say("schema.column")),
            "effect": TEXT,
            "computed": FLAG,
            "loss": or_none(SHARE, say("schema.action_loss")),
            **states,
        },
        description=say("schema.action"),
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
            "loss": {**SHARE, "description": say("schema.remedy_loss")},
            "removed": COUNT,
            "before": state,
            "after": state,
        }
    )


def _group() -> Schema:
    return record(
        {
            "group": TEXT,
            "records": COUNT,
            "level": LEVEL,
            "level_name": {"enum": list(RISKS)},
            "possible_level": LEVEL,
            "if_member": LEVEL,
            "possible_if_member": LEVEL,
            "highest": LEVEL,
            "at_risk": COUNT,
            "at_risk_share": SHARE,
            "k": COUNT,
            "unique_share": SHARE,
        },
        description=say("schema.group"),
    )


def _told() -> Schema:
    return record(
        {
            "known": {**TEXT, "description": say("schema.known")},
            "sensitive": TEXT,
            "value": {**TEXT, "description": say("schema.told_value")},
            "values": COUNT,
            "records": COUNT,
            "rate": SHARE,
            "inferred": TEXT,
            "share": SHARE,
            "severity": or_none(LEVEL, say("schema.not_stated")),
            "level": {**LEVEL, "description": say("schema.told_level")},
        }
    )


def _impacts() -> Schema:
    not_stated = or_none(LEVEL, say("schema.not_stated"))
    by_attribute = {"column": TEXT, **dict.fromkeys(("bodily", "material", "moral"), not_stated)}
    return record(
        {
            "attributes": array(record({**by_attribute, "severity": LEVEL})),
            "values": array(record({"column": TEXT, "value": TEXT, "severity": LEVEL})),
        },
        description=say("schema.impacts"),
    )


def _criterion() -> Schema:
    kept = or_none(FLAG, say("schema.kept"))
    return record({**dict.fromkeys(("source", "criterion", "finding"), TEXT), "kept": kept})


def _exposure() -> Schema:
    amount: Schema = {"type": "number", "minimum": 0}
    figures = [
        f"{name}_{of}"
        for name in ("expected", "tail", "beyond", "worst")
        for of in ("records", "loss")
    ]
    return record(
        {
            "cost_per_record": amount,
            "probability": SHARE,
            "alpha": SHARE,
            **dict.fromkeys(figures, amount),
            "assumption": TEXT,
        }
    )


def _levels(description: str) -> Schema:
    return {**array(LEVEL, minItems=2, maxItems=2), "description": say(description)}


def _by_name(names: tuple[str, ...]) -> Schema:
    return record(dict.fromkeys(names, COUNT), closed=True)


def report_schema() -> Schema:
    """Return the JSON schema of ``report.json``."""
    table = record(
        {
            "source": TEXT,
            "sha256": or_none(
                {"type": "string", "pattern": "^[0-9a-f]{64}$"}, say("schema.sha256")
            ),
            "rows": COUNT,
            "columns": TEXTS,
            "dropped": COUNT,
            "reading": {
                "type": "object",
                "additionalProperties": TEXT,
                "description": say("schema.reading"),
            },
        },
        description=say("schema.table"),
    )
    records = record(
        {
            "unit": or_none(TEXT, say("schema.unit")),
            "rated": COUNT,
            "at_risk": {**COUNT, "description": say("schema.at_risk")},
            "by_risk": _by_name(RISKS),
            "by_severity": _by_name(SEVERITIES),
        },
        description=say("schema.records"),
    )
    answer = record(
        {
            "format": {"const": FORMAT},
            "singleout": {**TEXT, "description": say("schema.singleout")},
            "made": {
                "type": "string",
                "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
                "description": say("schema.made"),
            },
            "title": or_none(TEXT, say("schema.title")),
            "level": {**LEVEL, "description": say("schema.level")},
            "level_name": {"enum": list(RISKS)},
            "if_member": {**LEVEL, "description": say("schema.if_member")},
            "highest": {**LEVEL, "description": say("schema.highest")},
            "range": _levels("schema.range"),
            "range_if_member": _levels("schema.range_if_member"),
            "unexplained": {**TEXTS, "description": say("schema.unexplained")},
            "shares": record(dict.fromkeys("1234", SHARE), closed=True),
            "rating": {"enum": ["certainty", "paper"]},
            "verdict": TEXT,
            "met": or_none(FLAG, say("schema.met")),
            "failures": TEXTS,
            "table": table,
            "guessed": {**FLAG, "description": say("schema.guessed")},
            "rows": array(_row(), minItems=1),
            "records": records,
            "actions": array(_action()),
            "remedy": or_none(_remedy(), say("schema.remedy")),
            "by": {**TEXTS, "description": say("schema.by")},
            "groups": array(_group()),
            **{method.name: method.schema for method in methods() if method.schema is not None},
            "exposure": or_none(_exposure(), say("schema.exposure")),
            "inference_bounds": array(
                SHARE, minItems=3, maxItems=3, description=say("schema.inference_bounds")
            ),
            "told": array(_told(), maxItems=MOST_TOLD, description=say("schema.told")),
            "impacts": _impacts(),
            "regulators": array(_criterion(), description=say("schema.regulators")),
            "warnings": TEXTS,
            "notes": TEXTS,
            "plan": {"type": "object", "description": say("schema.plan")},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": say("schema.name"),
        "description": say("schema.about"),
        **answer,
    }


def report_schema_text() -> str:
    """Return the JSON schema of ``report.json`` as it is published."""
    return json_text(report_schema())
