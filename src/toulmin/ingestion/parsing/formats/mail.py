"""What messages of all formats have in common: how their parts become blocks."""

from __future__ import annotations

from collections.abc import Mapping

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.formats import html
from toulmin.ingestion.parsing.images import image_mime_type
from toulmin.ingestion.parsing.xml import parse_html

MAX_DEPTH = 3
"""How deep messages inside messages are read."""
ENCRYPTED = "The message is encrypted; only its headers are read"


def add_headers(
    subject: str, shown: Mapping[str, str], builder: DocumentBuilder, depth: int
) -> None:
    """Add the subject as a heading, and the headers that people read, one on each line."""
    builder.heading(subject, depth + 1)
    builder.paragraph("\n".join(f"{name}: {value}" for name, value in shown.items() if value))


def add_html(text: str, builder: DocumentBuilder) -> None:
    """Add a body of HTML."""
    root = parse_html(text)
    if root is not None:
        html.add_content(root, builder)


def add_attachment(data: bytes, mime_type: str, name: str, builder: DocumentBuilder) -> None:
    """Add an image as a blob, and name what has a name."""
    if mime_type.startswith("image/"):
        builder.blob(data, image_mime_type(data) or mime_type, name)
    if name:
        builder.list_item(f"Attachment: {name} ({mime_type}, {len(data)} bytes)")
