"""Manuals with questions (`training/manuals/`), as packs: what is asked of documentation.

    python training/grounding_model/manuals.py              # checks the form, prints what there is
    PYTHONPATH=src .venv/bin/python training/grounding_model/manuals.py --seed 1 \
        --out RUN/manuals.jsonl.gz --kept-out RUN/manuals_kept.jsonl.gz

A manual is parsed and cut as an import does it, at a length that is drawn for each, shorter ones
more often, since a step of training costs what is read. A question is asked of the chunk that
answers it and, half of them, of one of the chunks of the same manual whose words are nearest to it
and that do not answer it; what no part of the manual answers is asked where it was written.

One manual in eight, by a hash of its title, is trained on by nothing.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from packs import NO, NONE, SPAN, YES, Pack, Query, Span, write_packs

FOLDER = Path(__file__).resolve().parents[1] / "manuals"
KIND = "manuals"
KINDS = frozenset(
    [
        "how",
        "steps",
        "value",
        "definition",
        "happens",
        "yes",
        "no",
        "which",
        "most",
        "why",
        "who",
        "typed",
    ]
)
ANSWERS = {"yes": YES, "no": NO}
LENGTHS = (100, 120, 150, 200, 300, 500)
"""Tokens of a chunk, in [100, 500]; the last is what an import has by default."""
_ASKED = "???"
_QUESTION = re.compile(r"(\d+) (\w+): (.+)")
_MARK = re.compile(r"⟦(\d+):|⟧")
_NEAREST = 3
_ASKED_ELSEWHERE = 0.5
_KEPT_OUT = 8


@dataclass
class Asked:
    """A question with the section that it stands under; `mark` 0: nothing answers it."""

    section: int
    mark: int
    kind: str
    text: str


@dataclass
class Manual:
    """A manual without its questions, whose marks are numbered through; `faults` break the form."""

    title: str
    text: str = ""
    asked: list[Asked] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def is_kept_out(self) -> bool:
        return sha256(self.title.encode()).digest()[0] % _KEPT_OUT == 0


def read_manual(path: Path) -> Manual:
    """Return what a file holds; marks become `⟦section.number:text⟧` with one number for both."""
    lines = path.read_text(encoding="utf-8").split("\n")
    manual = Manual(lines[0].removeprefix("#").strip())
    kept: list[str] = []
    section = -1
    asking = fenced = False
    for line in lines:
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            section, asking = section + 1, False
            manual.sections.append(line.lstrip("# "))
        elif line.strip() == _ASKED and not fenced:
            asking = True
            continue
        if not asking:
            kept.append(_numbered(line, section))
            continue
        found = _QUESTION.fullmatch(line.strip())
        if found and found[2] in KINDS:
            number = int(found[1])
            mark = section * 100 + number if number else 0
            manual.asked.append(Asked(section, mark, found[2], found[3]))
            continue
        if line.strip():
            manual.faults.append(f"{path.name}: not a question: {line[:60]}")
    manual.text = "\n".join(kept)
    marks = Counter(int(number) for number in re.findall(r"⟦(\d+):", manual.text))
    asked = Counter(question.mark for question in manual.asked if question.mark)
    if marks != asked:
        odd = sorted((marks - asked) + (asked - marks))
        manual.faults.append(f"{path.name}: marks and questions differ: {odd}")
    return manual


def _numbered(line: str, section: int) -> str:
    """Return a line whose marks have numbers that are unique in the manual."""
    return re.sub(r"⟦(\d+):", lambda mark: f"⟦{section * 100 + int(mark[1])}:", line)


def unmarked(text: str) -> tuple[str, dict[int, Span]]:
    """Return a text without its marks, and the range of each that begins and ends in it."""
    plain, spans, at = "", {}, 0
    begun: list[tuple[int, int]] = []
    for mark in _MARK.finditer(text):
        plain += text[at : mark.start()]
        at = mark.end()
        if mark[1]:
            begun.append((int(mark[1]), len(plain)))
        elif begun:
            number, start = begun.pop()
            if start < len(plain):
                spans[number] = (start, len(plain))
    return plain + text[at:], spans


def chunks_of(manual: Manual, tokens: int) -> list[tuple[str, dict[int, Span]]]:
    """Return the chunks as the reader has them, below their headings, with their marks."""
    from toulmin.answering.compose.choosing import heading_of
    from toulmin.answering.passages import Passage
    from toulmin.ingestion.parsing.chunking import chunk_document
    from toulmin.ingestion.parsing.parse import parse

    document = parse(manual.text.encode(), mime_type="text/markdown")
    found = []
    for chunk in chunk_document(document, max_tokens=tokens):
        passage = Passage(text=chunk.content, title=manual.title, headings=chunk.headings)
        found.append(unmarked(heading_of(passage) + chunk.content))
    return found


def packs_of(manual: Manual, rng: random.Random) -> Iterator[Pack]:
    """Yield a pack for each question and what is read for it."""
    chunks = chunks_of(manual, rng.choice(LENGTHS))
    words = [_words(text) for text, _ in chunks]
    for asked in manual.asked:
        own = [at for at, (_, spans) in enumerate(chunks) if asked.mark in spans]
        if asked.mark and len(own) != 1:
            continue  # a chunk's edge went through it
        if not asked.mark:
            heading = manual.sections[asked.section]
            at = next((i for i, (text, _) in enumerate(chunks) if heading in text), None)
            if at is not None:
                yield _pack(chunks[at][0], asked, NONE, [])
            continue
        text, spans = chunks[own[0]]
        yield _pack(text, asked, ANSWERS.get(asked.kind, SPAN), [spans[asked.mark]])
        others = [at for at in range(len(chunks)) if at != own[0]]
        if others and rng.random() < _ASKED_ELSEWHERE:
            known = _words(asked.text)
            others.sort(key=lambda at: (-len(known & words[at]), at))
            yield _pack(chunks[rng.choice(others[:_NEAREST])][0], asked, NONE, [])


def _pack(text: str, asked: Asked, answer: int, spans: list[Span]) -> Pack:
    query = Query(asked.text, f"{KIND}_{asked.kind}", answer=answer, spans=spans)
    return Pack(text, [query], KIND)


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.lower())}


def _balance(manuals: Sequence[Manual]) -> dict[str, int]:
    count = Counter(manuals=len(manuals))
    for manual in manuals:
        count["questions"] += len(manual.asked)
        count["unanswered"] += sum(not asked.mark for asked in manual.asked)
        count["kept_out"] += manual.is_kept_out
        count.update(asked.kind for asked in manual.asked)
    return dict(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: all of training/manuals/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="packs to train on")
    parser.add_argument("--kept-out", type=Path, help="packs that are not trained on")
    args = parser.parse_args()

    paths = args.files or sorted(path for path in FOLDER.glob("*.md") if path.stem != "README")
    manuals = [read_manual(path) for path in paths]
    for manual in manuals:
        print(*manual.faults, sep="\n", end="\n" if manual.faults else "")
    print(_balance(manuals))
    for out, kept in ((args.out, False), (args.kept_out, True)):
        if out is not None:
            rng = random.Random(args.seed)
            chosen = [manual for manual in manuals if manual.is_kept_out == kept]
            packs = [pack for manual in chosen for pack in packs_of(manual, rng)]
            write_packs(out, packs)
            answered = sum(pack.queries[0].answer != NONE for pack in packs)
            print(out.name, len(packs), "packs,", answered, "answered")


if __name__ == "__main__":
    main()
