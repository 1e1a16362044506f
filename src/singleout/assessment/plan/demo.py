"""The plan of the demo table, shipped with the package."""

from __future__ import annotations

from importlib.resources import files

from singleout.assessment.plan.plan import Plan

__all__ = ["demo_plan", "demo_plan_text"]


def demo_plan_text() -> str:
    """Return the plan of the demo table as it is written, with its comments."""
    return (files("singleout.demo_data") / "plan.yaml").read_text(encoding="utf-8")


def demo_plan() -> Plan:
    """Return the plan of the demo table.

    Examples
    --------
    >>> demo_plan().quasi_identifiers[:3]
    ('PUMA', 'AGEP', 'SEX')
    """
    return Plan.parse(demo_plan_text(), name="demo/plan.yaml")
