"""Carry a log from one place to another: a file of JSON lines, each entry with its proof.

The first line is the signed head. The other lines can be checked one by one, each against that
head, and together they make up the whole log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Engine, insert, select

from singleout.errors import BadSubmission, StoreChanged, UnreadableFile, UnwritableOutput
from singleout.repository.documents.keys import key_id, read_public_key
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.merkle import EMPTY_ROOT, inclusion_proof, is_included, leaf_hash
from singleout.repository.log.rotation import KIND, announced_by
from singleout.repository.store.appending import Growth, read_head
from singleout.repository.store.derived.tree import StoredTree
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.database import reading as reading_from
from singleout.repository.store.kept.database import writing
from singleout.repository.store.kept.entries import EntryLeaf, hash_of, read_leaf, read_outcome
from singleout.repository.store.kept.stored import StoredEntry

__all__ = ["Exported", "begin_copy", "export_log", "extend"]

_KIND = "export/1"


def export_log(engine: Engine, path: Path) -> SignedHead:
    """Write all entries with their proofs; return the head that they lead to."""
    try:
        with reading_from(engine) as connection, path.open("x", encoding="utf-8") as file:
            head = read_head(connection)
            owner = connection.execute(select(tables.repository)).mappings().one()
            first = {
                "kind": _KIND,
                "name": owner["name"],
                "public_key": owner["public_key"],
                "head": head.model_dump(),
            }
            file.write(json.dumps(first, ensure_ascii=False) + "\n")
            tree = StoredTree(connection)
            for entry in reading.entries(connection, 0, head.size):
                proof = inclusion_proof(tree.read_often, entry.index, head.size)
                line = {**entry.to_dict(), "proof": [node.hex() for node in proof]}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except FileExistsError:
        raise UnwritableOutput(f"There is a file {str(path)!r} already; choose another.") from None
    except OSError as error:
        raise UnwritableOutput(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    return head


class Exported:
    """A file that `export_log` wrote.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        first = next(self._lines(), {})
        try:
            if first["kind"] != _KIND:
                raise KeyError(_KIND)
            self.head = SignedHead.model_validate(first["head"])
            self.public_key = read_public_key(first["public_key"])
        except (KeyError, TypeError, ValidationError, BadSubmission):
            raise UnreadableFile(
                f"{str(path)!r} is no export of a repository; make one with: "
                "singleout repository export"
            ) from None
        self.head.check(self.public_key)

    def entries(self) -> Iterator[StoredEntry]:
        """Yield the entries, each of which its proof leads to the head."""
        lines = self._lines()
        next(lines)
        root = bytes.fromhex(self.head.root)
        for number, line in enumerate(lines):
            try:
                entry = StoredEntry.from_dict(line)
                proof = [bytes.fromhex(node) for node in line["proof"]]
            except (KeyError, TypeError, ValueError, AttributeError):
                raise StoreChanged(
                    f"Entry {number} of the export cannot be read.", number
                ) from None
            hashed = leaf_hash(entry.leaf)
            if entry.index != number or not is_included(
                hashed, number, self.head.size, proof, root
            ):
                raise StoreChanged(f"Entry {number} of the export was changed.", number)
            yield entry

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            with self.path.open(encoding="utf-8") as file:
                for number, line in enumerate(file):
                    try:
                        yield json.loads(line)
                    except ValueError:
                        raise StoreChanged(
                            f"Line {number + 1} of {str(self.path)!r} is no JSON."
                        ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableFile(f"{str(self.path)!r} cannot be read: {error}.") from error


def begin_copy(engine: Engine, head: SignedHead, *, mirror: bool) -> None:
    """Prepare an empty store for the entries of another."""
    empty = {"size": 0, "root": EMPTY_ROOT.hex(), "time": "", "signature": ""}
    with writing(engine) as connection:
        connection.execute(insert(tables.head), {"only": 1, "key": head.key, **empty})
        if mirror:
            connection.execute(insert(tables.mirror), {"only": 1, "of": head.key})


def extend(engine: Engine, entries: Iterable[StoredEntry], head: SignedHead) -> int:
    """Append entries of the same log as they are, up to a signed head; return how many are new.

    Raises
    ------
    StoreChanged
        If they do not continue what is here, or do not lead to the head; nothing is written then.
    """
    with writing(engine) as connection:
        before = read_head(connection)
        key = connection.scalar(select(tables.repository.c.public_key))
        growth = Growth(connection, before.size)
        for entry in entries:
            if entry.index < before.size:
                continue
            if entry.index != growth.size:
                raise StoreChanged(f"Entry {growth.size} is missing.", growth.size)
            growth.copy(_checked(entry), entry)
            key = _key_after(entry, key)
        if key is None or head.key != key_id(read_public_key(key)):
            raise StoreChanged(f"These entries are of another repository, {head.key}.")
        head.check(read_public_key(key))
        if growth.size < before.size or growth.size != head.size:
            raise StoreChanged(
                f"The head is of {head.size} entries, and there are {growth.size}.", growth.size
            )
        if growth.frontier.root().hex() != head.root:
            raise StoreChanged(
                f"The entries do not lead to the head of {head.size} entries: one was changed."
            )
        growth.finish(head)
    return growth.size - before.size


def _key_after(entry: StoredEntry, key: str | None) -> str | None:
    """Return the public key of the repository after an entry, which may announce another one."""
    if entry.submission is None or (key is not None and KIND.encode() not in entry.submission):
        return key
    submission = json.loads(entry.submission)
    body = submission["body"]
    if key is None:
        return str(body["public_key"]) if body["kind"] == "repository/1" else None
    if body["kind"] == KIND:
        announced_by(submission, key_id(read_public_key(key)))
        return str(body["public_key"])
    return key


def _checked(entry: StoredEntry) -> EntryLeaf:
    leaf = read_leaf(entry.index, entry.leaf)
    for data, expected in ((entry.outcome, leaf.outcome), (entry.submission, leaf.submission)):
        if data is not None and hash_of(data) != expected:
            raise StoreChanged(f"Entry {entry.index} was changed.", entry.index)
    if entry.outcome is not None:
        read_outcome(entry.index, entry.outcome)
    return leaf
