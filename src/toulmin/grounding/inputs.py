"""The text that the support model reads, made the same way in training and in serving.

A pair is laid out as one token sequence:

    [CLS] evidence [SEP] claim [SEP]
    [CLS] evidence [SEP] context [SEP] claim [SEP]

Token types are 0 up to and including the first [SEP], 1 after it. Evidence is one or several
pieces, each with its fact's attributes in front: `author: Wikipedia | text | second text`.
When a sequence is too long, the evidence is cut first, then the context, then the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

IntArray = npt.NDArray[np.int64]
Span = tuple[int, int]

SEPARATOR = " | "
MAX_ATTRIBUTES = 6
MAX_ATTRIBUTE_CHARS = 120
_MIN_EVIDENCE_TOKENS = 32
_CONTEXT_SHARE = 4


@dataclass(frozen=True, slots=True)
class PairText:
    """Evidence and the claim to check against it.

    Attributes:
        evidence: What `evidence_text` made of the pieces.
        claim: The claim, verbatim.
        context: Earlier text that the claim leans on; empty when it stands alone. It says what
            "it" is; whether the context itself holds does not matter.
    """

    evidence: str
    claim: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """One pair as token ids, with the way back from tokens to characters.

    Attributes:
        ids: Token ids, special tokens included; at most `max_tokens` of them.
        types: 0 for [CLS], evidence and the first [SEP]; 1 for the rest. As long as `ids`.
        evidence_start: Index of the first evidence token in `ids` (always 1).
        evidence_offsets: For each evidence token kept, its character range in
            `PairText.evidence`, end exclusive.
        claim_start: Index of the first claim token in `ids`.
        claim_offsets: For each claim token kept, its character range in `PairText.claim`.
    """

    ids: list[int]
    types: list[int]
    evidence_start: int
    evidence_offsets: list[Span]
    claim_start: int
    claim_offsets: list[Span]


def evidence_text(pieces: Sequence[tuple[str, Mapping[str, str]]]) -> str:
    """Join chunks of facts, each with its fact's attributes in front.

    Args:
        pieces: (chunk text, attributes of its fact), in the order to read them. Give the
            attributes with the first piece of a fact only, to save tokens.

    Returns:
        "author: Wikipedia | text | second text". Values are cut to 120 characters, empty ones
        and those past the sixth are left out.
    """
    return SEPARATOR.join(part for text, attributes in pieces for part in _parts(text, attributes))


def piece_spans(pieces: Sequence[tuple[str, Mapping[str, str]]]) -> list[Span]:
    """Where the text of each piece lies in `evidence_text(pieces)`.

    Returns:
        One character range per piece, end exclusive, attributes not included.
    """
    spans: list[Span] = []
    position = 0
    for text, attributes in pieces:
        *prefix, _ = _parts(text, attributes)
        position += sum(len(part) + len(SEPARATOR) for part in prefix)
        spans.append((position, position + len(text)))
        position += len(text) + len(SEPARATOR)
    return spans


def encode_pairs(
    tokenizer: Tokenizer, pairs: Sequence[PairText], max_tokens: int = 256
) -> list[EncodedPair]:
    """Tokenise pairs. A text that occurs several times is tokenised once.

    Args:
        tokenizer: The model's own, without truncation and padding.
        pairs: What to encode; may be empty.
        max_tokens: Length limit of a sequence, special tokens included; at least 64.

    Returns:
        One encoded pair per input, in order, none longer than `max_tokens`.

    Raises:
        ValueError: `max_tokens` is below 64.
    """
    if max_tokens < 2 * _MIN_EVIDENCE_TOKENS:
        raise ValueError(f"max_tokens is {max_tokens}; it must be at least 64")
    texts = list(
        dict.fromkeys(text for p in pairs for text in (p.evidence, p.claim, p.context) if text)
    )
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    known = dict(zip(texts, encodings, strict=True))
    cls = _special(tokenizer, "[CLS]")
    sep = _special(tokenizer, "[SEP]")
    return [_lay_out(pair, known, max_tokens, (cls, sep)) for pair in pairs]


def pad_batch(
    encoded: Sequence[EncodedPair], pad_id: int = 0
) -> tuple[IntArray, IntArray, IntArray]:
    """Pad to the longest of the batch.

    Args:
        encoded: At least one pair.
        pad_id: Id of the padding token.

    Returns:
        (input_ids, attention_mask, token_type_ids), each int64 of shape (pairs, longest);
        padding has mask 0 and type 0.
    """
    shape = (len(encoded), max(len(e.ids) for e in encoded))
    ids = np.full(shape, pad_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    types = np.zeros(shape, dtype=np.int64)
    for row, pair in enumerate(encoded):
        length = len(pair.ids)
        ids[row, :length] = pair.ids
        mask[row, :length] = 1
        types[row, :length] = pair.types
    return ids, mask, types


def _parts(text: str, attributes: Mapping[str, str]) -> list[str]:
    """Attributes as "key: value", then the text itself, which is always last."""
    stated = [(key, value.strip()) for key, value in attributes.items() if value.strip()]
    prefix = [f"{key}: {value[:MAX_ATTRIBUTE_CHARS]}" for key, value in stated[:MAX_ATTRIBUTES]]
    return [*prefix, text]


def _special(tokenizer: Tokenizer, token: str) -> int:
    token_id = tokenizer.token_to_id(token)
    if token_id is None:
        raise ValueError(f"the tokenizer has no {token} token")
    return int(token_id)


def _lay_out(
    pair: PairText, known: Mapping[str, Encoding], max_tokens: int, special: tuple[int, int]
) -> EncodedPair:
    """Cut the three parts to the limit and join them with the special tokens."""
    cls, sep = special
    evidence_ids, evidence_offsets = _tokens(known, pair.evidence)
    claim_ids, claim_offsets = _tokens(known, pair.claim)
    context_ids, _ = _tokens(known, pair.context)
    room = max_tokens - 3 - (1 if context_ids else 0)
    wanted_evidence = min(len(evidence_ids), _MIN_EVIDENCE_TOKENS)
    claim_ids = claim_ids[: room - wanted_evidence]
    context_room = min(room // _CONTEXT_SHARE, room - wanted_evidence - len(claim_ids))
    context_ids = context_ids[-context_room:] if context_room > 0 else []
    evidence_ids = evidence_ids[: room - len(claim_ids) - len(context_ids)]

    ids = [cls, *evidence_ids, sep]
    first_part = len(ids)
    if context_ids:
        ids += [*context_ids, sep]
    claim_start = len(ids)
    ids += [*claim_ids, sep]
    return EncodedPair(
        ids=ids,
        types=[0] * first_part + [1] * (len(ids) - first_part),
        evidence_start=1,
        evidence_offsets=evidence_offsets[: len(evidence_ids)],
        claim_start=claim_start,
        claim_offsets=claim_offsets[: len(claim_ids)],
    )


def _tokens(known: Mapping[str, Encoding], text: str) -> tuple[list[int], list[Span]]:
    if not text:
        return [], []
    encoding = known[text]
    return encoding.ids, encoding.offsets
