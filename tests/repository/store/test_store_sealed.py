"""A file is sealed when whoever wrote to it closes it: then no byte changes unnoticed."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import update
from store_cases import BOB, Place, body, record, send

from run_command import singleout
from singleout.cli.repository.keeping import verify
from singleout.errors import SingleoutError, StoreChanged, UnreadableFile
from singleout.repository.store.kept import seal as sealing
from singleout.repository.store.kept import tables
from singleout.repository.store.store import Store

HEADER, OTHERS = 100, 25


def written(place: Place) -> Path:
    store = place.create()
    send(store, record())
    gone = record({"City": "Goes"}, holder=BOB)
    send(store, gone, BOB)
    send(store, body("withdrawal", record=gone.id, reason="wrong"), BOB)
    store.close()
    return Path(place.target)


def is_sealed(place: Place) -> bool:
    with place.open() as store:
        store.verify()
        return store.is_sealed()


def flipped(content: bytes, at: int, bit: int) -> bytes:
    return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def unused(content: bytes) -> list[int]:
    """Bytes between the pointers to the rows of a page and its first row: they hold nothing."""
    size = int.from_bytes(content[16:18], "big")
    found: list[int] = []
    for at in range(0, len(content), size):
        header = at + 100 * (at == 0)
        if content[header] not in (2, 5, 10, 13):
            continue
        pointers = header + (12 if content[header] in (2, 5) else 8)
        begin = pointers + 2 * int.from_bytes(content[header + 3 : header + 5], "big")
        found += range(begin, at + int.from_bytes(content[header + 5 : header + 7], "big"))
    return found


def test_one_changed_byte_anywhere_in_the_file_is_found(file_place: Place, tmp_path: Path) -> None:
    """All bytes of the header, some that hold nothing, and some anywhere."""
    content = written(file_place).read_bytes()
    assert is_sealed(file_place)
    seed = random.randrange(10**9)
    rng = random.Random(seed)
    places = [*range(0, HEADER, 3), *rng.sample(unused(content), OTHERS)]
    places += rng.sample(range(len(content)), OTHERS)
    copy = Place(tmp_path / "copy.sqlite", tmp_path)
    for at in places:
        for ending in ("-wal", "-shm"):
            (tmp_path / f"copy.sqlite{ending}").unlink(missing_ok=True)
        bit = 1 << rng.randrange(8)
        Path(copy.target).write_bytes(flipped(content, at, bit))
        with pytest.raises(SingleoutError) as raised, copy.open() as store:
            store.verify()
        assert str(raised.value), f"seed {seed}: bit {bit} of byte {at}"


def test_the_sentence_says_that_no_row_was_changed(file_place: Place) -> None:
    path = written(file_place)
    content = path.read_bytes()
    path.write_bytes(flipped(content, unused(content)[0], 1))
    with pytest.raises(StoreChanged, match="in bytes that hold no row"), file_place.open() as store:
        store.verify()


def test_a_file_is_sealed_again_by_whoever_appends_next(file_place: Place) -> None:
    written(file_place)
    store = file_place.open()
    send(store, record({"City": "Urk"}))
    assert not store.is_sealed()
    store.verify()
    store.close()
    assert is_sealed(file_place)


def test_a_file_that_nobody_closed_is_not_taken_for_a_changed_one(file_place: Place) -> None:
    """As after a kill: the log grew, and the seal is that of before."""
    written(file_place)
    store = file_place.open()
    send(store, record({"City": "Urk"}))
    store._grew = False
    store.close()
    assert not is_sealed(file_place)


def test_a_file_that_sqlite_rewrote_is_not_taken_for_a_changed_one(
    file_place: Place, tmp_path: Path
) -> None:
    """VACUUM moves every row, and a backup counts as a change of the schema."""
    path = written(file_place)
    copy = Place(tmp_path / "copy.sqlite", tmp_path)
    with sqlite3.connect(path) as raw, sqlite3.connect(copy.target) as other:
        raw.backup(other)
    other.close()
    raw.execute("VACUUM")
    raw.close()
    for each in (file_place, copy):
        assert not is_sealed(each)
        with each.open() as store:
            send(store, record({"City": "Urk"}))
        assert is_sealed(each)


def test_while_somebody_else_writes_a_store_is_closed_without_a_seal(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "_PATIENCE", 1)
    path = written(file_place)
    store = file_place.open()
    send(store, record({"City": "Urk"}))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.close()
    other.execute("ROLLBACK")
    other.close()
    assert not is_sealed(file_place)


def test_a_file_too_large_for_memory_is_not_sealed(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "LARGEST_SEALED", 1_000)
    written(file_place)
    assert not is_sealed(file_place)


def test_a_seal_cannot_be_changed_or_removed(place: Place) -> None:
    place.create().close()
    with place.open() as store:
        engine = store._engine
        with engine.begin() as connection:
            other = tables.seal.c.content
            value = bytes(connection.execute(tables.seal.select()).all()[0].content)
            wrong = update(tables.seal).values({other: flipped(value, 20, 1)})
            connection.execute(wrong)
        with pytest.raises(StoreChanged, match=r"seal of the store was changed \(table seal\)"):
            store.verify()
        with engine.begin() as connection:
            connection.execute(tables.seal.delete())
        with pytest.raises(StoreChanged, match=r"seal of the store is missing \(table seal\)"):
            store.verify()


def test_a_mirror_is_sealed_too(file_place: Place, tmp_path: Path) -> None:
    written(file_place)
    with file_place.open() as store:
        store.export(tmp_path / "log.jsonl")
    Store.restore(tmp_path / "mirror.sqlite", tmp_path / "log.jsonl").close()
    with Store.open(tmp_path / "mirror.sqlite") as mirror:
        mirror.verify()
        assert mirror.is_sealed()


def test_what_was_withdrawn_is_overwritten_in_the_file(file_place: Place) -> None:
    store = file_place.create()
    gone = record({"City": "Goes"}, holder=BOB, norm="a sentence that nobody else writes")
    send(store, gone, BOB)
    for _ in range(3):
        send(store, record({"City": f"Town {random.random()}"}))
    send(store, body("withdrawal", record=gone.id, reason="wrong"), BOB)
    store.close()
    assert b"a sentence that nobody else writes" not in Path(file_place.target).read_bytes()


def test_the_command_says_when_a_file_is_not_sealed(file_place: Place, tmp_path: Path) -> None:
    path = written(file_place)
    sealed = singleout("repository", "verify", str(path), "--json", cwd=tmp_path)
    assert (sealed.returncode, json.loads(sealed.stdout)["sealed"]) == (0, True), sealed.stderr
    with sqlite3.connect(path) as raw:
        raw.execute("VACUUM")
    raw.close()
    shown = singleout("repository", "verify", str(path), cwd=tmp_path)
    assert shown.returncode == 0
    assert "it is not sealed" in " ".join(shown.stdout.split()), shown.stdout


@pytest.mark.parametrize("at", range(0, 100, 9))
def test_a_damaged_header_is_a_changed_file_for_the_command(file_place: Place, at: int) -> None:
    """Whether SQLite opens such a file or not."""
    path = written(file_place)
    path.write_bytes(flipped(path.read_bytes(), at, 1))
    with pytest.raises(StoreChanged):
        verify(str(path))


def test_a_key_that_others_can_read_is_no_changed_file(file_place: Place) -> None:
    path = written(file_place)
    beside = path.with_name(path.name + ".key")
    shutil.copy(file_place.key_file, beside)
    beside.chmod(0o644)
    with pytest.raises(UnreadableFile, match="can be read by others"):
        verify(str(path))


def test_a_file_where_nothing_can_be_written_is_read_and_verified(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a read-only disk; the rights of whoever runs the tests do not matter."""
    path = written(file_place)
    monkeypatch.setattr(os, "access", lambda where, _: not Path(where).is_relative_to(path.parent))
    before = sorted(path.parent.iterdir())
    with file_place.open() as store:
        store.verify()
        assert store.is_sealed()
        with pytest.raises(UnreadableFile, match="readonly"):
            send(store, record({"City": "Urk"}))
    assert sorted(path.parent.iterdir()) == before  # SQLite made no file beside it
