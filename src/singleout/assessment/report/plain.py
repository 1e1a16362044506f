"""An assessment as plain values that JSON can hold: everything but the single records."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.assessment.rating.scales import RISKS, SEVERITIES
from singleout.methods.groups import group_name
from singleout.methods.method import Measured
from singleout.methods.registry import methods

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["MOST_TOLD", "group_rows", "plain_values"]

MOST_TOLD = 100  # values that give someone away, the surest first


def plain_values(assessment: Assessment) -> dict[str, Any]:
    """Return the assessment as plain values."""
    return {
        "version": version("singleout"),
        "title": assessment.plan.title,
        "level": assessment.level,
        "level_name": assessment.level_name,
        "if_member": assessment.if_member,
        "highest": assessment.highest,
        "range": list(assessment.range),
        "range_if_member": list(assessment.range_if_member),
        "unexplained": list(assessment.unexplained),
        "shares": {str(level): share for level, share in assessment.shares.items()},
        "rating": str(assessment.plan.methods.rating),
        "verdict": assessment.verdict,
        "met": assessment.met,
        "failures": list(assessment.failures),
        "table": assessment.facts.to_dict(),
        "guessed": assessment.guessed,
        "rows": [row.to_dict() for row in assessment.ratings],
        "records": _records(assessment),
        "actions": [action.to_dict() for action in assessment.actions],
        "remedy": None if assessment.remedy is None else assessment.remedy.to_dict(),
        "by": list(assessment.by),
        "groups": assessment.groups_frame.to_dicts() if assessment.by else [],
        **{
            method.name: None if result is None else method.to_json(result)
            for method in methods()
            if method.schema is not None
            for result in (assessment.measured.get(method.name, Measured()).result,)
        },
        "exposure": None if assessment.exposure is None else assessment.exposure.to_dict(),
        "inference_bounds": list(assessment.plan.matrices.inference),
        "told": assessment.told().head(MOST_TOLD).to_dicts(),
        "impacts": _impacts(assessment),
        "regulators": assessment.regulators().to_dicts(),
        "warnings": list(assessment.warnings),
        "notes": list(assessment.notes),
        "plan": assessment.plan.to_dict(),
    }


def group_rows(assessment: Assessment) -> list[dict[str, Any]]:
    """Return the records, levels, records at risk, k and unique records of each group."""
    return [
        {
            "group": group_name(value, assessment.group_labels),
            "records": part.record_risks.rated,
            "level": part.level,
            "level_name": part.level_name,
            "possible_level": part.range[1],
            "if_member": part.if_member,
            "possible_if_member": part.range_if_member[1],
            "highest": part.highest,
            "at_risk": part.record_risks.at_risk,
            "at_risk_share": part.findings.at_risk_share,
            "k": part.anonymity.k,
            "unique_share": part.anonymity.unique_share,
        }
        for value, part in assessment.groups.items()
    ]


def _records(assessment: Assessment) -> dict[str, Any]:
    severities = np.bincount(assessment.record_risks.counted.severity, minlength=5)[1:].tolist()
    return {
        "unit": assessment.unit,
        "rated": assessment.record_risks.rated,
        "at_risk": assessment.record_risks.at_risk,
        "by_risk": dict(zip(RISKS, assessment.record_risks.by_level, strict=True)),
        "by_severity": dict(zip(SEVERITIES, severities, strict=True)),
    }


def _impacts(assessment: Assessment) -> dict[str, Any]:
    """Return how severe disclosures are, as the plan states it: Tables 4 and 5 of the paper."""
    stated = {name: column for name, column in assessment.plan.columns.items() if column.severity}
    return {
        "attributes": [
            {
                "column": name,
                "bodily": column.bodily,
                "material": column.material,
                "moral": column.moral,
                "severity": column.severity,
            }
            for name, column in stated.items()
        ],
        "values": [
            {"column": name, "value": value, "severity": level}
            for name, column in stated.items()
            for value, level in column.values.items()
        ],
    }
