"""The reader with two models, both faked: what is read, and how their words are joined."""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from toulmin.answering.reading.answerability import load_answerability
from toulmin.answering.reading.pack_reader import FEATURE_NAMES, READ_TWICE, PackReader
from toulmin.errors import FailedPrecondition
from toulmin.models.grounding_encoder import PackLogits
from toulmin.models.reader_model import SpanLogits

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "[CLS]", "[SEP]", "[PAD]"]


def tokenizer_of(words):
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


class FakeEncoder:
    """Says that a pack answers if its evidence holds the word "gold"."""

    def __init__(self):
        self.tokenizer = tokenizer_of([*WORDS, "gold"])
        self.gold = self.tokenizer.token_to_id("gold")

    def run(self, packs, *, should_stop=lambda: False):
        return [self._logits(pack) for pack in packs]

    def _logits(self, pack):
        there = self.gold in pack.ids[: len(pack.offsets) + 1]
        answer = np.array([[4.0, 0, 0, 0] if there else [0, 0, 0, 4.0]], dtype=np.float32)
        none = np.zeros((1, len(pack.ids)), dtype=np.float32)
        return PackLogits(np.zeros((1, 3), np.float32), answer, none, none[0])


class FakeSpans:
    """Points at the second word of every window."""

    max_tokens = 256

    def __init__(self):
        self.tokenizer = tokenizer_of(WORDS)

    def run_spans(self, sequences, *, should_stop=lambda: False):
        found = []
        for window in sequences:
            ends = np.zeros(len(window.ids), dtype=np.float32)
            ends[2] = 6.0
            found.append(SpanLogits(ends, ends, np.zeros(3, np.float32), ends * 0))
        return found


@pytest.fixture
def calibration(tmp_path):
    path = tmp_path / "answerability.json"
    weights = [1.0 if name == "odds" else 0.0 for name in FEATURE_NAMES]
    path.write_text(json.dumps({"features": list(FEATURE_NAMES), "weights": weights, "bias": 0.0}))
    return load_answerability(path, FEATURE_NAMES)


def test_the_passage_that_answers_wins_and_the_span_model_says_where(calibration):
    reader = PackReader(FakeEncoder(), FakeSpans(), calibration)
    passages = ["tin is grey and cheap", "gold is yellow and dear", "lead is soft"]
    found = reader.read("what is yellow", passages)
    assert (found.answers[0].passage_index, found.answers[0].text) == (1, "is")
    assert found.answerable > 0.9


def test_where_no_passage_answers_the_probability_is_low(calibration):
    reader = PackReader(FakeEncoder(), FakeSpans(), calibration)
    assert reader.read("what is yellow", ["tin is grey", "lead is soft"]).answerable < 0.1


def test_the_grounding_model_reads_the_few_passages_that_the_span_model_prefers(calibration):
    encoder, seen = FakeEncoder(), []
    run = encoder.run
    encoder.run = lambda packs, **more: (seen.extend(packs), run(packs, **more))[1]
    reader = PackReader(encoder, FakeSpans(), calibration)
    reader.read("what is yellow", ["tin is grey"] * 9)
    assert len(seen) == READ_TWICE


def test_long_passages_are_read_in_windows(calibration):
    reader = PackReader(FakeEncoder(), FakeSpans(), calibration)
    long = " ".join(["tin"] * 900 + ["gold", "is", "dear"])
    found = reader.read("what is dear", [long])
    assert found.answerable > 0.9
    assert all(long[a.start : a.end] == a.text for a in found.answers)


def test_nothing_to_read(calibration):
    found = PackReader(FakeEncoder(), FakeSpans(), calibration).read("why", [""])
    assert (found.answers, found.answerable) == ((), 0.0)


def test_a_calibration_for_other_features_is_refused(tmp_path):
    path = tmp_path / "answerability.json"
    path.write_text(json.dumps({"features": ["x"], "weights": [1.0], "bias": 0.0}))
    with pytest.raises(FailedPrecondition, match="fit the calibration again"):
        load_answerability(path, FEATURE_NAMES)
