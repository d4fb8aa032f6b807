"""Images of text -> text, by the `tesseract` program where it is installed.

It is run as a child process with an image on its standard input: no files, no Python binding.
https://tesseract-ocr.github.io/tessdoc/Command-Line-Usage.html
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

from toulmin.errors import FailedPrecondition, InvalidArgument

PROGRAM = "tesseract"
DPI = 200
"""Resolution at which pages are drawn for OCR, in dots per inch."""
_LANGUAGES = re.compile(r"[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*")


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrOptions:
    """How images of text are read.

    Attributes:
        languages: Tesseract's names of the languages, joined by "+", such as "eng+deu".
        image_seconds: Time for one image.
    """

    languages: str = "eng"
    image_seconds: float = 60.0

    def __post_init__(self) -> None:
        if not _LANGUAGES.fullmatch(self.languages):
            raise ValueError(f"languages is {self.languages!r}; write names as in 'eng+deu'")


def read_image(image: bytes, options: OcrOptions) -> list[str]:
    """Return the paragraphs of an image of text, in reading order.

    Args:
        image: A PNG, JPEG, TIFF, BMP, GIF or WebP file.
        options: Languages and time.

    Raises:
        FailedPrecondition: Tesseract, or a language of it, is not installed.
        InvalidArgument: It could not read the image, or not in time.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise FailedPrecondition(
            "needs OCR, which is turned on, but there is no program `tesseract`; install it"
            " (Debian: apt install tesseract-ocr; macOS: brew install tesseract)",
            reason="OCR_UNAVAILABLE",
        )
    command = [program, "stdin", "stdout", "-l", options.languages, "--dpi", str(DPI)]
    try:
        done = subprocess.run(  # noqa: S603 - no shell; the languages are checked above
            command, input=image, capture_output=True, check=False, timeout=options.image_seconds
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidArgument(
            f"has an image that OCR did not read in {options.image_seconds:g} s",
            reason="OCR_FAILED",
        ) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        message = f"OCR failed: {said[-1] if said else done.returncode}"
        if b"tessdata" in done.stderr or b"language" in done.stderr:
            raise FailedPrecondition(message, reason="OCR_UNAVAILABLE")
        raise InvalidArgument(message, reason="OCR_FAILED")
    text = done.stdout.decode("utf-8", "replace").replace("\f", "\n\n")
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]
