"""`singleout publish`: what is publishable about data, through the gate, into a repository."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.repository.wanted import wanted_records
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, print_json, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice, NotPublishable
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository
    from singleout.repository.documents.record import Record
    from singleout.repository.publishing.batch import RefusedRecord
    from singleout.repository.store.kept.stored import Receipt

__all__ = ["publish"]

_NOT_PUBLISHABLE = 1
_QUARANTINED = 1


@takes_data
def publish(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="The data: a file, or a table in a database (postgresql://user@host/database"
            "#table). With --print-sql the name of the table.",
        ),
    ] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="A,B:width=5",
            help="Columns that others could know, each with its coding: Age:width=5. Repeated: a "
            "batch, which shares the price of one record.",
        ),
    ] = None,
    population: shared.Population = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help="Several quasi-identifiers and populations, gated together: YAML or JSON with "
            "records, each a quasi_identifier and a population. In the place of --qi.",
        ),
    ] = None,
    width: Annotated[
        list[str] | None,
        typer.Option(
            "--width",
            metavar="AGE=1,2,5,10",
            help="A ladder of widths of a number: --qi once for each, as one batch. Repeatable.",
        ),
    ] = None,
    repository: shared.RepositoryOption = None,
    tier: Annotated[
        str | None,
        typer.Option(
            "--tier",
            metavar="public|registered|none",
            help="Who may read it, and how much noise protects it; none for exact numbers in a "
            "file of your own. public if not given.",
        ),
    ] = None,
    vocabulary: Annotated[
        str | None,
        typer.Option(
            "--vocabulary",
            metavar="FILE|NAME",
            help="Which values are possible: a file, or the name of one in the repository. If not "
            "given, those that occur.",
        ),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="COLUMN",
            help="How many people a row stands for, in a table of counts.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ATTRIBUTE=COLUMN",
            help="What an attribute is called in the data. Repeatable.",
        ),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option("--cells", help="How many combinations are possible, if you know it."),
    ] = None,
    date: Annotated[
        str | None,
        typer.Option("--date", metavar="YYYY-MM-DD", help="The day that the data is about."),
    ] = None,
    coverage: Annotated[
        str | None,
        typer.Option(
            "--coverage",
            metavar="census|register|sample[=SHARE]",
            help="How much of the population the data covers; census if not given.",
        ),
    ] = None,
    price: Annotated[
        float | None,
        typer.Option("--price", help="What it may cost each person; less means more noise."),
    ] = None,
    licence: Annotated[str | None, typer.Option("--licence", help="Who may use it.")] = None,
    norm: Annotated[
        str | None, typer.Option("--norm", help="What the people were told about such a use.")
    ] = None,
    supersedes: Annotated[
        str | None,
        typer.Option("--supersedes", metavar="ID", help="The record that this one replaces."),
    ] = None,
    statement: Annotated[
        bool,
        typer.Option(
            "--statement",
            help="Say what an impact assessment can quote: what the gate guarantees, and how the "
            "population compares with others in the file.",
        ),
    ] = False,
    print_sql: Annotated[
        str | None,
        typer.Option(
            "--print-sql",
            metavar="postgresql|mysql|sqlserver",
            help="Only print the statements to run where nothing can be installed.",
        ),
    ] = None,
    from_profile: Annotated[
        Path | None,
        typer.Option(
            "--from-profile", metavar="FILE", help="Take the answer of these statements as data."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would become public; nothing is written.")
    ] = False,
    key: shared.KeyFile = None,
    token: shared.TokenFile = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Publish how heterogeneous columns are in a population, and nothing else about it.

    Only counts of counts are taken from the data. What becomes public carries noise that protects
    each single person; --dry-run shows it. Exit code 1 if it may not be published, with the reasons
    and what would pass.
    """
    wanted = wanted_records(qi, width, batch, population)
    outputs = Outputs(json=json, csv=csv, force=force, read=[data, from_profile, key, batch])
    if print_sql is not None:
        _print_sql(data, wanted, vocabulary, print_sql, count, column)
        return
    with shown_if_slow(), ExitStack() as stack:
        goal = None
        if repository is not None or not dry_run:
            goal = stack.enter_context(shared.opened(repository, key=key, token=token))
        words = shared.vocabulary_of(vocabulary, goal)
        how: dict[str, Any] = {
            "tier": tier or "public",
            "key": key,
            "counts": count,
            "columns": options.pairs(column, "--column", "a pair", "Age=leeftijd") or None,
            "cells": cells,
            "coverage": _coverage(coverage),
            "reference_date": date,
            "price": price,
            "licence": licence,
            "norm": norm,
            "supersedes": supersedes,
            "repository": goal,
        }
        made = _Made({**wanted, "vocabulary": words, **how}, words, outputs)
        made.records(data, from_profile, reading)
        if goal is not None and not dry_run:
            made.send(goal, str(repository))
        if statement:
            made.state(goal)
        outputs.write(rows=lambda: [each.to_frame().to_dicts()[0] for each in made.found])
    outputs.show(made.to_dict, made.show)
    if any(receipt.state == "quarantined" for receipt in made.receipts):
        raise typer.Exit(_QUARANTINED)


class _Made:
    """The records of a command, and what became of them."""

    def __init__(self, how: dict[str, Any], words: Any, outputs: Outputs) -> None:
        self.how = how
        self.words = words
        self.outputs = outputs
        self.found: tuple[Record, ...] = ()
        self.refused: tuple[RefusedRecord, ...] = ()
        self.receipts: tuple[Receipt, ...] = ()
        self.statements: tuple[tuple[str, ...], ...] = ()
        self.location = ""

    def records(self, data: str | None, profile: Path | None, reading: Reading) -> None:
        from singleout.repository.documents.record import Record
        from singleout.repository.publishing.publishable import publishable

        with self._refusing():
            if profile is not None:
                made = publishable(_profile(data, profile), **self.how)
            else:
                if data is None:
                    raise BadChoice("Give the data, or with --from-profile the counts of counts.")
                with reading.open(data, look=self.how["counts"] is None) as counter:
                    made = publishable(counter, **self.how)
        if isinstance(made, Record):
            self.found = (made,)
        else:
            self.found, self.refused = made.records, made.refused

    def send(self, repository: Repository, location: str) -> None:
        self.location = location
        with self._refusing():
            if self.words is not None:
                repository.add_vocabulary(self.words)
            self.receipts = tuple(repository.publish(each) for each in self.found)

    def state(self, repository: Repository | None) -> None:
        from singleout.repository.publishing.explain import impact_statement

        self.statements = tuple(
            (impact_statement(each),) if repository is None else repository.statement(each)
            for each in self.found
        )

    def _refusing(self) -> Any:
        return _Refusing(self.outputs.json)

    def to_dict(self) -> dict[str, Any]:
        receipts: list[Any] = [receipt.to_dict() for receipt in self.receipts]
        records: list[dict[str, Any]] = [
            {"record": each.to_dict(), "id": each.id, "receipt": receipt}
            for each, receipt in zip(self.found, receipts or [None] * len(self.found), strict=True)
        ]
        for each, said in zip(records, self.statements, strict=False):
            each["statement"] = list(said)
        return {
            "published": bool(self.receipts),
            "repository": self.location or None,
            "records": records,
            "refused": [each.to_dict() for each in self.refused],
        }

    def show(self) -> None:
        from singleout.repository.publishing.explain import what_becomes_public

        if not self.receipts:
            for each in self.found:
                tell(what_becomes_public(each), "")
            tell(say("repository.client.dry_run"))
        for record, receipt in zip(self.found, self.receipts, strict=False):
            show_table("repository.client.records", shared.record_rows([record]))
            tell(_said(receipt, self.location), *receipt.reasons)
        for said in self.statements:
            tell("", *said)
        tell(*(say("repository.client.refused", what=str(each)) for each in self.refused))


class _Refusing:
    """Prints a refusal as JSON, if JSON is asked for."""

    def __init__(self, json: bool) -> None:
        self.json = json

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.json and isinstance(error, NotPublishable):
            print_json({"published": False, "reasons": list(error.reasons)})
            raise typer.Exit(_NOT_PUBLISHABLE) from None


def _said(receipt: Receipt, location: str) -> str:
    key = receipt.state if receipt.state in ("quarantined", "disputed") else "valid"
    return say(
        f"repository.client.published.{key}",
        where=location,
        index=receipt.index,
        id=receipt.id,
        size=receipt.head.size,
    )


def _profile(data: str | None, profile: Path) -> Any:
    from singleout.repository.publishing.profile import read_profile

    if data is not None:
        raise BadChoice("--from-profile takes the place of the data; give one of the two.")
    return read_profile(profile)


def _coverage(text: str | None) -> Any:
    if text is None:
        return None
    kind, _, fraction = text.partition("=")
    return {"kind": kind, "fraction": fraction} if fraction else {"kind": kind}


def _print_sql(
    data: str | None,
    wanted: dict[str, Any],
    vocabulary: str | None,
    dialect: str,
    count: str | None,
    column: list[str] | None,
) -> None:
    from singleout.repository.publishing.profile import print_sql

    if data is None:
        raise BadChoice("Give the name of the table: singleout publish TABLE --print-sql mysql")
    if "batch" in wanted:
        raise BadChoice("--print-sql prints the statements of --qi; give one in place of --batch.")
    text = print_sql(
        data,
        wanted["quasi_identifier"],
        wanted["population"],
        vocabulary,
        dialect=dialect,
        counts=count,
        columns=options.pairs(column, "--column", "a pair", "Age=leeftijd") or None,
    )
    typer.echo(text)
