"""The life of a record over HTTP, on SQLite and on PostgreSQL, and everything else that is read."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from service_cases import Client, People, client, made, record, relaxed

from singleout.repository.documents.bodies import (
    DecisionEntry,
    Dispute,
    HolderRemoval,
    InventoryEntry,
    Resolution,
    Ruling,
    TokenRemoval,
    VocabularyEntry,
    Withdrawal,
)
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.merkle import is_consistent, is_included, leaf_hash
from singleout.repository.service.access import token_hash
from singleout.repository.store.store import Store

_cities = count()


@dataclass
class Place:
    asks: Client
    people: People
    target: str

    def publish(self, body: Any, by: str = "holder") -> dict[str, Any]:
        answer = self.asks.post("/submissions", self.people.submission(body, by))
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def city(self) -> str:
        return f"City {next(_cities)}"

    def state(self, wanted: str) -> str:
        return str(self.asks.get(f"/records/{wanted}").json()["state"])


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp(request.param)
    target = str(folder / "store.sqlite")
    if request.param == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_database")
        target = make()
    people = made(target, folder)
    with client(target, relaxed(folder)) as asks:
        yield Place(asks, people, target)
    _verified(target, folder)


def _verified(target: str, folder: Path) -> None:
    with Store.open(target, key_file=folder / "repository.key") as store:
        store.verify()


def _record(place: Place, **changes: Any) -> Record:
    return record(place.people.keys["holder"], place.city(), **changes)


# ---- records


def test_a_published_record_is_found_and_its_receipt_can_be_checked(place: Place) -> None:
    mine = _record(place)
    receipt = place.publish(mine)
    assert (receipt["id"], receipt["state"]) == (mine.id, "valid")
    head = SignedHead.model_validate(receipt["head"])
    about = place.asks.get("").json()
    padded = about["public_key"] + "="
    head.check(base64.urlsafe_b64decode(padded))
    assert is_included(
        leaf_hash(receipt["leaf"].encode()),
        receipt["index"],
        head.size,
        [bytes.fromhex(node) for node in receipt["proof"]],
        bytes.fromhex(head.root),
    )
    found = place.asks.get(f"/records/{mine.id}").json()
    assert Record.of(found["record"]) == mine
    assert found["holder"] == place.people.keys["holder"].id


def test_a_record_is_disputed_resolved_superseded_and_withdrawn(place: Place) -> None:
    mine = _record(place)
    place.publish(mine)
    place.publish(Dispute(record=mine.id, reason="The register has duplicates."), "other")
    assert place.state(mine.id) == "disputed"
    said = place.asks.get(f"/records/{mine.id}/disputes").json()["disputes"]
    assert [one["by"] for one in said] == [place.people.keys["other"].id]
    assert "duplicates" in said[0]["reason"]
    place.publish(
        Resolution(key=mine.key, chosen=mine.id, reason="They were removed."), "moderator"
    )
    assert place.state(mine.id) == "valid"
    better = Record.of(
        {
            **mine.to_dict(),
            "numbers": {**mine.to_dict()["numbers"], "kappa": 0.101},
            "supersedes": mine.id,
        }
    )
    place.publish(better)
    assert (place.state(mine.id), place.state(better.id)) == ("superseded", "valid")
    place.publish(Withdrawal(record=better.id, reason="A source was not ours."))
    gone = place.asks.get(f"/records/{better.id}")
    assert gone.status_code == 410
    assert "hash" in gone.json()["detail"]
    states = place.asks.get(f"/records/{mine.id}/history").json()["history"]
    assert [one["state"] for one in states] == ["valid", "disputed", "valid", "superseded"]
    states = place.asks.get(f"/records/{better.id}/history").json()["history"]
    assert [one["state"] for one in states] == ["valid", "withdrawn"]


def test_an_implausible_record_is_quarantined_until_a_moderator_rules(place: Place) -> None:
    numbers = _record(place).to_dict()["numbers"]
    odd = _record(place, numbers={**numbers, "kappa": 9.0})
    receipt = place.publish(odd)
    assert receipt["state"] == "quarantined"
    assert receipt["reasons"]
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": odd.population.to_dict()}
    assert place.asks.post("/query", asked).json()["found"] is False
    place.publish(Ruling(record=odd.id, state="valid", reason="It was checked."), "moderator")
    assert place.state(odd.id) == "valid"


@pytest.mark.parametrize("verb", ["dispute", "withdraw", "rule", "supersede"])
def test_what_is_about_a_record_is_also_taken_at_its_address(place: Place, verb: str) -> None:
    mine, other = _record(place), _record(place)
    assert place.asks.post("/records", place.people.submission(mine)).status_code == 201
    changed = {**mine.to_dict(), "supersedes": mine.id, "licence": "CC0"}
    bodies: dict[str, tuple[Any, str]] = {
        "dispute": (Dispute(record=mine.id, reason="wrong"), "other"),
        "withdraw": (Withdrawal(record=mine.id, reason="wrong"), "holder"),
        "rule": (Ruling(record=mine.id, state="quarantined", reason="wrong"), "moderator"),
        "supersede": (Record.of(changed), "holder"),
    }
    body, by = bodies[verb]
    signed = place.people.submission(body, by)
    elsewhere = place.asks.post(f"/records/{other.id}/{verb}", signed)
    assert elsewhere.status_code == 422
    assert "another record" in elsewhere.json()["detail"]
    of_another_kind = place.asks.post("/vocabularies", signed)
    assert of_another_kind.status_code == 422
    assert place.asks.post(f"/records/{mine.id}/{verb}", signed).status_code == 201


# ---- questions


def test_a_query_takes_the_nearest_larger_population_and_says_so(place: Place) -> None:
    mine = _record(place)
    place.publish(mine)
    city = mine.population.to_dict()["City"]
    asked = {
        "quasi_identifier": [{"attribute": "age", "coding": "width=5"}, "sex"],
        "population": {"City": city, "CarOwner": True},
        "people": 100,
    }
    answer = place.asks.post("/query", asked)
    found = answer.json()
    assert answer.status_code == 200
    assert (found["found"], found["exact"], found["id"]) == (True, False, mine.id)
    assert [step["kind"] for step in found["path"]] == ["super-population"]
    assert int(answer.headers["Tree-Size"]) == place.asks.get("").json()["size"]


def test_predictions_are_those_of_the_same_record_at_home(place: Place) -> None:
    from singleout.repository.answering.prediction import predict_from

    mine = _record(place)
    place.publish(mine)
    by_id = place.asks.post("/predict", {"record": mine.id, "people": [40, 200]}).json()
    for shown, size in zip(by_id["predictions"], (40, 200), strict=True):
        at_home = predict_from(mine, size)
        assert shown["mean"] == pytest.approx(at_home.mean)
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": mine.population.to_dict()}
    by_question = place.asks.post("/predict", {**asked, "people": 40}).json()
    assert by_question["predictions"][0]["mean"] == by_id["predictions"][0]["mean"]
    assert by_question["answer"]["exact"] is True


def test_a_prediction_without_a_record_is_refused_with_a_sentence(place: Place) -> None:
    answer = place.asks.post("/predict", {"quasi_identifier": ["shoe size"], "people": 5})
    assert (answer.status_code, answer.json()["error"]) == (404, "UndefinedMeasure")


def test_several_records_are_composed(place: Place) -> None:
    city = place.city()
    parts = []
    for attribute in ("age", "sex"):
        one = record(place.people.keys["holder"], city, quasi_identifier=[{"attribute": attribute}])
        place.publish(one)
        parts.append({"record": one.id})
    answer = place.asks.post("/compose", {"parts": parts, "people": 50})
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["predictions"]) == 1


def test_the_ledger_can_be_asked_before_a_record_is_made(place: Place) -> None:
    mine = _record(place)
    asked = {"population": mine.population.to_dict(), "cost": 0.25}
    before = place.asks.post("/charge", asked).json()
    place.publish(mine)
    after = place.asks.post("/charge", asked).json()
    assert after["charge"] - before["charge"] == pytest.approx(0.25)
    assert after["total"] == 1
    assert before["allowed"]
    registered = place.asks.post("/charge", {**asked, "tier": "registered"})
    assert registered.status_code == 401


def test_an_answer_is_new_as_soon_as_the_log_has_grown(place: Place) -> None:
    mine = _record(place)
    asked = {"quasi_identifier": ["age:width=5", "sex"], "population": mine.population.to_dict()}
    for _ in range(2):
        assert place.asks.post("/query", asked).json()["found"] is False
    place.publish(mine)
    for _ in range(2):
        assert place.asks.post("/query", asked).json()["id"] == mine.id
    place.publish(Withdrawal(record=mine.id, reason="It was a test."))
    assert place.asks.post("/query", asked).json()["found"] is False


def test_a_search_gives_the_records_behind_a_query(place: Place) -> None:
    mine = _record(place)
    place.publish(mine)
    asked = {"quasi_identifier": ["sex", "age:width=5"], "population": mine.population.to_dict()}
    found = place.asks.post("/search", asked).json()
    assert [one["id"] for one in found["records"]] == [mine.id]
    listed = place.asks.get("/quasi-identifiers").json()["quasi_identifiers"]
    assert mine.qid_key in [one["qid_key"] for one in listed]


# ---- what else is registered


def test_a_vocabulary_an_inventory_and_a_decision_can_be_read_again(place: Place) -> None:
    words = Vocabulary.model_validate(
        {"name": "citizens", "version": "1", "attributes": {"sex": {"values": ["F", "M"]}}}
    )
    place.publish(VocabularyEntry(vocabulary=words))
    listed = place.asks.get("/vocabularies").json()["vocabularies"]
    assert listed == [{"hash": words.hash, "name": "citizens", "version": "1"}]
    answer = place.asks.get(f"/vocabularies/{words.hash}")
    assert Vocabulary.model_validate(answer.json()) == words
    assert "max-age" in answer.headers["Cache-Control"]
    inventory = InventoryEntry.model_validate(
        {"what": "dataset", "name": "a census", "attributes": [{"attribute": "sex"}]}
    )
    receipt = place.publish(inventory)
    assert [one["id"] for one in place.asks.get("/inventories").json()["inventories"]] == [
        receipt["id"]
    ]
    one = place.asks.get(f"/inventories/{receipt['id']}").json()
    assert one["inventory"]["name"] == "a census"
    decided = place.publish(DecisionEntry(subject="a survey", outcome="accept"))
    path = f"/decisions/{decided['id']}"
    mine = place.asks.get(path, **place.people.headers("holder"))
    assert mine.json()["decision"]["outcome"] == "accept"
    assert place.asks.get(path).status_code == 401
    assert place.asks.get(path, **place.people.headers("other")).status_code == 404
    assert place.asks.get("/decisions", **place.people.headers("reader")).status_code == 403
    everybody = place.asks.get("/decisions", **place.people.headers("moderator")).json()
    assert [one["id"] for one in everybody["decisions"]] == [decided["id"]]


def test_lists_are_paged(place: Place) -> None:
    everybody = place.asks.get("/holders").json()["holders"]
    pages, after = [], ""
    while True:
        page = place.asks.get(f"/holders?limit=2{after}").json()
        pages += page["holders"]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert pages == everybody
    one = place.asks.get(f"/holders/{everybody[-1]['id']}").json()
    assert one == everybody[-1]
    assert place.asks.get("/holders?after=nobody").status_code == 422
    assert place.asks.get(f"/holders/ed25519:{32 * '0'}").status_code == 404


def test_a_holder_and_a_token_that_were_removed_open_nothing(place: Place) -> None:
    from singleout.repository.documents.bodies import HolderEntry, TokenEntry
    from singleout.repository.service.access import new_token

    key, token = HolderKey.make(), new_token()
    place.publish(HolderEntry(name="short-lived", public_key=key.public), "administrator")
    place.publish(TokenEntry(token_hash=token_hash(token), name="short-lived"), "administrator")
    sent = {"Authorization": f"Bearer {token}"}
    assert place.asks.get("", **sent).status_code == 200
    place.publish(TokenRemoval(token_hash=token_hash(token), reason="done"), "administrator")
    assert place.asks.get("", **sent).status_code == 401
    place.publish(HolderRemoval(holder=key.id, reason="done"), "administrator")
    refused = place.asks.post(
        "/submissions", Submission.sign(record(key, place.city()), key).model_dump(mode="json")
    )
    assert (refused.status_code, refused.json()["error"]) == (403, "NotAllowed")


# ---- the log


def test_every_entry_can_be_proven_and_the_log_continues_an_earlier_one(place: Place) -> None:
    old = place.asks.get("/log/head").json()
    place.publish(_record(place))
    new = place.asks.get("/log/head").json()
    proof = place.asks.get(f"/log/consistency?first={old['size']}").json()
    assert proof["second"] == new["size"]
    assert is_consistent(
        old["size"],
        new["size"],
        bytes.fromhex(old["root"]),
        bytes.fromhex(new["root"]),
        [bytes.fromhex(node) for node in proof["proof"]],
    )
    entries, start = [], 0
    while start is not None:
        page = place.asks.get(f"/log/entries?from={start}&limit=7").json()
        entries += page["entries"]
        start = page["next"]
    assert [one["index"] for one in entries] == list(range(new["size"]))
    for one in (entries[0], entries[5], entries[-1]):
        assert leaf_hash(one["leaf"].encode()).hex() == one["leaf_hash"]
        found = place.asks.get(f"/log/inclusion?index={one['index']}").json()
        assert is_included(
            bytes.fromhex(found["leaf_hash"]),
            one["index"],
            new["size"],
            [bytes.fromhex(node) for node in found["proof"]],
            bytes.fromhex(new["root"]),
        )
    assert place.asks.get(f"/log/entries/{new['size']}").status_code == 404
    assert place.asks.get(f"/log/inclusion?index={new['size']}").status_code == 422
    assert place.asks.get("/log/consistency?first=0").status_code == 422
