import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from toulmin.grounding.packs import PackLimits, QueryText, encode_packs, special_ids

WORDS = ["<s>", "<pad>", "</s>", "<unk>", *(f"w{i}" for i in range(50))]
TOKENIZER = Tokenizer(
    models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>")
)
TOKENIZER.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
FIRST, SEP, PAD = special_ids(TOKENIZER)


def text_of(count, start=0):
    return " ".join(f"w{(start + i) % 50}" for i in range(count))


def test_a_pack_lays_out_evidence_then_queries():
    (pack,) = encode_packs(
        TOKENIZER, [("w1 w2", [QueryText("w3"), QueryText("w4 w5", context="w6")])]
    )
    token = TOKENIZER.token_to_id
    assert pack.ids == [
        *(FIRST, token("w1"), token("w2"), SEP),
        *(SEP, token("w3"), SEP),
        *(SEP, token("w6"), SEP, token("w4"), token("w5"), SEP),
    ]
    assert pack.segments == [0] * 4 + [1] * 3 + [2] * 6
    assert pack.positions == [0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9]
    assert [(p.first, p.start, p.end) for p in pack.places] == [(4, 5, 7), (7, 10, 13)]
    assert pack.offsets == [(0, 2), (3, 5)]
    assert pack.places[1].offsets == [(0, 2), (3, 5)]


@given(
    st.integers(1, 80),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 20)), min_size=1, max_size=6),
)
def test_limits_hold_and_the_first_queries_stay(evidence, queries):
    limits = PackLimits(evidence=40, query=12, context=6, pack=90)
    texts = [QueryText(text_of(n), text_of(c, 7) if c else "") for n, c in queries]
    (pack,) = encode_packs(TOKENIZER, [(text_of(evidence), texts)], limits)
    assert len(pack.ids) == len(pack.positions) == len(pack.segments) <= 90
    assert 1 <= len(pack.places) <= len(queries)
    assert len(pack.offsets) == min(evidence, 40)
    for number, place in enumerate(pack.places, start=1):
        assert {pack.segments[i] for i in range(place.first, place.end)} == {number}
        assert place.end - place.start - 1 == len(place.offsets) == min(queries[number - 1][0], 12)
        assert pack.positions[place.first] == len(pack.offsets) + 2


def test_a_query_reads_the_same_whatever_else_is_asked():
    alone, among = encode_packs(
        TOKENIZER,
        [("w1 w2", [QueryText("w3 w4")]), ("w1 w2", [QueryText("w9"), QueryText("w3 w4")])],
    )
    first, second = alone.places[0], among.places[1]
    assert alone.ids[first.first :] == among.ids[second.first :]
    assert alone.positions[first.first :] == among.positions[second.first :]


def test_a_tokenizer_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="neither"):
        special_ids(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")))
