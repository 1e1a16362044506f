"""Submit here what holders signed for another repository."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from singleout.errors import NotPublishable
from singleout.report.say import say
from singleout.repository.documents.keys import key_id, read_public_key
from singleout.repository.documents.submission import Submission, read_time
from singleout.repository.log.rotation import KIND

if TYPE_CHECKING:
    from singleout.repository.store.store import Store
    from singleout.repository.store.transfer import Exported

__all__ = ["carry"]

# what can be said again elsewhere; each repository gives its own roles and tokens, and rules itself
_CARRIED = ("record/1", "vocabulary/1", "inventory/1", "decision/1")


def carry(store: Store, exported: Exported) -> int:
    """Append all that holders signed and that is not here yet; return how much that was."""
    keys: dict[str, bytes] = {}
    added = 0
    for entry in exported.entries():
        if entry.submission is None:
            continue
        submission = Submission.of(entry.submission)
        _learn(keys, submission.body)
        if submission.body["kind"] in _CARRIED and not store.has_received(submission):
            _append(store, submission, keys)
            added += 1
    return added


def _learn(keys: dict[str, bytes], body: dict[str, Any]) -> None:
    if body["kind"] in ("holder/1", "repository/1", KIND):
        public = read_public_key(body["public_key"])
        keys[key_id(public)] = public


def _append(store: Store, submission: Submission, keys: dict[str, bytes]) -> None:
    body = submission.body
    if body["kind"] == "record/1" and not store.personal and body["gate"]["tier"] == "none":
        raise NotPublishable(say("repository.store.no_gate"))
    public = store.public_key_of(submission.by, keys.get(submission.by))
    # it was in time where it was first submitted
    submission.check(public, read_time(submission.issued))
    store.append_checked(submission, datetime.now(UTC))
