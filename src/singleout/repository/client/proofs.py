"""Receipts are proofs: the entry is what was submitted, in a tree whose head was signed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from singleout.errors import StoreChanged
from singleout.repository.log.merkle import is_included, leaf_hash

if TYPE_CHECKING:
    from singleout.repository.documents.submission import Submission
    from singleout.repository.store.kept.stored import Receipt

__all__ = ["check_receipt"]


def check_receipt(receipt: Receipt, submission: Submission, public_key: bytes) -> None:
    """Check that a receipt proves that a submission is in the log.

    Raises
    ------
    StoreChanged
        If the head is not signed by the repository, the entry is not in its tree, or holds
        something else than what was submitted.
    """
    receipt.head.check(public_key)
    try:
        leaf = json.loads(receipt.leaf)
        same = leaf["index"] == receipt.index and leaf["submission"] == submission.hash
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise StoreChanged(
            f"Entry {receipt.index} of the receipt does not hold what was submitted.", receipt.index
        )
    root = bytes.fromhex(receipt.head.root)
    if not is_included(
        leaf_hash(receipt.leaf), receipt.index, receipt.head.size, receipt.proof, root
    ):
        raise StoreChanged(
            f"The receipt does not prove that entry {receipt.index} is in the log.", receipt.index
        )
