"""Submissions that must not be taken: each gets a 4xx and one sentence, and leaves no entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from service_cases import Client, People, client, made, record, relaxed

from singleout.repository.documents.bodies import (
    Dispute,
    HolderEntry,
    Resolution,
    Ruling,
    TokenEntry,
    VocabularyEntry,
    Withdrawal,
)
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary

_cities = count()


@dataclass
class Door:
    asks: Client
    people: People

    @property
    def size(self) -> int:
        return int(self.asks.get("/log/head").json()["size"])

    def record(self, by: str = "holder", **changes: Any) -> Record:
        return record(self.people.keys[by], f"Door {next(_cities)}", **changes)

    def refuses(
        self, body: Any, status: int, *words: str, path: str = "/submissions"
    ) -> dict[str, Any]:
        """Check that something is refused with one sentence that has these words."""
        before = self.size
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.asks("POST", path, content=content)
        problem = dict(answer.json())
        assert answer.status_code == status, problem
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert problem["status"] == status
        assert problem["detail"].strip().endswith((".", "?"))
        for word in words:
            assert word in problem["detail"]
        assert self.size == before
        return problem


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def door(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp(request.param)
    target = str(folder / "store.sqlite")
    if request.param == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_database")
        target = make()
    people = made(target, folder)
    with client(target, relaxed(folder)) as asks:
        yield Door(asks, people)


# ---- signatures


def test_a_body_changed_after_it_was_signed_is_refused(door: Door) -> None:
    signed = door.people.submission(door.record())
    signed["body"]["numbers"]["kappa"] = 0.05
    assert door.refuses(signed, 422, "signature")["error"] == "BadSubmission"


def test_a_signature_of_another_key_is_refused(door: Door) -> None:
    mine = door.record()
    signed = door.people.submission(mine, "other")
    door.refuses({**signed, "by": door.people.keys["holder"].id}, 422, "signature")


@pytest.mark.parametrize("field", ["nonce", "issued", "expires"])
def test_every_signed_field_is_protected(door: Door, field: str) -> None:
    signed = door.people.submission(door.record())
    later = (datetime.now(UTC) + timedelta(minutes=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    changed = {"nonce": 32 * "0", "issued": signed["expires"], "expires": later}
    door.refuses({**signed, field: changed[field]}, 422, "signature")


def test_a_submission_sent_twice_is_refused_the_second_time(door: Door) -> None:
    mine = door.record()
    signed = door.people.submission(mine)
    assert door.asks.post("/submissions", signed).status_code == 201
    door.refuses(signed, 422, "received before")
    door.refuses(door.people.submission(mine), 422, "already")  # signed anew, the same record


def test_a_nonce_is_used_once_whatever_the_body(door: Door) -> None:
    from singleout.repository.documents.canonical import canonical

    signed = door.people.submission(door.record())
    assert door.asks.post("/submissions", signed).status_code == 201
    again = {**door.people.submission(door.record()), "nonce": signed["nonce"]}
    del again["signature"]
    again["signature"] = door.people.keys["holder"].sign(canonical(again))
    door.refuses(again, 422, "received before")


@pytest.mark.parametrize(
    ("minutes", "word"), [(-30, "expired"), (30, "future")], ids=["expired", "future"]
)
def test_a_submission_is_taken_in_its_time_only(door: Door, minutes: int, word: str) -> None:
    when = datetime.now(UTC) + timedelta(minutes=minutes)
    door.refuses(door.people.submission(door.record(), now=when), 422, word)


def test_a_submission_that_lives_for_a_day_is_refused(door: Door) -> None:
    signed = door.people.submission(door.record(), lifetime=timedelta(days=1))
    door.refuses(signed, 422, "hour")


# ---- who


def test_a_key_that_is_not_registered_may_not_publish(door: Door) -> None:
    stranger = HolderKey.make()
    signed = Submission.sign(record(stranger, "Nowhere"), stranger)
    problem = door.refuses(signed.model_dump(mode="json"), 403, "not registered")
    assert problem["error"] == "NotAllowed"


def test_a_holder_may_not_publish_in_the_name_of_another(door: Door) -> None:
    door.refuses(door.people.submission(door.record("other"), "holder"), 403, "holder")


def test_a_holder_may_not_change_the_record_of_another(door: Door) -> None:
    mine = door.record()
    assert door.asks.post("/submissions", door.people.submission(mine)).status_code == 201
    theirs = Record.of(
        {**mine.to_dict(), "holder": door.people.keys["other"].id, "supersedes": mine.id}
    )
    door.refuses(door.people.submission(theirs, "other"), 403)
    withdrawal = Withdrawal(record=mine.id, reason="I do not like it.")
    door.refuses(door.people.submission(withdrawal, "other"), 403)


@pytest.mark.parametrize("by", ["reader", "holder"])
def test_roles_are_needed(door: Door, by: str) -> None:
    mine = door.record()
    assert door.asks.post("/submissions", door.people.submission(mine)).status_code == 201
    key = HolderKey.make()
    bodies = [
        Ruling(record=mine.id, state="quarantined", reason="no"),
        Resolution(key=mine.key, chosen=mine.id, reason="no"),
        HolderEntry(name="a friend", public_key=key.public, roles=("administrator",)),
        TokenEntry(token_hash=64 * "0", name="a friend", roles=("administrator",)),
    ]
    if by == "reader":
        bodies += [door.record("reader"), Dispute(record=mine.id, reason="no")]
    for body in bodies:
        door.refuses(door.people.submission(body, by), 403, "role")


def test_a_moderator_registers_nobody(door: Door) -> None:
    body = HolderEntry(name="a friend", public_key=HolderKey.make().public)
    door.refuses(door.people.submission(body, "moderator"), 403, "administrator")


# ---- what


def test_a_truncated_submission_is_refused(door: Door) -> None:
    whole = json.dumps(door.people.submission(door.record())).encode()
    for size in (0, 1, 2, len(whole) // 2, len(whole) - 1):
        door.refuses(whole[:size], 400, "JSON")


def test_an_oversized_submission_is_refused(door: Door) -> None:
    signed = door.people.submission(door.record())
    problem = door.refuses({**signed, "more": "x" * 300_000}, 413, "262,144")
    assert problem["title"] == "Content Too Large"
    door.refuses(b" " * 5_000_000, 413, "bytes")


def test_only_a_vocabulary_may_be_large(door: Door) -> None:
    values = [f"municipality {number}" for number in range(16_000)]
    words = Vocabulary.model_validate(
        {"name": "large", "version": "1", "attributes": {"city": {"values": {"in": values}}}}
    )
    signed = door.people.submission(VocabularyEntry(vocabulary=words))
    assert len(json.dumps(signed)) > 300_000
    assert door.asks.post("/submissions", signed).status_code == 201


def test_a_deeply_nested_body_is_refused_before_it_is_parsed(door: Door) -> None:
    door.refuses(b"[" * 100_000, 400, "32")
    door.refuses(b'{"a":' * 50 + b"1" + b"}" * 50, 400, "32")


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"null", b"[]", b'"text"', b"1", b"{}", b'{"body": {}}', b'{"a": 1, "a": 2}'),
        *(b"\xff\xfe", b'{"body": NaN}', b'{"body": 1e999}', b"{\x00}"),
        b'{"body": 123456789012345678901}',
    ],
    ids=repr,
)
def test_what_is_no_submission_is_refused(door: Door, content: bytes) -> None:
    answer = door.asks("POST", "/submissions", content=content)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"].endswith((".", "?"))


def test_a_body_of_an_unknown_kind_is_refused(door: Door) -> None:
    signed = door.people.submission(door.record())
    signed["body"]["kind"] = "gift/1"
    door.refuses(signed, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/json; charset=latin-1", ""])
def test_a_body_must_say_that_it_is_json(door: Door, kind: str) -> None:
    signed = json.dumps(door.people.submission(door.record())).encode()
    answer = door.asks("POST", "/submissions", content=signed, headers={"Content-Type": kind})
    assert answer.status_code == 415


# ---- the gate


def test_a_record_of_too_few_people_is_refused_with_reasons(door: Door) -> None:
    numbers = door.record().to_dict()["numbers"]
    few = door.record(numbers={**numbers, "people": 500})
    problem = door.refuses(door.people.submission(few), 422)
    assert problem["error"] == "NotPublishable"
    assert problem["reasons"]


def test_the_fifth_record_of_the_same_people_is_refused(door: Door) -> None:
    city = f"Door {next(_cities)}"
    for year in range(2020, 2024):
        one = record(door.people.keys["holder"], city, reference_date=f"{year}-01-01")
        answer = door.asks.post("/submissions", door.people.submission(one))
        assert answer.status_code == 201, answer.text
    fifth = record(door.people.keys["other"], city, reference_date="2025-01-01")
    problem = door.refuses(door.people.submission(fifth, "other"), 422, "budget")
    assert problem["error"] == "NotPublishable"


def test_a_record_that_did_not_pass_the_gate_is_refused(door: Door) -> None:
    personal = door.record(gate={"tier": "none", "price": 0, "cost": 0})
    assert door.refuses(door.people.submission(personal), 422)["error"] == "NotPublishable"
