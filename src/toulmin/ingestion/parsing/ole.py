"""OLE compound files (MS-CFB) as strangers send them: Outlook's messages, Office before 2007."""

from __future__ import annotations

import io

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.file_format import FileFormat

MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How every such file begins."""
_KINDS = (
    ("__properties_version1.0", FileFormat.MSG),
    ("Workbook", FileFormat.XLS),
    ("Book", FileFormat.XLS),
    ("WordDocument", FileFormat.DOC),
    ("PowerPoint Document", FileFormat.PPT),
)
_WORD_FLAGS, _WORD_ENCRYPTED = 11, 0x01
_ENCRYPTED = ("EncryptedPackage", "EncryptedSummary")


class OleFile:
    """The streams of one file.

    Args:
        content: The file.

    Raises:
        InvalidArgument: It is damaged.
    """

    def __init__(self, content: bytes) -> None:
        import olefile  # not needed for files of other kinds

        try:
            self._file = olefile.OleFileIO(io.BytesIO(content))
            paths = self._file.listdir(streams=True, storages=True)
        except Exception as error:  # the library promises none, and raises IndexError and the like
            raise InvalidArgument(
                f"is a damaged OLE file ({error}); was it cut off?", reason="DOCUMENT_UNREADABLE"
            ) from error
        self._paths = {"/".join(path): path for path in paths}

    @property
    def names(self) -> list[str]:
        """Paths of streams and storages, in the order of the file's directory."""
        return list(self._paths)

    def read(self, name: str) -> bytes | None:
        """Return a stream's bytes, None when there is none of this name.

        Raises:
            InvalidArgument: It is damaged.
        """
        if name not in self._paths:
            return None
        try:
            data = self._file.openstream(self._paths[name]).read()
        except Exception as error:
            raise InvalidArgument(
                f"has a damaged part {name!r}: {error}", reason="DOCUMENT_UNREADABLE"
            ) from error
        return bytes(data)


def ole_format(content: bytes) -> FileFormat:
    """Return what an OLE file is.

    Raises:
        InvalidArgument: It is encrypted, or none of the kinds that are read.
    """
    names = _top_names(content)
    if any(name in names for name in _ENCRYPTED) or _is_encrypted_word(content, names):
        raise InvalidArgument(
            "is an encrypted Office file; save a copy without a password",
            reason="DOCUMENT_ENCRYPTED",
        )
    for name, found in _KINDS:
        if name in names:
            return found
    raise InvalidArgument(
        "is an OLE file, but none of DOC, PPT, XLS and MSG; save it in another format, or the"
        " file is damaged",
        reason="DOCUMENT_TYPE_UNSUPPORTED",
    )


def _is_encrypted_word(content: bytes, names: set[str]) -> bool:
    """Whether the flag of encryption is set in a Word document's first block (MS-DOC 2.5.2)."""
    if "WordDocument" not in names:
        return False
    try:
        head = OleFile(content).read("WordDocument") or b""
    except InvalidArgument:
        return False
    return len(head) > _WORD_FLAGS + 1 and bool(head[_WORD_FLAGS] & _WORD_ENCRYPTED)


def _top_names(content: bytes) -> set[str]:
    """Return the names at the top; of a damaged file those that stand anywhere in its bytes."""
    try:
        return {name for name in OleFile(content).names if "/" not in name}
    except InvalidArgument:
        wanted = [name for name, _ in _KINDS] + list(_ENCRYPTED)
        return {name for name in wanted if f"{name}\0".encode("utf-16-le") in content}
