import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document, upsert
from tests.stores.records.upserter import BRANCH as CHILD_BRANCH
from toulmin.errors import (
    Aborted,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    ResourceExhausted,
)
from toulmin.stores.records import RecordStore
from toulmin.stores.records.database import RECORDS_FILE, translated_errors

UPSERTER = Path(__file__).with_name("upserter.py")
SIZE = 40


def start(folder, *, batches=1000, **more):
    return subprocess.Popen(
        [sys.executable, UPSERTER, folder, str(batches), str(SIZE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_kill_9_loses_and_repeats_nothing(tmp_path, seed):
    child = start(tmp_path)
    assert child.stdout.readline() == "ready\n"
    wanted = random.Random(seed).randrange(1, 8)
    acknowledged = [child.stdout.readline() for _ in range(wanted)]
    time.sleep(random.Random(seed).random() / 50)  # into the next batch
    child.send_signal(signal.SIGKILL)
    acknowledged += child.stdout.readlines()
    child.communicate()

    store = RecordStore(tmp_path)
    try:
        check(store, acknowledged=sum(1 for line in acknowledged if line.endswith("\n")))
    finally:
        store.close()


def check(store, *, acknowledged):
    """Every acknowledged batch is there, once; one more at most; the outbox tells all of it."""
    with store.read() as transaction:
        stored = transaction.documents.scan(limit=100_000)
        changes = transaction.outbox.read(after=0, limit=1_000_000)
        page = transaction.documents.list(CHILD_BRANCH, page_size=100_000)
    assert len(changes) % SIZE == 0
    batches = len(changes) // SIZE
    assert batches in (acknowledged, acknowledged + 1)
    assert [change.sequence for change in changes] == list(range(1, len(changes) + 1))
    names = [document.id for document in page.items]
    assert names == [f"d{n:06}" for n in range((batches + 1) // 2 * SIZE)]
    for number, item in enumerate(stored):
        last = min(number // SIZE * 2 + 1, batches - 1)  # the batch that wrote it last
        assert item.document.struct_data == {"batch": last}
        assert item.document.generation == 1 + last % 2
        assert len(item.chunks) == 1
    # What a reader of the outbox holds at the end is what is there.
    held = {chunk.key for item in stored for chunk in item.chunks}
    removed = {key for change in changes for key in change.removed_chunks}
    assert not held & removed
    assert {change.document for change in changes} == {item.key for item in stored}
    assert all(count <= 2 for count in Counter(change.document for change in changes).values())


def test_two_processes_on_one_folder(tmp_path):
    child = start(tmp_path, batches=0)
    try:
        assert child.stdout.readline() == "ready\n"
        with pytest.raises(
            FailedPrecondition, match=f"in use by process {child.pid} on "
        ) as caught:
            RecordStore(tmp_path)
        assert caught.value.reason == "DATA_FOLDER_IN_USE"
    finally:
        child.kill()
        child.communicate()
    RecordStore(tmp_path).close()  # the lock went with its holder


def test_one_process_twice_on_one_folder(sqlite_store, tmp_path):
    with pytest.raises(FailedPrecondition, match="in use by process"):
        RecordStore(tmp_path / "data")


def test_a_full_disk_writes_nothing_and_is_got_over(sqlite_store):
    make_branch(sqlite_store)
    upsert(sqlite_store, make_document("d1", "one"))
    limit(sqlite_store, pages=8)
    big = make_document("d2", "x" * 2_000_000)
    with pytest.raises(ResourceExhausted, match="full; nothing was written"):
        upsert(sqlite_store, big)
    assert ids(sqlite_store) == ["d1"]
    limit(sqlite_store, pages=1_000_000)
    upsert(sqlite_store, big)
    assert ids(sqlite_store) == ["d1", "d2"]
    with sqlite_store.read() as transaction:
        assert transaction.outbox.head().sequence == 2


def limit(store, *, pages):
    """Let the file grow to so many pages and no further: for the pool's only connection."""
    with store.database.write() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def test_a_file_that_may_not_grow(tmp_path):
    """The system's own limit: writing fails in the middle of a batch."""
    RecordStore(tmp_path).close()
    size = (tmp_path / RECORDS_FILE).stat().st_size
    child = start(
        tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000,) * 2),
    )
    output, errors = child.communicate(timeout=300)
    assert child.returncode == 1
    assert "nothing was written" in errors
    store = RecordStore(tmp_path)
    check(store, acknowledged=len(output.splitlines()) - 1)
    store.close()


LOCKER = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
other.execute("ROLLBACK")
print("free", flush=True)
"""


def test_a_database_locked_by_another_process(tmp_path):
    store = RecordStore(tmp_path, busy_timeout_s=0.2)
    make_branch(store)
    upsert(store, make_document("d1", "old"))
    other = subprocess.Popen(
        [sys.executable, "-c", LOCKER, tmp_path / RECORDS_FILE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(Aborted, match="locked"):
            upsert(store, make_document("d1", "new"), make_document("d2", "new"))
        assert ids(store) == ["d1"]  # reading goes on
        other.stdin.write("\n")
        other.stdin.flush()
        assert other.stdout.readline() == "free\n"
    with store.read() as transaction:
        assert transaction.documents.text(BRANCH, "d1") == "old"
        assert transaction.outbox.head().sequence == 1
    upsert(store, make_document("d1", "new"), make_document("d2", "new"))
    assert ids(store) == ["d1", "d2"]
    with store.read() as transaction:
        assert transaction.outbox.head().sequence == 3
    store.close()


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (sqlite3.SQLITE_PROTOCOL, Aborted),  # a busy write-ahead log, while one begins to read
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Aborted),
        (sqlite3.SQLITE_NOMEM, ResourceExhausted),
        (sqlite3.SQLITE_MISUSE, Internal),
    ],
)
def test_what_passes_is_no_defect(code, error):
    raised = sqlite3.OperationalError("no")
    raised.sqlite_errorcode = code
    with pytest.raises(error), translated_errors():
        raise raised


def test_a_damaged_file_is_found_after_a_crash(tmp_path):
    store = RecordStore(tmp_path)
    make_branch(store)
    upsert(store, *(make_document(f"d{n}", "x" * 500) for n in range(200)))
    store.close()
    path = tmp_path / RECORDS_FILE
    content = bytearray(path.read_bytes())
    for place in range(8 * 4096, len(content) - 4096, 4096):
        content[place : place + 64] = b"\xa5" * 64
    path.write_bytes(content)
    (tmp_path / "lock").write_text('{"pid": 1, "host": "h"}')  # as a killed process leaves it
    with pytest.raises(FailedPrecondition, match="toulmin restore") as caught:
        RecordStore(tmp_path)
    assert caught.value.reason == "DATABASE_DAMAGED"


def test_a_file_of_something_else_is_left_alone(tmp_path):
    (tmp_path / RECORDS_FILE).write_bytes(b"not a database" * 1000)
    with pytest.raises(FailedPrecondition, match="damaged"):
        RecordStore(tmp_path)
    (tmp_path / RECORDS_FILE).unlink()
    with sqlite3.connect(tmp_path / RECORDS_FILE) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(FailedPrecondition, match="another program"):
        RecordStore(tmp_path)


def test_a_newer_schema_is_refused(sqlite_store, tmp_path):
    sqlite_store.close()
    with sqlite3.connect(tmp_path / "data" / RECORDS_FILE) as other:
        other.execute("UPDATE alembic_version SET version_num = '9999'")
    other.close()
    with pytest.raises(FailedPrecondition, match="newer version"):
        RecordStore(tmp_path / "data")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FailedPrecondition, match="cannot be written to"):
        RecordStore(tmp_path / "file" / "data")


@pytest.mark.parametrize("url", ["nonsense", "mysql://h/d"])
def test_urls_that_are_not_postgresql(tmp_path, url):
    with pytest.raises(InvalidArgument, match="postgresql://"):
        RecordStore(tmp_path, url)


def test_only_who_writes_has_a_large_cache(sqlite_store):
    """Every connection that reads would keep its own for good."""

    def cache_kib(transaction):
        return -transaction._connection.exec_driver_sql("PRAGMA cache_size").scalar_one()

    for _ in range(2):  # the second time on a connection that has written
        with sqlite_store.write() as transaction:
            assert cache_kib(transaction) == 65_536
        with sqlite_store.read() as transaction:
            assert cache_kib(transaction) == 4_096
