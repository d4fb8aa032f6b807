import pytest

from tests.ingestion import files
from toulmin.errors import FailedPrecondition, InvalidArgument
from toulmin.ingestion.parsing.ocr import OcrOptions
from toulmin.ingestion.parsing.parse import parse


def program(folder, script):
    """A program `tesseract` that a test wrote, first and alone on the path."""
    file = folder / "tesseract"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_without_the_program_the_message_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FailedPrecondition, match="install tesseract") as caught:
        parse(files.PNG, name="a.png", ocr=OcrOptions())
    assert caught.value.reason == "OCR_UNAVAILABLE"


def test_the_text_of_an_image_becomes_paragraphs(monkeypatch, tmp_path):
    program(tmp_path, "printf 'One\\nline.\\n\\nTwo.\\n\\014'")
    monkeypatch.setenv("PATH", str(tmp_path))
    document = parse(files.PNG, name="a.png", ocr=OcrOptions())
    assert document.text == "One\nline.\n\nTwo."
    assert len(document.blobs) == 1


def test_a_scanned_page_is_drawn_and_read(monkeypatch, tmp_path):
    program(tmp_path, 'head=`/usr/bin/head -c 4 | /usr/bin/tail -c 3`; echo "read a $head"')
    monkeypatch.setenv("PATH", str(tmp_path))
    assert parse(files.image_pdf(), name="a.pdf", ocr=OcrOptions()).text == "read a PNG"


def test_a_missing_language_and_a_failure_are_told_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "echo 'Failed loading language' >&2; exit 1")
    with pytest.raises(FailedPrecondition, match="Failed loading language"):
        parse(files.PNG, ocr=OcrOptions(languages="xyz"))
    program(tmp_path, "echo 'bad image' >&2; exit 1")
    with pytest.raises(InvalidArgument, match="OCR failed: bad image"):
        parse(files.PNG, ocr=OcrOptions())


def test_languages_are_checked():
    with pytest.raises(ValueError, match="languages"):
        OcrOptions(languages="eng; rm -rf /")
