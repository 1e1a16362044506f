"""What is forged, replayed, expired, malformed or not allowed is refused, and leaves no trace."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from store_cases import (
    ADMINISTRATOR,
    ALICE,
    BOB,
    MODERATOR,
    REPOSITORY,
    STRANGER,
    Place,
    body,
    record,
    send,
)

from singleout.errors import BadSubmission, NotAllowed, NotPublishable, SingleoutError
from singleout.repository.documents.submission import Submission


def tampered(submission: Submission, **fields: Any) -> dict[str, Any]:
    return {**submission.model_dump(mode="json"), **fields}


def test_a_submission_is_taken_once(place: Place) -> None:
    store = place.create()
    signed = Submission.sign(record(), ALICE)
    receipt = store.append(signed)
    with pytest.raises(BadSubmission, match=f"received before, as entry {receipt.index}"):
        store.append(signed)
    with pytest.raises(BadSubmission, match="is here already"):
        send(store, record())  # a new signature of the same record
    assert store.size == receipt.index + 1
    assert store.has_received(signed)
    store.verify()


def test_what_is_changed_after_signing_is_refused(file_place: Place) -> None:
    store = file_place.create()
    signed = Submission.sign(record(), ALICE)
    other = record({"City": "Urk"})
    later = (datetime.now(UTC) + timedelta(minutes=50)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for change in (
        {"body": other.to_dict()},
        {"nonce": "0" * 32},
        {"expires": later},
        {"signature": "A" * 86},
        {"by": BOB.id},
    ):
        with pytest.raises(BadSubmission, match="The signature is not that of"):
            store.append(tampered(signed, **change))
    with pytest.raises(NotAllowed, match="is not registered here"):
        store.append(tampered(signed, by=STRANGER.id))
    assert store.size == 5


def test_what_is_late_or_from_the_future_is_refused(file_place: Place) -> None:
    store = file_place.create()
    now = datetime.now(UTC)
    signed = Submission.sign(record(), ALICE)
    with pytest.raises(BadSubmission, match="expired at"):
        store.append(signed, now=now + timedelta(hours=2))
    with pytest.raises(BadSubmission, match="in the future"):
        store.append(signed, now=now - timedelta(hours=2))
    assert store.append(signed, now=now + timedelta(minutes=1)).state == "valid"


def test_time_never_goes_back_in_the_log(file_place: Place) -> None:
    store = file_place.create()
    now = datetime.now(UTC)
    send(store, record(), now=now + timedelta(minutes=3))
    send(store, record({"City": "Urk"}), now=now)
    times = [json.loads(one.leaf)["time"] for one in store.entries()]
    assert times == sorted(times)
    store.verify()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"body": {}}', '{"kind": "submission/1"}', b"\xff\xfe"],
)
def test_what_is_no_submission_is_refused(file_place: Place, text: Any) -> None:
    store = file_place.create()
    with pytest.raises(SingleoutError):
        store.append(text)
    assert store.size == 5


def test_a_truncated_submission_is_refused(file_place: Place) -> None:
    store = file_place.create()
    text = json.dumps(Submission.sign(record(), ALICE).model_dump(mode="json"))
    for end in range(0, len(text), 97):
        with pytest.raises(BadSubmission):
            store.append(text[:end])
    store.append(text)


def test_a_holder_publishes_its_own_records_only(place: Place) -> None:
    store = place.create()
    with pytest.raises(NotAllowed, match="a holder publishes its own records"):
        send(store, record(holder=ALICE), BOB)
    with pytest.raises(NotAllowed, match="names the holder 'nobody'"):
        send(store, record(holder=None), ALICE)
    with pytest.raises(NotAllowed, match="is not registered here"):
        send(store, record(holder=STRANGER), STRANGER)
    assert store.size == 5


def test_roles_contain_each_other_and_nobody_acts_above_its_own(file_place: Place) -> None:
    store = file_place.create()
    reader = body("holder", name="R", public_key=STRANGER.public, roles=["reader"])
    for by in (ALICE, MODERATOR):
        with pytest.raises(NotAllowed, match="needs the role administrator"):
            send(store, reader, by)
    send(store, reader, ADMINISTRATOR)
    with pytest.raises(NotAllowed, match="needs the role holder, and it has reader"):
        send(store, record(holder=STRANGER), STRANGER)
    assert send(store, record(holder=ADMINISTRATOR), ADMINISTRATOR).state == "valid"
    token = body("token", token_hash="00" * 32, name="T")
    with pytest.raises(NotAllowed, match="may not give tokens"):
        send(store, token, ALICE)


def test_who_was_removed_submits_nothing_and_what_was_submitted_still_verifies(
    place: Place,
) -> None:
    store = place.create()
    sent = record()
    send(store, sent)
    send(store, body("holder-removal", holder=ALICE.id, reason="left"), ADMINISTRATOR)
    with pytest.raises(NotAllowed, match="is not registered here"):
        send(store, record({"City": "Urk"}))
    assert not store.holder(ALICE.id).active
    assert store.record(sent.id).state == "valid"
    with pytest.raises(BadSubmission, match="there is nobody to remove"):
        send(store, body("holder-removal", holder=ALICE.id, reason="left"), ADMINISTRATOR)
    send(store, body("holder", name="Alice", public_key=ALICE.public), ADMINISTRATOR)
    assert send(store, record({"City": "Urk"})).state == "valid"
    store.verify()


def test_the_first_entry_is_never_written_again(file_place: Place) -> None:
    store = file_place.create()
    first = body("repository", name="Mine", personal=True, public_key=REPOSITORY.public)
    with pytest.raises(BadSubmission, match="by its first entry only"):
        send(store, first, REPOSITORY)


def test_a_vocabulary_must_be_there_before_its_records(file_place: Place) -> None:
    store = file_place.create()
    with pytest.raises(BadSubmission, match="submit it first"):
        send(store, record(vocabulary="sha256:" + "1" * 64))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"tier": "none"}, "did not go through the gate"),
        ({"size": 9}, "About 900 people; public records need 1,000"),
        ({"size": 2, "tier": "registered"}, "registered records need 250"),
        ({"tier": "registered", "access": "public"}, "cannot be open to everybody"),
        ({"gate": {"tier": "public", "price": 0.25, "cost": 0.01}}, "states a cost of 0.01"),
        ({"gate": {"tier": "public", "price": 0.5, "cost": 0.5}}, "states a cost of 0.5"),
    ],
)
def test_a_public_repository_refuses_what_the_gate_would_not_let_through(
    place: Place, fields: dict[str, Any], sentence: str
) -> None:
    store = place.create()
    with pytest.raises(NotPublishable, match=sentence):
        send(store, record({"City": "Urk"}, **fields))
    assert store.size == 5
    store.verify()
