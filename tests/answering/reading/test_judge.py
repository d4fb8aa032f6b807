"""The grounding model as a judge of passages, faked: what it reads, and what is made of its word."""

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from toulmin.answering.reading.judge import AnswerJudge
from toulmin.errors import Cancelled
from toulmin.models.grounding_encoder import PackLogits

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "gold", "iron"]


class FakeEncoder:
    """Says that a pack answers if its evidence holds "gold", and less surely if it holds "iron"."""

    def __init__(self):
        self.tokenizer = Tokenizer(
            models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>")
        )
        self.tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        self.packs = []

    def run(self, packs, *, should_stop=lambda: False):
        if should_stop():
            raise Cancelled("gone")
        self.packs += packs
        return [self._logits(pack) for pack in packs]

    def _logits(self, pack):
        evidence = pack.ids[: len(pack.offsets) + 1]
        span = 4.0 if WORDS.index("gold") in evidence else 0.0
        yes = 1.0 if WORDS.index("iron") in evidence else -9.0
        answer = np.array([[span, yes, -9.0, 2.0]], dtype=np.float32)
        none = np.zeros((1, len(pack.ids)), dtype=np.float32)
        return PackLogits(np.zeros((1, 3), np.float32), answer, none, none[0])


def test_a_passage_that_answers_has_the_higher_odds():
    odds = AnswerJudge(FakeEncoder()).odds("what is yellow", ["tin is grey", "gold is yellow"])
    assert odds[0] == pytest.approx(-2.0, abs=0.01)
    assert odds[1] == pytest.approx(2.0, abs=0.01)


def test_yes_and_no_are_answers_too():
    judge = AnswerJudge(FakeEncoder())
    assert judge.odds("does it rust", ["iron"])[0] > judge.odds("does it rust", ["tin"])[0]


def test_a_long_passage_has_the_odds_of_its_best_window():
    encoder = FakeEncoder()
    long = " ".join(["tin"] * 900 + ["gold", "is", "dear"])
    (odds,) = AnswerJudge(encoder).odds("what is dear", [long])
    assert odds == pytest.approx(2.0, abs=0.01)
    assert len(encoder.packs) == 3


def test_a_passage_without_a_word_is_not_read_and_does_not_answer():
    encoder = FakeEncoder()
    assert AnswerJudge(encoder).odds("why", ["", "tin"])[0] == -np.inf
    assert len(encoder.packs) == 1


def test_nothing_to_judge():
    assert AnswerJudge(FakeEncoder()).odds("why", []) == []


def test_a_caller_who_is_gone_ends_it():
    with pytest.raises(Cancelled):
        AnswerJudge(FakeEncoder()).odds("why", ["tin"], should_stop=lambda: True)
