"""MSG, a message as Outlook saves it (MS-OXMSG): headers, body, attachments, enclosed messages.

Properties are streams of an OLE file, named after their number and type; those of fixed length
stand together in one stream (MS-OXMSG 2.4).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from compressed_rtf import decompress

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.file_format import mime_type_of_name
from toulmin.ingestion.parsing.formats.mail import (
    ENCRYPTED,
    MAX_DEPTH,
    add_attachment,
    add_headers,
    add_html,
)
from toulmin.ingestion.parsing.formats.rtf import add_rtf
from toulmin.ingestion.parsing.formats.rtf_tokens import code_page
from toulmin.ingestion.parsing.formats.text import add_text
from toulmin.ingestion.parsing.ole import OleFile
from toulmin.ingestion.parsing.source import Source

# Properties, by their numbers in MS-OXPROPS.
_MESSAGE_CLASS = 0x001A
_SUBJECT = 0x0037
_SUBMITTED = 0x0039
_SENDER_NAME = 0x0C1A
_SENDER_ADDRESS = 0x0C1F
_SENDER_SMTP = 0x5D01
_RECIPIENT_TYPE = 0x0C15
_SHOWN_CC = 0x0E03
_SHOWN_TO = 0x0E04
_SUBJECT_WITHOUT_PREFIX = 0x0E1D
_DELIVERED = 0x0E06
_BODY = 0x1000
_RTF = 0x1009
_HTML = 0x1013
_MESSAGE_ID = 0x1035
_NAME = 0x3001
_ADDRESS = 0x3003
_DATA = 0x3701
_SHORT_NAME = 0x3704
_LONG_NAME = 0x3707
_MIME_TYPE = 0x370E
_SMTP = 0x39FE
_INTERNET_CODE_PAGE = 0x3FDE
_CODE_PAGE = 0x3FFD

_INTEGER, _STRING8, _UNICODE, _TIME, _BINARY = 0x0003, 0x001E, 0x001F, 0x0040, 0x0102
_FIXED = "__properties_version1.0"
_ENTRY = struct.Struct("<HHI8s")
_HEADER_BYTES = {"": 32, "message": 24, "part": 8}
"""What stands before the properties of fixed length: at the top, in enclosed messages, in parts."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_TO, _CC = 1, 2
_ENCRYPTED_CLASSES = ("ipm.note.smime", "ipm.note.rpmsg")
_SIGNED_CLASS = "ipm.note.smime.multipartsigned"


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the subject as a heading, the headers that people read, the body, the attachments.

    Raises:
        InvalidArgument: The file is damaged.
    """
    message = _Storage(OleFile(source.content), "", "")
    _add(message, builder, depth=0)
    sender, to, cc = _sender(message), _recipients(message, _TO), _recipients(message, _CC)
    builder.metadata = DocumentMetadata(
        title=_subject(message),
        author=sender,
        created=_date(message),
        properties={
            "from": sender,
            "to": to,
            "cc": cc,
            "message_id": message.text(_MESSAGE_ID),
        },
    )


@dataclass(frozen=True, slots=True)
class _Storage:
    """The properties of a message, an attachment or a recipient.

    Attributes:
        file: The file.
        path: Of the storage, with a slash behind it; "" at the top.
        kind: "" at the top, "message" of one that is enclosed, "part".
    """

    file: OleFile
    path: str
    kind: str

    def stream(self, number: int, kind: int) -> bytes | None:
        """Return the bytes of a property of a type, None when there is none."""
        return self.file.read(f"{self.path}__substg1.0_{number:04X}{kind:04X}")

    def text(self, number: int) -> str:
        """Return a property that is text, "" without it."""
        wide = self.stream(number, _UNICODE)
        if wide is not None:
            return wide.decode("utf-16-le", "replace")
        narrow = self.stream(number, _STRING8)
        return decode(narrow, self.code_page(_CODE_PAGE))[0] if narrow else ""

    def code_page(self, number: int) -> str:
        """Return the encoding that a property names, "" without one."""
        page = self.fixed(number, _INTEGER)
        return code_page(page & 0xFFFF) if page else ""

    def fixed(self, number: int, kind: int) -> int:
        """Return a property of fixed length as a whole number, 0 without it."""
        data = self.file.read(self.path + _FIXED) or b""
        first = _HEADER_BYTES[self.kind]
        for at in range(first, len(data) - _ENTRY.size + 1, _ENTRY.size):
            found_kind, found, _, value = _ENTRY.unpack_from(data, at)
            if (found, found_kind) == (number, kind):
                return int.from_bytes(value if kind == _TIME else value[:4], "little")
        return 0

    def parts(self, prefix: str) -> list[_Storage]:
        """Return the storages whose names begin so, in the order of their names."""
        begin = self.path + prefix
        found = {
            begin + name[len(begin) :].partition("/")[0]
            for name in self.file.names
            if name.startswith(begin)
        }
        return [_Storage(self.file, f"{name}/", "part") for name in sorted(found)]

    def enclosed(self) -> _Storage | None:
        """Return the message that an attachment is, None when it is a file."""
        path = f"{self.path}__substg1.0_{_DATA:04X}000D/"
        if any(name.startswith(path + _FIXED) for name in self.file.names):
            return _Storage(self.file, path, "message")
        return None


def _add(message: _Storage, builder: DocumentBuilder, depth: int) -> None:
    shown = {
        "From": _sender(message),
        "To": _recipients(message, _TO),
        "Cc": _recipients(message, _CC),
        "Date": _date(message),
    }
    add_headers(_subject(message), shown, builder, depth)
    kind = message.text(_MESSAGE_CLASS).lower()
    if kind.startswith(_ENCRYPTED_CLASSES) and kind != _SIGNED_CLASS:
        builder.note(ENCRYPTED)
        return
    _add_body(message, builder)
    for part in message.parts("__attach_version1.0_"):
        enclosed = part.enclosed()
        if enclosed is None:
            name = part.text(_LONG_NAME) or part.text(_SHORT_NAME)
            mime_type = part.text(_MIME_TYPE) or mime_type_of_name(name)
            data = part.stream(_DATA, _BINARY) or b""
            add_attachment(data, mime_type or "application/octet-stream", name, builder)
        elif depth < MAX_DEPTH:
            _add(enclosed, builder, depth + 1)


def _add_body(message: _Storage, builder: DocumentBuilder) -> None:
    """Add the body that people read: plain text, or HTML, or RTF where there is neither."""
    text = message.text(_BODY)
    if text.strip():
        add_text(text.rstrip("\0"), builder)
        return
    page = message.stream(_HTML, _BINARY)
    if page is not None:
        add_html(decode(page, message.code_page(_INTERNET_CODE_PAGE))[0], builder)
    elif said := message.text(_HTML):
        add_html(said, builder)
    elif packed := message.stream(_RTF, _BINARY):
        _add_packed(packed, builder)


def _add_packed(packed: bytes, builder: DocumentBuilder) -> None:
    try:
        content = decompress(packed)
    except Exception as error:  # noqa: BLE001 - the package raises Exception itself
        builder.note(f"The message's body is damaged and was left out ({error})")
        return
    add_rtf(content, builder)


def _subject(message: _Storage) -> str:
    return message.text(_SUBJECT) or message.text(_SUBJECT_WITHOUT_PREFIX)


def _sender(message: _Storage) -> str:
    address = message.text(_SENDER_SMTP) or message.text(_SENDER_ADDRESS)
    return _named(message.text(_SENDER_NAME), address)


def _recipients(message: _Storage, kind: int) -> str:
    """Return those of a kind with their addresses, or else as Outlook showed them."""
    found = [
        _named(part.text(_NAME), part.text(_SMTP) or part.text(_ADDRESS))
        for part in message.parts("__recip_version1.0_")
        if part.fixed(_RECIPIENT_TYPE, _INTEGER) == kind
    ]
    shown = message.text(_SHOWN_TO if kind == _TO else _SHOWN_CC)
    return ", ".join(filter(None, found)) or shown.strip("\0 ")


def _named(name: str, address: str) -> str:
    """Return a name with its address; addresses of Exchange mean nothing to people."""
    name, address = name.strip("\0 '"), address.strip("\0 ")
    if "@" not in address or address == name:
        return name or (address if "@" in address else "")
    return f"{name} <{address}>" if name else address


def _date(message: _Storage) -> str:
    """Return when it was sent or else delivered, in ISO 8601."""
    ticks = message.fixed(_SUBMITTED, _TIME) or message.fixed(_DELIVERED, _TIME)
    try:
        return (_EPOCH + timedelta(microseconds=ticks // 10)).isoformat() if ticks else ""
    except OverflowError:
        return ""
