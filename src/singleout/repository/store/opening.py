"""How a store begins: its file or database, its key, and its first entry."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, insert

from singleout.core.paths import expanded
from singleout.errors import BadChoice, UnreadableFile
from singleout.repository.documents.bodies import RepositoryEntry
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.submission import Submission, time_text
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.merkle import EMPTY_ROOT
from singleout.repository.store.appending import Growth
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.database import Target, reading, writing
from singleout.repository.store.kept.entries import EntryOutcome
from singleout.repository.store.kept.migrate import upgrade, version_of

__all__ = [
    "Location",
    "claim",
    "first_entry",
    "key_path",
    "next_key_path",
    "own_key",
    "prepare",
    "shown",
]

Location = str | os.PathLike[str]


def shown(where: Target) -> str:
    """Return where a store is, without a password."""
    return str(where) if isinstance(where, Path) else where.render_as_string(hide_password=True)


def key_path(where: Target, given: Location | None) -> Path | None:
    """Return where the key of a repository is: as given, or beside its file."""
    if given is not None:
        return expanded(given)
    if isinstance(where, Path):
        return where.with_name(where.name + ".key")
    from_environment = os.environ.get("SINGLEOUT_REPOSITORY_KEY")
    return expanded(from_environment) if from_environment else None


def next_key_path(path: Path) -> Path:
    """Return where the next key is while the current one is rotated."""
    return path.with_name(path.name + ".next")


def own_key(path: Path | None, *, make: bool, wanted: str | None = None) -> HolderKey | None:
    """Return the key of a repository; None if it is not there and none is to be made.

    Where a rotation was interrupted after the new key was announced, the key that is ``wanted`` is
    still in the file of the next one.
    """
    if path is not None and path.exists():
        found = HolderKey.load(path)
        following = next_key_path(path)
        if wanted not in (None, found.id) and following.exists():
            other = HolderKey.load(following)
            return other if other.id == wanted else found
        return found
    if not make:
        return None
    if path is None:
        raise BadChoice(
            "A repository in a database needs a file for its key; give key_file, or set "
            "SINGLEOUT_REPOSITORY_KEY."
        )
    key = HolderKey.make()
    key.save(path)
    return key


def claim(path: Path) -> None:
    """Make the file, so that nobody else does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o644, exist_ok=False)
    except FileExistsError:
        raise BadChoice(f"There is a file at {str(path)!r} already; choose another name.") from None
    except OSError as error:
        raise UnreadableFile(
            f"The repository {str(path)!r} cannot be made: {error.strerror}."
        ) from None


def prepare(engine: Engine, where: Target) -> None:
    """Make the tables, where there are none."""
    with reading(engine) as connection:
        version = version_of(connection)
    if version is not None:
        raise BadChoice(f"{shown(where)} holds a repository already; choose another database.")
    upgrade(engine)


def first_entry(engine: Engine, key: HolderKey, name: str, *, personal: bool) -> None:
    """Write the entry that names the repository, signed by its own key."""
    now = datetime.now(UTC)
    entry = RepositoryEntry(name=name, personal=personal, public_key=key.public)
    empty = SignedHead.sign(0, EMPTY_ROOT, time_text(now), key)
    with writing(engine) as connection:
        connection.execute(insert(tables.head), {"only": 1, **empty.model_dump(exclude={"kind"})})
        growth = Growth(connection, 0)
        growth.append(Submission.sign(entry, key, now=now), EntryOutcome(), time_text(now))
        growth.close(key, time_text(now))
