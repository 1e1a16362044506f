"""Check a store against itself: hashes, tree, signatures, and every table derived anew.

Nothing is fetched and nothing is written to the store. The derived tables are computed again in a
temporary SQLite file and compared row by row, so that memory stays flat. At last, a sealed file is
compared byte by byte with its seal.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, insert, select

from singleout.errors import StoreChanged, UnreadableFile
from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.keys import is_signed, key_id, read_public_key, read_signature
from singleout.repository.log.heads import SignedHead, check_continues
from singleout.repository.log.merkle import Frontier, leaf_hash
from singleout.repository.log.rotation import KIND, announced_by
from singleout.repository.store.appending import read_head
from singleout.repository.store.derived.derive import Derivation
from singleout.repository.store.derived.tree import kept_nodes
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.database import connect, reading, writing
from singleout.repository.store.kept.entries import EntryLeaf, hash_of, read_leaf, read_outcome
from singleout.repository.store.kept.migrate import CURRENT, upgrade, version_of
from singleout.repository.store.kept.reading import entries
from singleout.repository.store.kept.seal import check_seal
from singleout.repository.store.kept.stored import StoredEntry

__all__ = ["verify"]

_ROWS = 1_000


def verify(engine: Engine, remembered: SignedHead | None = None) -> SignedHead:
    """Return the head of a store in which nothing was changed.

    Raises
    ------
    StoreChanged
        If anything was; it names the entry or the table.
    """
    try:
        with reading(engine) as connection, _scratch() as derived:
            _check_file(connection)
            head = _Check(connection, derived, remembered).run()
            _compare_tables(connection, derived)
            _compare_schema(connection, derived)
            check_seal(connection, head.size)
        return head
    except StoreChanged:
        raise
    except UnreadableFile as error:
        raise StoreChanged(f"The file of the store was changed: {error}") from error
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise StoreChanged(
            f"The store was changed: it holds values that cannot be read ({error})."
        ) from error


@contextmanager
def _scratch() -> Iterator[Connection]:
    """Give the connection of a store without entries, in a temporary file."""
    with tempfile.TemporaryDirectory(prefix="singleout-verify-") as folder:
        file = Path(folder) / "derived.sqlite"
        file.write_bytes(_empty())
        engine = connect(file, durable=False)
        try:
            with writing(engine) as connection:
                yield connection
        finally:
            engine.dispose()


@cache
def _empty() -> bytes:
    """Return the file of a store without entries, as the migrations make it."""
    with tempfile.TemporaryDirectory(prefix="singleout-verify-") as folder:
        file = Path(folder) / "empty.sqlite"
        engine = connect(file, durable=False)
        try:
            upgrade(engine)
        finally:
            engine.dispose()
        return file.read_bytes()


def _check_file(connection: Connection) -> None:
    """Let SQLite check its own pages and indexes."""
    if version_of(connection) != CURRENT:
        raise StoreChanged("The version of the tables was changed (table alembic_version).")
    if connection.dialect.name != "sqlite":
        return
    found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
    if found != "ok":
        raise StoreChanged(f"The file of the store was changed: {found}.")


class _Check:
    """Go through all entries once.

    Parameters
    ----------
    connection
        The store.
    derived
        An empty one, to derive the tables in.
    remembered
        A head seen before.
    """

    def __init__(
        self, connection: Connection, derived: Connection, remembered: SignedHead | None
    ) -> None:
        self._connection = connection
        self._derived = derived
        self._remembered = remembered
        self._derivation = Derivation(derived, self._stored_body)
        self._frontier = Frontier()
        self._keys: dict[str, bytes] = {}
        self._emptied = array("q")
        self._nodes: list[dict[str, object]] = []
        self._time = ""
        self._is_mirror = connection.scalar(select(tables.mirror.c.only)) is not None
        self._seen_root: bytes | None = None

    def run(self) -> SignedHead:
        head = _only_head(self._connection)
        with closing(entries(self._connection, 0, 2**62)) as every:
            for entry in every:
                self._check_entry(entry)
        self._derivation.pending.flush()
        self._store_nodes()
        if self._frontier.size == 0:
            raise StoreChanged("The log has no entry; its first one names the repository.", 0)
        self._check_head(head)
        self._check_emptied()
        return head

    def _check_entry(self, entry: StoredEntry) -> None:
        index = self._frontier.size
        if entry.index != index:
            raise StoreChanged(f"Entry {index} is missing from the log.", index)
        _check_types(entry)
        if leaf_hash(entry.leaf) != entry.leaf_hash:
            raise StoreChanged(f"Entry {index} was changed: its leaf has another hash.", index)
        leaf = read_leaf(index, entry.leaf)
        if leaf.time < self._time:
            raise StoreChanged(
                f"Entry {index} was changed: it is older than the one before.", index
            )
        self._time = leaf.time
        self._derive(entry, leaf)
        self._nodes += kept_nodes(self._frontier.append(entry.leaf_hash))
        if len(self._nodes) >= _ROWS:
            self._store_nodes()
        if self._remembered is not None and self._remembered.size == self._frontier.size:
            self._seen_root = self._frontier.root()

    def _derive(self, entry: StoredEntry, leaf: EntryLeaf) -> None:
        if entry.outcome is None:
            if not self._is_mirror or entry.submission is not None:
                sentence = f"Entry {leaf.index} was changed: its outcome is missing."
                raise StoreChanged(sentence, leaf.index)
            self._derivation.apply(leaf, None, None)
            return
        outcome = read_outcome(leaf.index, entry.outcome)
        if hash_of(entry.outcome) != leaf.outcome or outcome.record != leaf.record:
            raise StoreChanged(
                f"Entry {leaf.index} was changed: its outcome has another hash.", leaf.index
            )
        self._derivation.apply(leaf, outcome, self._checked_body(entry, leaf))

    def _checked_body(self, entry: StoredEntry, leaf: EntryLeaf) -> dict[str, Any] | None:
        index = leaf.index
        if entry.submission is None:
            self._emptied.append(index)
            return None
        if hash_of(entry.submission) != leaf.submission:
            raise StoreChanged(
                f"Entry {index} was changed: its submission has another hash.", index
            )
        submission = json.loads(entry.submission)
        body: dict[str, Any] = submission["body"]
        if body["kind"] in ("repository/1", "holder/1", KIND):
            public = read_public_key(body["public_key"])
            self._keys.setdefault(key_id(public), public)
        if body["kind"] == KIND:
            owner = self._derived.scalar(select(tables.repository.c.key))
            announced_by(submission, str(owner))
        signature = read_signature(submission.pop("signature"))
        key = self._keys.get(leaf.by)
        if key is None or not is_signed(canonical(submission), signature, key):
            raise StoreChanged(f"Entry {index} was changed: it is not signed by {leaf.by}.", index)
        if (submission["by"], submission["nonce"]) != (leaf.by, leaf.nonce):
            raise StoreChanged(f"Entry {index} was changed: it was submitted by another.", index)
        return body

    def _store_nodes(self) -> None:
        if self._nodes:
            self._derived.execute(insert(tables.nodes), self._nodes)
        self._nodes = []

    def _stored_body(self, index: int) -> dict[str, Any] | None:
        found = self._connection.scalar(
            select(tables.entries.c.submission).where(tables.entries.c["index"] == index)
        )
        if found is None:
            return None
        body: dict[str, Any] = json.loads(found)["body"]
        return body

    def _check_head(self, head: SignedHead) -> None:
        size = self._frontier.size
        owner = self._derived.execute(select(tables.repository)).mappings().first()
        if owner is None:
            raise StoreChanged("Entry 0 was changed: it does not name the repository.", 0)
        if head.key != owner["key"]:
            raise StoreChanged(
                f"The tree head is signed by {head.key}, not by {owner['key']} of the log."
            )
        head.check(read_public_key(owner["public_key"]))
        if head.size != size:
            raise StoreChanged(
                f"The log has {size} entries, and its signed head {head.size}: entries were "
                f"{'removed' if size < head.size else 'added'}.",
                min(size, head.size),
            )
        if head.root != self._frontier.root().hex():
            raise StoreChanged(
                "The entries are not those that the tree head was signed for: one was replaced."
            )
        if self._remembered is not None:
            self._remembered.check(self._key_at(self._remembered.size, owner["public_key"]))
            self._check_remembered(head, self._remembered)

    def _key_at(self, size: int, current: str) -> bytes:
        """Return the public key that signs the head of a size: the last one announced in it."""
        table = tables.rotations
        rows = self._derived.execute(select(table).order_by(table.c["index"])).all()
        later = [row for row in rows if row[0] >= size]
        return read_public_key(later[0].previous if later else current)

    def _check_remembered(self, head: SignedHead, remembered: SignedHead) -> None:
        # its key is the right one for its size, as the signature has shown
        same: dict[str, object] = {"key": remembered.key}
        if self._seen_root is not None:
            # the tree was computed from all entries, so the root itself can be compared
            same |= {"size": remembered.size, "root": self._seen_root.hex()}
        past = head.model_copy(update=same)
        check_continues(remembered, past, lambda _first, _second: ())

    def _check_emptied(self) -> None:
        """Check that what is missing is what was withdrawn, and nothing else."""
        table = tables.records
        withdrawn = self._derived.scalars(
            select(table.c["index"]).where(table.c.state == "withdrawn").order_by(table.c["index"])
        )
        for empty, gone in zip_longest(self._emptied, withdrawn):
            if empty == gone:
                continue
            index = min(one for one in (empty, gone) if one is not None)
            if index == empty:
                raise StoreChanged(f"Entry {index} was changed: its submission is missing.", index)
            raise StoreChanged(f"Entry {index} was withdrawn, and its content is back.", index)


def _check_types(entry: StoredEntry) -> None:
    """Check that a cell holds bytes: SQLite lets it hold anything."""
    cells = (entry.leaf_hash, entry.leaf, entry.outcome or b"", entry.submission or b"")
    if not all(isinstance(cell, bytes) for cell in cells):
        raise StoreChanged(f"Entry {entry.index} was changed: it holds no bytes.", entry.index)


def _only_head(connection: Connection) -> SignedHead:
    rows = connection.execute(select(tables.head)).mappings().all()
    if len(rows) != 1 or rows[0]["only"] != 1:
        raise StoreChanged("The signed tree head is missing (table head).")
    return read_head(connection)


# ---- derived tables


def _compare_tables(connection: Connection, derived: Connection) -> None:
    for table in tables.DERIVED:
        with (
            closing(_rows(connection, table)) as stored,
            closing(_rows(derived, table)) as expected,
        ):
            for pair in zip_longest(stored, expected):
                if pair[0] != pair[1]:
                    raise _changed_row(table, *pair)


def _changed_row(table: Table, stored: Any, expected: Any) -> StoreChanged:
    row = expected if expected is not None else stored
    named = dict(zip((column.name for column in table.columns), row, strict=True))
    where = ", ".join(f"{column.name}={named[column.name]}" for column in table.primary_key)
    entry = named.get("index") if table is not tables.nodes else None
    return StoreChanged(
        f"The table {table.name} was changed: {where} is {_difference(table, stored, expected)}.",
        entry if isinstance(entry, int) else None,
    )


def _difference(table: Table, stored: Any, expected: Any) -> str:
    if stored is None:
        return "missing"
    if expected is None or stored[0] != expected[0]:
        return "not what the entries say"
    names = [
        column.name
        for column, one, other in zip(table.columns, stored, expected, strict=True)
        if one != other
    ]
    return f"different in {', '.join(names)}"


def _rows(connection: Connection, table: Table) -> Generator[tuple[Any, ...], None, None]:
    wanted = select(table).order_by(*table.primary_key.columns)
    with connection.execute(wanted.execution_options(yield_per=_ROWS)) as rows:
        for row in rows:
            yield tuple(row)


def _compare_schema(connection: Connection, derived: Connection) -> None:
    """Check that SQLite has the tables and indexes of this version, and no triggers or views."""
    if connection.dialect.name != "sqlite":
        return
    question = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    stored = connection.exec_driver_sql(question).all()
    expected = derived.exec_driver_sql(question).all()
    for one, other in zip_longest(stored, expected):
        if one != other:
            named = one if one is not None else other
            raise StoreChanged(f"The {named[0]} {named[1]} is not as this version made it.")
