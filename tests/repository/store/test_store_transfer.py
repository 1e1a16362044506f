"""A log travels: as an export, into a mirror, back into a repository, into another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from store_cases import ALICE, BOB, MODERATOR, Place, body, record, send

from singleout.errors import (
    NotAllowed,
    NotPublishable,
    StoreChanged,
    UnreadableFile,
    UnwritableOutput,
)
from singleout.repository.log.heads import RememberedHeads
from singleout.repository.store.store import Store


def filled(place: Place) -> Store:
    store = place.create()
    sent = [record({"City": name}) for name in "ABCDEFGHIJKLMNOPQRST"]
    for one in sent:
        send(store, one)
    send(store, body("dispute", record=sent[0].id, reason="?"), BOB)
    send(store, body("withdrawal", record=sent[1].id, reason="!"))
    send(store, body("ruling", record=sent[2].id, state="quarantined", reason="!"), MODERATOR)
    return store


def test_a_mirror_answers_and_verifies_as_its_repository(place: Place, tmp_path: Path) -> None:
    store = filled(place)
    head = store.export(tmp_path / "log.jsonl")
    mirror = Store.restore(tmp_path / "mirror.sqlite", tmp_path / "log.jsonl")
    assert mirror.verify(head) == store.head()
    qid_key = record().qid_key
    for name in "ABC":
        assert mirror.records_for(qid_key, {"City": name}) == store.records_for(
            qid_key, {"City": name}
        )
    with pytest.raises(NotAllowed, match="nothing can be appended"):
        send(mirror, record({"City": "Z"}))
    send(store, record({"City": "Z"}))
    store.export(tmp_path / "later.jsonl")
    assert mirror.import_(tmp_path / "later.jsonl") == 1
    assert mirror.import_(tmp_path / "later.jsonl") == 0
    assert mirror.verify(head) == store.head()
    with pytest.raises(StoreChanged, match="The head is of"):
        mirror.import_(tmp_path / "log.jsonl")
    mirror.close()


def test_a_repository_is_restored_from_its_export_with_its_key(
    file_place: Place, tmp_path: Path
) -> None:
    store = filled(file_place)
    store.export(tmp_path / "log.jsonl")
    restored = Store.restore(
        tmp_path / "new.sqlite", tmp_path / "log.jsonl", key_file=file_place.key_file
    )
    send(restored, record({"City": "Z"}))
    restored.verify(store.head())
    restored.close()


def test_a_changed_export_is_refused_line_by_line(file_place: Place, tmp_path: Path) -> None:
    store = filled(file_place)
    store.export(tmp_path / "log.jsonl")
    lines = (tmp_path / "log.jsonl").read_text().splitlines()

    def refused(changed: list[str]) -> str:
        path = tmp_path / "changed.jsonl"
        path.write_text("\n".join(changed) + "\n")
        with pytest.raises((StoreChanged, UnreadableFile)) as raised:
            Store.restore(tmp_path / "copy.sqlite", path)
        assert not (tmp_path / "copy.sqlite").exists()
        return str(raised.value)

    swapped = [*lines[:7], lines[8], lines[7], *lines[9:]]
    assert "Entry 6 of the export was changed" in refused(swapped)
    assert "Entry 7 of the export was changed" in refused([*lines[:8], *lines[9:]])
    assert "there are" in refused(lines[:-1])
    other = lines[10].replace('"nonce\\":\\"', '"nonce\\":\\"0')
    assert "Entry 9" in refused([*lines[:10], other, *lines[11:]])
    content = lines[10].replace("2000", "2001")
    assert "Entry 9" in refused([*lines[:10], content, *lines[11:]])
    first = json.loads(lines[0])
    first["head"]["size"] += 1
    assert "was not signed by" in refused([json.dumps(first), *lines[1:]])
    assert "is no export" in refused(["{}", *lines[1:]])
    assert "is no JSON" in refused([*lines[:5], "{", *lines[6:]])


def test_an_export_never_overwrites(file_place: Place, tmp_path: Path) -> None:
    store = file_place.create()
    (tmp_path / "log.jsonl").write_text("mine")
    with pytest.raises(UnwritableOutput, match="already"):
        store.export(tmp_path / "log.jsonl")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        store.import_(tmp_path / "nothing.jsonl")


def test_records_of_another_repository_come_under_the_rules_of_this_one(
    file_place: Place, tmp_path: Path
) -> None:
    store = filled(file_place)
    store.export(tmp_path / "log.jsonl")
    mine = Store.create(tmp_path / "mine.sqlite", name="Mine")
    assert mine.import_(tmp_path / "log.jsonl") == 19  # one was withdrawn
    assert mine.import_(tmp_path / "log.jsonl") == 0
    assert len(mine.records_for(record().qid_key, {"City": "A"})) == 1
    mine.verify()
    mine.close()


def test_a_personal_repository_is_never_merged_upwards(file_place: Place, tmp_path: Path) -> None:
    personal = Store.create(tmp_path / "mine.sqlite", name="Mine", owner=ALICE)
    send(personal, record({"me": 1}, holder=None, tier="none"))
    personal.export(tmp_path / "mine.jsonl")
    store = file_place.create()
    with pytest.raises(NotPublishable, match="did not go through the gate"):
        store.import_(tmp_path / "mine.jsonl")
    assert store.size == 5
    personal.close()


def test_a_mirror_without_the_right_to_read_everything_still_verifies(
    file_place: Place, tmp_path: Path
) -> None:
    """Entries withheld by the service: the leaves alone keep the tree."""
    store = filled(file_place)
    closed = record({"City": "Z"}, tier="registered")
    receipt = send(store, closed)
    entries = [
        type(one)(one.index, one.leaf_hash, one.leaf, None, None)
        if one.index == receipt.index
        else one
        for one in store.entries()
    ]
    mirror = Store.copy(tmp_path / "mirror.sqlite", entries, store.head())
    assert mirror.verify() == store.head()
    assert mirror.records_for(closed.qid_key, {"City": "Z"}) == []
    plain = entries[receipt.index].to_dict()
    assert (plain["withheld"], plain["submission"], plain["outcome"]) == (True, None, None)
    mirror.close()


def test_heads_are_remembered_and_an_older_copy_or_a_fork_is_found(
    file_place: Place, tmp_path: Path
) -> None:
    store = filled(file_place)
    remembered = RememberedHeads(tmp_path / "state" / "heads.json")
    assert remembered.get("here") is None
    first = store.head()
    remembered.check("here", first, store.consistency)
    later = send(store, record({"City": "Y"})).head
    remembered.check("here", later, store.consistency)
    assert remembered.get("here") == later
    with pytest.raises(StoreChanged, match="it is an older copy"):
        remembered.check("here", first, store.consistency)
    fork = later.model_copy(update={"root": "00" * 32})
    with pytest.raises(StoreChanged, match="does not continue"):
        remembered.check("here", fork, store.consistency)
    other = later.model_copy(update={"key": "ed25519:" + "0" * 32})
    with pytest.raises(StoreChanged, match="another repository"):
        remembered.check("here", other, store.consistency)
    longer = later.model_copy(update={"size": later.size + 1})
    with pytest.raises(StoreChanged, match="does not continue"):
        remembered.check("here", longer, lambda _first, _second: [b"\0" * 32])
    remembered.forget("here")
    assert remembered.get("here") is None
    (tmp_path / "state" / "heads.json").write_text("no JSON")
    with pytest.raises(StoreChanged, match="cannot be read"):
        remembered.get("here")


def test_heads_are_remembered_in_the_users_state_folder(state_folder: Path) -> None:
    assert RememberedHeads().path == state_folder / "heads.json"
