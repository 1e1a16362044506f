"""Signed tree heads, and those that were seen before: an older copy or a fork shows.

A repository signs the size and the root of its log. Whoever remembers one head can ask for a proof
that a later one continues it. A store that was restored from a backup, or that shows different
histories to different people, has no such proof.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from singleout.core.paths import expanded
from singleout.errors import StoreChanged, UnwritableOutput
from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.keys import is_signed, key_id, read_signature
from singleout.repository.log.merkle import is_consistent
from singleout.repository.log.rotation import AnnouncedKey, check_announced

if TYPE_CHECKING:
    from singleout.repository.documents.keys import HolderKey

__all__ = ["RememberedHeads", "SignedHead", "check_continues"]

Prove = Callable[[int, int], Sequence[bytes]]
Announced = Callable[[], Sequence[AnnouncedKey]]


class SignedHead(BaseModel):
    """The size and the root of a log, signed by its repository.

    Parameters
    ----------
    size
        The number of entries.
    root
        The root of their tree, in hexadecimal.
    time
        When it was signed, in UTC.
    key
        The id of the key that signed it.
    signature
        Ed25519 over the canonical JSON of the other fields, in base64url.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["head/1"] = "head/1"
    size: int
    root: str
    time: str
    key: str
    signature: str

    @classmethod
    def sign(cls, size: int, root: bytes, time: str, key: HolderKey) -> SignedHead:
        """Return a head with its signature."""
        head = cls(size=size, root=root.hex(), time=time, key=key.id, signature="")
        return head.model_copy(update={"signature": key.sign(head.statement())})

    def statement(self) -> bytes:
        """Return what is signed."""
        return canonical(self.model_dump(exclude={"signature"}))

    def check(self, public_key: bytes) -> None:
        """Verify the signature.

        Raises
        ------
        StoreChanged
            If the head was not signed by this key.
        """
        signature = read_signature(self.signature)
        if key_id(public_key) != self.key or not is_signed(self.statement(), signature, public_key):
            raise StoreChanged(
                f"The tree head of {self.size} entries was not signed by {self.key}: the head or "
                "the key was changed."
            )


def check_continues(
    old: SignedHead, new: SignedHead, prove: Prove, announced: Announced = lambda: ()
) -> None:
    """Check that a log continues the one that was seen before.

    Parameters
    ----------
    old, new
        The remembered head and the current one, both with valid signatures.
    prove
        A function of two sizes that returns the consistency proof between them.
    announced
        A function that returns the keys that the new log announces.

    Raises
    ------
    StoreChanged
        If entries are missing, or other ones are there than before.
    """
    if new.key != old.key:
        tree = new.size, bytes.fromhex(new.root)
        check_announced(old.key, old.size, new.key, tree, announced())
    if new.size < old.size:
        raise StoreChanged(
            f"This log has {new.size} entries; {old.size} were seen on {old.time}: it is an older "
            "copy, and what was published since is missing.",
            new.size,
        )
    proof = prove(old.size, new.size) if 0 < old.size < new.size else ()
    roots = bytes.fromhex(old.root), bytes.fromhex(new.root)
    if not is_consistent(old.size, new.size, *roots, proof):
        raise StoreChanged(
            f"This log does not continue the one of {old.size} entries seen on {old.time}: an "
            "entry before that was changed or replaced."
        )


class RememberedHeads:
    """The last head seen of each repository, in a small file.

    Parameters
    ----------
    path
        The file; ``heads.json`` in the user's state folder by default.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = expanded(path) if path is not None else _default()

    def get(self, location: str) -> SignedHead | None:
        """Return the last head seen of the repository at a path or URL, if any."""
        found = self._read().get(location)
        try:
            return None if found is None else SignedHead.model_validate(found)
        except ValidationError:
            raise StoreChanged(
                f"The remembered head of {location} in {self.path} cannot be read; remove it there "
                "to trust the repository anew."
            ) from None

    def check(
        self,
        location: str,
        head: SignedHead,
        prove: Prove,
        announced: Announced = lambda: (),
    ) -> None:
        """Check that a head continues the one remembered, and remember it."""
        old = self.get(location)
        if old is not None:
            check_continues(old, head, prove, announced)
        if old is None or head.size > old.size:
            self.remember(location, head)

    def remember(self, location: str, head: SignedHead) -> None:
        """Remember a head whatever was seen before."""
        with self._changed() as heads:
            heads[location] = head.model_dump()

    def forget(self, location: str) -> None:
        """Forget what was seen of a repository."""
        if location in self._read():
            with self._changed() as heads:
                heads.pop(location, None)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise StoreChanged(
                f"The remembered heads in {self.path} cannot be read; remove the file to trust "
                "repositories anew."
            )
        return found

    @contextlib.contextmanager
    def _changed(self) -> Iterator[dict[str, Any]]:
        """Give the heads to change, and replace the file at once."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_name(self.path.name + ".lock")):
                heads = self._read()
                yield heads
                _replace(self.path, json.dumps(heads, indent=1, sort_keys=True))
        except OSError as error:
            raise UnwritableOutput(
                f"The heads seen cannot be remembered in {self.path}: {error.strerror}."
            ) from error


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        with contextlib.suppress(ImportError):  # not on Windows
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)


def _default() -> Path:
    given = os.environ.get("SINGLEOUT_STATE")
    if given:
        return expanded(given) / "heads.json"
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.local/state"
    return expanded(base) / "singleout" / "heads.json"
