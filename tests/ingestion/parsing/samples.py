"""The files beside this one, which show what each format of text has."""

from pathlib import Path

from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.parse import parse

FOLDER = Path(__file__).parent / "samples"


def sample(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def blocks(document: ParsedDocument) -> list[tuple[str, int, str]]:
    """What the blocks are, their levels and their texts."""
    return [
        (block.kind.value, block.level, document.text[block.start : block.end])
        for block in document.blocks
    ]


def read(text: str, name: str) -> list[tuple[str, int, str]]:
    return blocks(parse(text.encode(), name=name))
