"""What `singleout publish` is asked for: quasi-identifiers, a ladder of widths, or a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from singleout.cli.repository import shared
from singleout.errors import BadChoice

__all__ = ["wanted_records"]


def wanted_records(
    qi: list[str] | None,
    width: list[str] | None,
    batch: Path | None,
    population: list[str] | None,
) -> dict[str, Any]:
    """Return what is to be published: a batch of a file, or quasi-identifiers of a population."""
    if batch is not None:
        if qi or width or population:
            raise BadChoice(
                "--batch has its quasi-identifiers and populations in the file; leave out --qi, "
                "--width and --population."
            )
        return {"batch": batch}
    ladders = [_ladder(text) for text in width or ()]
    found: list[list[str]] = [list(one) for one in shared.attributes(qi)]
    for name, codings in ladders:
        if not any(name in one for one in found):
            raise BadChoice(
                f"--width is of {name!r}, which is in no --qi; name it there without a coding."
            )
        found = [
            [each if each != name else f"{name}:{coding}" for each in one]
            for one in found
            for coding in (codings if name in one else codings[:1])
        ]
    asked: Any = found[0] if len(found) == 1 else found
    return {"quasi_identifier": asked, "population": shared.people_of(population)}


def _ladder(text: str) -> tuple[str, list[str]]:
    name, equals, widths = text.rpartition("=")
    numbers = [part.strip() for part in widths.split(",") if part.strip()]
    if not equals or not name or not numbers:
        raise BadChoice(f"--width {text!r} is no ladder of widths; write it as Age=1,2,5,10.")
    return name, [f"width={number}" for number in dict.fromkeys(numbers)]
