"""Plain-text tools that the generators share: sentences, windows, overlap."""
# ruff: noqa: SIM905  (a split string is easier to read and to extend than a list)

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

WORD = re.compile(r"\w+(?:['’]\w+)?", re.UNICODE)
_STOP = set(
    "a an the of in on at to for from by with and or but is are was were be been being as that "
    "this these those it its he she they his her their them him i you we which who whom whose "
    "what when where how there has have had do does did will would can could may might not no "
    "than then so such also into about over after before between during".split()
)
_END = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+(?=[\"'(\[“‘]*[A-Z0-9])|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(
    r"\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Gen|Col|Lt|Sgt|Rev|vs|No|Vol|Inc|Ltd|Co|Corp|etc|"
    r"e\.g|i\.e|U\.S|U\.K|c|ca|approx|Fig|Sen|Rep|Gov|Mt|Ft)\.[\"')]*$"
)


def words(text: str) -> list[str]:
    return [w.lower() for w in WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Lower-case words without function words; characters for text without spaces."""
    found = [w for w in words(text) if w not in _STOP]
    if len(found) * 12 < len(text):
        found += [text[i : i + 2] for i in range(len(text) - 1) if ord(text[i]) > 0x2E80]
    return found


def sentences(text: str) -> list[str]:
    """Sentences of a passage, stripped, in order."""
    parts: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.start()].strip()
        if not piece or ("\n" not in match.group() and _ABBREVIATION.search(piece)):
            continue
        parts.append(text[start : match.end()].strip())
        start = match.end()
    last = text[start:].strip()
    return [p for p in [*parts, last] if p]


def clean(text: str) -> str:
    """Undo treebank-style tokenisation and marks such as "[1] https://...", squeeze spaces."""
    text = re.sub(r"\[\d+\]\s*(?:https?://\S+)?", " ", text)
    text = text.replace("``", '"').replace("''", '"').replace("-LRB-", "(").replace("-RRB-", ")")
    text = re.sub(r"\s+([.,;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[$])\s+", r"\1", text)
    text = re.sub(r"\s+('s|n't|'re|'ve|'ll)\b", r"\1", text)
    text = re.sub(r"(\w) - (\w)", r"\1-\2", text)
    return re.sub(r"\s+", " ", text).strip()


def chunks(text: str, size: int) -> list[str]:
    """Runs of whole sentences of about `size` words."""
    out: list[str] = []
    current: list[str] = []
    count = 0
    for sentence in sentences(text):
        length = max(len(sentence.split()), len(sentence) // 6)
        if current and count + length > size:
            out.append(" ".join(current))
            current, count = [], 0
        current.append(sentence)
        count += length
    return [*out, " ".join(current)] if current else out


def overlap(claim: str, texts: list[str]) -> list[float]:
    """Share of the claim's content words in each text, weighted by rarity among the texts."""
    sets = [set(content_words(t)) for t in texts]
    seen = Counter(w for s in sets for w in s)
    asked = set(content_words(claim))
    weight = {w: math.log(1 + (len(sets) + 1) / (seen[w] + 0.5)) for w in asked}
    total = sum(weight[w] for w in sorted(asked)) or 1.0
    return [sum(weight[w] for w in sorted(asked & s)) / total for s in sets]


def best_evidence(claim: str, text: str, size: int, count: int) -> str:
    """The `count` chunks of `size` words that overlap the claim most, in text order."""
    parts = chunks(text, size)
    if len(parts) <= count:
        return " ".join(parts)
    scores = overlap(claim, parts)
    chosen = sorted(sorted(range(len(parts)), key=lambda i: -scores[i])[:count])
    out = parts[chosen[0]]
    for before, now in pairwise(chosen):
        out += (" " if now == before + 1 else " | ") + parts[now]
    return out
