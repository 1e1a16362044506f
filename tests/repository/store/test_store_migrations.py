"""The migrations make the tables that the store uses, and travel with the package."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from store_cases import Place

from singleout.errors import BadChoice
from singleout.repository.store.kept import migrate, tables
from singleout.repository.store.kept.database import connect, target_of


def test_the_migrations_make_the_tables_of_the_store(place: Place) -> None:
    if isinstance(place.target, Path):
        place.target.touch()
    engine = connect(target_of(place.target))
    migrate.upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, tables.metadata) == []
        found = {
            index["name"]
            for table in tables.metadata.sorted_tables
            for index in inspect(connection).get_indexes(table.name)
        }
        assert {
            index.name for table in tables.metadata.sorted_tables for index in table.indexes
        } <= found
    migrate.upgrade(engine)  # a second time changes nothing
    engine.dispose()


def test_the_current_version_is_the_last_migration() -> None:
    folder = Path(migrate.__file__).with_name("migrations")
    assert ScriptDirectory(str(folder)).get_current_head() == migrate.CURRENT


def test_tables_of_a_later_version_are_refused_with_the_version(file_place: Place) -> None:
    file_place.create().close()
    with sqlite3.connect(file_place.target) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    with pytest.raises(BadChoice, match="tables of version 9999"):
        file_place.open()
