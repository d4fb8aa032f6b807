from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from toulmin.stores.records import RecordStore
from toulmin.stores.records.tables import METADATA


def test_the_migrations_make_the_tables(store):
    with store.database.write() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_opening_again_changes_nothing(store, place):
    with store.read() as transaction:
        head = transaction.outbox.head()
    store.close()
    again = RecordStore(*place)
    with again.read() as transaction:
        assert transaction.outbox.head() == head
    again.close()
