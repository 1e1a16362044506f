"""The tree of a store: leaves in the entries, subtrees of 16, 256, ... entries in a table."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select

from singleout.errors import StoreChanged
from singleout.repository.log.merkle import Frontier, Node, node_hash, peaks
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.statements import Prepared

__all__ = ["STEP", "StoredTree", "kept_nodes"]

STEP = 4  # levels between those that are kept
_INSERT = Prepared(insert(tables.nodes))
_KEPT = 10_000  # subtrees at hand


def kept_nodes(completed: Iterable[tuple[Node, bytes]]) -> list[dict[str, object]]:
    """Return the rows to store of the subtrees that an entry completes."""
    return [
        {"level": level, "index": index, "hash": node}
        for (level, index), node in completed
        if level and level % STEP == 0
    ]


class StoredTree:
    """Read complete subtrees of a store, and remember those just appended.

    Parameters
    ----------
    connection
        A connection within a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._fresh: dict[Node, bytes] = {}

    def read(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree."""
        fresh = self._fresh.get((level, index))
        if fresh is not None:
            return fresh
        kept = level - level % STEP
        first = index << (level - kept)
        hashes = self._row_of(kept, first, 1 << (level - kept))
        while len(hashes) > 1:
            hashes = [node_hash(*hashes[i : i + 2]) for i in range(0, len(hashes), 2)]
        return hashes[0]

    def read_often(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree, and keep those of the upper levels at hand."""
        found = self._fresh.get((level, index))
        if found is None:
            found = self.read(level, index)
            if len(self._fresh) >= _KEPT:
                self._fresh.clear()
            self._fresh[level, index] = found
        return found

    def frontier(self, size: int) -> Frontier:
        """Return the right edge of the tree, from which it grows."""
        edge = peaks(0, size)
        hashes = [self.read(*node) for node in edge]
        self._fresh.update(zip(edge, hashes, strict=True))
        return Frontier(size, hashes)

    def remember_edge(self, frontier: Frontier) -> None:
        """Keep the right edge at hand."""
        self._fresh.update(zip(peaks(0, frontier.size), frontier.hashes, strict=True))

    def remember(self, completed: Iterable[tuple[Node, bytes]]) -> None:
        """Keep subtrees at hand: with the edge, the proof of a new entry needs no others."""
        self._fresh.update(completed)

    def store(self, completed: Iterable[tuple[Node, bytes]]) -> None:
        """Write the subtrees that are kept."""
        rows = kept_nodes(completed)
        if rows:
            _INSERT.many(self._connection, rows)

    def _row_of(self, level: int, first: int, count: int) -> list[bytes]:
        if level:
            table, column = tables.nodes, tables.nodes.c.hash
            wanted = select(column).where(table.c.level == level)
        else:
            table, column = tables.entries, tables.entries.c.leaf_hash
            wanted = select(column)
        place = table.c.index
        wanted = wanted.where(place >= first, place < first + count).order_by(place)
        hashes = [bytes(node) for node in self._connection.scalars(wanted)]
        if len(hashes) != count:
            raise StoreChanged(
                f"The log misses {count - len(hashes)} of the hashes of the entries from "
                f"{first << level} on.",
                first << level,
            )
        return hashes
