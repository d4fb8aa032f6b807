"""Sentences of documents that are meant for a language model: "Ignore all previous instructions".

Whoever writes them wants to steer what is answered. They state nothing, so that they are neither
said nor read as what bears an answer out. Where a text speaks of them, it has more words in front.
"""

from __future__ import annotations

import re

from toulmin.text.sentences import split_sentences

_COMMAND = re.compile(
    r"\W*+(?:(?:please|now|important|system|note|bitte|por favor|per favore)\b\W*+)?(?:"
    r"(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|every\s+)?(?:of\s+)?"
    r"(?:the\s+|your\s+|these\s+|those\s+|my\s+)?(?:previous|prior|above|earlier|preceding)"
    # "Earlier messages about the delivery" are mail, which a person is told to disregard.
    r"(?:\s+\w+)?\s+(?:instructions?|prompts?|directions|commands?|rules"
    r"|messages?(?!\s+(?:about|regarding|concerning|from)\b))\b"
    r"|ignor(?:a|ad|en|e|ar)\s+(?:todas\s+)?(?:las\s+)?instrucciones\s+(?:anteriores|previas)"
    r"|ignora(?:te|re)?\s+(?:tutte\s+)?(?:le\s+)?istruzioni\s+precedenti"
    r"|ignorez?\s+(?:toutes\s+)?(?:les\s+)?(?:instructions|consignes)\s+(?:précédentes|antérieures)"
    r"|ignorier\w*\s+(?:sie\s+)?(?:alle\s+)?(?:vorherigen|bisherigen|vorigen|obigen)\s+"
    r"(?:anweisungen|instruktionen|befehle)"
    r"|(?:これまで|以前|以上|上記|前)の(?:すべての|全ての)?(?:指示|命令)を(?:すべて|全て)?無視"
    r")",
    re.IGNORECASE,
)


def is_command(text: str) -> bool:
    """Return whether a sentence tells a language model to set aside what it was told."""
    return _COMMAND.match(text) is not None


def without_commands(text: str) -> str:
    """Return a text with blanks for such sentences; places in it stay what they are."""
    kept = text
    for start, end in split_sentences(text):
        if is_command(text[start:end]):
            kept = f"{kept[:start]}{' ' * (end - start)}{kept[end:]}"
    return kept
