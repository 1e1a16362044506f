"""Rotate the key of a repository with its files: a crash at any step leaves a key that works."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from singleout.errors import BadChoice, UnwritableOutput
from singleout.repository.documents.keys import HolderKey
from singleout.repository.log.heads import SignedHead
from singleout.repository.store.kept.database import target_of
from singleout.repository.store.opening import Location, key_path, next_key_path
from singleout.repository.store.store import Store

__all__ = ["RotatedKey", "rotate"]


@dataclass(frozen=True)
class RotatedKey:
    """What became of the keys of a repository."""

    old: str
    new: str
    file: Path
    old_file: Path
    head: SignedHead


def rotate(target: Location, *, key_file: Location | None = None, reason: str = "") -> RotatedKey:
    """Replace the key of a repository by a new one, which the old one announces in the log.

    The new key is written beside the old one first, then announced, then takes its file; the old
    one is kept under its id.
    """
    path = key_path(target_of(target), key_file)
    if path is None or not path.exists():
        raise BadChoice(
            "The key of the repository is not here, so that it cannot be rotated; name its file "
            "with --repository-key."
        )
    before, following = HolderKey.load(path), next_key_path(path)
    new = HolderKey.load(following) if following.exists() else _made(following)
    with Store.open(target, key_file=path) as store:
        # an interrupted rotation may have announced it already
        head = store.head() if store.key_id == new.id else store.rotate_key(new, reason)
    kept = path.with_name(f"{path.name}.{before.id.removeprefix('ed25519:')[:12]}")
    try:
        path.rename(kept)
        following.rename(path)
    except OSError as error:
        raise UnwritableOutput(
            f"The new key was announced, and is in {str(following)!r}, since it cannot be renamed: "
            f"{error.strerror}."
        ) from None
    return RotatedKey(before.id, new.id, path, kept, head)


def _made(path: Path) -> HolderKey:
    key = HolderKey.make()
    key.save(path)
    return key
