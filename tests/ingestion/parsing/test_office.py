"""Word and PowerPoint from before 2007, converted by LibreOffice or by what stands in for it."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.ingestion import files
from tests.ingestion.ole_files import ole
from tests.ingestion.parsing.samples import blocks, sample
from toulmin.errors import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
)
from toulmin.ingestion.parsing import office
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.parse import ConversionNeeded, parse
from toulmin.ingestion.parsing.sandbox import ParserPool, Reading
from toulmin.work import Work

DOC = ole({"WordDocument": b"\xec\xa5\xc1\x00" + bytes(60)})
PPT = ole({"PowerPoint Document": b"x"})
HAS_LIBREOFFICE = any(map(shutil.which, office.PROGRAMS))


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Make a program called soffice whose body is Python; it has `out`, `given` and `profile`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SECRET", "secret-key")

    def write(body: str) -> None:
        path = folder / "soffice"
        path.write_text(
            f"#!{sys.executable}\nimport os, sys, time, resource\nfrom pathlib import Path\n"
            "out = Path(sys.argv[sys.argv.index('--outdir') + 1])\ngiven = Path(sys.argv[-1])\n"
            "profile = given.parent / 'profile/user/registrymodifications.xcu'\n"
            "target = sys.argv[sys.argv.index('--convert-to') + 1]\n"
            f"out.mkdir()\n{body}\n"
        )
        path.chmod(0o755)

    return write


def made(content: bytes) -> str:
    return f"(out / f'document.{{target}}').write_bytes(bytes.fromhex({content.hex()!r}))"


def test_what_is_converted_is_read_and_says_so(program):
    program(made(files.docx(files.paragraph("Words."))))
    with ParserPool() as pool:
        document = pool.parse(DOC, name="a.doc")
    assert blocks(document) == [("paragraph", 0, "Words.")]
    assert document.mime_type == "application/msword"
    assert document.notes == ("is DOC; LibreOffice converted it to DOCX",)
    program(made(files.pptx([files.shape(["Title"], "title")])))
    with ParserPool() as pool:
        found = pool.read(Reading(content=PPT, max_tokens=100))
    assert found.document.mime_type == "application/vnd.ms-powerpoint"
    assert [chunk.content for chunk in found.chunks] == ["Title"]


def test_the_program_sees_no_secrets_and_a_profile_without_macros_and_links(program, tmp_path):
    seen = tmp_path / "seen"
    program(
        f"seen = Path({str(seen)!r})\n"
        "limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]\n"
        "seen.write_text(repr((dict(os.environ), sys.argv, limit, given.name)) + profile.read_text())\n"
        + made(files.docx(files.paragraph("x")))
    )
    office.convert(DOC, office.FileFormat.DOC, ParseLimits(archive_bytes=12_345_678))
    said = seen.read_text()
    assert "secret-key" not in said
    assert "12345678, 'document.doc'" in said
    for setting in ("DisableMacrosExecution", "BlockUntrustedRefererLinks"):
        assert f'"{setting}" oor:op="fuse"><value>true' in said
    folder = said[said.index("UserInstallation=file://") + len("UserInstallation=file://") :]
    assert not Path(folder.partition("/profile")[0]).exists()


def test_without_libreoffice_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with ParserPool() as pool:
        for content, name, target in ((DOC, "a.doc", "DOCX"), (PPT, "a.ppt", "PPTX")):
            with pytest.raises(FailedPrecondition) as caught:
                pool.parse(content, name=name)
            assert caught.value.reason == "CONVERTER_UNAVAILABLE"
            assert caught.value.message.startswith(f"{name}: is {name[2:].upper()}, of an Office")
            assert "no program `soffice`; install it" in caught.value.message
            assert caught.value.message.endswith(f"or save the file as {target}")


@pytest.mark.parametrize(
    ("body", "limits", "error", "words"),
    [
        ("time.sleep(60)", ParseLimits(seconds=0.5), DeadlineExceeded, "within 0.5 s"),
        ("", ParseLimits(), InvalidArgument, "could not be converted by LibreOffice"),
        ("os.kill(os.getpid(), 11)", ParseLimits(), InvalidArgument, "could not be converted"),
        (
            "(out / 'document.docx').write_bytes(b'x' * 2000)",
            ParseLimits(file_bytes=1000),
            ResourceExhausted,
            "becomes 2000 bytes when converted; 1000 are allowed",
        ),
    ],
)
def test_what_the_program_does_wrong_is_an_error_of_the_file(program, body, limits, error, words):
    program(body)
    with pytest.raises(error) as caught:
        office.convert(DOC, office.FileFormat.DOC, limits)
    assert words in caught.value.message


def test_a_caller_who_is_gone_ends_the_program(program, tmp_path):
    pid = tmp_path / "pid"
    program(f"Path({str(pid)!r}).write_text(str(os.getpid())); time.sleep(600)")
    with pytest.raises(Cancelled):
        office.convert(DOC, office.FileFormat.DOC, ParseLimits(), Work(is_gone=pid.exists))
    if Path("/proc").exists() and pid.read_text():
        assert not Path(f"/proc/{pid.read_text()}").exists()


def test_what_is_encrypted_is_refused_before_it_is_converted(program):
    program("time.sleep(600)")
    word = ole({"WordDocument": b"\xec\xa5" + bytes(9) + b"\x01" + bytes(60)})
    slides = ole({"PowerPoint Document": b"x", "EncryptedSummary": b"y"})
    with ParserPool() as pool:
        for content in (word, slides):
            with pytest.raises(InvalidArgument, match="is an encrypted Office file") as caught:
                pool.parse(content)
            assert caught.value.reason == "DOCUMENT_ENCRYPTED"


def test_in_this_process_nothing_is_converted():
    with pytest.raises(ConversionNeeded, match=r"^a\.doc: is DOC, which LibreOffice converts"):
        parse(DOC, name="a.doc")


@pytest.mark.skipif(not HAS_LIBREOFFICE, reason="LibreOffice is not installed")
@pytest.mark.slow
def test_libreoffice_itself():
    with ParserPool() as pool:
        word = pool.parse(sample("writer.doc"), name="writer.doc")
        slides = pool.parse(sample("impress.ppt"), mime_type="application/vnd.ms-powerpoint")
    assert blocks(word)[:5] == [
        ("heading", 1, "Öl und Gas"),
        ("paragraph", 0, "Prices rose – “again” €5 and 東京 😀."),
        ("heading", 2, "Lists"),
        ("list_item", 1, "- one"),
        ("list_item", 2, "  - two"),
    ]
    assert word.metadata.title == "Oil prices"
    assert slides.text == "Oil prices\n\nGröße in März\n\nSecond"
    assert slides.pages == ("1", "2")
