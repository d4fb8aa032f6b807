"""Packs to train on: evidence with labelled claims and questions.

Their layout as tokens is the product's own, `toulmin.grounding.packs`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from toulmin.grounding.packs import EncodedPack, PackLimits, QueryText, encode_packs

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = 0, 1, 2, 3
"""UNSUPPORTED is contradiction or neutral, which of the two is not known."""
SPAN, YES, NO, NONE = 0, 1, 2, 3
LIMITS = PackLimits(pack=768)

Span = tuple[int, int]


@dataclass
class Query:
    """A claim or a question.

    Attributes:
        text: The claim or question.
        kind: Where it comes from, for figures by kind.
        label: Of a claim: SUPPORT, CONTRADICTION, NEUTRAL or UNSUPPORTED; None for a question.
        answer: Of a question: SPAN, YES, NO or NONE; None for a claim.
        spans: Character ranges in the evidence that answer, or that bear a yes or no.
        wrong: Character ranges of the claim that are not borne out; None where not known.
        conflict: Character ranges of the evidence that they are at odds with; None: not known.
        context: Text before the claim that it leans on.
    """

    text: str
    kind: str
    label: int | None = None
    answer: int | None = None
    spans: list[Span] = field(default_factory=list)
    wrong: list[Span] | None = None
    conflict: list[Span] | None = None
    context: str = ""


@dataclass
class Pack:
    """Evidence, its queries, and a word for the source (`kind`)."""

    evidence: str
    queries: list[Query]
    kind: str


def write_packs(path: Path, packs: Iterable[Pack]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as file:
        for pack in packs:
            file.write(json.dumps(asdict(pack), ensure_ascii=False) + "\n")


def read_packs(path: Path) -> list[Pack]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [
        Pack(r["evidence"], [Query(**query) for query in r["queries"]], r["kind"]) for r in records
    ]


@dataclass
class Encoded:
    """One pack as tokens, with those of its queries that fit.

    Attributes:
        tokens: The tokens.
        queries: The queries.
        open: Whether all tokens see each other: a question read alone.
    """

    tokens: EncodedPack
    queries: list[Query]
    open: bool = False

    @property
    def length(self) -> int:
        return len(self.tokens.ids)


def encode_all(
    tokenizer: Tokenizer,
    packs: Sequence[Pack],
    limits: PackLimits = LIMITS,
    *,
    open_questions: bool = False,
) -> list[Encoded]:
    """The packs that have a query, as tokens; with `open_questions` each question apart, open."""
    packs = [pack for pack in packs if pack.queries]
    if open_questions:
        packs = asked_apart(packs)
    texts = [(p.evidence, [QueryText(q.text, q.context) for q in p.queries]) for p in packs]
    made = []
    for start in range(0, len(packs), 512):
        encoded = encode_packs(tokenizer, texts[start : start + 512], limits)
        for pack, tokens in zip(packs[start : start + 512], encoded, strict=True):
            is_open = open_questions and pack.queries[0].answer is not None
            if is_open:
                tokens = replace(tokens, segments=[0] * len(tokens.segments))
            made.append(Encoded(tokens, pack.queries[: len(tokens.places)], is_open))
    return made


def asked_apart(packs: Sequence[Pack]) -> list[Pack]:
    """The packs without their questions, and one pack for each question.

    Read alone, a question and its evidence can see each other (`Encoded.open`).
    """
    made = []
    for pack in packs:
        claims = [query for query in pack.queries if query.label is not None]
        if claims:
            made.append(Pack(pack.evidence, claims, pack.kind))
        made += [
            Pack(pack.evidence, [query], pack.kind)
            for query in pack.queries
            if query.answer is not None
        ]
    return made


def token_range(offsets: Sequence[Span], span: Span) -> tuple[int, int] | None:
    """First and last token that touch a character range; None where it is cut off."""
    inside = [i for i, (a, b) in enumerate(offsets) if a < span[1] and b > span[0]]
    if not inside or offsets[-1][1] < span[1]:
        return None
    return inside[0], inside[-1]
