"""What would a query say in English? Word by word, by a table for five languages.

The embedder and the heads learnt English. "como matar a mi vecino" becomes "how kill to my
neighbour": no translation to read, but its words are those that the heads know. English queries
come back as they are, and so does what the table does not know.

The table is `data/glossary.txt`; `folded` is how both sides are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

_ACCENTS = re.compile("[\u0300-\u036f]")
_TOKEN = re.compile("[\u3040-\u30ff\u3400-\u9fff々]+|[^\\W_\u3040-\u9fff]+")
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_LONGEST_PHRASE = 6  # words
_LANGUAGES = ("es", "it", "fr", "de", "ja")


def folded(text: str) -> str:
    """Return `text` without case, accents of Latin letters, and wide or joined forms."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", plain)))


class _Language:
    """One language's entries by how they are found."""

    def __init__(self) -> None:
        self.phrases: dict[tuple[str, ...], str] = {}
        self.beginnings: dict[str, str] = {}
        self.ends: dict[str, str] = {}

    def add(self, entry: str, english: str) -> None:
        words = tuple(_TOKEN.findall(folded(entry.replace("_", " "))))
        if entry.startswith("-"):
            self.ends.setdefault(words[0], english)
        elif entry.endswith("-"):
            self.beginnings.setdefault(words[0], english)
        else:
            self.phrases.setdefault(words, english)

    def read(self, words: Sequence[str], at: int) -> tuple[str, int]:
        """Return the English of what starts at a word, "" if unknown, and how many words it is."""
        for count in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            known = self.phrases.get(tuple(words[at : at + count]))
            if known is not None:
                return known, count
        return self._part(words[at]), 1

    def _part(self, word: str) -> str:
        for size in range(len(word), 2, -1):
            if word[:size] in self.beginnings:
                return self.beginnings[word[:size]]
        for start in range(1, len(word) - 2):
            if word[start:] in self.ends:
                return self.ends[word[start:]]
        return ""


class _Japanese(_Language):
    """Nothing stands between Japanese words: the longest entry at each place is taken."""

    def read(self, words: Sequence[str], at: int) -> tuple[str, int]:
        run = words[at]
        return (" ".join(self._parts(run)), 1) if _JAPANESE.search(run) else ("", 1)

    def _parts(self, run: str) -> Iterator[str]:
        at, unknown = 0, ""
        while at < len(run):
            for size in range(min(12, len(run) - at), 0, -1):
                english = self.phrases.get((run[at : at + size],))
                if english is not None:
                    yield from filter(None, (_HIRAGANA.sub(" ", unknown).strip(), english))
                    at, unknown = at + size, ""
                    break
            else:
                at, unknown = at + 1, unknown + run[at]
        if rest := _HIRAGANA.sub(" ", unknown).strip():
            yield rest


def _read_table() -> tuple[dict[str, _Language], frozenset[str]]:
    languages = {name: _Japanese() if name == "ja" else _Language() for name in _LANGUAGES}
    english: list[str] = []
    path = Path(__file__).parent / "data" / "glossary.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("="):
            english += line[1:].split()
        if line.startswith(("#", "=")):
            continue
        head, *columns = (column.strip() for column in line.split("|"))
        english += head.split()
        for language, column in zip(languages.values(), columns, strict=True):
            for entry in column.split():
                language.add(entry, head)
    return languages, frozenset(english)


_TABLES, _ENGLISH = _read_table()


def language_of(words: Sequence[str]) -> str:
    """Return the language that knows most of the words: one of the table's, or "en"."""
    if any(map(_JAPANESE.search, words)):
        return "ja"
    best, most = "en", sum(word in _ENGLISH for word in words)
    for name, table in _TABLES.items():
        at = known = 0
        while at < len(words):
            english, count = table.read(words, at)
            known, at = known + count * bool(english), at + count
        if known > most:
            best, most = name, known
    return best


def glossed(text: str) -> str:
    """Return `text` in English words if it is in another language of the table, else as it is."""
    words = _TOKEN.findall(folded(text))
    language = language_of(words)
    if language == "en":
        return text
    found, at = [], 0
    while at < len(words):
        english, count = _TABLES[language].read(words, at)
        found.append(english or words[at])
        at += count
    asked = "?" if text.rstrip().endswith(("?", "\uff1f")) else ""
    return " ".join(found) + asked
