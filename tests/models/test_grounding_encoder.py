"""The grounding model that is shipped: shapes, and that a query's score is its own."""

import os
from pathlib import Path

import numpy as np
import pytest

from toulmin.errors import Cancelled
from toulmin.grounding.packs import QueryText, encode_packs
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.work import Work

# Not shipped yet (decision 0019): made by training/grounding_model.
GROUNDING = Path(os.environ.get("TOULMIN_GROUNDING_MODEL", EMBEDDED_WEIGHTS / "grounding"))
pytestmark = [
    pytest.mark.real_runs,
    pytest.mark.model,
    pytest.mark.skipif(not (GROUNDING / "words.npy").exists(), reason="no grounding model here"),
]

FACT = "The Varn Bridge was opened by Queen Ingrid on 3 May 1932. It is 312 metres long."


@pytest.fixture(scope="module")
def encoder():
    model = GroundingEncoder(GROUNDING, workers=1)
    yield model
    model.close()


def read(encoder, evidence, *claims):
    (pack,) = encode_packs(encoder.tokenizer, [(evidence, [QueryText(text) for text in claims])])
    return pack, encoder.run([pack])[0]


def support(logits):
    shares = np.exp(logits.pair - logits.pair.max(axis=1, keepdims=True))
    return (shares / shares.sum(axis=1, keepdims=True))[:, 0]


def test_every_head_has_its_shape(encoder):
    pack, found = read(encoder, FACT, "Queen Ingrid opened it.", "How long is the bridge?")
    tokens = len(pack.ids)
    assert found.pair.shape == (2, 3)
    assert found.answer.shape == (2, 4)
    assert found.conflict.shape == (2, tokens)
    assert found.wrong.shape == (tokens,)
    assert (found.conflict[:, len(pack.offsets) + 2 :] < -1000).all(), "queries are not evidence"


def test_the_same_pack_gives_the_same_numbers(encoder):
    first, second = (read(encoder, FACT, "It is long.")[1] for _ in range(2))
    assert np.array_equal(first.pair, second.pair)


def test_what_else_is_asked_of_a_text_hardly_moves_a_claim(encoder):
    claim = "The Varn Bridge is 312 metres long."
    alone = support(read(encoder, FACT, claim)[1])[0]
    others = ["The bridge was closed in 1950.", "Queen Ingrid built the bridge herself in 1931."]
    among = support(read(encoder, FACT, *others, claim)[1])[2]
    assert abs(alone - among) < 0.1, "only int8 scales are shared"


def test_plain_truth_is_told_from_plain_falsehood(encoder):
    pairs = [
        ("The bridge is 312 metres long.", "The bridge is 450 metres long."),
        ("Queen Ingrid opened the bridge.", "Queen Ingrid closed the bridge."),
        ("The bridge was opened in 1932.", "The bridge was opened in 1935."),
    ]
    for true, false in pairs:
        found = support(read(encoder, FACT, true, false)[1])
        assert found[0] > found[1], (true, false, found)


def test_work_whose_caller_is_gone_ends(encoder):
    (pack,) = encode_packs(encoder.tokenizer, [(FACT, [QueryText("It is long.")])])
    with pytest.raises(Cancelled):
        encoder.run([pack] * 3, work=Work(is_gone=lambda: True))
