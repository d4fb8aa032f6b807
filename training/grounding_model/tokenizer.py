"""The base's tokenizer as it is trained with and shipped."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer

# "1,500" and "1500" are one number: without this they share no token. Offsets still point at the
# text as it was.
THOUSANDS = {
    "type": "Replace",
    "pattern": {"Regex": r"(?<=\d),(?=\d{3}(?!\d))"},
    "content": "",
}
# Facts scraped from web pages carry these; the words are the same without them.
ENTITIES = {"&#39;": "'", "&quot;": '"', "&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&amp;": "&"}


def plain_json(base: Path) -> str:
    """The tokenizer without truncation and padding, with plain numbers and characters."""
    tokenizer = json.loads((base / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            THOUSANDS,
            *(
                {"type": "Replace", "pattern": {"String": entity}, "content": character}
                for entity, character in ENTITIES.items()
            ),
            tokenizer["normalizer"],
        ],
    }
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))


def plain_tokenizer(base: Path) -> Tokenizer:
    return Tokenizer.from_str(plain_json(base))
