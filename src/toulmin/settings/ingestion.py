"""Settings of imports and of the reading of documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toulmin.settings.row import option

_OCR_LANGUAGES: Final = re.compile(r"[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*")


def _wrong_languages(value: str) -> str:
    fits = not value or _OCR_LANGUAGES.fullmatch(value)
    return "" if fits else "names of languages as in 'eng+deu'"


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """Where documents come from, and how they are read."""

    import_roots: tuple[str, ...] = option(
        "What callers may import files from, comma-separated, with all that is beneath:"
        " folders of this machine, and `gs://bucket/folder` or `s3://bucket/folder`, which are"
        " read with the server's own credentials. Empty: no files are imported by the API.",
        default=(),
    )
    import_https: bool = option(
        "Let callers import files by `https://` from public addresses; the server fetches what"
        " they name.",
        default=False,
    )
    parser_processes: int = option(
        "Child processes that read documents (PDF, DOCX and so on); 0 takes one for each core.",
        default=0,
        unit="processes",
        at_least=0,
        at_most=256,
    )
    parse_timeout_s: float = option(
        "Longest time for reading one document.",
        default=120.0,
        unit="seconds",
        at_least=0.1,
        at_most=86400,
    )
    parse_memory_mib: int = option(
        "Memory of each child process that reads documents.",
        default=1024,
        unit="MiB",
        at_least=128,
        at_most=1024 * 1024,
    )
    ocr: str = option(
        "Languages of the text in images and scanned pages, by Tesseract's names, such as"
        " `eng+deu`; needs the program `tesseract`. Empty: images are not read.",
        default="",
        wrong=_wrong_languages,
    )
