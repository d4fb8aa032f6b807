"""Marks around changed words, so that their place is known after later rewriting.

The marks are private-use characters, which no text in the data has.
"""

from __future__ import annotations

import re

from data.rows import Spans

OPEN, CLOSE = "\ue000", "\ue001"


def mark(text: str, start: int, end: int, new: str) -> str:
    return f"{text[:start]}{OPEN}{new}{CLOSE}{text[end:]}"


def unmark(text: str) -> tuple[str, Spans] | None:
    """The text without marks and where they were; None when a rewrite tore a pair apart."""
    out, spans, start = [], [], None
    length = 0
    for piece in re.split(f"([{OPEN}{CLOSE}])", text):
        if piece == OPEN:
            if start is not None:
                return None
            start = length
        elif piece == CLOSE:
            if start is None:
                return None
            spans.append((start, length))
            start = None
        else:
            out.append(piece)
            length += len(piece)
    return None if start is not None else ("".join(out), spans)
