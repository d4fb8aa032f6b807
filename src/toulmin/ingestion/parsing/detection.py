"""Which format is this file? The bytes decide where they can; the stated type and name where not.

Containers and PDF begin with marks that nothing else begins with, so these win over what was
stated, with a note. Formats that are merely text are told by the stated type, then by the name's
ending, then by what the text looks like. A file that is stated to be a PDF or a container and is
plain text is refused: most likely an error page was saved under the wrong name.
"""

from __future__ import annotations

import json
import re

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.archive import Archive
from toulmin.ingestion.parsing.charset import decode, is_text, narrow
from toulmin.ingestion.parsing.file_format import BY_MIME_TYPE, BY_SUFFIX, FORMATS, FileFormat
from toulmin.ingestion.parsing.images import image_mime_type
from toulmin.ingestion.parsing.limits import ParseLimits
from toulmin.ingestion.parsing.ole import MARK, ole_format
from toulmin.ingestion.parsing.xml import local_name, parse_xml

_UNKNOWN_MIME_TYPES = {"", "application/octet-stream", "binary/octet-stream"}
_PDF_MARK_WITHIN = 1024

_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip; unpack it first",
    b"Rar!": "RAR; unpack it first",
    b"\x1f\x8b": "gzip; unpack it first",
    b"BZh": "bzip2; unpack it first",
    b"\xfd7zXZ": "xz; unpack it first",
    b"%!PS": "PostScript; convert it to PDF",
}
# Each comment is one: else thirty of them would be split up in a billion ways.
_HTML = re.compile(
    r"\s*+(?:<\?xml[^>]*>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype html|html|head|body)\b",
    re.I | re.S,
)
_HEADERS = re.compile(
    r"(?:(?:From|To|Received|Return-Path|Delivered-To|Date|Subject|Message-ID|MIME-Version"
    r"|X-[\w-]+|DKIM-Signature|Content-Type): ?[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){3}",
    re.I,
)


def detect(
    content: bytes, *, mime_type: str | None, name: str | None, limits: ParseLimits
) -> tuple[FileFormat, str]:
    """Return the format, and a note when it is not the one stated ("" otherwise).

    Args:
        content: The file.
        mime_type: Its stated MIME type, with or without parameters.
        name: Its name; only the ending counts.
        limits: Limits of containers.

    Raises:
        InvalidArgument: It is of no format that Toulmin reads, or not of the one stated.
        ResourceExhausted: It is a container with too many members.
    """
    stated, how = _stated(mime_type, name)
    marked: FileFormat | None
    if content[:4] == b"PK\x03\x04":
        marked = _zip_format(content, limits)
    else:
        marked = _marked_format(content)
    if marked:
        if marked is stated or stated is None:
            return marked, ""
        return marked, f"is {marked.upper()} by its first bytes, though {how}; read as that"
    if not is_text(content):
        raise InvalidArgument(
            f"is neither text nor of a format that Toulmin reads ({how}; it begins with"
            f" {content[:8].hex(' ')}); formats: {', '.join(FileFormat)}",
            reason="DOCUMENT_TYPE_UNSUPPORTED",
        )
    return _text_format(content, stated, how)


def _stated(mime_type: str | None, name: str | None) -> tuple[FileFormat | None, str]:
    """Return the stated format and the words that say who stated it."""
    mime = (mime_type or "").partition(";")[0].strip().lower()
    suffix = (name or "").lower().rpartition(".")[2] if "." in (name or "") else ""
    by_name = BY_SUFFIX.get(suffix)
    by_mime = BY_MIME_TYPE.get(mime)
    if mime == "text/plain" and by_name and FORMATS[by_name].is_text:
        by_mime = by_name  # servers send "text/plain" for Markdown, CSV and the like
    if by_mime:
        return by_mime, f"its stated type is {mime}"
    if mime not in _UNKNOWN_MIME_TYPES and not mime.startswith("text/"):
        how = f"its stated type is {mime}"
    elif by_name:
        how = f"its name ends in .{suffix}"
    else:
        how = "no type was stated"
    return by_name, how


def _marked_format(content: bytes) -> FileFormat | None:
    """Return the format that the first bytes prove.

    Raises:
        InvalidArgument: They prove one that Toulmin does not read.
    """
    if b"%PDF-" in content[:_PDF_MARK_WITHIN]:
        return FileFormat.PDF
    if image_mime_type(content) in FORMATS[FileFormat.IMAGE].mime_types and not is_text(content):
        return FileFormat.IMAGE
    if content.startswith(MARK):
        return ole_format(content)
    if content.startswith(b"{\\rtf"):
        return FileFormat.RTF
    for mark, what in _OTHERS.items():
        if content.startswith(mark):
            raise InvalidArgument(
                f"is of a format that is not read: {what}", reason="DOCUMENT_TYPE_UNSUPPORTED"
            )
    return None


def _zip_format(content: bytes, limits: ParseLimits) -> FileFormat:
    archive = Archive(content, limits)
    if "mimetype" in archive and archive.check("mimetype") < 200:
        mime = archive.read("mimetype").decode("ascii", "replace").strip()
        if mime in BY_MIME_TYPE:
            return BY_MIME_TYPE[mime]
    names = set(archive.names)
    for member, found in (
        ("word/document.xml", FileFormat.DOCX),
        ("ppt/presentation.xml", FileFormat.PPTX),
        ("xl/workbook.xml", FileFormat.XLSX),
        ("xl/workbook.bin", FileFormat.XLSX),
        ("META-INF/container.xml", FileFormat.EPUB),
    ):
        if member in names:
            return found
    raise InvalidArgument(
        "is a ZIP container but none of DOCX, PPTX, XLSX, ODT, ODS and EPUB; unpack it first, or"
        " the file is damaged",
        reason="DOCUMENT_TYPE_UNSUPPORTED",
    )


def _text_format(content: bytes, stated: FileFormat | None, how: str) -> tuple[FileFormat, str]:
    content, _ = narrow(content)
    head, _ = decode(content[:65536])
    seen = _looks_like(content, head)
    if stated is None:
        return seen or FileFormat.TEXT, ""
    if FORMATS[stated].is_text:
        return stated, ""
    if seen is FileFormat.HTML:
        return seen, f"is HTML by its first bytes, though {how}; read as that"
    raise InvalidArgument(
        f"is text and not {stated.upper()}, though {how}; it begins with {head[:40].strip()!r}",
        reason="DOCUMENT_TYPE_MISMATCH",
    )


def _looks_like(content: bytes, head: str) -> FileFormat | None:
    """Return what a text seems to be, None for plain text."""
    if _HTML.match(head):
        return FileFormat.HTML
    start = head.lstrip()
    if start.startswith("<?xml"):
        return FileFormat.HTML if _is_xhtml(content) else FileFormat.XML
    if _HEADERS.match(head):
        return FileFormat.EML
    if start[:1] in ("{", "["):
        return _json_format(content)
    return None


def _is_xhtml(content: bytes) -> bool:
    try:
        return local_name(parse_xml(content)) == "html"
    except InvalidArgument:
        return False


def _json_format(content: bytes) -> FileFormat | None:
    lines = content.split(b"\n", 1)
    for found, part in ((FileFormat.JSON, content), (FileFormat.JSONL, lines[0])):
        try:
            json.loads(part)
        except (ValueError, RecursionError):
            continue
        return found
    return None
