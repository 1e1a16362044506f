"""`singleout repository export|import|mirror|list|table`: copies, and what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.repository.query import Cells
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.paths import expanded
from singleout.core.wording import figure, percent
from singleout.errors import BadChoice
from singleout.report.say import say

__all__ = ["export", "import_", "list_", "mirror", "table"]

File = Annotated[str, typer.Argument(metavar="FILE", help="The file of the repository.")]


def export(
    file: File,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new file, of JSON lines.")],
    json: options.Json = False,
) -> None:
    """Write the whole log of a repository to a file, each entry with its proof."""
    outputs = Outputs(json=json, files=[out], read=[file])
    with shown_if_slow(), shared.opened(file) as opened:
        head = opened.export(out)
    outputs.show(
        lambda: {"file": str(out), "head": head.model_dump()},
        lambda: tell(say("repository.client.exported", n=head.size, file=out)),
    )


def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The repository; a new file becomes a copy.")
    ],
    exported: Annotated[Path, typer.Argument(metavar="EXPORT", help="What export wrote.")],
    repository_key: Annotated[
        Path | None,
        typer.Option(
            "--repository-key",
            metavar="KEY",
            help="With a new file: the key of the exported repository, to restore it.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Take an export into a repository, or make a new file of it.

    An export of the same repository continues it. From another one, what its holders signed is
    submitted under the rules of this one. A new file is a mirror, or with the key of the exported
    repository that repository, restored.
    """
    from singleout.repository.store.store import Store

    outputs = Outputs(json=json)
    with shown_if_slow():
        if "://" in file or expanded(file).exists():
            if repository_key is not None:
                raise BadChoice("--repository-key is for a new file; this one exists already.")
            with Store.open(file) as store:
                added = store.import_(exported)
                size = store.size
        else:
            with Store.restore(file, exported, key_file=repository_key) as store:
                added = size = store.size
    outputs.show(
        lambda: {"file": file, "added": added, "size": size},
        lambda: tell(say("repository.client.imported", n=added, file=file, size=size)),
    )


def mirror(
    repository: shared.RepositoryArgument,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The copy: a new file, or an older copy."),
    ],
    token: shared.TokenFile = None,
    purpose: shared.Purpose = None,
    json: options.Json = False,
) -> None:
    """Copy a repository to a file, or bring a copy up to date; every entry is checked.

    A copy answers like the original, and nothing leaves your machine.
    """
    outputs = Outputs(json=json)
    with (
        shown_if_slow(),
        shared.opened(repository, token=token, purpose=purpose) as opened,
        opened.mirror(file) as copy,
    ):
        head = copy.head()
    outputs.show(
        lambda: {"file": str(file), "head": head.model_dump()},
        lambda: tell(say("repository.client.mirrored", n=head.size, file=file)),
    )


def list_(
    repository: shared.RepositoryArgument,
    token: shared.TokenFile = None,
    purpose: shared.Purpose = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show which quasi-identifiers are published, and how many records there are of each."""
    outputs = Outputs(json=json, csv=csv, force=force)
    with shown_if_slow(), shared.opened(repository, token=token, purpose=purpose) as opened:
        found = [
            {"quasi_identifier": "+".join(map(str, names)), "records": records}
            for names, records in opened.quasi_identifiers()
        ]
        words = [f"{each['name']} {each['version']}" for each in opened.store.vocabularies()]
        about = {"name": opened.name, "personal": opened.personal, "entries": opened.head().size}
        outputs.write(rows=lambda: found)
    outputs.show(
        lambda: {**about, "quasi_identifiers": found, "vocabularies": words},
        lambda: _show_list(about, found, words),
    )


def _show_list(about: dict[str, Any], found: list[dict[str, Any]], words: list[str]) -> None:
    show_table(
        "repository.client.list",
        [[str(each["quasi_identifier"]), number(each["records"])] for each in found],
        name=about["name"],
    )
    if words:
        tell(say("repository.client.list.vocabularies", names=", ".join(words)))


def table(
    qi: shared.QuasiIdentifiers = None,
    population: shared.Population = None,
    repository: shared.RepositoryOption = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="ID", help="The record, in place of --qi.")
    ] = None,
    people: Annotated[
        list[int] | None,
        typer.Option("--people", "-k", help="How many people; repeatable. 2, 5, 10 and so on."),
    ] = None,
    cells: Cells = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show what a record predicts for several numbers of people. Koot (2012), section 4.1."""
    from singleout.repository.answering.table import table as tabulated

    outputs = Outputs(json=json, csv=csv, force=force)
    with shown_if_slow(), shared.opened(repository) as opened:
        if record is not None:
            chosen = opened.content(record)
        else:
            wanted = shared.one_quasi_identifier(qi)
            chosen = opened.query(wanted, shared.people_of(population)).record
        result = tabulated(chosen, people or None, cells=cells)
        outputs.write(rows=lambda: result.to_frame().to_dicts())
    outputs.show(
        result.to_dict,
        lambda: show_table(
            "repository.client.table",
            [
                [
                    number(row["people"]),
                    figure(row["all_unique"], ".3g"),
                    number(row["unique"]),
                    percent(row["share"]),
                    f"{number(row['low'])} to {number(row['high'])}",
                ]
                for row in result.rows
            ],
            record=shared.about(chosen),
        ),
    )
