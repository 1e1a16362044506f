"""The first tables."""

from alembic import op

from singleout.repository.store.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    metadata.create_all(op.get_bind())
