"""The first tables. A migration never changes: later versions are steps of their own."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

WORDS = Text().with_variant(Text(collation="C"), "postgresql")
WHOLE = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "charges",
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("population", WORDS, nullable=False),
        Column("tier", WORDS, nullable=False),
        Column("cost", Float(), nullable=False),
        PrimaryKeyConstraint("index"),
    )
    op.create_index("charges_by_population", "charges", ["population"], unique=False)
    op.create_table(
        "decisions",
        Column("id", WORDS, autoincrement=False, nullable=False),
        Column("holder", WORDS, nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "entries",
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("leaf_hash", LargeBinary(), nullable=False),
        Column("leaf", LargeBinary(), nullable=False),
        Column("outcome", LargeBinary(), nullable=True),
        Column("submission", LargeBinary(), nullable=True),
        PrimaryKeyConstraint("index"),
    )
    op.create_table(
        "exposures",
        Column("shape", WORDS, autoincrement=False, nullable=False),
        Column("readers", WORDS, autoincrement=False, nullable=False),
        Column("rank", Integer(), autoincrement=False, nullable=False),
        Column("cost", Float(), nullable=False),
        PrimaryKeyConstraint("shape", "readers", "rank"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "head",
        Column("only", Integer(), autoincrement=False, nullable=False),
        Column("size", WHOLE, nullable=False),
        Column("root", WORDS, nullable=False),
        Column("time", WORDS, nullable=False),
        Column("key", WORDS, nullable=False),
        Column("signature", WORDS, nullable=False),
        PrimaryKeyConstraint("only"),
    )
    op.create_table(
        "holders",
        Column("id", WORDS, autoincrement=False, nullable=False),
        Column("name", WORDS, nullable=False),
        Column("public_key", WORDS, nullable=False),
        Column("roles", WORDS, nullable=False),
        Column("contact", WORDS, nullable=True),
        Column("active", Boolean(), nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "inventories",
        Column("id", WORDS, autoincrement=False, nullable=False),
        Column("holder", WORDS, nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mirror",
        Column("only", Integer(), autoincrement=False, nullable=False),
        Column("of", WORDS, nullable=False),
        PrimaryKeyConstraint("only"),
    )
    op.create_table(
        "nodes",
        Column("level", Integer(), autoincrement=False, nullable=False),
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("hash", LargeBinary(), nullable=False),
        PrimaryKeyConstraint("level", "index"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "nonces",
        Column("by", WORDS, autoincrement=False, nullable=False),
        Column("nonce", WORDS, autoincrement=False, nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("by", "nonce"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "population_terms",
        Column("attribute", WORDS, autoincrement=False, nullable=False),
        Column("value", WORDS, autoincrement=False, nullable=False),
        Column("population", WORDS, autoincrement=False, nullable=False),
        PrimaryKeyConstraint("attribute", "value", "population"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "populations",
        Column("population", WORDS, autoincrement=False, nullable=False),
        Column("tier", WORDS, autoincrement=False, nullable=False),
        Column("terms", WORDS, nullable=False),
        Column("shape", WORDS, nullable=False),
        Column("equal", WORDS, nullable=False),
        Column("people", Float(), nullable=False),
        Column("sd", Float(), nullable=False),
        PrimaryKeyConstraint("population", "tier"),
        sqlite_with_rowid=False,
    )
    op.create_index("populations_by_people", "populations", ["people"], unique=False)
    op.create_index("populations_by_shape", "populations", ["shape", "equal"], unique=False)
    op.create_table(
        "quasi_identifiers",
        Column("qid_key", WORDS, autoincrement=False, nullable=False),
        Column("attributes", WORDS, nullable=False),
        Column("count", WHOLE, nullable=False),
        PrimaryKeyConstraint("qid_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "records",
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("id", WORDS, nullable=False),
        Column("state", WORDS, nullable=False),
        Column("reasons", WORDS, nullable=False),
        Column("holder", WORDS, nullable=False),
        Column("key", WORDS, nullable=True),
        Column("qid_key", WORDS, nullable=True),
        Column("population", WORDS, nullable=True),
        Column("shape", WORDS, nullable=True),
        Column("equal", WORDS, nullable=True),
        Column("low", Float(), nullable=True),
        Column("high", Float(), nullable=True),
        Column("access", WORDS, nullable=True),
        PrimaryKeyConstraint("index"),
        UniqueConstraint("id"),
    )
    op.create_index("records_by_key", "records", ["key"], unique=False)
    op.create_index("records_by_people", "records", ["population"], unique=False)
    op.create_index(
        "records_by_population", "records", ["qid_key", "shape", "equal", "low"], unique=False
    )
    op.create_table(
        "repository",
        Column("only", Integer(), autoincrement=False, nullable=False),
        Column("name", WORDS, nullable=False),
        Column("personal", Boolean(), nullable=False),
        Column("key", WORDS, nullable=False),
        Column("public_key", WORDS, nullable=False),
        PrimaryKeyConstraint("only"),
    )
    op.create_table(
        "states",
        Column("record", WORDS, autoincrement=False, nullable=False),
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("state", WORDS, nullable=False),
        Column("reasons", WORDS, nullable=False),
        PrimaryKeyConstraint("record", "index"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tokens",
        Column("hash", WORDS, autoincrement=False, nullable=False),
        Column("name", WORDS, nullable=False),
        Column("roles", WORDS, nullable=False),
        Column("holder", WORDS, nullable=True),
        Column("expires", WORDS, nullable=True),
        Column("active", Boolean(), nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "vocabularies",
        Column("hash", WORDS, autoincrement=False, nullable=False),
        Column("name", WORDS, nullable=False),
        Column("version", WORDS, nullable=False),
        Column("index", WHOLE, nullable=False),
        PrimaryKeyConstraint("hash"),
        sqlite_with_rowid=False,
    )
