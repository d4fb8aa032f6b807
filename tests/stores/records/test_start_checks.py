"""What was lost while nobody had the database open is said, and nothing is made worse."""

import logging
import os
import shutil
import sqlite3
import struct

import pytest

from tests.stores.records.nouns import make_branch, make_document, upsert
from toulmin.errors import FailedPrecondition
from toulmin.settings import load_settings
from toulmin.stores.records import RecordStore, backup, restore
from toulmin.stores.records.database import RECORDS_FILE
from toulmin.stores.records.start_checks import MADE_FILE, check_files
from toulmin.stores.records.wal import WalLoss, wal_loss

WAL, SHM = f"{RECORDS_FILE}-wal", f"{RECORDS_FILE}-shm"
FRAME = 24 + 4096


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory):
    """Return a data folder as a killed process leaves it: its log is not in the database yet."""
    place = tmp_path_factory.mktemp("killed")
    store = RecordStore(place / "data")
    make_branch(store)
    for number in range(20):
        upsert(store, make_document(f"d{number}", "x" * 5000))
    shutil.copytree(place / "data", place / "killed")
    store.close()
    return place / "killed"


@pytest.fixture
def killed(killed_once, tmp_path):
    return shutil.copytree(killed_once, tmp_path / "data")


def documents(folder):
    store = RecordStore(folder)
    try:
        with store.read() as transaction:
            return transaction.outbox.head().sequence
    finally:
        store.close()


def frames(folder):
    return ((folder / WAL).stat().st_size - 32) // FRAME


def refusal(folder):
    """Return what is said at the start, twice, for the first refusal must change nothing."""
    before = contents(folder)
    for _ in range(2):
        with pytest.raises(FailedPrecondition) as caught:
            RecordStore(folder)
        assert caught.value.reason == "DATABASE_DAMAGED"
    assert contents(folder) == before
    return caught.value.message


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def edit(path, change):
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)


def test_what_a_killed_process_left_is_whole(killed):
    assert wal_loss(killed / RECORDS_FILE) is None
    assert documents(killed) == 20


@pytest.mark.parametrize("kept", [0, 1, 31, 32, 33, 32 + FRAME, -1, -FRAME])
def test_a_log_that_was_cut_is_said(killed, kept):
    edit(killed / WAL, lambda content: content.__delitem__(slice(kept, None)))
    message = refusal(killed)
    assert WAL in message
    assert str(killed) in message
    assert "toulmin restore" in message
    assert f"delete {SHM}" in message


@pytest.mark.parametrize("place", [0, 9, 20, 32, 32 + 8, 32 + 17, 32 + 24, 32 + 3 * FRAME + 1000])
def test_a_log_with_one_wrong_bit_is_said(killed, place):
    def flip(content):
        content[place] ^= 1

    edit(killed / WAL, flip)
    assert WAL in refusal(killed)


def test_the_last_bit_of_a_log_counts(killed):
    last = 32 + FRAME * frames(killed) - 1

    def flip(content):
        content[last] ^= 0x80

    edit(killed / WAL, flip)
    assert WAL in refusal(killed)


def test_a_log_that_was_taken_away_is_said(killed):
    (killed / WAL).unlink()
    assert "none can be read" in refusal(killed)


def test_one_may_go_on_without_the_last_changes(killed):
    edit(killed / WAL, lambda content: content.__delitem__(slice(-FRAME, None)))
    assert f"delete {SHM}" in refusal(killed)
    (killed / SHM).unlink()
    assert 0 < documents(killed) < 20


def test_a_log_without_its_index_says_nothing(killed):
    (killed / SHM).unlink()
    assert wal_loss(killed / RECORDS_FILE) is None
    assert documents(killed) == 20


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"\0" * 32768, b"\xff" * 32768])
def test_an_index_of_rubbish_says_nothing(killed, content):
    (killed / SHM).write_bytes(content)
    assert wal_loss(killed / RECORDS_FILE) is None
    assert documents(killed) == 20


def test_a_log_of_another_time_says_nothing(killed):
    """After a loss of power the index may be older than the log."""

    def other(content):
        for start in (0, 48):
            content[start + 32 : start + 40] = b"12345678"
            content[start + 40 : start + 48] = index_sum(content[start : start + 40])

    edit(killed / SHM, other)
    assert wal_loss(killed / RECORDS_FILE) is None


def index_sum(header):
    s0 = s1 = 0
    words = struct.unpack("=10I", header)
    for a, b in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + a + s1) % 2**32
        s1 = (s1 + b + s0) % 2**32
    return struct.pack("=2I", s0, s1)


def test_one_copy_of_the_index_is_enough(killed):
    edit(killed / SHM, lambda content: content.__setitem__(slice(0, 48), bytes(48)))
    (killed / WAL).unlink()
    assert wal_loss(killed / RECORDS_FILE).readable == 0


def test_a_log_that_is_in_the_database_already_may_go(killed):
    count = frames(killed)
    with sqlite3.connect(killed / RECORDS_FILE) as other:
        other.execute("PRAGMA wal_autocheckpoint = 0")
        assert other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() == (0, count, count)
        saved = contents(killed)
    other.close()
    for name in (RECORDS_FILE, WAL, SHM):
        (killed / name).write_bytes(saved[name])
    edit(killed / WAL, lambda content: content.__delitem__(slice(-1, None)))
    assert wal_loss(killed / RECORDS_FILE) == WalLoss(count, count - 1, count)
    assert f"delete {WAL} and {SHM}" in refusal(killed)
    (killed / WAL).unlink()
    (killed / SHM).unlink()
    assert documents(killed) == 20


def test_a_log_that_is_half_in_the_database_leaves_only_a_backup(killed):
    edit(killed / SHM, lambda content: content.__setitem__(slice(96, 100), struct.pack("=I", 5)))
    edit(killed / WAL, lambda content: content.__delitem__(slice(32 + FRAME, None)))
    message = refusal(killed)
    assert "toulmin restore" in message
    assert "delete" not in message


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("turned", [False, True], ids=["native", "swapped"])
def test_the_checksums_are_those_of_sqlite(tmp_path, page_size, turned):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as writer:
        writer.execute(f"PRAGMA page_size = {page_size}")
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (x)")
        writer.execute("INSERT INTO t VALUES (randomblob(200000))")
        writer.commit()
        log = path.with_name("t.db-wal")
        if turned:
            log.write_bytes(with_other_byte_order(log.read_bytes(), page_size))
        size = log.stat().st_size
        assert wal_loss(path) is None
        os.truncate(log, size - 1)
        assert wal_loss(path).readable == wal_loss(path).committed - 1
    writer.close()


def with_other_byte_order(content, page_size):
    """Return a log as a machine of the other byte order writes it, by SQLite's own description."""
    order = ">" if not content[3] & 1 else "<"
    state = (0, 0)

    def add(data):
        nonlocal state
        s0, s1 = state
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        for a, b in zip(words[::2], words[1::2], strict=True):
            s0 = (s0 + a + s1) % 2**32
            s1 = (s1 + b + s0) % 2**32
        state = (s0, s1)
        return struct.pack(">2I", s0, s1)

    magic = struct.pack(">I", 0x377F0682 | (order == ">"))
    parts = [magic + content[4:24]]
    parts.append(add(parts[0]))
    for start in range(32, len(content), 24 + page_size):
        frame = content[start : start + 24 + page_size]
        parts += [frame[:16], add(frame[:8] + frame[24:]), frame[24:]]
    return b"".join(parts)


def test_a_database_that_is_gone_is_not_made_anew(killed):
    store = RecordStore(killed)
    store.close()
    assert (killed / MADE_FILE).exists()
    kept = (killed / RECORDS_FILE).read_bytes()
    (killed / RECORDS_FILE).write_bytes(b"")
    assert f"{killed / RECORDS_FILE} is empty" in refusal(killed)
    (killed / RECORDS_FILE).unlink()
    assert f"{killed / RECORDS_FILE} is missing" in refusal(killed)
    (killed / RECORDS_FILE).write_bytes(kept)
    assert documents(killed) == 20


def test_one_may_begin_anew(killed):
    RecordStore(killed).close()
    for name in (RECORDS_FILE, MADE_FILE):
        (killed / name).unlink()
    assert documents(killed) == 0


def test_a_database_that_was_cut_is_said(killed):
    RecordStore(killed).close()
    edit(killed / RECORDS_FILE, lambda content: content.__delitem__(slice(-4096, None)))
    message = refusal(killed)
    assert f"{killed / RECORDS_FILE} was cut" in message
    assert "toulmin restore" in message


def test_damaged_pages_are_refused_again_at_the_next_start(killed):
    """The first refusal is no proper end: the next start must look as closely."""
    RecordStore(killed).close()

    def overwrite(content):
        for place in range(8 * 4096, len(content) - 4096, 4096):
            content[place : place + 64] = b"\xa5" * 64

    edit(killed / RECORDS_FILE, overwrite)
    (killed / "lock").write_text('{"pid": 1, "host": "h"}')
    for _ in range(2):
        with pytest.raises(FailedPrecondition, match="toulmin restore") as caught:
            RecordStore(killed)
        assert caught.value.reason == "DATABASE_DAMAGED"
        assert str(killed / RECORDS_FILE) in caught.value.message


def test_a_missing_log_after_a_kill_is_warned_of(killed, caplog):
    RecordStore(killed).close()
    with caplog.at_level(logging.WARNING):
        check_files(killed / RECORDS_FILE, left_open=False)
        assert not caplog.records
        check_files(killed / RECORDS_FILE, left_open=True)
    assert f"{WAL} is not there" in caplog.text


def test_a_backup_of_a_cut_log_is_refused_and_a_restore_mends_it(killed, tmp_path):
    settings = load_settings(flags={"data_dir": str(killed)}, environment={})
    good = tmp_path / "good.db"
    backup(settings, good)
    (killed / WAL).write_bytes((killed / WAL).read_bytes()[:5000])
    if wal_loss(killed / RECORDS_FILE) is None:  # reading it made the index anew
        pytest.fail("the log's index was lost by the backup")
    with pytest.raises(FailedPrecondition) as caught:
        backup(settings, tmp_path / "bad.db")
    assert caught.value.reason == "DATABASE_DAMAGED"
    assert not (tmp_path / "bad.db").exists()
    restore(settings, good, replace=True)
    assert documents(killed) == 20
    assert (killed / f"{RECORDS_FILE}.replaced-wal").exists()


def test_the_note_is_no_condition(killed, caplog):
    (killed / MADE_FILE).unlink()
    (killed / f"{MADE_FILE}.part").mkdir()
    assert documents(killed) == 20
    assert MADE_FILE in caplog.text
