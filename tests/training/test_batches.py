"""Token targets of rows: wrong words, and where an answer starts and ends."""

import random

import pytest

pytest.importorskip("torch")

from batches import TOKENS, batches, encode_rows, span_target, word_targets
from data.rows import QUESTION, SUPPORT, Row
from tokenizers import Tokenizer, models, pre_tokenizers

from toulmin.grounding.inputs import PairText, encode_pairs

EVIDENCE = "Ann Keller came to Vienna in 1925 ."


@pytest.fixture(scope="module")
def tokenizer():
    words = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *EVIDENCE.split(), "When", "word"]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def question(answers, evidence=EVIDENCE):
    return Row(evidence, "When did she come", QUESTION, "asked", answers=answers)


def encoded(tokenizer, row):
    return encode_pairs(tokenizer, [PairText(row.evidence, row.claim, row.context)], 64)[0]


def span_of(text, evidence=EVIDENCE):
    return (evidence.index(text), evidence.index(text) + len(text))


@pytest.mark.parametrize("answer", ["1925", "Ann Keller", "to Vienna in 1925", "elle"])
def test_the_target_covers_the_answer(tokenizer, answer):
    row = question([span_of(answer)])
    pair = encoded(tokenizer, row)
    first, last = span_target(row, pair)
    start = pair.evidence_offsets[first - pair.evidence_start][0]
    end = pair.evidence_offsets[last - pair.evidence_start][1]
    assert answer in EVIDENCE[start:end]
    assert len(EVIDENCE[start:end].split()) == len(answer.split())


def test_claims_and_unanswered_questions_have_their_own_targets(tokenizer):
    claim = Row(EVIDENCE, "Ann came .", SUPPORT, "kept")
    assert span_target(claim, encoded(tokenizer, claim)) == (-1, -1)
    assert span_target(question([]), encoded(tokenizer, question([]))) == (0, 0)


def test_an_answer_that_was_cut_away_does_not_count(tokenizer):
    long = " ".join(["word"] * 100) + " Vienna"
    cut, early = span_of("Vienna", long), (0, 4)
    pair = encoded(tokenizer, question([cut], long))
    assert len(pair.ids) == 64
    assert span_target(question([cut], long), pair) == (0, 0)
    assert span_target(question([cut, early], long), pair) == (1, 1)


def test_of_several_answers_the_first_counts(tokenizer):
    row = question([span_of("1925"), span_of("in 1925")])
    pair = encoded(tokenizer, row)
    assert span_target(row, pair) == (7, 7)


def test_word_targets_mark_wrong_words_and_what_is_not_known(tokenizer):
    claim = "Ann came in word ."
    row = Row(EVIDENCE, claim, 1, "edit", claim_wrong=[span_of("word", claim)])
    pair = encoded(tokenizer, row)
    targets = word_targets(row, pair)
    assert targets[pair.claim_start : -1] == [0, 0, 0, 1, 0]
    assert set(targets[: pair.claim_start]) == {-1.0}
    row.evidence_wrong = [span_of("Vienna in")]
    assert word_targets(row, pair)[1:9] == [0, 0, 0, 0, 1, 1, 0, 0]


def test_batches_hold_every_row_once_with_its_targets(tokenizer):
    rng = random.Random(1)
    rows = [question([span_of("1925")]) for _ in range(60)]
    rows += [
        Row(EVIDENCE + " word" * rng.randint(0, 90), "Ann came .", 2, "kept") for _ in range(90)
    ]
    items = encode_rows(tokenizer, rows, random.Random(1))
    seen = []
    for batch in batches(rows, items, list(range(len(rows))), random.Random(2)):
        assert batch.ids.shape == batch.mask.shape == batch.words.shape
        assert batch.ids.numel() <= TOKENS
        for i, row in enumerate(batch.index):
            assert batch.labels[i] == rows[row].label
            assert int(batch.mask[i].sum()) == len(items[row].ids)
            expected = (-1, -1) if rows[row].answers is None else (7, 7)
            assert tuple(batch.spans[i].tolist()) == expected
        seen += batch.index
    assert sorted(seen) == list(range(len(rows)))
