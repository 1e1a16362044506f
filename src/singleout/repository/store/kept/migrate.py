"""Bring the tables of a store to this version; the steps are packaged with it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from singleout.errors import BadChoice

__all__ = ["CURRENT", "upgrade", "version_of"]

CURRENT = "0003"
_VERSIONS = "alembic_version"


def version_of(connection: Connection) -> str | None:
    """Return the version of the tables; None where there are none."""
    if not inspect(connection).has_table(_VERSIONS):
        return None
    found = connection.scalar(text(f"SELECT version_num FROM {_VERSIONS}"))
    return None if found is None else str(found)


def upgrade(engine: Engine) -> None:
    """Run the migrations that a store has not had."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError:
            raise BadChoice(
                f"The store has tables of version {version_of(connection)}, which this version of "
                f"singleout does not know; it knows {CURRENT}."
            ) from None
        connection.commit()
