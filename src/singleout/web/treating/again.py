"""The command and the lines of Python that do the same as the page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from singleout.web.workspaces import Source

__all__ = ["suggested_again", "treated_again"]

_OPTIONS = {
    "distinct_l": "--distinct-l",
    "t": "--t",
    "qar": "--qar",
    "population_uniqueness": "--population-uniqueness",
    "method": "--method",
    "max_suppressed": "--max-suppressed",
    "max_cells": "--max-cells",
}
_READING = {"sheet": "--sheet", "header_row": "--header-row"}


def treated_again(source: Source, ending: str) -> dict[str, Any]:
    """Return how the steps are applied."""
    file, reading, opening = _named(source)
    words = ["singleout", "treat", file, "steps.yaml", "-o", f"treated{ending}"]
    words += ["--plan", "plan.yaml", "--report", "report.html", *reading]
    return {
        "command": _first(source) + shlex.join(words),
        "python": [
            *opening,
            f'treated = so.treat({_read(file, source)}, "steps.yaml", plan="plan.yaml")',
            f'treated.write("treated{ending}")',
            'treated.write_log("log.csv")',
            'treated.report("report.html")',
        ],
    }


def suggested_again(source: Source, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the search is done; what the plan accepts is in the plan."""
    from singleout.treatment.hierarchies.proposals import file_names

    file, reading, opening = _named(source)
    words = ["singleout", "suggest", file, "--plan", "plan.yaml"]
    for name, option in _OPTIONS.items():
        if name in asked:
            words += [option, str(asked[name])]
    for column in asked.get("fixed", ()):
        words += ["--fixed", column]
    for column, weight in asked.get("importance", {}).items():
        words += ["--importance", f"{column}={weight}"]
    files = file_names(list(asked.get("hierarchies", {})))
    for column, name in files.items():
        words += ["--hierarchy", f"{column}={name}"]
    given = {**asked, "hierarchies": files} if files else asked
    options = "".join(f", {name}={value!r}" for name, value in given.items())
    return {
        "command": _first(source) + shlex.join([*words, "-o", "steps.yaml", *reading]),
        "python": [
            *opening,
            f'found = so.suggest({_read(file, source)}, "plan.yaml"{options})',
            "found.frontier",
            'found.steps.write("steps.yaml")',
        ],
    }


def _first(source: Source) -> str:
    return "singleout demo --save demo.csv\n" if source.kind == "demo" else ""


def _named(source: Source) -> tuple[str, list[str], list[str]]:
    """Return the name of the data, the options that say how it is read, and the first lines."""
    from singleout.io.files import without_secrets

    opening = ["import singleout as so"]
    if source.kind == "demo":
        return "demo.csv", [], opening
    reading = []
    for name, value in source.reading.items():
        if name in _READING and value is not None:
            reading += [_READING[name], str(value)]
    if source.where:
        reading += ["--where", source.where]
    return without_secrets(source.name), reading, opening


def _read(file: str, source: Source) -> str:
    if source.kind == "demo":
        return "so.demo()"
    reading = {name: value for name, value in source.reading.items() if value is not None}
    if not reading:
        return repr(file)
    options = "".join(f", {name}={value!r}" for name, value in reading.items())
    return f"so.read({file!r}{options})"
