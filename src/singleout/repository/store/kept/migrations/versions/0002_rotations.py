"""Keys of the repository that followed each other."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, PrimaryKeyConstraint, Text

revision = "0002"
down_revision = "0001"

WORDS = Text().with_variant(Text(collation="C"), "postgresql")
WHOLE = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Make the table; a store of before has no rotations."""
    op.create_table(
        "rotations",
        Column("index", WHOLE, autoincrement=False, nullable=False),
        Column("key", WORDS, nullable=False),
        Column("public_key", WORDS, nullable=False),
        Column("previous", WORDS, nullable=False),
        PrimaryKeyConstraint("index"),
    )
