"""`singleout repository person`: what answers reveal of oneself; computed here, nothing is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.answering.person import SelfAssessment

__all__ = ["person"]


def person(
    repository: Annotated[
        str, typer.Argument(metavar="FILE", help="A repository here, or a mirror of one.")
    ],
    mine: Annotated[
        list[str] | None,
        typer.Option(
            "--mine",
            metavar="ATTRIBUTE=VALUE,…",
            help="Your own answers, each with the coding it is asked in: PC4=1056, "
            "Age:width=5=34. They are not sent, and not kept.",
        ),
    ] = None,
    population: shared.Population = None,
    people: Annotated[
        int | None, typer.Option("--people", "-k", help="How many people there are, with you.")
    ] = None,
    margins: Annotated[
        Path | None,
        typer.Option(
            "--margins",
            metavar="FILE",
            help="How common values are: a table with the columns attribute, value and people.",
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            "--ledger",
            metavar="FILE",
            help="What you disclosed before, which is counted too; shares only, no values.",
        ),
    ] = None,
    remember: Annotated[
        str | None,
        typer.Option("--remember", metavar="WHOM", help="Add these answers to the ledger."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Assess what your own answers would reveal of you, on this machine.

    The repository must be a file: a service is not asked, and nothing is sent. Make a copy of one
    with: singleout repository mirror URL FILE
    """
    from singleout.repository.answering.ledger import DisclosureLedger

    values = _values(mine)
    if people is None:
        raise BadChoice("Say with --people how many people there are, you included.")
    if remember is not None and ledger is None:
        raise BadChoice("--remember needs a file; give it with --ledger.")
    kept = None if ledger is None else DisclosureLedger(ledger)
    with shown_if_slow(), shared.opened(repository) as opened:
        known = {} if margins is None else _margins(margins)
        found = opened.person(
            values, shared.people_of(population), people=people, margins=known, ledger=kept
        )
    if kept is not None and remember is not None:
        kept.add(found.shares, to=remember)
    Outputs(json=json).show(found.to_dict, lambda: _show(found))


def _values(mine: list[str] | None) -> dict[str, str]:
    """Return the answers; the last equals sign parts a name with its coding from the value."""
    values = {}
    for part in (part for text in mine or () for part in text.split(",") if part.strip()):
        name, equals, value = part.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise BadChoice(f"--mine {part!r} is no answer; write PC4=1056 or Age:width=5=34.")
        values[name.strip()] = value.strip()
    if not values:
        raise BadChoice("Give your answers with --mine, as in --mine PC4=1056,Sex=F.")
    return values


def _margins(path: Path) -> dict[str, dict[str, float]]:
    import csv

    from singleout.core.paths import expanded
    from singleout.errors import UnreadableFile

    found: dict[str, dict[str, float]] = {}
    try:
        with expanded(path).open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.DictReader(stream):
                found.setdefault(row["attribute"], {})[row["value"]] = float(row["people"])
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except (KeyError, TypeError, ValueError):
        raise UnreadableFile(
            f"{path.name} must have the columns attribute, value and people, as in Sex,F,8800000."
        ) from None
    return found


def _show(found: SelfAssessment) -> None:
    rows: list[list[str]] = []
    average: Any = found.average
    if average is not None:
        share = shared.share_text(average.share)
        rows.append([say("repository.client.person.average"), share, "–"])
    if found.unique is not None:
        expected = number(round(found.expected_set or 0, 2))
        rows.append(
            [say("repository.client.person.own"), shared.share_text(found.unique), expected]
        )
    low, high = (shared.share_text(end) for end in found.unique_range)
    sizes = " to ".join(number(round(end, 2)) for end in found.set_range)
    rows.append([say("repository.client.person.range"), f"{low} to {high}", sizes])
    show_table("repository.client.person", rows)
    tell(f"{str(found).rstrip('.')}.", warnings=found.warnings, notes=found.notes)
