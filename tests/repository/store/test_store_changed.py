"""Whatever is changed in a store behind its back, verification says so."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, create_engine, delete, insert, select, text, update
from sqlalchemy.exc import StatementError
from store_cases import ADMINISTRATOR, ALICE, BOB, MODERATOR, Place, body, key, record, send

from singleout.errors import SingleoutError, StoreChanged
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.database import target_of
from singleout.repository.store.kept.seal import void_seal
from singleout.repository.store.store import Store

FLIPS = 40


def filled(place: Place) -> Store:
    """A store with rows in every table."""
    store = place.create()
    words = {"name": "people", "version": "1", "attributes": {"age": {"kind": "integer"}}}
    send(store, body("vocabulary", vocabulary=words))
    ranges = {"City": "Urk", "age": {"from": 18, "to": 64}}
    urk = record({"City": "Urk"}, size=40)
    kept = [record(), urk, record({"City": "Ede"}), record(ranges, size=12)]
    for one in kept:
        send(store, one)
    send(store, record({"City": "Best"}, numbers={"kappa": 50.0}))
    send(store, body("dispute", record=kept[1].id, reason="no"), BOB)
    gone = record({"City": "Goes"}, holder=BOB)
    send(store, gone, BOB)
    send(store, body("withdrawal", record=gone.id, reason="wrong"), BOB)
    survey = body("inventory", what="dataset", name="Survey", attributes=[{"attribute": "age"}])
    send(store, survey)
    send(store, body("decision", subject="Survey", outcome="accept"))
    token = body("token", token_hash="ab" * 32, name="T", expires="2030-01-01T00:00:00Z")
    send(store, token, ADMINISTRATOR)
    send(store, body("ruling", record=kept[1].id, state="valid", reason="yes"), MODERATOR)
    store.rotate_key(key(100))
    place.key_file.unlink()
    key(100).save(place.key_file)
    store.verify()
    return store


def unsealed(place: Place) -> Any:
    """A closed store without its seal, which would find any change: the other checks are tested."""
    filled(place).close()
    engine = create_engine(sqlalchemy_url(place))
    with engine.begin() as connection:
        void_seal(connection)
    return engine


# counts of questions are no part of the log, and only a seal keeps them
LOGGED = [table for table in tables.metadata.sorted_tables if table is not tables.demand]


def changed(value: Any, kind: Any) -> list[Any]:
    """Other values that a cell could be changed to."""
    if value is None:
        return [{"FLOAT": 7.0, "BLOB": b"x"}.get(str(kind), "x")]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, -value - 1]
    if isinstance(value, float):
        return [value * 1.5 + 1, None]
    if isinstance(value, bytes):
        middle = len(value) // 2
        flipped = value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]
        return [flipped, value + b" ", value[:-1], None]
    other = "a" if not value or value[-1] != "a" else "b"
    return [value[:-1] + other, value + " ", None]


def sqlalchemy_url(place: Place) -> Any:
    target = target_of(place.target)
    return f"sqlite:///{target}" if isinstance(target, Path) else target


def some_of(connection: Connection, table: Table) -> list[Any]:
    """Rows of a table: three entries, and one of what follows from them."""
    found = list(connection.execute(select(table).order_by(*table.primary_key)).mappings())
    return random.sample(found, min(len(found), 3 if table is tables.entries else 1))


def where(table: Table, row: Any) -> Any:
    return [column == row[column.name] for column in table.primary_key]


def test_every_changed_cell_is_found(place: Place) -> None:
    """Each column of every table, to some other value."""
    engine = unsealed(place)
    silent, tried = [], set()
    with engine.connect() as connection:
        for table in LOGGED:
            for row in some_of(connection, table):
                connection.commit()
                for column in table.columns:
                    others = changed(row[column.name], column.type)
                    other = random.choice([o for o in others if o is not None or column.nullable])
                    try:
                        connection.execute(
                            update(table).where(*where(table, row)).values({column: other})
                        )
                        connection.commit()
                    except StatementError:  # the database itself refuses it
                        connection.rollback()
                        continue
                    tried.add(table.name)
                    if not is_found(place):
                        silent.append((table.name, row, column.name, other))
                    restore(connection, table, row, column.name, other)
    engine.dispose()
    assert silent == []
    assert not is_found(place)
    assert tried == {table.name for table in LOGGED} - {"mirror"}


def is_found(place: Place) -> bool:
    try:
        with Store.open(place.target, key_file=place.key_file) as store:
            store.verify()
    except SingleoutError:
        return True
    return False


def restore(connection: Connection, table: Table, row: Any, name: str, other: Any) -> None:
    changed_key = {**row, name: other}
    connection.execute(
        update(table).where(*where(table, changed_key)).values({table.c[name]: row[name]})
    )
    connection.commit()


def test_every_removed_row_is_found(file_place: Place) -> None:
    engine = unsealed(file_place)
    with engine.connect() as connection:
        for table in LOGGED:
            for row in some_of(connection, table):
                connection.execute(delete(table).where(*where(table, row)))
                connection.commit()
                assert is_found(file_place), (table, row)
                connection.execute(insert(table), dict(row))
                connection.commit()
    engine.dispose()
    assert not is_found(file_place)


def test_the_sentence_names_the_entry_or_the_table(file_place: Place) -> None:
    store = filled(file_place)
    sent = record({"City": "Epe"})
    receipt = send(store, sent)
    store.close()
    engine = create_engine(sqlalchemy_url(file_place))

    def found() -> StoreChanged:
        with file_place.open() as store, pytest.raises(StoreChanged) as raised:
            store.verify()
        return raised.value

    with engine.begin() as connection:
        connection.execute(
            text("UPDATE records SET state = 'quarantined' WHERE id = :id"), {"id": sent.id}
        )
    assert (
        str(found())
        == f"The table records was changed: index={receipt.index} is different in state."
    )
    assert found().entry == receipt.index
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE records SET state = 'valid' WHERE id = :id"), {"id": sent.id}
        )
        connection.execute(
            text(
                "UPDATE entries SET submission = CAST(replace(submission, 'Epe', 'Ede') AS BLOB)"
                " WHERE submission IS NOT NULL"
            )
        )
    assert "has another hash" in str(found())
    assert found().entry == receipt.index
    engine.dispose()


def test_a_rewritten_history_is_found_unless_the_repository_signs_it(file_place: Place) -> None:
    """Who has the file but not the key cannot append, replace or drop the last entry."""
    store = filled(file_place)
    store.close()
    with sqlite3.connect(file_place.target) as raw:
        last = raw.execute('SELECT max("index") FROM entries').fetchone()[0]
        raw.execute('DELETE FROM entries WHERE "index" = ?', [last])
        raw.execute("UPDATE head SET size = size - 1")
    raw.close()
    with file_place.open() as store, pytest.raises(StoreChanged, match="head"):
        store.verify()


def test_planted_triggers_and_views_are_found(file_place: Place) -> None:
    filled(file_place).close()
    with sqlite3.connect(file_place.target) as raw:
        raw.execute("CREATE TRIGGER quiet AFTER INSERT ON entries BEGIN DELETE FROM nonces; END")
    raw.close()
    with file_place.open() as store, pytest.raises(StoreChanged, match="trigger quiet"):
        store.verify()


def dump(path: Path) -> dict[str, Any]:
    """Everything that SQL can see."""
    raw = sqlite3.connect(path)
    raw.text_factory = bytes
    try:
        found = {"": raw.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 2").fetchall()}
        for table in (*tables.metadata.sorted_tables,):
            keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
            found[table.name] = raw.execute(
                f'SELECT * FROM "{table.name}" ORDER BY {keys}'
            ).fetchall()
        return found
    finally:
        raw.close()


def test_a_changed_byte_of_a_file_without_a_seal_is_found_or_changes_nothing(
    file_place: Place, tmp_path: Path
) -> None:
    unsealed(file_place).dispose()
    original = Path(file_place.target)
    content = original.read_bytes()
    before = dump(original)
    seed = random.randrange(10**9)
    rng = random.Random(seed)
    copy = Place(tmp_path / "copy.sqlite", tmp_path)
    for _ in range(FLIPS):
        at, bit = rng.randrange(len(content)), 1 << rng.randrange(8)
        for ending in ("-wal", "-shm"):
            (tmp_path / f"copy.sqlite{ending}").unlink(missing_ok=True)
        damaged = bytearray(content)
        damaged[at] ^= bit
        Path(copy.target).write_bytes(damaged)
        if not is_found(copy):
            assert dump(Path(copy.target)) == before, f"seed {seed}: bit {bit} of byte {at}"


def test_a_backup_that_was_restored_is_found_by_whoever_saw_a_later_head(
    file_place: Place, tmp_path: Path
) -> None:
    store = filled(file_place)
    store.close()
    shutil.copy(file_place.target, tmp_path / "backup.sqlite")
    store = file_place.open()
    seen = send(store, record({"City": "Epe"})).head
    store.close()
    shutil.copy(tmp_path / "backup.sqlite", file_place.target)
    store = file_place.open()
    store.verify()  # by itself it is whole
    with pytest.raises(StoreChanged, match="it is an older copy"):
        store.verify(seen)
    send(store, record({"City": "Wijk"}))  # as many entries as before, but others
    with pytest.raises(StoreChanged, match="does not continue the one of"):
        store.verify(seen)
    send(store, record({"City": "Ommen"}))
    with pytest.raises(StoreChanged, match="does not continue the one of"):
        store.verify(seen)


def test_a_remembered_head_of_another_repository_is_said_to_be_one(
    file_place: Place, tmp_path: Path
) -> None:
    store = filled(file_place)
    other = Store.create(tmp_path / "other.sqlite", name="Other", owner=ALICE)
    with pytest.raises(StoreChanged, match="was not signed by"):
        store.verify(other.head())
    other.close()
