"""Keys of a repository that followed each other: the new one is announced by the old one.

The announcement is an entry of the log, signed by the key that it replaces. Heads of the tree with
that entry are signed by the new key, earlier ones by the old key. Whoever remembers the old key
follows the announcements to the new one, and refuses a key that none of them leads to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singleout.errors import BadSubmission, StoreChanged
from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.keys import is_signed, key_id, read_public_key, read_signature
from singleout.repository.log.merkle import is_included, leaf_hash

__all__ = ["KIND", "AnnouncedKey", "announced_by", "check_announced"]

KIND = "key-rotation/1"


@dataclass(frozen=True)
class AnnouncedKey:
    """An announcement: its entry, and the proof that it is in the tree."""

    index: int
    leaf: bytes
    submission: bytes
    proof: tuple[bytes, ...]

    @property
    def old_key(self) -> str:
        """The id of the key that was replaced."""
        return key_id(read_public_key(str(json.loads(self.submission)["body"]["previous"])))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "index": self.index,
            "leaf": self.leaf.decode(),
            "submission": self.submission.decode(),
            "proof": [node.hex() for node in self.proof],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AnnouncedKey:
        """Return the announcement of plain values."""
        return cls(
            int(values["index"]),
            str(values["leaf"]).encode(),
            str(values["submission"]).encode(),
            tuple(map(bytes.fromhex, values["proof"])),
        )


def announced_by(submission: Mapping[str, Any], key: str) -> bytes:
    """Return the public key that a submission announces, signed by the key of an id.

    Raises
    ------
    StoreChanged
        If it is no announcement, or was not signed by that key.
    """
    try:
        body = submission["body"]
        unsigned = {name: value for name, value in submission.items() if name != "signature"}
        old, new = (read_public_key(str(body[name])) for name in ("previous", "public_key"))
        signature = read_signature(str(submission["signature"]))
        right = body["kind"] == KIND and submission["by"] == key == key_id(old)
    except (KeyError, TypeError, ValueError, BadSubmission):
        raise StoreChanged("The announcement of a new key cannot be read.") from None
    if not right or not is_signed(canonical(unsigned), signature, old):
        raise StoreChanged(f"The announcement of a new key is not signed by {key}.")
    return new


def check_announced(
    old_key: str,
    old_size: int,
    new_key: str,
    tree: tuple[int, bytes],
    announcements: Sequence[AnnouncedKey],
) -> None:
    """Check that announcements lead from a key to another one.

    Parameters
    ----------
    old_key, old_size
        The key that signed the head seen before, and the size of its tree.
    new_key
        The key that signs now.
    tree
        The size and the root of the tree now.
    announcements
        Those of the log.

    Raises
    ------
    StoreChanged
        If they do not lead there, or one is not in the tree.
    """
    key = old_key
    for one in sorted(announcements, key=lambda each: each.index):
        if one.index < old_size:  # the head seen before is of a later key
            continue
        try:
            leaf = json.loads(one.leaf)
            submission = json.loads(one.submission)
            same = leaf["index"] == one.index and leaf["submission"] == _hash(submission)
        except (ValueError, KeyError, TypeError):
            same = False
        size, root = tree
        if not same or not is_included(leaf_hash(one.leaf), one.index, size, one.proof, root):
            raise StoreChanged(
                f"Entry {one.index} is said to announce a new key, and is not in the log.",
                one.index,
            )
        key = key_id(announced_by(submission, key))
    if key != new_key:
        raise StoreChanged(
            f"This log is signed by {new_key}; the one seen before, of {old_size} entries, was "
            f"signed by {old_key}, which announced no such key: it is another repository."
        )


def _hash(submission: Any) -> str:
    return f"sha256:{hashlib.sha256(canonical(submission)).hexdigest()}"
