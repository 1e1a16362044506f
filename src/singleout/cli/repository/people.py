"""`singleout repository holders|moderate|dispute|withdraw`: who may publish, and what counts."""

from __future__ import annotations

import json as json_reader
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice, SingleoutError
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository
    from singleout.repository.store.kept.stored import Receipt, StoredRecord

__all__ = ["dispute", "holders", "moderate", "withdraw"]

Reason = Annotated[str | None, typer.Option("--reason", help="Why, for everybody to read.")]
RecordId = Annotated[str, typer.Argument(metavar="RECORD", help="The id of the record.")]


def holders(
    repository: shared.RepositoryArgument,
    add: Annotated[
        str | None,
        typer.Option("--add", metavar="NAME", help="Register somebody."),
    ] = None,
    public_key: Annotated[
        str | None, typer.Option("--public-key", help="With --add: whose key it is.")
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            metavar="reader|holder|moderator|administrator",
            help="With --add or --token; holder and reader if not given. Repeatable.",
        ),
    ] = None,
    contact: Annotated[str, typer.Option("--contact", help="With --add: how to reach them.")] = "",
    remove: Annotated[
        str | None,
        typer.Option("--remove", metavar="ID", help="End what a key may do, as administrator."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", metavar="NAME", help="Make an API token, as administrator; it is shown once."
        ),
    ] = None,
    reason: Reason = None,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Show who may publish in a repository; register somebody, or end it."""
    outputs = Outputs(json=json)
    secret = None
    with shown_if_slow(), shared.opened(repository, key=key) as opened:
        if add is not None:
            _add(opened, add, public_key, role, contact)
        if remove is not None:
            _remove(opened, remove, reason)
        if token is not None:
            secret = _token(opened, token, role)
        found = opened.store.holders()
    plain = [
        {"id": each.id, "name": each.name, "roles": list(each.roles), "active": each.active}
        for each in found
    ]
    outputs.show(
        lambda: {"holders": plain, **({} if secret is None else {"token": secret})},
        lambda: _show_holders(plain, secret),
    )


def _show_holders(found: list[dict[str, Any]], secret: str | None) -> None:
    show_table(
        "repository.client.holders",
        [
            [each["name"], each["id"], ", ".join(each["roles"]), _yes_no(each["active"])]
            for each in found
        ],
    )
    if secret is not None:
        tell(say("repository.client.token", token=secret))


def _yes_no(value: bool) -> str:
    return say("screen.yes" if value else "screen.no")


def _add(
    repository: Repository, name: str, public_key: str | None, roles: list[str] | None, contact: str
) -> None:
    from singleout.io.yaml.file import Origin, checked
    from singleout.repository.documents.bodies import HolderEntry

    if public_key is None:
        raise BadChoice(
            "Give the public key with --public-key; its owner sees it by: singleout repository keys"
        )
    values = {
        "name": name,
        "public_key": public_key,
        "roles": roles or ["holder"],
        "contact": contact,
    }
    repository.submit(checked(HolderEntry, values, Origin("holder")))


def _remove(repository: Repository, holder: str, reason: str | None) -> None:
    from singleout.io.yaml.file import Origin, checked
    from singleout.repository.documents.bodies import HolderRemoval

    values = {"holder": holder, "reason": _given(reason)}
    repository.submit(checked(HolderRemoval, values, Origin("removal")))


def _token(repository: Repository, name: str, roles: list[str] | None) -> str:
    from singleout.io.yaml.file import Origin, checked
    from singleout.repository.documents.bodies import TokenEntry
    from singleout.repository.service.access import new_token, token_hash

    secret = new_token()
    values = {"name": name, "token_hash": token_hash(secret), "roles": roles or ["reader"]}
    repository.submit(checked(TokenEntry, values, Origin("token")))
    return secret


def _given(reason: str | None) -> str:
    if not reason:
        raise BadChoice("Say why with --reason; everybody can read it.")
    return reason


# ---- records that are not agreed on


def moderate(
    repository: shared.RepositoryArgument,
    record: Annotated[
        str | None, typer.Argument(metavar="[RECORD]", help="The id of a record to rule on.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            "--state",
            metavar="valid|quarantined",
            help="Let the record count, or set it apart.",
        ),
    ] = None,
    choose: Annotated[
        bool,
        typer.Option(
            "--choose", help="End the dispute about the record's population by this record."
        ),
    ] = False,
    reason: Reason = None,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Show records that are quarantined or disputed; as moderator, rule on one."""
    outputs = Outputs(json=json)
    with shown_if_slow(), shared.opened(repository, key=key) as opened:
        if record is not None:
            receipt = _ruled(opened, record, state, choose, _given(reason))
            outputs.show(receipt.to_dict, lambda: tell(_said(receipt)))
            return
        if state is not None or choose:
            raise BadChoice("Name the record to rule on.")
        waiting = list(_waiting(opened))
    outputs.show(
        lambda: {"records": [each.to_dict() for each in waiting]}, lambda: _show_waiting(waiting)
    )


def _ruled(
    repository: Repository, record: str, state: str | None, choose: bool, reason: str
) -> Receipt:
    if (state is None) == (not choose):
        raise BadChoice("Say either --state valid|quarantined or --choose.")
    if state is not None:
        if state not in ("valid", "quarantined"):
            raise BadChoice(f"--state {state!r} is none that can be given: valid or quarantined.")
        return repository.rule(record, state, reason)
    content = repository.content(record)
    return repository.resolve(content, content, reason)


def _waiting(repository: Repository) -> Iterator[StoredRecord]:
    """Yield the records whose state is not settled."""
    for entry in repository.store.entries(0, repository.head().size):
        leaf = json_reader.loads(entry["leaf"] if isinstance(entry, dict) else entry.leaf)
        if leaf.get("record") is None:
            continue
        try:
            found = repository.record(leaf["record"])
        except SingleoutError:  # one that may not be read, or was withdrawn
            continue
        if found.state in ("quarantined", "disputed"):
            yield found


def _show_waiting(waiting: list[StoredRecord]) -> None:
    if not waiting:
        tell(say("repository.client.settled"))
        return
    show_table(
        "repository.client.waiting",
        [
            [each.id, each.state, shared.about(each.record), " ".join(each.reasons)]
            for each in waiting
        ],
    )


def dispute(
    repository: shared.RepositoryArgument,
    record: RecordId,
    reason: Reason = None,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Say that a record is wrong, and why; queries then show it beside others."""
    with shown_if_slow(), shared.opened(repository, key=key) as opened:
        receipt = opened.dispute(record, _given(reason))
    Outputs(json=json).show(receipt.to_dict, lambda: tell(_said(receipt)))


def withdraw(
    repository: shared.RepositoryArgument,
    record: RecordId,
    reason: Reason = None,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Take a record of yours back; only its hash is kept."""
    with shown_if_slow(), shared.opened(repository, key=key) as opened:
        receipt = opened.withdraw(record, _given(reason))
    Outputs(json=json).show(receipt.to_dict, lambda: tell(_said(receipt)))


def _said(receipt: Receipt) -> str:
    return say("repository.client.accepted", index=receipt.index, size=receipt.head.size)
