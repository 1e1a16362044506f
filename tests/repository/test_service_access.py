"""Who may read what: tokens, roles, tiers, purposes; and what the audit log keeps of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from service_cases import Client, People, client, made, record, relaxed

from singleout.repository.documents.bodies import Dispute, TokenEntry
from singleout.repository.documents.record import Record
from singleout.repository.service.access import (
    Caller,
    KnownToken,
    matching,
    new_token,
    token_hash,
)

REGISTERED = {"tier": "registered", "price": 0.5, "cost": 0.5}


@dataclass
class Library:
    asks: Client
    people: People
    folder: Path
    records: dict[str, Record]

    def audit(self) -> list[dict[str, Any]]:
        lines = (self.folder / "audit.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A repository with one record of each access."""
    folder = tmp_path_factory.mktemp("library")
    people = made(folder / "store.sqlite", folder)
    holder = people.keys["holder"]
    records = {
        "public": record(holder, "Public"),
        "registered": record(holder, "Registered", access="registered", gate=REGISTERED),
        "holder": record(holder, "Private", access="holder", gate=REGISTERED),
    }
    with client(folder / "store.sqlite", relaxed(folder)) as asks:
        for one in records.values():
            answer = asks.post("/submissions", people.submission(one))
            assert answer.status_code == 201, answer.text
        said = Dispute(record=records["holder"].id, reason="The number is wrong.")
        assert asks.post("/submissions", people.submission(said, "other")).status_code == 201
        yield Library(asks, people, folder, records)


# by access: who reads it, with and without a purpose
MATRIX = {
    "public": {"anyone": 200, "reader": 200, "other": 200, "holder": 200, "moderator": 200},
    "registered": {"anyone": 401, "reader": 200, "other": 200, "holder": 200, "moderator": 200},
    "holder": {"anyone": 401, "reader": 403, "other": 403, "holder": 200, "moderator": 200},
}
WITHOUT_PURPOSE = {
    "public": {"reader": 200, "holder": 200, "moderator": 200},
    "registered": {"reader": 403, "holder": 200, "moderator": 403},
    "holder": {"reader": 403, "holder": 200, "moderator": 403},
}


@pytest.mark.parametrize("access", MATRIX)
def test_a_record_is_read_by_those_its_access_names(library: Library, access: str) -> None:
    path = f"/records/{library.records[access].id}"
    for who, status in MATRIX[access].items():
        sent = {} if who == "anyone" else library.people.headers(who)
        answer = library.asks.get(path, **sent)
        assert answer.status_code == status, (who, answer.text)
        for more in ("/history", "/disputes"):
            assert library.asks.get(path + more, **sent).status_code == status
    for who, status in WITHOUT_PURPOSE[access].items():
        sent = library.people.headers(who, purpose=None)
        assert library.asks.get(path, **sent).status_code == status, who


@pytest.mark.parametrize("access", MATRIX)
def test_questions_see_what_the_caller_may_read(library: Library, access: str) -> None:
    mine = library.records[access]
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": mine.population.to_dict()}
    for who, status in MATRIX[access].items():
        sent = {} if who == "anyone" else library.people.headers(who)
        found = library.asks.post("/query", asked, headers=sent).json()
        assert found["found"] is (status == 200), who
        assert (mine.id in json.dumps(found)) is (status == 200)
        searched = library.asks.post("/search", asked, headers=sent).json()
        assert len(searched["records"]) == (status == 200)
        predicted = library.asks.post("/predict", {**asked, "people": 10}, headers=sent)
        assert predicted.status_code == (200 if status == 200 else 404)
        by_id = library.asks.post("/predict", {"record": mine.id, "people": 10}, headers=sent)
        assert by_id.status_code == status
        withheld = access == "registered" and status != 200
        assert found["withheld"] == searched["withheld"] == withheld


def test_the_log_withholds_what_a_caller_may_not_read_and_can_still_be_proven(
    library: Library,
) -> None:
    public = library.asks.get("/log/entries?limit=1000").json()["entries"]
    text = json.dumps(public)
    assert "Private" not in text
    assert "Registered" not in text
    assert "is wrong" not in text  # what was said about a record that not everybody may read
    assert "token_hash" not in text
    assert "Public" in text
    withheld = [one for one in public if one["withheld"]]
    assert all(one["submission"] is None and one["outcome"] is None for one in withheld)
    assert all(one["leaf"] and one["leaf_hash"] for one in withheld)
    reader = library.asks.get("/log/entries?limit=1000", **library.people.headers("reader"))
    assert "Registered" in reader.text
    assert "Private" not in reader.text
    everything = library.asks.get(
        "/log/entries?limit=1000", **library.people.headers("moderator")
    ).json()["entries"]
    assert not any(one["withheld"] for one in everything)


# ---- tokens


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer so_short",
        "Basic dXNlcjpwYXNz",
        f"Bearer so_{43 * 'A'}",
        f"bearer  so_{43 * '-'}",
        "Bearer " + 5_000 * "x",
        "Bearer so_" + 42 * "A" + "é",
    ],
)
def test_what_is_no_token_opens_nothing(library: Library, header: str) -> None:
    answer = library.asks("GET", "", headers={"Authorization": header.encode()})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["error"] == "NotAllowed"
    if len(header) > 20:
        assert header[7:] not in answer.text


def test_an_expired_token_opens_nothing(library: Library) -> None:
    for hours, status in ((1, 200), (-1, 401)):
        token = new_token()
        end = (datetime.now(UTC) + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
        entry = TokenEntry(token_hash=token_hash(token), name="for a while", expires=end)
        signed = library.people.submission(entry, "administrator")
        assert library.asks.post("/tokens", signed).status_code == 201
        answer = library.asks.get("", Authorization=f"Bearer {token}")
        assert answer.status_code == status
        if status == 401:
            assert "expired" in answer.json()["detail"]


def test_the_token_itself_is_stored_nowhere(library: Library) -> None:
    stored = b"".join(path.read_bytes() for path in library.folder.iterdir())
    for token in library.people.tokens.values():
        assert token.encode() not in stored
        assert token_hash(token).encode() in stored


@pytest.mark.parametrize("purpose", ["x", "y" * 201, "   ", "with\ttab but fine", "ends in \x7f"])
def test_a_purpose_says_something_and_not_too_much(library: Library, purpose: str) -> None:
    path = f"/records/{library.records['registered'].id}"
    sent = {**library.people.headers("reader", None), "Purpose": purpose}
    fine = "fine" in purpose
    assert library.asks.get(path, **sent).status_code == (200 if fine else 422)


def test_tokens_are_found_by_their_whole_hash_only() -> None:
    token = new_token()
    known = [KnownToken(token_hash(token), ("reader",)), KnownToken(64 * "0", ("administrator",))]
    assert matching(token, known) == known[0]
    assert matching(token[:-1] + "A", known[1:]) is None
    assert matching(token, []) is None


def test_a_reader_token_of_a_holder_reads_as_a_reader() -> None:
    caller = Caller.with_token(KnownToken(64 * "0", ("reader",), "ed25519:x"), None)
    assert not caller.may_read("holder", "ed25519:x")
    assert Caller().view == "public"


# ---- audit


def test_who_reads_what_is_not_public_is_recorded_with_the_purpose(library: Library) -> None:
    mine = library.records["registered"]
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": mine.population.to_dict()}
    sent = library.people.headers("reader", "planning survey 42")
    for _ in range(2):  # the second answer comes from memory
        before = len(library.audit())
        library.asks.post("/query", asked, headers=sent)
        new = library.audit()[before:]
        reads = [one for one in new if one.get("event") == "read"]
        assert [one["records"] for one in reads] == [[mine.id]]
        assert reads[0]["purpose"] == "planning survey 42"
        assert reads[0]["caller"] == token_hash(library.people.tokens["reader"])[:12]


def test_questions_without_a_token_leave_no_trace(library: Library) -> None:
    before = library.audit()
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": {"City": "Public"}}
    assert library.asks.post("/query", asked).status_code == 200
    assert library.audit() == before


def test_the_audit_log_holds_no_data(library: Library) -> None:
    refused = library.people.submission(record(library.people.keys["other"], "Secret City"))
    assert library.asks.post("/submissions", refused).status_code == 403
    last = library.audit()[-1]
    assert (last["status"], last["kind"]) == (403, "record/1")
    text = (library.folder / "audit.jsonl").read_text()
    for word in (
        "Secret City",
        "City",
        "Registered",
        "kappa",
        "age",
        "so_",
        "127.0.0.1",
        "testclient",
    ):
        assert word not in text
    assert (library.folder / "audit.jsonl").stat().st_mode & 0o077 == 0
