"""The tables of a store: the entries, which are the truth, and what is derived from them.

``entries`` only grows. Every other table is computed from it, in the order of the entries, by
`Derivation`; `verify` computes them again and compares. A submission is emptied when its record is
withdrawn; its hash stays in the leaf. A mirror may lack submissions and outcomes that its owner was
not allowed to read; ``mirror`` says that it is one, and nothing can be appended to it. ``seal`` and
``demand`` are no part of the log.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

__all__ = [
    "DERIVED",
    "charges",
    "decisions",
    "demand",
    "entries",
    "exposures",
    "head",
    "holders",
    "inventories",
    "metadata",
    "mirror",
    "nodes",
    "nonces",
    "population_terms",
    "populations",
    "quasi_identifiers",
    "records",
    "repository",
    "rotations",
    "seal",
    "states",
    "tokens",
    "vocabularies",
]

metadata = MetaData()

# the order of bytes, whatever language the server sorts by
Words = Text().with_variant(Text(collation="C"), "postgresql")
Whole = BigInteger().with_variant(Integer(), "sqlite")
_WITHOUT_ROWID: dict[str, Any] = {"sqlite_with_rowid": False}


def _key(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


entries = Table(
    "entries",
    metadata,
    _key("index", Whole),
    Column("leaf_hash", LargeBinary, nullable=False),
    Column("leaf", LargeBinary, nullable=False),
    Column("outcome", LargeBinary),
    Column("submission", LargeBinary),
)

# complete subtrees of 16, 256, ... entries; the others are folded from them
nodes = Table(
    "nodes",
    metadata,
    _key("level", Integer),
    _key("index", Whole),
    Column("hash", LargeBinary, nullable=False),
    **_WITHOUT_ROWID,
)

# one row; whoever appends locks it
head = Table(
    "head",
    metadata,
    _key("only", Integer),
    Column("size", Whole, nullable=False),
    Column("root", Words, nullable=False),
    Column("time", Words, nullable=False),
    Column("key", Words, nullable=False),
    Column("signature", Words, nullable=False),
)

# one row, from entry 0, with the current key
repository = Table(
    "repository",
    metadata,
    _key("only", Integer),
    Column("name", Words, nullable=False),
    Column("personal", Boolean, nullable=False),
    Column("key", Words, nullable=False),
    Column("public_key", Words, nullable=False),
)

# each key of the repository that took the place of another, by the entry that announced it
rotations = Table(
    "rotations",
    metadata,
    _key("index", Whole),
    Column("key", Words, nullable=False),
    Column("public_key", Words, nullable=False),
    Column("previous", Words, nullable=False),
)

# one row in a mirror, none in a repository itself
mirror = Table(
    "mirror",
    metadata,
    _key("only", Integer),
    Column("of", Words, nullable=False),
)

# of a withdrawn record only its id, holder and state are left
records = Table(
    "records",
    metadata,
    _key("index", Whole),
    Column("id", Words, nullable=False, unique=True),
    Column("state", Words, nullable=False),
    Column("reasons", Words, nullable=False),
    Column("holder", Words, nullable=False),
    Column("key", Words),
    Column("qid_key", Words),
    Column("population", Words),
    Column("shape", Words),
    Column("equal", Words),
    Column("low", Float),
    Column("high", Float),
    Column("access", Words),
    Index("records_by_population", "qid_key", "shape", "equal", "low"),
    Index("records_by_key", "key"),
    Index("records_by_people", "population"),
)

# what each record costs its people; nothing lowers it again, not even a withdrawal
charges = Table(
    "charges",
    metadata,
    _key("index", Whole),
    Column("population", Words, nullable=False),
    Column("tier", Words, nullable=False),
    Column("cost", Float, nullable=False),
    Index("charges_by_population", "population"),
)

# the best known size of each population that records were published about
populations = Table(
    "populations",
    metadata,
    _key("population", Words),
    _key("tier", Words),
    Column("terms", Words, nullable=False),
    Column("shape", Words, nullable=False),
    Column("equal", Words, nullable=False),
    Column("people", Float, nullable=False),
    Column("sd", Float, nullable=False),
    Index("populations_by_shape", "shape", "equal"),
    Index("populations_by_people", "people"),
    **_WITHOUT_ROWID,
)

# their terms of one value
population_terms = Table(
    "population_terms",
    metadata,
    _key("attribute", Words),
    _key("value", Words),
    _key("population", Words),
    **_WITHOUT_ROWID,
)

# of each shape: at most what the dearest record, the second dearest and so on cost anybody
exposures = Table(
    "exposures",
    metadata,
    _key("shape", Words),
    _key("readers", Words),
    _key("rank", Integer),
    Column("cost", Float, nullable=False),
    **_WITHOUT_ROWID,
)

states = Table(
    "states",
    metadata,
    _key("record", Words),
    _key("index", Whole),
    Column("state", Words, nullable=False),
    Column("reasons", Words, nullable=False),
    **_WITHOUT_ROWID,
)

# how many records a query can find for each quasi-identifier
quasi_identifiers = Table(
    "quasi_identifiers",
    metadata,
    _key("qid_key", Words),
    Column("attributes", Words, nullable=False),
    Column("count", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

nonces = Table(
    "nonces",
    metadata,
    _key("by", Words),
    _key("nonce", Words),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

holders = Table(
    "holders",
    metadata,
    _key("id", Words),
    Column("name", Words, nullable=False),
    Column("public_key", Words, nullable=False),
    Column("roles", Words, nullable=False),
    Column("contact", Words),
    Column("active", Boolean, nullable=False),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

tokens = Table(
    "tokens",
    metadata,
    _key("hash", Words),
    Column("name", Words, nullable=False),
    Column("roles", Words, nullable=False),
    Column("holder", Words),
    Column("expires", Words),
    Column("active", Boolean, nullable=False),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

vocabularies = Table(
    "vocabularies",
    metadata,
    _key("hash", Words),
    Column("name", Words, nullable=False),
    Column("version", Words, nullable=False),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

inventories = Table(
    "inventories",
    metadata,
    _key("id", Words),
    Column("holder", Words, nullable=False),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

decisions = Table(
    "decisions",
    metadata,
    _key("id", Words),
    Column("holder", Words, nullable=False),
    Column("index", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

# one row: a hash over the bytes of an SQLite file when it was last closed
seal = Table(
    "seal",
    metadata,
    _key("only", Integer),
    Column("content", LargeBinary, nullable=False),
)

# how often combinations of attributes were asked for in vain; nobody signed it, so no entry has it
demand = Table(
    "demand",
    metadata,
    _key("combination", Words),
    Column("asked", Whole, nullable=False),
    **_WITHOUT_ROWID,
)

_NOT_DERIVED = (entries, head, mirror, seal, demand)
DERIVED = tuple(table for table in metadata.sorted_tables if table not in _NOT_DERIVED)
