"""A store takes what is signed, gives it back, and proves that it has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_cases import ADMINISTRATOR, ALICE, BOB, REPOSITORY, STRANGER, Place, body, record, send

from singleout.errors import BadChoice, NotAllowed, StoreChanged, UnreadableFile
from singleout.repository.documents.submission import Submission
from singleout.repository.log.merkle import is_consistent, is_included, leaf_hash
from singleout.repository.store.store import Store


def test_a_record_comes_back_as_it_was_sent(place: Place) -> None:
    store = place.create()
    sent = record({"City": "Urk", "age": {"from": 18, "to": 64}})
    receipt = send(store, sent)
    assert (receipt.id, receipt.state, receipt.reasons) == (sent.id, "valid", ())
    found = store.record(sent.id)
    assert (found.record, found.state, found.holder) == (sent, "valid", ALICE.id)
    assert found.index == receipt.index == store.size - 1
    assert [row.state for row in store.history(sent.id)] == ["valid"]
    assert store.verify().root == receipt.head.root


def test_a_receipt_proves_that_the_entry_is_in_the_signed_tree(place: Place) -> None:
    store = place.create()
    receipts = [send(store, record({"City": name})) for name in ("Urk", "Ede", "Best")]
    for receipt in receipts:
        receipt.head.check(store.public_key)
        leaf = leaf_hash(receipt.leaf)
        root = bytes.fromhex(receipt.head.root)
        assert is_included(leaf, receipt.index, receipt.head.size, receipt.proof, root)


def test_proofs_of_any_size_lead_to_the_heads(place: Place) -> None:
    store = place.create()
    heads = [send(store, record({"City": name})).head for name in "ABCDEFGHIJKLMNOPQ"]
    last = heads[-1]
    assert last == store.head()
    for head in heads:
        proof = store.consistency(head.size)
        roots = bytes.fromhex(head.root), bytes.fromhex(last.root)
        assert is_consistent(head.size, last.size, *roots, proof)
    for entry in store.entries():
        proof = store.inclusion(entry.index)
        assert is_included(entry.leaf_hash, entry.index, last.size, proof, bytes.fromhex(last.root))
    with pytest.raises(BadChoice, match="ask for a smaller size"):
        store.consistency(1, last.size + 1)
    with pytest.raises(BadChoice, match="no entry 400"):
        store.inclusion(400)


def test_a_store_is_the_same_when_it_is_opened_again(place: Place) -> None:
    store = place.create()
    send(store, record())
    head = store.head()
    store.close()
    again = place.open()
    assert (again.name, again.personal, again.head()) == ("Test", False, head)
    send(again, record({"City": "Urk"}))
    again.verify(head)


def test_without_the_key_of_a_repository_nothing_is_appended(place: Place, tmp_path: Path) -> None:
    place.create().close()
    store = place.open(key_file=tmp_path / "nowhere.key")
    with pytest.raises(NotAllowed, match="The key of the repository 'Test' is not here"):
        send(store, record())
    store.verify()


def test_the_key_of_another_repository_is_refused(place: Place, tmp_path: Path) -> None:
    place.create().close()
    STRANGER.save(tmp_path / "other.key")
    with pytest.raises(BadChoice, match="is not that of the repository"):
        place.open(key_file=tmp_path / "other.key")


def test_a_repository_is_never_made_over_another(place: Place) -> None:
    place.create()
    with pytest.raises(BadChoice, match="already"):
        place.create()


def test_what_is_no_repository_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="There is no repository at"):
        Store.open(tmp_path / "nothing.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("Dear reader, this is a letter and no database at all.\n" * 40)
    with pytest.raises(StoreChanged, match="not a database"):
        Store.open(text)
    with pytest.raises(BadChoice, match="cannot be kept in 'mysql'"):
        Store.open("mysql://user@host/name")


def test_a_database_without_a_repository_is_said_to_have_none(place: Place) -> None:
    if isinstance(place.target, Path):
        place.target.touch()
    with pytest.raises(UnreadableFile, match="holds no repository"):
        place.open()


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    from singleout.errors import UnreachableData

    with pytest.raises(UnreachableData) as raised:
        Store.open("postgresql://somebody:hush@127.0.0.1:1/none")
    assert "127.0.0.1" in str(raised.value)
    assert "hush" not in str(raised.value)


def test_a_personal_repository_takes_from_anybody_what_no_gate_saw(place: Place) -> None:
    store = place.create(personal=True)
    mine = record({"me": "myself"}, holder=None, tier="none", size=1, cells=3)
    assert store.append(Submission.sign(mine, STRANGER), public_key=STRANGER.public_bytes).id
    assert [one.id for one in store.records_for(mine.qid_key, {"me": "myself"})] == [mine.id]
    other = record({"me": "you"}, holder=None, tier="none")
    with pytest.raises(NotAllowed, match="is not registered here"):
        send(store, other, BOB)  # without its public key nobody can check the signature
    assert store.personal
    store.verify()


def test_the_owner_of_a_personal_repository_is_registered_at_its_creation(place: Place) -> None:
    store = place.create(personal=True, owner=ALICE)
    send(store, record(holder=None, tier="none"))
    assert [one.id for one in store.holders()] == [REPOSITORY.id, ALICE.id]


def test_vocabularies_inventories_decisions_and_tokens_are_kept(place: Place) -> None:
    store = place.create()
    words = {"name": "people", "version": "1", "attributes": {"age": {"kind": "integer"}}}
    receipt = send(store, body("vocabulary", vocabulary=words))
    assert store.vocabulary(receipt.id).name == "people"
    assert [one["hash"] for one in store.vocabularies()] == [receipt.id]
    assert send(store, record(vocabulary=receipt.id)).state == "valid"

    survey = body(
        "inventory", what="questionnaire", name="Survey", attributes=[{"attribute": "age"}]
    )
    first = send(store, survey)
    second = send(store, {**survey, "name": "Survey 2", "supersedes": first.id})
    assert [one.id for one in store.inventories()] == [second.id]
    with pytest.raises(NotAllowed, match="only that holder changes it"):
        send(store, {**survey, "supersedes": second.id}, BOB)

    decided = send(store, body("decision", subject="Survey", outcome="accept"))
    assert store.decisions(decided.id)[0].body["outcome"] == "accept"

    token = body("token", token_hash="ab" * 32, name="Reader", roles=["reader"])
    send(store, token, ADMINISTRATOR)
    found = store.token("ab" * 32)
    assert found is not None
    assert (found.roles, found.active) == (("reader",), True)
    send(store, body("token-removal", token_hash="ab" * 32, reason="lost"), ADMINISTRATOR)
    revoked = store.token("ab" * 32)
    assert revoked is not None
    assert not revoked.active
    assert store.token("cd" * 32) is None
    store.verify()


def test_a_query_finds_only_what_is_valid_or_disputed(place: Place) -> None:
    store = place.create()
    good, bad = record(), record({"City": "Urk"}, numbers={"kappa": 9.0})
    send(store, good)
    assert send(store, bad).state == "quarantined"
    assert [one.id for one in store.records_for(good.qid_key)] == [good.id]
    assert [one.id for one in store.records_for(good.qid_key, {"City": "Urk"})] == [good.id]
    assert [count for _, count in store.quasi_identifiers()] == [1]
    everything = ("valid", "quarantined")
    found = store.records_for(good.qid_key, {"City": "Urk"}, everything)
    assert [one.id for one in found] == [bad.id, good.id]
