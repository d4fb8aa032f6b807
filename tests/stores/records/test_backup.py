import dataclasses

import pytest

from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document, upsert
from toulmin.errors import AlreadyExists, FailedPrecondition, NotFound
from toulmin.settings import Settings
from toulmin.stores.records import RecordStore, backup, restore, verify
from toulmin.stores.records.database import RECORDS_FILE


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def copy(sqlite_store, settings, tmp_path):
    """A copy with d1 in it, made while the store is open; d2 came later."""
    make_branch(sqlite_store)
    upsert(sqlite_store, make_document("d1", "one", "two"))
    path = tmp_path / "copy.db"
    report = backup(settings, path)
    assert report.path == path
    assert (report.counts["documents"], report.counts["chunks"], report.sequence) == (1, 2, 1)
    upsert(sqlite_store, make_document("d2"))
    return path


def incarnation(store):
    with store.read() as transaction:
        return transaction.outbox.head().incarnation


def test_there_and_back(copy, sqlite_store, settings, tmp_path):
    old = incarnation(sqlite_store)
    with pytest.raises(FailedPrecondition, match="in use"):
        restore(settings, copy, replace=True)
    sqlite_store.close()
    with pytest.raises(AlreadyExists, match="records already"):
        restore(settings, copy)
    restore(settings, copy, replace=True)
    store = RecordStore(settings.data_dir)
    assert ids(store) == ["d1"]
    with store.read() as transaction:
        assert transaction.documents.text(BRANCH, "d1") == "one two"
    assert incarnation(store) != old  # an index of the old history must not go on
    store.close()
    kept = settings.data_dir / f"{RECORDS_FILE}.replaced"
    assert verify(kept).counts["documents"] == 2


def test_into_an_empty_folder(copy, tmp_path):
    other = Settings(data_dir=tmp_path / "other")
    restore(other, copy)
    store = RecordStore(other.data_dir)
    assert ids(store) == ["d1"]
    store.close()


def test_an_interrupted_restore_is_noticed_and_finished(copy, sqlite_store, settings):
    sqlite_store.close()
    current = settings.data_dir / RECORDS_FILE
    current.rename(current.with_name(f"{RECORDS_FILE}.replaced"))
    with pytest.raises(FailedPrecondition, match="interrupted"):
        RecordStore(settings.data_dir)
    restore(settings, copy)
    store = RecordStore(settings.data_dir)
    assert ids(store) == ["d1"]
    store.close()


def test_a_damaged_copy_is_refused(copy, settings, tmp_path):
    content = bytearray(copy.read_bytes())
    content[4096 * 3 : 4096 * 3 + 2000] = b"\xa5" * 2000
    copy.write_bytes(content)
    with pytest.raises(FailedPrecondition):
        restore(Settings(data_dir=tmp_path / "other"), copy)
    assert not (tmp_path / "other" / RECORDS_FILE).exists()


def test_what_cannot_be_copied(sqlite_store, settings, tmp_path):
    with pytest.raises(NotFound):
        backup(Settings(data_dir=tmp_path / "none"), tmp_path / "x")
    (tmp_path / "there").touch()
    with pytest.raises(AlreadyExists):
        backup(settings, tmp_path / "there")
    with pytest.raises(NotFound):
        restore(Settings(data_dir=tmp_path / "other"), tmp_path / "absent")
    on_server = dataclasses.replace(settings, database_url="postgresql://h/d")
    for call in (backup, restore):
        with pytest.raises(FailedPrecondition, match="pg_dump"):
            call(on_server, tmp_path / "x")
