"""`singleout repository inventory|demand`: data sets and questionnaires, registered and matched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.documents.bodies import InventoryEntry
    from singleout.repository.inventories.results import DemandList, InventoryMatch

__all__ = ["app", "demand"]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def inventory() -> None:
    """Register data sets, questionnaires and releases, and match them."""


@app.command("list")
def list_(
    repository: shared.RepositoryArgument,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show what is registered: who holds which columns about whom, and who asks for them."""
    outputs = Outputs(json=json, csv=csv, force=force)
    with shown_if_slow(), shared.opened(repository) as opened:
        rows = [
            {
                "name": each.entry.name,
                "what": each.entry.what,
                "identified": each.entry.identified,
                "attributes": "+".join(map(str, each.entry.attributes)),
                "population": str(each.entry.population),
                "holder": each.holder,
                "id": each.id,
            }
            for each in opened.inventory
        ]
        outputs.write(rows=lambda: rows)
    outputs.show(
        lambda: {"inventory": rows},
        lambda: show_table(
            "repository.client.inventory",
            [
                [
                    str(row["name"]),
                    str(row["what"]),
                    say("screen.yes" if row["identified"] else "screen.no"),
                    str(row["attributes"]),
                    str(row["population"]),
                ]
                for row in rows
            ],
        ),
    )


@app.command("add")
def add(
    repository: shared.RepositoryArgument,
    file: Annotated[
        list[Path],
        typer.Argument(
            metavar="ENTRY...",
            help="YAML files: what, name, attributes, population, identified.",
        ),
    ],
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Register data sets, questionnaires or releases, each described in a small file."""
    from singleout.repository.inventories.entries import read_inventory

    entries = [read_inventory(each) for each in file]
    _register(repository, entries, key, json)


@app.command("import")
def import_(
    repository: shared.RepositoryArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CATALOGUE", help="A DDI codebook (.xml) or a DCAT catalogue (.json, .jsonld)."
        ),
    ],
    what: Annotated[
        str, typer.Option("--what", metavar="dataset|questionnaire|release", help="What it is.")
    ] = "dataset",
    population: shared.Population = None,
    identified: Annotated[
        bool, typer.Option("--identified", help="It names people, or could be linked to names.")
    ] = False,
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            "--attribute",
            metavar="COLUMN=ATTRIBUTE",
            help="The attribute of a column, with its coding: age_gr=Age:width=5. Repeatable.",
        ),
    ] = None,
    columns: options.Columns = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be registered.")
    ] = False,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Register the data sets that a codebook (DDI) or a catalogue (DCAT) describes.

    Columns with the name of an attribute of the repository's vocabulary become that attribute.
    Whom the data is about stands in catalogues in words only: say it with --population.
    """
    from singleout.repository.inventories.entries import described_entry, read_descriptions

    descriptions = read_descriptions(file)
    names = options.pairs(attribute, "--attribute", "a column and an attribute", "pc=PC4")
    with shared.opened(repository, key=key) as opened:
        entries = [
            described_entry(
                each,
                what,
                population=shared.people_of(population),
                identified=identified,
                names=names,
                columns=options.column_names(columns),
                vocabulary=opened.vocabulary_for([column.name for column in each.columns]),
                source=file.name,
            )
            for each in descriptions
        ]
    _register(repository, entries, key, json, dry_run=dry_run)


def _register(
    repository: str,
    entries: list[InventoryEntry],
    key: Path | None,
    json: bool,
    *,
    dry_run: bool = False,
) -> None:
    receipts: list[Any] = []
    with shown_if_slow(), shared.opened(repository, key=key) as opened:
        if not dry_run:
            receipts = [opened.inventory.add(each) for each in entries]
    plain = [each.model_dump(mode="json", exclude_none=True) for each in entries]
    said = "registered" if receipts else "would_register"
    Outputs(json=json).show(
        lambda: {"registered": plain, "receipts": [each.to_dict() for each in receipts]},
        lambda: tell(
            *(
                say(
                    f"repository.client.{said}",
                    name=each.name,
                    n=len(each.attributes),
                    attributes=", ".join(map(str, each.attributes)),
                )
                for each in entries
            )
        ),
    )


@app.command("match")
def match(
    repository: shared.RepositoryArgument,
    entry: Annotated[
        str, typer.Argument(metavar="ENTRY", help="A YAML file, or a name that is registered.")
    ],
    people: Annotated[
        int | None,
        typer.Option("--people", "-k", help="How many answer; everybody in it if not given."),
    ] = None,
    share: Annotated[
        float,
        typer.Option(
            "--share",
            **options.SHARE,
            help="The share of unique people from which it is identifying.",
        ),
    ] = 0.05,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show what a questionnaire reveals, what it can be linked to, and what adds up."""
    outputs = Outputs(json=json, csv=csv, force=force)
    with shown_if_slow(), shared.opened(repository) as opened:
        found = opened.inventory.match(entry, people=people, share=share)
        outputs.write(rows=lambda: found.to_frame().to_dicts())
    outputs.show(found.to_dict, lambda: _show(found))


def _show(found: InventoryMatch) -> None:
    from singleout.repository.inventories.results import attribute_names

    if found.touched:
        show_table(
            "repository.client.touched",
            [
                [
                    attribute_names(one.quasi_identifier),
                    number(one.records),
                    say("screen.yes" if one.finer else "screen.no"),
                    str(one.risk or "–"),
                ]
                for one in found.touched
            ],
        )
    if found.links:
        show_table(
            "repository.client.links",
            [
                [one.name, attribute_names(one.shared), str(one.population), str(one.risk or "–")]
                for one in found.links
            ],
        )
    if found.joint:
        show_table(
            "repository.client.joint",
            [
                [
                    ", ".join(one.names),
                    attribute_names(one.quasi_identifier),
                    str(one.alone),
                    str(one.together),
                ]
                for one in found.joint
            ],
        )
    tell(f"{found}.")


def demand(
    repository: shared.RepositoryArgument,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show which combinations are asked for without a record: what holders should publish next."""
    outputs = Outputs(json=json, csv=csv, force=force)
    with shown_if_slow(), shared.opened(repository) as opened:
        found = opened.inventory.demand()
        outputs.write(rows=lambda: found.to_frame().to_dicts())
    outputs.show(found.to_dict, lambda: _show_demand(found))


def _show_demand(found: DemandList) -> None:
    if len(found):
        show_table(
            "repository.client.wanted",
            [
                [
                    "+".join(map(str, one.quasi_identifier)),
                    str(one.population),
                    ", ".join(one.names),
                ]
                for one in found
            ],
        )
    if found.asked:
        show_table(
            "repository.client.asked",
            [
                [
                    "+".join(map(str, one["quasi_identifier"])),
                    ", ".join(map(str, one["population"])) or "–",
                    number(one["asked"]),
                ]
                for one in found.asked
            ],
        )
    tell(f"{found}.")
