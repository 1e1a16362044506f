"""What was seen of repositories before: signed heads, and receipts of one's own submissions."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.errors import StoreChanged, UnwritableOutput
from singleout.repository.log.heads import RememberedHeads, SignedHead
from singleout.repository.log.merkle import is_included, leaf_hash

if TYPE_CHECKING:
    from singleout.repository.store.kept.stored import Receipt
    from singleout.repository.store.store import Store

__all__ = ["check_head", "check_receipts", "keep_receipt", "remember", "verified"]


def check_head(store: Any) -> SignedHead:
    """Return the head of a store; it is signed, and continues the last one that was seen here."""
    head: SignedHead = store.head()
    head.check(store.public_key)
    with contextlib.suppress(UnwritableOutput):  # to remember is a service, not a condition
        RememberedHeads().check(
            store.location, head, store.consistency, lambda: store.rotations(head.size)
        )
    return head


def verified(store: Store) -> SignedHead:
    """Check a store in full, and that it continues the last head that was seen here."""
    head = store.verify(RememberedHeads().get(store.location))
    remember(store, head)
    return head


def remember(store: Any, head: SignedHead) -> None:
    """Remember a head that was checked, if it is later than the one that is remembered."""
    with contextlib.suppress(UnwritableOutput):
        heads = RememberedHeads()
        old = heads.get(store.location)
        if old is None or old.size < head.size:
            heads.remember(store.location, head)


# ---- receipts


def keep_receipt(location: str, receipt: Receipt) -> None:
    """Remember that an entry was acknowledged, so that its loss can be shown."""
    line = {"index": receipt.index, "leaf": leaf_hash(receipt.leaf).hex(), "id": receipt.id}
    with contextlib.suppress(OSError):
        file = _file(location)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def check_receipts(store: Any, head: SignedHead) -> int:
    """Check that everything that was acknowledged here is in the log; return how many entries."""
    number = 0
    for kept in _receipts(store.location):
        index, leaf = int(kept["index"]), bytes.fromhex(kept["leaf"])
        lost = index >= head.size
        if lost or not is_included(
            leaf, index, head.size, store.inclusion(index, head.size), bytes.fromhex(head.root)
        ):
            raise StoreChanged(
                f"Entry {index}, {kept['id']}, which you published, is no longer in the log.", index
            )
        number += 1
    return number


def _receipts(location: str) -> Iterator[dict[str, Any]]:
    try:
        lines = _file(location).read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):  # a line that was not finished
            yield json.loads(line)


def _file(location: str) -> Path:
    name = hashlib.sha256(location.encode()).hexdigest()[:24]
    return RememberedHeads().path.parent / "receipts" / f"{name}.jsonl"
