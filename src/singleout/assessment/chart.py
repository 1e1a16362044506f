"""The risk matrix of an assessment, with its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.core.text import printable
from singleout.methods.levels import level_name, level_names
from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["matrix_of", "risk_matrix"]

_CELL = 150
_SHOWN = 5  # names in a cell
_LONGEST = 22  # characters of a name in a cell
_GREYS = ("#ffffff", "#e3e6ea", "#b9c1cb", "#7d8896")  # by risk, light to dark


@drawn_offline
def matrix_of(assessment: Assessment) -> alt.LayerChart | alt.FacetChart:
    """Return the risk matrix of an assessment with the rows in its cells."""
    several = len(assessment.record_risks.targets) > 1
    order = list(Kind)
    marks = [
        {
            "name": _mark(row, several),
            "exploitability": row.exploitability,
            "severity": row.severity,
        }
        for row in sorted(assessment.ratings, key=lambda row: order.index(row.combination.kind))
    ]
    return risk_matrix(
        assessment.plan.matrices.risk,
        marks,
        exploitabilities=level_names("exploitability"),
        severities=level_names("severity"),
        risks=level_names("risk"),
        title=say(
            "assessment.chart.title",
            level=assessment.level,
            name=level_name("risk", assessment.level),
        ),
    )


def _mark(row: Row, several: bool) -> str:
    name = row.combination.name
    if row.combination.kind == Kind.EXPOSURE:
        name = say("assessment.chart.all_of", name=name)
    return f"{name} → {row.sensitive}" if several else name


@drawn_offline
def risk_matrix(
    matrix: Sequence[Sequence[int]],
    marks: Sequence[Mapping[str, Any]],
    *,
    exploitabilities: Sequence[str],
    severities: Sequence[str],
    risks: Sequence[str],
    title: str,
) -> alt.LayerChart | alt.FacetChart:
    """Return the matrix of risks, each cell with its level and the rows that fall into it.

    The matrix has a row for each exploitability and a column for each severity, from level 1. Each
    of ``marks`` has a ``name``, an ``exploitability`` and a ``severity``, the most important first.
    """
    cells = [
        _cell(matrix, marks, exploitability, severity, risks)
        for exploitability in range(1, 5)
        for severity in range(1, 5)
    ]
    across = [f"{level} {name}" for level, name in enumerate(severities, start=1)]
    up = [f"{level} {name}" for level, name in enumerate(exploitabilities, start=1)]
    for cell in cells:
        cell["across"] = across[cell["severity"] - 1]
        cell["up"] = up[cell["exploitability"] - 1]
    base = alt.Chart(charts.data(cells)).encode(
        alt.X(
            "across:N",
            sort=across,
            title=say("assessment.chart.severity"),
            axis=alt.Axis(labelAngle=0),
        ),
        alt.Y("up:N", sort=up[::-1], title=say("assessment.chart.exploitability")),
    )
    shades = alt.Scale(domain=[1, 2, 3, 4], range=list(_GREYS))
    ground = base.mark_rect(stroke="black", strokeWidth=0.7).encode(
        alt.Color("risk:O", scale=shades, legend=None),
        tooltip=[
            alt.Tooltip("risk_name:N", title=say("assessment.chart.risk")),
            alt.Tooltip("rows:Q", title=say("assessment.chart.rows")),
            alt.Tooltip("all:N", title=say("assessment.chart.which")),
        ],
    )
    corner = base.mark_text(
        dx=6 - _CELL / 2, dy=8 - _CELL / 2.9, align="left", baseline="top", fontSize=11
    ).encode(text="risk_name:N")
    names = base.mark_text(
        dx=6 - _CELL / 2,
        dy=26 - _CELL / 2.9,
        align="left",
        baseline="top",
        fontSize=11,
        fontWeight="bold",
        lineBreak="\n",
    ).encode(text="label:N")
    size = {"width": 4 * _CELL, "height": round(4 * _CELL * 0.69)}
    heading = alt.TitleParams(
        printable(title),
        subtitle=say("assessment.chart.subtitle"),
        anchor="start",
    )
    return alt.layer(ground, corner, names).properties(**size, title=heading)


def _cell(
    matrix: Sequence[Sequence[int]],
    marks: Sequence[Mapping[str, Any]],
    exploitability: int,
    severity: int,
    risks: Sequence[str],
) -> dict[str, Any]:
    here = [
        printable(mark["name"])
        for mark in marks
        if mark["exploitability"] == exploitability and mark["severity"] == severity
    ]
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in here]
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], say("assessment.chart.more", n=len(shown) - _SHOWN + 1)]
    risk = matrix[exploitability - 1][severity - 1]
    return {
        "exploitability": exploitability,
        "severity": severity,
        "risk": risk,
        "risk_name": f"{risk} {risks[risk - 1]}",
        "rows": len(here),
        "label": "\n".join(shown),
        "all": ", ".join(here),
    }
