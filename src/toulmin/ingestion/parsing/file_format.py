"""The formats that can be read: their MIME types, file name endings and readers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FileFormat(StrEnum):
    """A kind of file that Toulmin reads."""

    PDF = "pdf"
    HTML = "html"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    XLS = "xls"
    DOC = "doc"
    PPT = "ppt"
    ODS = "ods"
    ODT = "odt"
    EPUB = "epub"
    RTF = "rtf"
    EML = "eml"
    MSG = "msg"
    MARKDOWN = "markdown"
    RST = "rst"
    ORG = "org"
    ASCIIDOC = "asciidoc"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    XML = "xml"
    TEXT = "text"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What belongs to a format.

    Attributes:
        module: Module of `toulmin.ingestion.parsing.formats` with its `read`.
        mime_types: The first is the one reported when none was stated.
        suffixes: Endings of file names, lower case, without the dot.
        is_text: Whether any text could be of this format, so that only name or type tell.
        converted_to: The format that office.py makes of it, which is then read; None: none.
    """

    module: str
    mime_types: tuple[str, ...]
    suffixes: tuple[str, ...]
    is_text: bool = False
    converted_to: FileFormat | None = None


_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

FORMATS: dict[FileFormat, FormatSpec] = {
    FileFormat.PDF: FormatSpec("pdf", ("application/pdf", "application/x-pdf"), ("pdf",)),
    FileFormat.HTML: FormatSpec(
        "html", ("text/html", "application/xhtml+xml"), ("html", "htm", "xhtml"), is_text=True
    ),
    FileFormat.DOCX: FormatSpec(
        "docx",
        (
            f"{_OFFICE}wordprocessingml.document",
            f"{_OFFICE}wordprocessingml.template",
            "application/vnd.ms-word.document.macroenabled.12",
        ),
        ("docx", "docm", "dotx"),
    ),
    FileFormat.PPTX: FormatSpec(
        "pptx",
        (
            f"{_OFFICE}presentationml.presentation",
            f"{_OFFICE}presentationml.slideshow",
            "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        ),
        ("pptx", "pptm", "ppsx"),
    ),
    FileFormat.XLSX: FormatSpec(
        "spreadsheet",
        (
            f"{_OFFICE}spreadsheetml.sheet",
            "application/vnd.ms-excel.sheet.macroenabled.12",
            "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        ),
        ("xlsx", "xlsm", "xlsb"),
    ),
    FileFormat.XLS: FormatSpec("spreadsheet", ("application/vnd.ms-excel",), ("xls",)),
    FileFormat.DOC: FormatSpec(
        "", ("application/msword",), ("doc", "dot"), converted_to=FileFormat.DOCX
    ),
    FileFormat.PPT: FormatSpec(
        "", ("application/vnd.ms-powerpoint",), ("ppt", "pps", "pot"), converted_to=FileFormat.PPTX
    ),
    FileFormat.ODS: FormatSpec("spreadsheet", (f"{_OPEN}spreadsheet",), ("ods",)),
    FileFormat.ODT: FormatSpec("odt", (f"{_OPEN}text", f"{_OPEN}text-template"), ("odt", "ott")),
    FileFormat.EPUB: FormatSpec("epub", ("application/epub+zip",), ("epub",)),
    FileFormat.RTF: FormatSpec(
        "rtf", ("application/rtf", "text/rtf", "application/x-rtf"), ("rtf",)
    ),
    FileFormat.EML: FormatSpec("eml", ("message/rfc822",), ("eml",), is_text=True),
    FileFormat.MSG: FormatSpec("msg", ("application/vnd.ms-outlook",), ("msg",)),
    FileFormat.MARKDOWN: FormatSpec(
        "markdown", ("text/markdown", "text/x-markdown"), ("md", "markdown"), is_text=True
    ),
    FileFormat.RST: FormatSpec(
        "rst", ("text/x-rst", "text/prs.fallenstein.rst"), ("rst", "rest"), is_text=True
    ),
    FileFormat.ORG: FormatSpec("org", ("text/org", "text/x-org"), ("org",), is_text=True),
    FileFormat.ASCIIDOC: FormatSpec(
        "asciidoc", ("text/asciidoc", "text/x-asciidoc"), ("adoc", "asciidoc"), is_text=True
    ),
    FileFormat.CSV: FormatSpec(
        "delimited", ("text/csv", "application/csv"), ("csv",), is_text=True
    ),
    FileFormat.TSV: FormatSpec(
        "delimited", ("text/tab-separated-values",), ("tsv", "tab"), is_text=True
    ),
    FileFormat.JSON: FormatSpec("json", ("application/json",), ("json",), is_text=True),
    FileFormat.JSONL: FormatSpec(
        "json",
        ("application/jsonl", "application/x-ndjson", "application/x-jsonlines"),
        ("jsonl", "ndjson"),
        is_text=True,
    ),
    FileFormat.XML: FormatSpec("xml", ("application/xml", "text/xml"), ("xml",), is_text=True),
    FileFormat.TEXT: FormatSpec("text", ("text/plain",), ("txt", "text", "log"), is_text=True),
    FileFormat.IMAGE: FormatSpec(
        "image",
        ("image/png", "image/jpeg", "image/tiff", "image/bmp", "image/gif", "image/webp"),
        ("png", "jpg", "jpeg", "tif", "tiff", "bmp", "gif", "webp"),
    ),
}

BY_MIME_TYPE = {mime: name for name, spec in FORMATS.items() for mime in spec.mime_types}
BY_SUFFIX = {suffix: name for name, spec in FORMATS.items() for suffix in spec.suffixes}

_IMAGE_SUBTYPES = {"jpg": "jpeg", "tif": "tiff"}


def mime_type_of_name(name: str) -> str:
    """Return the MIME type that a file's name suggests, "" when its ending is not of ours."""
    _, dot, suffix = name.lower().rpartition("/")[2].rpartition(".")
    found = BY_SUFFIX.get(suffix) if dot else None
    if found is FileFormat.IMAGE:
        return f"image/{_IMAGE_SUBTYPES.get(suffix, suffix)}"
    return FORMATS[found].mime_types[0] if found else ""
