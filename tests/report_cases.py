"""Tables and plans that reports are made of in the tests: the paper's, and a hostile one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from singleout.assessment.assess import assess
from singleout.assessment.result import Assessment

PAPER = Path(__file__).parent / "assessment"
WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "formula": "=cmd()|' /C calc'!A0",
    "backwards": "\u202egnp.exe\u2066",
    "broken": "a\r\nb\x1b[31m\x00c",
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "entity": "&lt;b&gt;&#x3c;/style><style>*{display:none}",
    "handler": "' onmouseover='alert(1)' x='",
    "link": "javascript:alert(1)//https://example.org/x.png",
    "long": "long " * 80,
}


def paper_plan(**more: Any) -> dict[str, Any]:
    """The plan for the tables of Sondeck and Laurent, with their severities and exposures."""
    exposures = {
        "Age": "EE",
        "Gender": "EE",
        "Country": "EE",
        "Admission Date": "EI",
        "Blood Type": "EI",
    }
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "exposure": exposure}
        for name, exposure in exposures.items()
    }
    columns["Disease"] = {
        "role": "sensitive",
        "moral": 4,
        "values": {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4},
    }
    return {"columns": columns, **more}


def paper(table: int = 3, **more: Any) -> Assessment:
    """The assessment of one of the paper's tables."""
    return assess(PAPER / f"paper_table{table}.csv", paper_plan(**more))


def hostile_data() -> dict[str, list[str]]:
    """A table whose names and values try to do harm."""
    attacks = list(HOSTILE.values())
    rows = 3 * len(attacks)
    data = {
        name: [attacks[(row * (place + 1) + row // 10 * (place + 2)) % 10] for row in range(rows)]
        for place, name in enumerate(attacks[:7])
    }
    data[f"secret {attacks[0]}"] = [attacks[row % 3] for row in range(rows)]
    data[f"name {attacks[1]}"] = [f"PERSON-{row} {attacks[0]}" for row in range(rows)]
    return data


def hostile_plan() -> dict[str, Any]:
    """A plan for it whose own texts are no better."""
    names = list(hostile_data())
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "exposure": 1 + place % 4}
        for place, name in enumerate(names[:7])
    }
    columns[names[7]] = {"role": "sensitive", "moral": 4, "values": {HOSTILE["script"]: 3}}
    columns[names[8]] = {"role": "direct-identifier", "coding": HOSTILE["entity"]}
    return {
        "title": f"Title {HOSTILE['script']} {HOSTILE['backwards']}",
        "columns": columns,
        "combinations": {HOSTILE["image"]: names[:2]},
        "policy": {"highest_risk": 1, "k": 5, "unique_share": 0.01},
    }


def hostile() -> Assessment:
    """The assessment of the hostile table."""
    return assess(hostile_data(), hostile_plan())
