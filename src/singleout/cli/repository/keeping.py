"""`singleout repository init|serve|verify|keys`: make a repository, keep it, and prove it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.repository import shared
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.paths import expanded
from singleout.errors import NoRepository, StoreChanged
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository
    from singleout.repository.log.heads import SignedHead

__all__ = ["init", "keys", "serve", "verify"]


def init(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A new file, or the URL of an empty PostgreSQL database."
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="What people call it; the name of the file if absent.")
    ] = "",
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="For others too: with registered holders, minima and a ledger. Your key is that "
            "of its administrator.",
        ),
    ] = False,
    seed: Annotated[
        bool, typer.Option("--seed", help="Fill it with the records that come with singleout.")
    ] = False,
    key: shared.KeyFile = None,
    json: options.Json = False,
) -> None:
    """Make a new repository in a file.

    It is personal unless --public is given: for yourself, without registered holders, minima and a
    ledger. Its own key is written beside it, to FILE.key; keep it safe.
    """
    from singleout.repository.client.repository import Repository

    outputs = Outputs(json=json)
    with shown_if_slow():
        made = Repository.init(file, name=name, personal=not public, key=key, seed=seed)
        head = made.head()
    kind = "public" if public else "personal"
    outputs.show(
        lambda: {
            "repository": made.location,
            "name": made.name,
            "personal": made.personal,
            "key": head.key,
            "size": head.size,
        },
        lambda: tell(
            say(f"repository.client.made.{kind}", file=file, id=head.key),
            *([say("repository.client.made.seed", entries=head.size)] if seed else []),
        ),
    )
    made.close()


def serve(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file, or the URL of a PostgreSQL database.")
    ],
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; this machine only if not given.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 for any that is free.")] = 8718,
    workers: Annotated[
        int, typer.Option("--workers", help="How many processes answer; for PostgreSQL.")
    ] = 1,
    audit: Annotated[
        Path | None, typer.Option("--audit", metavar="FILE", help="Where the audit log goes.")
    ] = None,
    repository_key: Annotated[
        Path | None,
        typer.Option(
            "--repository-key", metavar="FILE", help="The repository's own key; FILE.key if absent."
        ),
    ] = None,
    trusted_proxies: Annotated[
        str | None,
        typer.Option(
            "--trusted-proxies",
            metavar="A,B",
            help="Addresses of reverse proxies whose word on the caller's address is taken.",
        ),
    ] = None,
    demand: Annotated[
        bool,
        typer.Option(
            "--demand/--no-demand",
            help="Count combinations of attributes that are asked for without an answer.",
        ),
    ] = True,
    require_vocabulary: Annotated[
        bool | None,
        typer.Option(
            "--require-vocabulary/--no-require-vocabulary",
            help="Refuse records whose number of possible cells is not from a vocabulary; so by "
            "default with --trusted-proxies, or if others than this machine can connect.",
        ),
    ] = None,
) -> None:
    """Serve a repository over HTTP, under /v1, until it is stopped."""
    from singleout.repository.service.serve import serve as run
    from singleout.repository.service.settings import ServiceSettings

    settings = ServiceSettings(
        audit=audit, key_file=repository_key, require_vocabulary=require_vocabulary, demand=demand
    )
    shared.opened(file).close()  # what cannot be opened is said at once
    tell(say("repository.client.serving", file=file, host=host, port=port))
    run(
        file,
        host=host,
        port=port,
        workers=workers,
        settings=settings,
        trusted_proxies=trusted_proxies,
    )


def verify(
    repository: shared.RepositoryArgument,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Forget what was seen of it before: it was replaced, and you know why.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Check that nothing in a repository was changed or removed.

    A file is checked whole, offline, and against the last signed head that was seen here. Of a
    service, its head and that your own records are still there; a mirror checks the rest. Exit code
    1 if something was changed; one sentence names the entry.
    """
    from singleout.repository.client.http import base_url, is_url
    from singleout.repository.log.heads import RememberedHeads

    outputs = Outputs(json=json)
    with shown_if_slow():
        if trust:
            where = base_url(repository) if is_url(repository) else _absolute(repository)
            RememberedHeads().forget(where)
        try:
            with shared.opened(repository) as opened:
                head = opened.verify()
                sealed = _is_sealed(opened)
        except NoRepository as error:
            raise StoreChanged(f"The file was changed, or is no repository: {error}") from None
    outputs.show(
        lambda: {
            "repository": repository,
            "verified": True,
            "sealed": sealed,
            "head": head.model_dump(),
        },
        lambda: _tell_verified(head, sealed),
    )


def _is_sealed(repository: Repository) -> bool | None:
    """Return whether every byte of a file was compared; None of what is no file."""
    from singleout.repository.store.store import Store

    store = repository.store
    if isinstance(store, Store) and isinstance(store.target, Path):
        return store.is_sealed()
    return None


def _tell_verified(head: SignedHead, sealed: bool | None) -> None:
    from singleout.repository.store.kept.seal import LARGEST_SEALED

    tell(say("repository.client.verified", n=head.size, root=head.root[:16], time=head.time))
    if sealed is False:
        tell(say("repository.client.unsealed", largest=LARGEST_SEALED // 2**20))


def _absolute(path: str) -> str:
    return str(expanded(path).absolute()) if "://" not in path else path


def keys(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The file of a key; your own if absent."),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Make a new key in FILE; none is ever overwritten.")
    ] = False,
    rotate: Annotated[
        str | None,
        typer.Option(
            "--rotate",
            metavar="REPOSITORY",
            help="Replace the repository's own key: the old one announces the new one in the log.",
        ),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why, with --rotate.")] = "",
    json: options.Json = False,
) -> None:
    """Show your key: its id and its public part, which an administrator registers.

    Whoever has the file can publish in your name, and can remove the noise from what you published.
    With --rotate, the key of a repository is replaced instead; FILE is where it is, if not beside
    the repository. Stop the service before, and start it again with the new key.
    """
    if rotate is not None:
        _rotate(rotate, file, reason, Outputs(json=json))
        return
    from singleout.repository.documents.keys import HolderKey, default_key_file

    path = default_key_file() if file is None else expanded(file)
    if new:
        HolderKey.make().save(path)
    key = HolderKey.default() if file is None else HolderKey.load(path)
    Outputs(json=json).show(
        lambda: {"file": str(path), "id": key.id, "public_key": key.public},
        lambda: tell(say("repository.client.key", file=path, id=key.id, public=key.public)),
    )


def _rotate(repository: str, file: Path | None, reason: str, outputs: Outputs) -> None:
    from singleout.repository.store.rotate import rotate

    with shared.opened(repository) as opened:
        opened.head()  # what is signed by another key than announced is said before
    done = rotate(repository, key_file=file, reason=reason)
    outputs.show(
        lambda: {
            "old": done.old,
            "new": done.new,
            "file": str(done.file),
            "old_file": str(done.old_file),
            "head": done.head.model_dump(),
        },
        lambda: tell(
            say(
                "repository.client.rotated",
                old=done.old,
                new=done.new,
                index=done.head.size - 1,
                file=done.file,
                old_file=done.old_file,
            )
        ),
    )
