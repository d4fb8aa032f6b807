import os
import signal
import time
from pathlib import Path

import pytest

from tests.ingestion import files
from tests.patience import wait_for
from toulmin.errors import (
    Cancelled,
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.parsing import sandbox
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import parse
from toulmin.ingestion.parsing.sandbox import ParserPool, Reading
from toulmin.ingestion.parsing.wire import (
    document_from_message,
    document_to_message,
    error_from_fields,
    error_to_fields,
    read_message,
)
from toulmin.work import UNLIMITED, Work

BODY = '<w:p><w:r><w:t>a</w:t><x:blip xmlns:x="x" r:embed="rId1"/></w:r></w:p>'


@pytest.fixture(scope="module")
def pool():
    with ParserPool() as pool:
        yield pool


def children(pool):
    return [child._process.pid for child in pool._all]


def test_the_child_says_what_this_process_would(pool):
    content = files.docx(
        BODY + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    assert pool.parse(content, name="a.docx") == parse(content, name="a.docx")


def test_errors_come_back_with_the_files_name(pool):
    with pytest.raises(InvalidArgument, match=r"^a\.pdf: is a damaged PDF") as caught:
        pool.parse(b"%PDF-1.4 nothing", name="a.pdf")
    assert caught.value.reason == "DOCUMENT_UNREADABLE"


def test_a_child_is_used_again_and_replaced_after_it_died(pool):
    pool.parse(b"one", name="a.txt")
    (pid,) = children(pool)
    pool.parse(b"two", name="a.txt")
    assert children(pool) == [pid]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z")
    assert pool.parse(b"three", name="a.txt").text == "three"
    assert children(pool) != [pid]


def test_a_crash_is_an_error_of_that_file_alone():
    with ParserPool() as pool:
        pool.parse(b"one", name="a.txt")
        (pid,) = children(pool)
        os.kill(pid, signal.SIGSTOP)  # so that it dies while it has the file
        blows = iter([signal.SIGSEGV, signal.SIGCONT])

        def crash_it():  # asked while the file is waited for
            for blow in blows:
                os.kill(pid, blow)
            return False

        with pytest.raises(InvalidArgument, match=r"^b\.txt: crashed its parser \(SIGSEGV\)"):
            pool.read(Reading(content=b"two", name="b.txt"), work=Work(is_gone=crash_it))
        assert pool.parse(b"three", name="c.txt").text == "three"


def test_a_file_that_takes_too_long_is_ended():
    # The first file waits for the child to start, which takes longer than this.
    with ParserPool(limits=ParseLimits(seconds=0.001)) as pool:
        with pytest.raises(DeadlineExceeded, match=r"^a\.txt: was not parsed within 0\.001 s"):
            pool.parse(b"one", name="a.txt")
        assert children(pool) == []


def test_a_file_is_cut_in_the_child(pool):
    reading = Reading(content=b"One. " * 400, name="a.txt", max_tokens=100)
    found = pool.read(reading)
    assert found.document == parse(reading.content, name="a.txt")
    assert found.chunks == chunk_document(found.document, max_tokens=100)
    data = Reading(content=b'{"title": "T", "text": "Words."}', is_data=True, max_tokens=100)
    assert [chunk.content for chunk in pool.read(data).chunks] == ["T\n\ntext: Words."]


def test_a_file_that_nobody_waits_for_is_ended():
    with ParserPool() as pool:
        pool.parse(b"one", name="a.txt")
        (pid,) = children(pool)
        os.kill(pid, signal.SIGSTOP)
        started = time.monotonic()
        gone = lambda: time.monotonic() > started + 0.2  # noqa: E731
        with pytest.raises(Cancelled):
            pool.read(Reading(content=b"two", name="b.txt"), work=Work(is_gone=gone))
        assert not Path(f"/proc/{pid}").exists()
        assert pool.parse(b"three", name="c.txt").text == "three"


def test_what_the_caller_raises_ends_the_child_and_comes_out():
    def out_of_time():
        raise DeadlineExceeded("too late")

    reading = Reading(content=b"a." * 200_000, name="a.txt", max_tokens=100)
    with ParserPool() as pool, pytest.raises(DeadlineExceeded, match="too late"):
        pool.read(reading, work=Work(is_gone=out_of_time))


def test_a_caller_who_has_gone_waits_for_no_child():
    with ParserPool() as pool, pool._child(UNLIMITED), pytest.raises(Cancelled):
        pool.read(Reading(content=b"x"), work=Work(is_gone=lambda: True))


def test_memory_is_limited():
    limits = ParseLimits(memory_bytes=128 << 20, archive_ratio=10**6)
    with ParserPool(limits=limits) as pool, pytest.raises(ToulminError) as caught:
        pool.parse(files.bomb(160 << 20), name="a.docx")
    assert isinstance(caught.value, ResourceExhausted)
    assert caught.value.message.startswith("a.docx: ")


def test_a_closed_pool_refuses():
    pool = ParserPool()
    pool.close()
    with pytest.raises(Unavailable):
        pool.parse(b"x")


def test_the_child_sees_no_secrets(pool, monkeypatch):
    monkeypatch.setenv("TOULMIN_API_KEYS", "secret-key")
    with ParserPool() as other:
        other.parse(b"x", name="a.txt")
        (pid,) = children(other)
        try:
            assert b"secret-key" not in Path(f"/proc/{pid}/environ").read_bytes()
        except FileNotFoundError:
            pytest.skip("no /proc here")


def test_documents_and_errors_survive_the_wire():
    document = parse(files.docx(BODY), name="a.docx")
    assert document_from_message(*document_to_message(document)) == document
    error = error_from_fields(error_to_fields(InvalidArgument.of_field("a", "is b")))
    assert isinstance(error, InvalidArgument)
    assert error.violations[0].field == "a"


def test_a_message_over_the_limit_is_refused():
    head = (10**12).to_bytes(8, "big") + (0).to_bytes(8, "big")
    with pytest.raises(ValueError, match="are allowed"):
        read_message(lambda _: head, most=1000)


def test_a_child_that_starts_while_the_pool_closes_is_ended(monkeypatch):
    pool = ParserPool()
    started = []

    class ClosingChild(sandbox.Child):
        def __init__(self, *args):
            super().__init__(*args)
            started.append(self)
            pool.close()

    monkeypatch.setattr(sandbox, "Child", ClosingChild)
    with pytest.raises(Unavailable, match="shut down"):
        pool.parse(b"text", name="a.txt")
    assert [child.is_alive for child in started] == [False]
