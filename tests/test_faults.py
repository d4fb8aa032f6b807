"""Small trials of the faults that `python -m benchmarks.reliability` tries by the hundred."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import contextmanager

import pytest

from tests.benchmarks.modules import load
from tests.patience import PATIENCE_S
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.sources.context import SourceContext
from toulmin.stores.index import generation
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Remove

agreement = load("reliability.agreement")
child = load("reliability.child")
damage = load("reliability.damage")
disk = load("reliability.disk")
documents = load("reliability.documents")
files = load("reliability.files")
kills = load("reliability.kills")
processes = load("reliability.processes")
small_disk = load("reliability.small_disk")

COUNT = 150


@contextmanager
def services(folder, root):
    opened = child.open_services(folder, root)
    try:
        yield opened
    finally:
        opened.close()


def run(folder, root):
    """Do in this process what a child does."""
    with services(folder, root) as opened:
        wait_until_done(opened)


def wait_until_done(opened):
    deadline = time.monotonic() + 2 * PATIENCE_S
    while time.monotonic() < deadline:
        with opened.records.read() as transaction:
            operations = transaction.operations.list(documents.BRANCH, page_size=100).items
            head = transaction.outbox.head().sequence
        if opened.indexer.position >= head and all(operation.done for operation in operations):
            return
        time.sleep(0.02)
    pytest.fail("it is not done after two minutes")


def imported(place, numbers=range(COUNT), version=1, folder=None):
    """Return a data folder into which documents were imported."""
    folder = folder or place / "data"
    path = documents.write_lines(place / "in" / f"{version}.jsonl", numbers, version)
    processes.prepare(folder, ("import-documents", documents.import_request(path)))
    run(folder, place / "in")
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return imported(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def folder(base, tmp_path):
    return processes.copied(base, tmp_path / "data")


def holds(folder, expected):
    assert agreement.disagreements(folder, expected) == []


def test_the_comparison_sees_what_is_wrong(folder):
    holds(folder, dict.fromkeys(range(COUNT), 1))
    assert agreement.disagreements(folder, dict.fromkeys(range(COUNT + 1), 1))
    assert agreement.disagreements(folder, dict.fromkeys(range(COUNT - 1), 1))
    assert agreement.disagreements(folder, dict.fromkeys(range(COUNT), 2))


@pytest.mark.slow
@pytest.mark.thorough
def test_kill_9_during_an_import(tmp_path):
    outcome = kills.killed_import(tmp_path, documents=400, kills=2, seed=1)
    assert outcome.failures == []
    assert outcome.trials == 2


@pytest.mark.slow
@pytest.mark.thorough
def test_kill_9_during_a_purge(base, tmp_path):
    job = kills.purge(tmp_path, processes.copied(base, tmp_path / "base"), COUNT)
    outcome = kills.killed_once(job, trials=1, seed=1)
    assert outcome.failures == []


@pytest.mark.slow
@pytest.mark.thorough
def test_a_damaged_index_answers_as_before(folder):
    outcome = damage.damaged_index(folder, trials=8, seed=2)
    assert outcome.failures == []
    assert outcome.figures["outcome"]["rebuilt, and said so"] >= 2  # which files there are differs


def test_removals_right_after_the_start_are_kept(tmp_path):
    """tantivy's first commit of a process has the stamp of the last one if nothing was added."""
    index = EmbeddedIndex(tmp_path / "index", lineage="a", dimensions=4)
    index.apply([Put(IndexedChunk(n, n, f"w{n}")) for n in range(5)], up_to=5)
    for key in range(3):
        index.close()
        index = EmbeddedIndex(tmp_path / "index", lineage="a", dimensions=4)
        assert index.count().chunks == 5 - key
        index.apply([Remove(key)], up_to=6 + key)
    index.close()
    index = EmbeddedIndex(tmp_path / "index", lineage="a", dimensions=4)
    assert (index.count().chunks, index.position) == (2, 8)
    index.close()


@pytest.mark.parametrize("content", [b"", b"indexer-\x80", b"indexer-1", None])
def test_a_reader_file_that_is_lost_or_damaged(folder, tmp_path, content):
    path = folder / "index" / "reader"
    path.unlink() if content is None else path.write_bytes(content)
    imported(tmp_path, range(COUNT, COUNT + 5), folder=folder)
    with processes.opened(folder) as records, records.read() as transaction:
        head = transaction.outbox.head()
        assert head.trimmed == head.sequence  # the reader that was here before holds nothing
        assert transaction.outbox.acknowledged(path.read_text()) == head.sequence
    holds(folder, dict.fromkeys(range(COUNT + 5), 1))


def test_a_damaged_database_is_refused(folder):
    outcome = damage.damaged_records(folder, trials=12, seed=1)
    assert outcome.failures == []
    found = [kind for counts in outcome.figures.values() for kind in counts]
    assert "refused at the start" in found
    assert not [kind for kind in found if "Error" in kind]


def test_records_that_were_put_back_by_hand(folder, tmp_path):
    shutil.copy(folder / "records.db", tmp_path / "copy.db")
    imported(tmp_path, version=2, folder=folder)
    for end in ("", "-wal", "-shm"):
        (folder / f"records.db{end}").unlink(missing_ok=True)
    shutil.copy(tmp_path / "copy.db", folder / "records.db")
    # These changes have numbers that the index has seen already.
    imported(tmp_path, range(20), version=3, folder=folder)
    holds(folder, dict.fromkeys(range(COUNT), 1) | dict.fromkeys(range(20), 3))


def test_an_index_without_room_goes_on_when_there_is_some(folder, tmp_path, monkeypatch, caplog):
    path = documents.write_lines(tmp_path / "in" / "2.jsonl", range(COUNT), 2)
    processes.prepare(folder, ("import-documents", documents.import_request(path)))
    original = generation.write_rows
    refused = threading.Event()

    def full(*args):
        refused.set()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(generation, "write_rows", full)
    with services(folder, tmp_path / "in") as opened:
        assert refused.wait(PATIENCE_S)
        monkeypatch.setattr(generation, "write_rows", original)
        wait_until_done(opened)
    assert "The search index waits: [Errno 28] No space left on device" in caplog.text
    holds(folder, dict.fromkeys(range(COUNT), 2))


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk(tmp_path):
    try:
        outcome = disk.full_disk_calls(tmp_path, trials=1)
    except disk.subprocess.CalledProcessError as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    assert outcome.failures == []
    assert outcome.figures["refused with"] == {"RESOURCE_EXHAUSTED": 3}


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_keeps_no_turn_by_half(tmp_path):
    try:
        outcome = small_disk.full_disk_answers(tmp_path, trials=1)
    except disk.subprocess.CalledProcessError as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    assert outcome.failures == []
    assert outcome.figures["questions"]["RESOURCE_EXHAUSTED"] == 3


def test_a_file_whose_writer_pauses_is_read_whole(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("first half, ")

    def write_rest():
        time.sleep(0.05)
        with path.open("a") as file:
            file.write("second half")

    context = SourceContext(import_roots=(str(tmp_path),), limits=ParseLimits())
    writer = threading.Thread(target=write_rest)
    writer.start()
    fetched = context.fetch(path.as_uri())
    writer.join()
    assert fetched.data == b"first half, second half"


def test_a_parser_that_hangs_does_not_hold_the_end(tmp_path):
    folder, root = tmp_path / "data", tmp_path / "in"
    root.mkdir()
    for number in range(200):
        (root / f"{number}.txt").write_text(f"file {number}")
    request = documents.import_request(str(root), schema="content")
    (name,) = processes.prepare(folder, ("import-documents", request), content=True)
    opened = child.open_services(folder, root)
    try:
        hung = hang_parsers()
    finally:
        opened.close()  # returns, though the parsers never do
    assert hung
    with processes.opened(folder) as records, records.read() as transaction:
        assert transaction.operations.get(name).state == "PENDING"
    run(folder, root)
    with processes.opened(folder) as records, records.read() as transaction:
        operation = transaction.operations.get(name)
    assert (operation.state, operation.success_count) == ("SUCCEEDED", 200)


def hang_parsers():
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := files.parsers_of(os.getpid()):
            for pid in found:
                os.kill(pid, signal.SIGSTOP)
            return found
        time.sleep(0.01)
    return []
