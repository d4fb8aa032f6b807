"""The passages, claims and questions written for Toulmin (`training/written/`), as packs.

A file holds passages, each with claims (S support, C contradiction, N neutral) and questions
(A answered by a span, Y yes or no with its evidence, U unanswerable):

    === domain | language
    text of the passage
    ---
    S|kind|claim
    A|kind|question|exact substring of the passage
    Y|yes|question|exact sentence of the passage
    U|kind|question

    python training/grounding_model/written.py FILE...     # checks the form, prints the balance
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from packs import CONTRADICTION, NEUTRAL, NO, NONE, SPAN, SUPPORT, YES, Pack, Query

FOLDER = Path(__file__).resolve().parents[1] / "written"
LABELS = {"S": SUPPORT, "C": CONTRADICTION, "N": NEUTRAL}
KEPT_OUT_OF_256 = 26


@dataclass
class Passage:
    """A passage with its claims and questions; `faults` are lines that break the form."""

    domain: str
    language: str
    place: str
    text: str = ""
    queries: list[Query] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def pack(self) -> Pack:
        return Pack(self.text, self.queries, f"written_{self.language}")


def is_kept_out(passage: str) -> bool:
    """Whether nothing about this passage is trained on: one in ten, by its words."""
    plain = " ".join(passage.lower().split())
    return hashlib.sha256(plain.encode()).digest()[0] < KEPT_OUT_OF_256


def read_file(path: Path) -> list[Passage]:
    passages: list[Passage] = []
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        place = f"{path.name}:{number}"
        if line.startswith("==="):
            domain, _, language = line.strip("= ").rpartition("|")
            passages.append(Passage(domain.strip(), language.strip(), place))
            inside = True
        elif inside and line.strip() == "---":
            passages[-1].text = passages[-1].text.strip()
            inside = False
        elif inside:
            passages[-1].text += line + "\n"
        elif line.strip():
            _add(passages[-1], line, place)
    return passages


def _add(passage: Passage, line: str, place: str) -> None:
    kind = line[:1]
    parts = [part.strip() for part in line.split("|", 3 if kind in "AY" else 2)]
    if kind not in "SCNAYU" or len(parts) != (4 if kind in "AY" else 3):
        passage.faults.append(f"{place}: not a claim or question: {line[:60]}")
        return
    name, _, language = parts[1].partition("@")
    passage.languages.append(language or passage.language)
    if kind in LABELS:
        passage.queries.append(Query(parts[2], name, label=LABELS[kind]))
    elif kind == "U":
        passage.queries.append(Query(parts[2], name, answer=NONE))
    else:
        at = passage.text.find(parts[3])
        if at < 0:
            passage.languages.pop()
            passage.faults.append(f"{place}: not in the passage: {parts[3][:60]}")
            return
        answer = SPAN if kind == "A" else YES if name == "yes" else NO
        passage.queries.append(
            Query(parts[2], name, answer=answer, spans=[(at, at + len(parts[3]))])
        )


def read_folder(folder: Path = FOLDER) -> Iterator[Passage]:
    for path in sorted(folder.glob("*.txt")):
        yield from read_file(path)


def words_of(text: str) -> set[str]:
    """Words; pairs of characters in Japanese."""
    if re.search("[\u3040-\u30ff\u4e00-\u9fff]", text):
        return {text[i : i + 2] for i in range(len(text) - 1)}
    return set(re.findall(r"\w+", text.lower()))


def main() -> None:
    shares: dict[int, list[float]] = defaultdict(list)
    count: Counter[str] = Counter()
    for path in sys.argv[1:]:
        for passage in read_file(Path(path)):
            print(*passage.faults, sep="\n", end="\n" if passage.faults else "")
            known = words_of(passage.text)
            for query, language in zip(passage.queries, passage.languages, strict=True):
                count["claims" if query.label is not None else "questions"] += 1
                if query.label is not None and language == passage.language:
                    said = words_of(query.text)
                    shares[query.label].append(len(said & known) / max(1, len(said)))
            count["passages"] += 1
    print(dict(count))
    for name, label in LABELS.items():
        share = sum(shares[label]) / max(1, len(shares[label]))
        print(f"{name}: {len(shares[label])} claims, share of words in the passage {share:.2f}")


if __name__ == "__main__":
    main()
