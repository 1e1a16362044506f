"""`singleout decide`: may it be asked? Accept, coarsen, drop or refuse, with the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import check_report
from singleout.cli.repository import shared
from singleout.cli.repository.query import Cells, Day, day_of
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.answering.policies import Predicted

__all__ = ["decide"]

_NOT_ACCEPTED = 1
_SHARE = 0.95


def decide(
    qi: shared.QuasiIdentifiers = None,
    population: shared.Population = None,
    repository: shared.RepositoryOption = None,
    people: Annotated[
        int | None, typer.Option("--people", "-k", help="How many people are asked.")
    ] = None,
    unique: options.MostUnique = None,
    in_sets_of: options.InSetsOf = None,
    share: options.ShareInSets = None,
    any_unique: Annotated[
        float | None,
        typer.Option(
            "--any-unique", **options.SHARE, help="How likely anybody may be unique, as 0.5."
        ),
    ] = None,
    subject: Annotated[
        str, typer.Option("--subject", help="What is decided on: the name of a questionnaire.")
    ] = "",
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Store the decision in the repository, with its numbers."),
    ] = False,
    never_drop: options.NeverDrop = None,
    cells: Cells = None,
    date: Day = None,
    key: shared.KeyFile = None,
    token: shared.TokenFile = None,
    purpose: shared.Purpose = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="REPORT.html", help="Also write a report: one HTML file."
        ),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Decide whether attributes may be asked of people, and else how.

    Accept, coarsen an attribute, drop one, or refuse, with the least change that keeps the policy.
    The upper ends of what the records allow must keep it. Exit code 1 unless it is accepted as it
    is asked.
    """
    from singleout.report.page import write_page

    wanted = shared.one_quasi_identifier(qi)
    policy = _policy(unique, in_sets_of, share, any_unique)
    if people is None:
        raise BadChoice("Say with --people how many people are asked.")
    check_report(output)
    outputs = Outputs(json=json, csv=csv, files=[output], force=force)
    with (
        shown_if_slow(),
        shared.opened(repository, key=key, token=token, purpose=purpose) as asked,
    ):
        decision = asked.decide(
            wanted,
            shared.people_of(population),
            policy=policy,
            people=people,
            subject=subject,
            never_drop=options.column_names(never_drop, "--never-drop") or (),
            cells=cells,
            reference_date=day_of(date),
        )
        receipt = asked.keep(decision) if keep else None
        outputs.write(
            rows=lambda: decision.to_frame().to_dicts(),
            files={output: lambda part: write_page(decision.report_content(), part)},
        )
    stored = None if receipt is None else receipt.to_dict()

    def for_people() -> None:
        _show(decision, receipt)
        outputs.tell_written()

    outputs.show(lambda: {**decision.to_dict(), "receipt": stored}, for_people)
    if not decision.is_accepted:
        raise typer.Exit(_NOT_ACCEPTED)


def _policy(
    unique: float | None, in_sets_of: int | None, share: float | None, any_unique: float | None
) -> dict[str, Any]:
    if unique is None and in_sets_of is None and any_unique is None:
        raise BadChoice(
            "Say what must hold: --unique 0.05 (at most 5% unique), --in-sets-of 5 --share 0.95, "
            "--any-unique 0.5, or several of them."
        )
    if share is not None and in_sets_of is None:
        raise BadChoice("--share goes with --in-sets-of; give that as well, or leave --share out.")
    policy: dict[str, Any] = {"unique": unique, "any_unique": any_unique}
    if in_sets_of is not None:
        policy["in_sets_of"] = (in_sets_of, _SHARE if share is None else share)
    return {name: value for name, value in policy.items() if value is not None}


def _show(decision: RepositoryDecision, receipt: Any) -> None:
    rows = [
        [say(f"repository.client.decision.{name}"), *_numbers(predicted)]
        for name, predicted in (("asked", decision.predicted), ("accepted", decision.accepted))
        if predicted is not None
    ]
    if rows:
        show_table("repository.client.decision", rows)
    stored = (
        []
        if receipt is None
        else [say("repository.client.decision.kept", index=receipt.index, hash=decision.hash)]
    )
    notes = [note for note in decision.notes if note not in decision.reasons]
    tell(str(decision), *decision.reasons, *stored, notes=notes)


def _numbers(predicted: Predicted) -> list[str]:
    values = (
        (predicted.unique, predicted.unique_most),
        (predicted.small, predicted.small_most),
        (predicted.any_unique, predicted.any_unique_most),
    )
    return [
        "–" if value is None else f"{shared.share_text(value)} (≤ {shared.share_text(most)})"
        for value, most in values
    ]
