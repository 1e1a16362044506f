"""The files of an assessment: its report, and plain values for programs."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.report.content import report_of
from singleout.core.text import json_text
from singleout.errors import BadChoice
from singleout.io.fingerprint import fingerprint
from singleout.report.files import HTML, JSON, checked_path, write_text
from singleout.report.page import page

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.result import Assessment

__all__ = ["SARIF", "XML", "write_checks", "write_json", "write_report"]

SARIF = (".sarif", ".json")
XML = (".xml",)


def write_report(
    assessment: Assessment,
    path: str | os.PathLike[str],
    *,
    show_records: bool,
    when: datetime | None,
    comparison: Comparison | None,
) -> Path:
    """Write the report, and return where it is."""
    file = checked_path(path, HTML)
    sides = [assessment] if comparison is None else [comparison.before, comparison.after]
    _refuse_data(file, sides)
    content = report_of(assessment, show_records=show_records, when=when, comparison=comparison)
    return write_text(file, page(content), private=show_records)


def write_json(
    assessment: Assessment, content: dict[str, Any], path: str | os.PathLike[str] | None
) -> dict[str, Any]:
    """Write plain values as a JSON file, if there is to be one, and return them."""
    write_checks(assessment, json_text(content), path, JSON)
    return content


def write_checks(
    assessment: Assessment,
    text: str,
    path: str | os.PathLike[str] | None,
    kinds: tuple[str, ...],
) -> str:
    """Write the text of a file for programs, if there is to be one, and return it."""
    if path is not None:
        file = checked_path(path, kinds)
        _refuse_data(file, [assessment])
        write_text(file, text)
    return text


def _refuse_data(file: Path, sides: list[Assessment]) -> None:
    """Refuse to write over the data, known by its fingerprint."""
    known = {side.facts.sha256 for side in sides} - {None}
    if known and file.is_file() and fingerprint(file) in known:
        raise BadChoice(f"{str(file)!r} is the data itself; choose another name.")
