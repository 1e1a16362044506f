"""A copy of a repository in a file here: every entry is checked, and questions stay at home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from singleout.core.paths import expanded
from singleout.core.progress import working_on
from singleout.errors import BadChoice, StoreChanged
from singleout.repository.client.remote import RemoteStore
from singleout.repository.documents.canonical import canonical
from singleout.repository.log.heads import SignedHead
from singleout.repository.store.kept.stored import StoredEntry
from singleout.repository.store.store import Store

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository

__all__ = ["mirrored"]


def mirrored(repository: Repository, target: str | os.PathLike[str]) -> Repository:
    """Copy a repository to a file, or bring a copy up to date; return the copy."""
    from singleout.repository.client.repository import Repository

    head = repository.head()
    file = expanded(os.fspath(target))
    if str(file.absolute()) == repository.location:
        raise BadChoice(f"{os.fspath(target)!r} is the repository itself; choose another name.")
    working_on("Copying")
    if file.exists():
        with Store.open(file) as copy:
            before = {one.old_key for one in repository.store.rotations(head.size)}
            if copy.key_id not in (head.key, *before):
                raise BadChoice(
                    f"{os.fspath(target)!r} holds another repository; choose another name."
                )
            copy.extend(_entries(repository, copy.size, head), head)
    else:
        Store.copy(file, _entries(repository, 0, head), head).close()
    return Repository(file)


def _entries(repository: Repository, start: int, head: SignedHead) -> Iterator[StoredEntry]:
    store = repository.store
    if not isinstance(store, RemoteStore):
        yield from store.entries(start, head.size)
        return
    for index, entry in enumerate(store.entries(start, head.size), start):
        shown = dict(entry)
        try:
            submission = shown["submission"]
            if isinstance(submission, dict):
                shown["submission"] = canonical(submission).decode()
            yield StoredEntry.from_dict(shown)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise StoreChanged(
                f"Entry {index} of {repository.location} cannot be read.", index
            ) from None
