"""The text that the grounding model reads, made the same way in training and in serving.

A *pack* is evidence followed by queries, which are claims or questions about it:

    <s> evidence </s>   </s> claim </s>   </s> context </s> claim </s>   </s> question </s>

Evidence sees only itself, a query the evidence and itself, so evidence is encoded once for all its
queries. Segments say which token is whose: 0 for the evidence, then 1, 2, ... for the queries.
Positions of each query go on from the end of the evidence, as if it stood there alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokenizers import Encoding, Tokenizer

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PackLimits:
    """Most tokens of each part; what is longer is cut at the end, a context at its start.

    Attributes:
        evidence: Of the evidence.
        query: Of a claim or question.
        context: Of the text before a claim.
        pack: Of all together; queries that do not fit are left to another pack.
    """

    evidence: int = 384
    query: int = 72
    context: int = 48
    pack: int = 512


@dataclass(frozen=True, slots=True)
class QueryText:
    """A claim or a question, and the earlier text that a claim leans on (or "")."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class QueryPlace:
    """Where a query lies in its pack.

    Attributes:
        first: Its first token, a separator.
        start: The first token of the claim or question itself; the one before is a separator.
        end: One past its last token, a separator.
        offsets: Character range in the text of each token from `start` on, separators left out.
    """

    first: int
    start: int
    end: int
    offsets: list[Span]


@dataclass(frozen=True, slots=True)
class EncodedPack:
    """A pack as token ids.

    Attributes:
        ids: Token ids.
        positions: Position of each.
        segments: 0 for evidence, 1, 2, ... for the queries.
        offsets: Character range in the evidence of each of its tokens; token i + 1 of the pack is
            described by `offsets[i]`.
        places: The queries that fitted, in order.
    """

    ids: list[int]
    positions: list[int]
    segments: list[int]
    offsets: list[Span]
    places: list[QueryPlace]


def special_ids(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """Return the ids of the first token, the separator and padding.

    Raises:
        ValueError: The tokenizer is neither of RoBERTa's kind nor of BERT's.
    """
    for names in (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]")):
        first, separator, padding = (tokenizer.token_to_id(name) for name in names)
        if first is not None and separator is not None and padding is not None:
            return first, separator, padding
    raise ValueError("the tokenizer has neither <s> nor [CLS]")


def encode_packs(
    tokenizer: Tokenizer,
    packs: Sequence[tuple[str, Sequence[QueryText]]],
    limits: PackLimits = PackLimits(),
) -> list[EncodedPack]:
    """Return each (evidence, queries) as tokens; a text that occurs several times is read once.

    Every pack holds its first query at least. Of the others, those that exceed `limits.pack` are
    left out: `len(places)` says how many there are, always the first ones.
    """
    texts = dict.fromkeys(
        text
        for evidence, queries in packs
        for text in (evidence, *(part for q in queries for part in (q.text, q.context)))
    )
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    known = dict(zip(texts, encodings, strict=True))
    special = special_ids(tokenizer)[:2]
    return [_lay_out(known, evidence, queries, limits, special) for evidence, queries in packs]


def encode_questions(
    tokenizer: Tokenizer,
    asked: Sequence[tuple[str, str]],
    limits: PackLimits = PackLimits(),
) -> list[EncodedPack]:
    """Return each (question, text) as tokens of one segment, so that they see each other."""
    packs = encode_packs(tokenizer, [(text, [QueryText(asks)]) for asks, text in asked], limits)
    return [replace(pack, segments=[0] * len(pack.segments)) for pack in packs]


def _lay_out(
    known: dict[str, Encoding],
    evidence: str,
    queries: Sequence[QueryText],
    limits: PackLimits,
    special: tuple[int, int],
) -> EncodedPack:
    first, separator = special
    read = known[evidence]
    ids = [first, *read.ids[: limits.evidence], separator]
    start = len(ids)
    positions, segments = list(range(start)), [0] * start
    places: list[QueryPlace] = []
    for query in queries:
        context = known[query.context].ids[-limits.context :] if query.context else []
        before = [separator, *context] if context else []
        claim = known[query.text]
        tokens = [*before, separator, *claim.ids[: limits.query], separator]
        if places and len(ids) + len(tokens) > limits.pack:
            break
        at = len(ids)
        places.append(
            QueryPlace(
                at, at + len(before) + 1, at + len(tokens), list(claim.offsets[: limits.query])
            )
        )
        ids += tokens
        positions += range(start, start + len(tokens))
        segments += [len(places)] * len(tokens)
    return EncodedPack(ids, positions, segments, list(read.offsets[: limits.evidence]), places)
