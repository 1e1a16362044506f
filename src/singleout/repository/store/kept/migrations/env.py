"""Run migrations on the connection that the store gives."""

from alembic import context

from singleout.repository.store.kept.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
