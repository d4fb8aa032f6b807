"""How large a file may be, what it may unfold to, and how long reading it may take."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseLimits:
    """Limits of one file. What is over a limit is refused, images excepted: those are left out.

    Attributes:
        file_bytes: Longest file, in bytes.
        characters: Longest text that a file may yield.
        blocks: Most headings, paragraphs, list items, tables and the like.
        pages: Most pages, slides or sheets.
        archive_members: Most files inside a ZIP container (DOCX, EPUB and the like).
        archive_bytes: Most bytes read from a ZIP container after unpacking.
        archive_ratio: A member of more than 1 MiB that unpacks to more than this many times its
            packed size is refused.
        blobs: Most images taken from a file; further ones are counted in a note.
        blob_bytes: Largest image taken.
        blobs_bytes: Most bytes of images taken from a file, all together.
        seconds: Time in the child process, for one file.
        memory_bytes: Memory of the child process.
    """

    file_bytes: int = 200 * _MIB
    characters: int = 50_000_000
    blocks: int = 1_000_000
    pages: int = 20_000
    archive_members: int = 20_000
    archive_bytes: int = 512 * _MIB
    archive_ratio: int = 500
    blobs: int = 500
    blob_bytes: int = 8 * _MIB
    blobs_bytes: int = 64 * _MIB
    seconds: float = 120.0
    memory_bytes: int = 1024 * _MIB

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 0 or (value == 0 and "blob" not in field.name):
                raise ValueError(f"{field.name} is {value}; it must be greater than 0")
