"""Say that a record is wrong, take it back, or rule on it: signed, with a reason for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.web.repositories.opening import opened
from singleout.web.repositories.rows import receipt_of

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["CHANGES", "changed"]

CHANGES = ("dispute", "withdraw", "valid", "quarantined", "choose", "settle")


def changed(
    _: Held, where: Mapping[str, Any], identity: str, what: str, reason: str
) -> dict[str, Any]:
    """Change the state of a record; return the receipt. The repository decides who may."""
    with opened(where) as repository:
        if what == "dispute":
            receipt = repository.dispute(identity, reason)
        elif what == "withdraw":
            receipt = repository.withdraw(identity, reason)
        elif what in ("choose", "settle"):
            content = repository.content(identity)
            receipt = repository.resolve(content, content if what == "choose" else None, reason)
        else:
            receipt = repository.rule(identity, what, reason)
        return receipt_of(receipt)
