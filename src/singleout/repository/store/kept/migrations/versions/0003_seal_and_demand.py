"""A seal over the bytes of a file, and how often combinations were asked for in vain."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary, PrimaryKeyConstraint, Text

revision = "0003"
down_revision = "0002"

WORDS = Text().with_variant(Text(collation="C"), "postgresql")
WHOLE = BigInteger().with_variant(Integer(), "sqlite")
BLANK = b"singleout seal 1".ljust(68, b"\0")


def upgrade() -> None:
    """Make the tables; a store of before is not sealed."""
    seal = op.create_table(
        "seal",
        Column("only", Integer, autoincrement=False, nullable=False),
        Column("content", LargeBinary, nullable=False),
        PrimaryKeyConstraint("only"),
    )
    op.bulk_insert(seal, [{"only": 1, "content": BLANK}])
    op.create_table(
        "demand",
        Column("combination", WORDS, autoincrement=False, nullable=False),
        Column("asked", WHOLE, nullable=False),
        PrimaryKeyConstraint("combination"),
        sqlite_with_rowid=False,
    )
