"""EML (RFC 5322 and MIME): headers, body, names of attachments; images as blobs."""

from __future__ import annotations

import codecs
import contextlib
import re
from datetime import datetime
from email import policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.mail import (
    ENCRYPTED,
    MAX_DEPTH,
    add_attachment,
    add_headers,
    add_html,
)
from toulmin.ingestion.parsing.formats.text import add_text
from toulmin.ingestion.parsing.source import Source

_SHOWN = ("From", "To", "Cc", "Date")
_FOLDED = re.compile(r"\r?\n[ \t]*|\r")
_ENCRYPTED_TYPES = frozenset(
    {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
)


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the subject as a heading, the headers that people read, the body, the attachments.

    Raises:
        InvalidArgument: It has no headers.
    """
    message = BytesParser(policy=policy.default).parsebytes(
        source.content.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    )
    if not message.keys():
        raise InvalidArgument("has no headers of a message", reason="DOCUMENT_UNREADABLE")
    builder.metadata = DocumentMetadata(
        title=_header(message, "subject"),
        author=_header(message, "from"),
        created=_date(message),
        language=_header(message, "content-language"),
        properties={
            "from": _header(message, "from"),
            "to": _header(message, "to"),
            "cc": _header(message, "cc"),
            "message_id": _header(message, "message-id"),
        },
    )
    _add(message, builder, depth=0)


def _add(message: EmailMessage, builder: DocumentBuilder, depth: int) -> None:
    shown = {name: _header(message, name.lower()) for name in _SHOWN}
    add_headers(_header(message, "subject"), shown, builder, depth)
    if message.get_content_type() in _ENCRYPTED_TYPES and "signed" not in _smime_type(message):
        builder.note(ENCRYPTED)
        return
    body = _body(message)
    if body is not None:
        _add_body(body, builder)
    elif not message.is_multipart():
        _add_part(message, builder)
    _add_parts(message, body, builder, depth)


def _add_parts(
    message: EmailMessage, body: EmailMessage | None, builder: DocumentBuilder, depth: int
) -> None:
    """Add what else a message holds; enclosed messages whole, down to the third."""
    for part in message.iter_parts() if message.is_multipart() else ():
        if not isinstance(part, EmailMessage) or part is body:
            continue
        if part.get_content_type() == "message/rfc822":
            enclosed = next(part.iter_parts(), None)
            if depth < MAX_DEPTH and isinstance(enclosed, EmailMessage):
                _add(enclosed, builder, depth + 1)
        elif part.is_multipart():
            _add_parts(part, body, builder, depth)
        else:
            _add_part(part, builder)


def _body(message: EmailMessage) -> EmailMessage | None:
    """Return the part that people read: plain text, or HTML where there is none."""
    with contextlib.suppress(AttributeError, KeyError, ValueError):
        found = message.get_body(preferencelist=("plain", "html"))
        if isinstance(found, EmailMessage):
            return found
    is_text = message.get_content_maintype() == "text"
    return message if is_text and not message.is_multipart() else None


def _add_body(body: EmailMessage, builder: DocumentBuilder) -> None:
    payload = body.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    text, _ = decode(data, str(body.get_content_charset() or ""))
    if body.get_content_type() == "text/html":
        add_html(text, builder)
    else:
        add_text(text, builder)


def _add_part(part: EmailMessage, builder: DocumentBuilder) -> None:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    add_attachment(data, part.get_content_type(), str(part.get_filename() or ""), builder)


def _smime_type(message: EmailMessage) -> str:
    return str(message.get_param("smime-type") or "")


def _header(message: EmailMessage, name: str) -> str:
    """Return a header as people read it; bytes that name no known encoding are guessed."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    if not raw.isascii():  # bytes that should have been encoded, and were not
        raw, _ = decode(raw.encode("utf-8", "surrogateescape"))
    raw = _FOLDED.sub(" ", raw)
    if "=?" not in raw:
        return raw.strip()
    try:
        return "".join(_word(word, charset) for word, charset in decode_header(raw)).strip()
    except (HeaderParseError, ValueError):
        return raw.strip()


def _word(word: str | bytes, charset: str | None) -> str:
    if isinstance(word, str):
        return word
    return decode(word, charset)[0] if charset else word.decode("raw-unicode-escape", "replace")


def _date(message: EmailMessage) -> str:
    try:
        date: datetime = parsedate_to_datetime(_header(message, "date"))
    except (TypeError, ValueError):
        return ""
    return date.isoformat()
