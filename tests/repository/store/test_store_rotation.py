"""The repository's key is replaced: the old one announces the new one, and nobody else can."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from store_cases import ADMINISTRATOR, ALICE, MODERATOR, REPOSITORY, Place, key, record, send

from singleout.errors import BadChoice, BadSubmission, NotAllowed, StoreChanged
from singleout.repository.documents.bodies import KeyRotation
from singleout.repository.documents.keys import HolderKey
from singleout.repository.log.heads import RememberedHeads, check_continues
from singleout.repository.log.rotation import AnnouncedKey
from singleout.repository.store import rotate as rotating
from singleout.repository.store.opening import next_key_path
from singleout.repository.store.rotate import rotate
from singleout.repository.store.store import Store

NEW, NEWER = key(100), key(101)


def _continues(store: Store, old: object, new: object) -> None:
    check_continues(old, new, store.consistency, lambda: store.rotations(new.size))  # type: ignore[arg-type,attr-defined]


def test_old_heads_verify_and_lead_to_the_new_key(place: Place) -> None:
    store = place.create()
    send(store, record({"City": "Urk"}))
    before = store.verify()
    announced = store.rotate_key(NEW, "Every two years.")
    assert (before.key, announced.key, announced.size) == (REPOSITORY.id, NEW.id, before.size + 1)
    between = store.verify(before)
    send(store, record({"City": "Ede"}))
    store.rotate_key(NEWER)
    after = store.verify(between)
    assert after.key == NEWER.id
    for old in (before, announced, between):
        assert store.verify(old) == after
        _continues(store, old, after)
    assert len(store.rotations()) == 2
    # who comes later finds the current key, and can append by it only
    place.key_file.unlink()
    NEWER.save(place.key_file)
    with place.open() as again:
        assert again.public_key == NEWER.public_bytes
        assert send(again, record({"City": "Laren"})).head.key == NEWER.id
        assert {h.id: h.active for h in again.holders()} | {} == {
            **{one.id: True for one in (NEWER, ADMINISTRATOR, MODERATOR, ALICE, key(5))},
            REPOSITORY.id: False,
            NEW.id: False,
        }


def test_the_old_key_signs_nothing_any_more(place: Place) -> None:
    store = place.create()
    running = place.open()
    store.rotate_key(NEW)
    with pytest.raises(NotAllowed, match="was rotated"):
        send(running, record({"City": "Urk"}))
    with pytest.raises(NotAllowed, match="not registered"):
        send(store, record({"City": "Urk"}, holder=REPOSITORY), by=REPOSITORY)
    with pytest.raises(BadChoice, match="is not that of the repository"):
        place.open()
    with pytest.raises(BadChoice, match="used here before"):
        store.rotate_key(REPOSITORY)


def test_nobody_submits_a_rotation(file_place: Place) -> None:
    store = file_place.create()
    body = KeyRotation(public_key=NEW.public, previous=REPOSITORY.public)
    for by in (ADMINISTRATOR, REPOSITORY):
        with pytest.raises(BadSubmission, match="rotated where it is kept"):
            send(store, body, by)


def test_a_key_that_is_not_announced_is_refused(file_place: Place, tmp_path: Path) -> None:
    store = file_place.create()
    before = store.head()
    store.rotate_key(NEW)
    after = store.head()
    (right,) = store.rotations()
    submission = json.loads(right.submission)
    forged = {**submission, "body": {**submission["body"], "public_key": NEWER.public}}

    def refused(sentence: str, *announced: AnnouncedKey) -> None:
        with pytest.raises(StoreChanged, match=sentence):
            check_continues(before, after, store.consistency, lambda: announced)

    refused("announced no such key")
    refused("is not in the log", replace(right, proof=()))
    refused("is not in the log", replace(right, index=right.index + 1))
    refused("is not in the log", replace(right, submission=json.dumps(forged).encode()))
    refused("is not in the log", replace(right, leaf=b"[]"))
    late = before.model_copy(update={"size": after.size, "root": after.root})
    with pytest.raises(StoreChanged, match="announced no such key"):  # the old key, afterwards
        _continues(store, late, after)
    other = Store.create(tmp_path / "other.sqlite", name="Other", key_file=tmp_path / "other.key")
    with other, pytest.raises(StoreChanged):
        _continues(other, before, other.head())


def test_a_rotation_that_others_signed_does_not_verify(file_place: Place) -> None:
    """An operator who has only a holder's key cannot make it that of the repository."""
    from singleout.repository.documents.submission import Submission
    from singleout.repository.store.appending import append_rotation

    store = file_place.create()
    body = KeyRotation(public_key=NEW.public, previous=ALICE.public)
    append_rotation(store._engine, Submission.sign(body, ALICE), REPOSITORY, NEW)
    with pytest.raises(StoreChanged, match="not signed by"):
        store.verify()


def test_a_mirror_and_an_export_follow_the_rotation(place: Place, tmp_path: Path) -> None:
    store = place.create()
    send(store, record({"City": "Urk"}))
    mirror = Store.copy(tmp_path / "mirror.sqlite", store.entries(), store.head())
    with mirror:
        seen = mirror.verify()
        store.rotate_key(NEW)
        send(store, record({"City": "Ede"}))
        store.export(tmp_path / "export.jsonl")
        unannounced = store.head()
        with pytest.raises(StoreChanged):  # without the entry that announces it
            mirror.extend(
                [one for one in store.entries() if b"key-rotation" not in (one.submission or b"")],
                unannounced,
            )
        assert mirror.import_(tmp_path / "export.jsonl") == 2
        assert mirror.verify(seen).key == NEW.id
        assert mirror.public_key == NEW.public_bytes
    with Store.restore(tmp_path / "restored.sqlite", tmp_path / "export.jsonl") as restored:
        assert restored.verify(seen) == store.head()


def test_files_of_keys_follow_and_a_crash_in_between_is_mended(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_place.create().close()
    path = file_place.key_file
    with monkeypatch.context() as crash:

        def fails(*_: object) -> Path:
            raise KeyboardInterrupt

        crash.setattr(Path, "rename", fails)
        with pytest.raises(KeyboardInterrupt):
            rotate(file_place.target, key_file=path)
    announced = HolderKey.load(next_key_path(path)).id
    with file_place.open() as store:  # the next key is used, since it is the announced one
        assert store.key_id == announced
        send(store, record({"City": "Urk"}))
    done = rotating.rotate(file_place.target, key_file=path)
    assert (done.old, done.new) == (REPOSITORY.id, announced)
    assert HolderKey.load(path).id == announced
    assert HolderKey.load(done.old_file).id == REPOSITORY.id
    assert not next_key_path(path).exists()
    with file_place.open() as store:
        send(store, record({"City": "Ede"}))
        store.verify()
    path.unlink()
    with pytest.raises(BadChoice, match="is not here"):
        rotate(file_place.target, key_file=path)


def test_a_store_of_before_gets_the_tables(file_place: Place) -> None:
    import sqlite3

    file_place.create().close()
    with sqlite3.connect(file_place.target) as raw:
        for table in ("rotations", "seal", "demand"):
            raw.execute(f"DROP TABLE {table}")
        raw.execute("UPDATE alembic_version SET version_num = '0001'")
    raw.close()
    with file_place.open() as store:
        store.verify()
        assert not store.is_sealed()
        store.rotate_key(NEW)
        store.verify()


def test_a_client_that_remembers_the_old_key_accepts_the_new_one(file_place: Place) -> None:
    from singleout.repository.client.heads import check_head

    store = file_place.create()
    check_head(store)
    store.rotate_key(NEW)
    assert check_head(store).key == NEW.id
    remembered = RememberedHeads().get(store.location)
    assert remembered is not None
    assert remembered.key == NEW.id
