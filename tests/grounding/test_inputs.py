from __future__ import annotations

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from toulmin.grounding.inputs import (
    EncodedPair,
    PairText,
    encode_pairs,
    evidence_text,
    pad_batch,
    piece_spans,
)

WORDS = ["the", "film", "was", "directed", "by", "ann", "lee", "it", "in", "1997", "|", ".", "##s"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """A WordPiece tokenizer with a vocabulary small enough to read."""
    vocabulary = {w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def read(tokenizer: Tokenizer, ids: list[int]) -> str:
    return " ".join(tokenizer.id_to_token(i) for i in ids)


def test_evidence_without_attributes_is_the_pieces() -> None:
    assert evidence_text([("One.", {}), ("Two.", {})]) == "One. | Two."


def test_attributes_precede_their_own_piece() -> None:
    pieces = [("One.", {"author": "Ann", "title": "Tea"}), ("Two.", {"author": "Bob"})]
    assert evidence_text(pieces) == "author: Ann | title: Tea | One. | author: Bob | Two."


def test_attributes_are_bounded_and_blank_ones_left_out() -> None:
    attributes = {"empty": " ", "long": "x" * 500} | {f"k{i}": "v" for i in range(9)}
    made = evidence_text([("One.", attributes)])
    assert "empty" not in made
    assert f"long: {'x' * 120} | k0" in made
    assert made.count("k") == 5


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [("One.", {})],
        [("One.", {"author": "Ann"}), ("Two | three.", {}), ("四です。", {"title": "題", "b": ""})],
    ],
)
def test_piece_spans_point_at_the_texts(pieces: list[tuple[str, dict[str, str]]]) -> None:
    joined = evidence_text(pieces)
    assert [joined[start:end] for start, end in piece_spans(pieces)] == [text for text, _ in pieces]


def test_layout_without_context(tokenizer: Tokenizer) -> None:
    [pair] = encode_pairs(tokenizer, [PairText("The film .", "It was")])
    assert read(tokenizer, pair.ids) == "[CLS] the film . [SEP] it was [SEP]"
    assert pair.types == [0, 0, 0, 0, 0, 1, 1, 1]


def test_layout_with_context(tokenizer: Tokenizer) -> None:
    [pair] = encode_pairs(tokenizer, [PairText("Ann Lee", "It was 1997", "The film")])
    assert read(tokenizer, pair.ids) == "[CLS] ann lee [SEP] the film [SEP] it was 1997 [SEP]"
    assert pair.types == [0] * 4 + [1] * 7
    assert pair.claim_start == 7


def test_offsets_lead_back_to_the_texts(tokenizer: Tokenizer) -> None:
    text = PairText("Éé | The FILMS", "It was  directed", "the film")
    [pair] = encode_pairs(tokenizer, [text])
    assert [text.evidence[a:b] for a, b in pair.evidence_offsets] == ["Éé", "|", "The", "FILM", "S"]
    assert [text.claim[a:b] for a, b in pair.claim_offsets] == ["It", "was", "directed"]
    claim_ids = pair.ids[pair.claim_start : pair.claim_start + len(pair.claim_offsets)]
    assert read(tokenizer, claim_ids) == "it was directed"
    evidence_ids = pair.ids[pair.evidence_start : pair.evidence_start + len(pair.evidence_offsets)]
    assert read(tokenizer, evidence_ids) == "[UNK] | the film ##s"


@pytest.mark.parametrize("max_tokens", [64, 100, 256])
@pytest.mark.parametrize(
    ("evidence", "claim", "context"),
    [(500, 10, 0), (500, 10, 20), (10, 500, 0), (500, 500, 500), (0, 500, 500), (10, 10, 500)],
)
def test_no_sequence_exceeds_the_limit(
    tokenizer: Tokenizer, max_tokens: int, evidence: int, claim: int, context: int
) -> None:
    pair = PairText("film " * evidence, "ann " * claim, "lee " * context)
    [encoded] = encode_pairs(tokenizer, [pair], max_tokens)
    assert len(encoded.ids) == len(encoded.types) <= max_tokens
    kept = read(tokenizer, encoded.ids)
    assert kept.count("film") == len(encoded.evidence_offsets) >= min(evidence, 32)
    assert kept.count("ann") == len(encoded.claim_offsets) > 0
    assert kept.endswith("ann [SEP]")


def test_evidence_is_cut_before_the_claim(tokenizer: Tokenizer) -> None:
    pair = PairText("film " * 300, "ann " * 100, "lee " * 20)
    [encoded] = encode_pairs(tokenizer, [pair], 256)
    kept = read(tokenizer, encoded.ids)
    assert (kept.count("ann"), kept.count("lee"), len(encoded.ids)) == (100, 20, 256)


def test_context_is_cut_at_its_beginning(tokenizer: Tokenizer) -> None:
    pair = PairText("film", "ann", "lee " * 100 + "1997")
    [encoded] = encode_pairs(tokenizer, [pair], 64)
    kept = read(tokenizer, encoded.ids)
    assert kept.endswith("1997 [SEP] ann [SEP]")
    assert kept.count("lee") < 20


def test_too_small_a_limit_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="at least 64"):
        encode_pairs(tokenizer, [], 63)


def test_a_tokenizer_without_special_tokens_is_refused() -> None:
    bare = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    with pytest.raises(ValueError, match=r"no \[CLS\]"):
        encode_pairs(bare, [PairText("a", "b")])


def test_no_pairs_give_no_pairs(tokenizer: Tokenizer) -> None:
    assert encode_pairs(tokenizer, []) == []


def test_pairs_do_not_influence_each_other(tokenizer: Tokenizer) -> None:
    pairs = [
        PairText("the film", "it was"),
        PairText("the film", "ann lee", "it"),
        PairText("", "it"),
    ]
    assert encode_pairs(tokenizer, pairs) == [encode_pairs(tokenizer, [p])[0] for p in pairs]


def test_padding_is_masked(tokenizer: Tokenizer) -> None:
    encoded = encode_pairs(
        tokenizer, [PairText("the film was directed by ann lee", "it"), PairText("film", "it")]
    )
    ids, mask, types = pad_batch(encoded)
    assert ids.dtype == mask.dtype == types.dtype == np.int64
    assert ids.shape == mask.shape == types.shape == (2, len(encoded[0].ids))
    short = len(encoded[1].ids)
    assert ids[1, :short].tolist() == encoded[1].ids
    assert mask[1].tolist() == [1] * short + [0] * (ids.shape[1] - short)
    assert not ids[1, short:].any()
    assert not types[1, short:].any()


def test_padding_id_can_be_chosen() -> None:
    pairs = [EncodedPair([5, 6], [0, 1], 1, [], 1, []), EncodedPair([5], [0], 1, [], 1, [])]
    ids, _, _ = pad_batch(pairs, pad_id=9)
    assert ids.tolist() == [[5, 6], [5, 9]]
