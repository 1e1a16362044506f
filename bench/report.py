"""Show outcomes: a table for people, JSON for programs, and the generated part of a page."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.run import Outcome, Timing

__all__ = ["machine", "noise", "table", "write_json", "write_markdown"]

BEGIN, END = "<!-- made by python -m bench: begin -->", "<!-- made by python -m bench: end -->"
HEADER = ("case", "shape", "contender", "median", "times slower", "in rounds", "answer")
PACKAGES = (
    "singleout",
    "numpy",
    "numba",
    "polars",
    "pandas",
    "pyarrow",
    "duckdb",
    "pycanon",
    "suda",
)

Row = tuple[str, ...]


def machine() -> dict[str, Any]:
    """Return what a reader needs to judge the numbers: cores, system and versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    may_use = getattr(os, "sched_getaffinity", None)  # not on every system
    return {
        "cores": len(may_use(0)) if may_use else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": versions,
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as a table of aligned text."""
    rows = [HEADER, *_rows(outcomes)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADER))]
    right = {HEADER.index(name) for name in ("median", "times slower", "in rounds")}
    lines = [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def noise(outcomes: Sequence[Outcome]) -> str:
    """Say in a sentence how busy others kept the machine, which changes ratios too."""
    shares = [outcome.others for outcome in outcomes if outcome.others is not None]
    if not shares:
        return "How much other processes used the machine meanwhile is not known."
    return (
        "Other processes used "
        f"{min(shares):.0%} to {max(shares):.0%} of the machine while a case was timed."
    )


def write_json(path: Path, outcomes: Sequence[Outcome], **about: Any) -> None:
    """Write every raw time, with the machine and whatever else is worth keeping."""
    cases = [
        {
            "name": outcome.name,
            "title": outcome.title,
            "shape": outcome.shape,
            "others": outcome.others,
            "findings": outcome.findings,
            "contenders": [
                {
                    **asdict(timing),
                    "equal": not timing.wrong,
                    "median": timing.median,
                    "ratio": outcome.ratio(timing),
                }
                for timing in outcome.timings
            ],
        }
        for outcome in outcomes
    ]
    path.write_text(json.dumps({"machine": machine(), **about, "cases": cases}, indent=2) + "\n")


def write_markdown(path: Path, outcomes: Sequence[Outcome], command: str) -> None:
    """Put the table between the markers of a page, which is made if it is not there."""
    page = path.read_text() if path.exists() else f"# Benchmarks\n\n{BEGIN}\n{END}\n"
    if BEGIN not in page or END not in page:
        raise ValueError(f"{path.name} needs the lines {BEGIN!r} and {END!r}.")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n{_generated(outcomes, command)}\n{END}{after}")


def _generated(outcomes: Sequence[Outcome], command: str) -> str:
    about = machine()
    packages = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    titles = [f"- `{outcome.name}`: {outcome.title}" for outcome in outcomes]
    rows = ["| " + " | ".join(row) + " |" for row in [HEADER, *_rows(outcomes)]]
    rows.insert(1, "|---|---|---|--:|--:|--:|---|")
    return "\n".join(
        [
            f"Made by `{command}` on {about['cores']} cores ({about['system']}), "
            f"Python {about['python']}, {packages}.",
            noise(outcomes),
            "",
            *titles,
            "",
            *rows,
            *(f"\n{outcome.findings}" for outcome in outcomes if outcome.findings),
        ]
    )


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    for outcome in outcomes:
        for timing in outcome.timings:
            yield (
                outcome.name,
                "{:,} x {}".format(*outcome.shape),
                timing.name,
                _duration(timing.median),
                f"{outcome.ratio(timing):.2f}",
                _range(outcome, timing),
                f"wrong: {timing.wrong}" if timing.wrong else "equal",
            )


def _range(outcome: Outcome, timing: Timing) -> str:
    return "–".join(f"{ratio:.2f}" for ratio in outcome.ratio_range(timing))


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"
