import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.ingestion import files
from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.limits import ParseLimits
from toulmin.ingestion.parse import parse
from toulmin.ingestion.sandbox import ParserPool
from toulmin.ingestion.wire import (
    document_from_message,
    document_to_message,
    error_from_fields,
    error_to_fields,
    read_message,
)

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
    time.sleep(0.05)
    assert pool.parse(b"three", name="a.txt").text == "three"
    assert children(pool) != [pid]


def test_a_crash_is_an_error_of_that_file_alone():
    with ParserPool() as pool:
        pool.parse(b"one", name="a.txt")
        (pid,) = children(pool)
        os.kill(pid, signal.SIGSTOP)  # so that it dies while it has the file
        killer = threading.Timer(0.3, os.kill, (pid, signal.SIGSEGV))
        killer.start()
        threading.Timer(0.4, os.kill, (pid, signal.SIGCONT)).start()
        with pytest.raises(InvalidArgument, match=r"^b\.txt: crashed its parser \(SIGSEGV\)"):
            pool.parse(b"two", name="b.txt")
        assert pool.parse(b"three", name="c.txt").text == "three"


def test_a_file_that_takes_too_long_is_ended():
    # The first file waits for the child to start, which takes longer than this.
    with ParserPool(limits=ParseLimits(seconds=0.02)) as pool:
        with pytest.raises(DeadlineExceeded, match=r"^a\.txt: was not parsed within 0\.02 s"):
            pool.parse(b"one", name="a.txt")
        assert children(pool) == []


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
