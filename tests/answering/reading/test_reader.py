"""Windows, spans and answerability, with made-up logits; then the embedded model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import onnx
import pytest
from onnx import parser
from tokenizers import Tokenizer

from toulmin.answering.reading.answerability import (
    FEATURE_NAMES,
    Answerability,
    Heads,
    answerability_features,
    load_answerability,
)
from toulmin.answering.reading.reader import Reader
from toulmin.answering.reading.spans import Candidate, candidates, without_overlaps, word_edges
from toulmin.answering.reading.windows import MAX_QUESTION_TOKENS, OVERLAP, Window, make_windows
from toulmin.errors import Cancelled, FailedPrecondition, Unavailable
from toulmin.models.reader_model import ReaderModel, SpanLogits
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.work import Work

HIGH = 6.0


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(EMBEDDED_WEIGHTS / "cross_encoder" / "tokenizer.json"))


class PhraseEncoder:
    """Answers with given phrases: their first and last token get high logits, "no answer" 0."""

    max_tokens = 160

    def __init__(self, tokenizer: Tokenizer, passages: Sequence[str], phrases: dict[str, float]):
        self.tokenizer = tokenizer
        self._passages = passages
        self._phrases = phrases
        self.seen: list[Window] = []

    def run_spans(self, sequences: Sequence[Window], *, work: Work) -> list[SpanLogits]:
        logits = []
        for window in sequences:
            work.check()
            self.seen.append(window)
            start, end = self._logits(window)
            words = np.zeros(len(window.ids), dtype=np.float32)
            logits.append(SpanLogits(start, end, np.zeros(3, dtype=np.float32), words))
        return logits

    def _logits(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        start = np.full(len(window.ids), -8.0, dtype=np.float32)
        end = start.copy()
        start[0] = end[0] = 0.0
        for phrase, height in self._phrases.items():
            at = self._passages[window.passage_index].find(phrase)
            for i, (first, last) in enumerate(window.offsets):
                if at >= 0 and first == at:
                    start[i + 1] = height
                if at >= 0 and last == at + len(phrase):
                    end[i + 1] = height
        return start, end


def by_margin() -> Answerability:
    """P = sigmoid(margin), whatever the other features."""
    weights = np.zeros(len(FEATURE_NAMES))
    weights[0] = 1.0
    return Answerability(weights, 0.0)


def read(tokenizer, question, passages, phrases, **options):
    encoder = PhraseEncoder(tokenizer, passages, phrases)
    return Reader(encoder, by_margin()).read(question, passages, **options)


def test_answer_is_the_exact_stretch_of_its_passage(tokenizer):
    passages = ["Nothing here.", "Zoë Müller-Çelik 🏔️ climbed it in 1953, naïvely."]
    reading = read(tokenizer, "Who climbed it?", passages, {"Zoë Müller-Çelik": HIGH})
    best = reading.answers[0]
    assert (best.passage_index, best.start, best.end) == (1, 0, len("Zoë Müller-Çelik"))
    assert best.text == "Zoë Müller-Çelik"
    assert reading.answerable > 0.99


def test_decomposed_characters_stay_whole(tokenizer):
    passages = ["The cafe\u0301 is old."]
    encoding = tokenizer.encode(passages[0], add_special_tokens=False)
    begins, ends = word_edges(passages[0], encoding.offsets)
    cuts = {encoding.offsets[i][1] for i in np.flatnonzero(ends)}
    assert passages[0].index("\u0301") not in cuts
    assert begins.any()


@pytest.mark.parametrize(
    ("text", "part"),
    [("It cost 1,500 dollars.", "500"), ("It is 3.5 km long.", "5"), ("unbelievableness", "un")],
)
def test_words_and_numbers_are_not_cut(tokenizer, text, part):
    reading = read(tokenizer, "How much?", [text], {part: HIGH})
    answers = {answer.text for answer in reading.answers}
    assert part not in answers
    for answer in reading.answers:
        before, after = text[: answer.start], text[answer.end :]
        assert not (before[-1:].isalnum() and answer.text[0].isalnum())
        assert not (after[:1].isalnum() and answer.text[-1].isalnum())


def test_possessive_ending_may_be_left_out(tokenizer):
    passages = ["It was Beyoncé's album."]
    reading = read(tokenizer, "Whose album?", passages, {"Beyoncé": HIGH})
    assert reading.answers[0].text == "Beyoncé"


def test_japanese_answers_may_start_anywhere(tokenizer):
    passages = ["首都は東京都です。"]
    reading = read(tokenizer, "首都は?", passages, {"東京": HIGH})
    assert reading.answers[0].text == "東京"


def test_no_answer_when_the_null_wins(tokenizer):
    reading = read(tokenizer, "Who?", ["A text without it."], {})
    assert reading.answerable < 0.01
    assert reading.answers[0].probability < 0.01


def test_best_passage_wins_and_probabilities_add_up(tokenizer):
    passages = ["Perhaps Anna did.", "Surely Bertha did.", "Perhaps Clara did."]
    phrases = {"Anna": 3.0, "Bertha": 4.0, "Clara": 2.0}
    reading = read(tokenizer, "Who did it?", passages, phrases, most_answers=10)
    assert [a.text for a in reading.answers[:3]] == ["Bertha", "Anna", "Clara"]
    total = sum(a.probability for a in reading.answers)
    assert total == pytest.approx(reading.answerable, abs=0.02)


def test_same_words_in_two_passages_count_together(tokenizer):
    passages = ["Some say Anna.", "Others say Anna.", "I say Bertha."]
    reading = read(tokenizer, "Who?", passages, {"Anna": 3.0, "Bertha": 3.2})
    assert [a.text for a in reading.answers[:2]] == ["Anna", "Bertha"]
    assert reading.answers[0].passage_index == 0


def test_answers_do_not_overlap_and_are_limited(tokenizer):
    text = "On 3 May 1901 in Rome he met Anna and Bertha."
    phrases = {"3 May 1901": 5.0, "1901": 4.9, "3 May": 4.9, "Rome": 3.0, "Anna": 2.0}
    reading = read(tokenizer, "When?", [text], phrases, most_answers=2)
    assert len(reading.answers) == 2
    first, second = reading.answers
    assert first.end <= second.start or second.end <= first.start


def test_answer_deep_in_a_long_passage_is_found_once(tokenizer):
    filler = "The committee met again and discussed the same plan. " * 30
    passage = filler + "The password was swordfish. " + filler
    encoder = PhraseEncoder(tokenizer, [passage], {"swordfish": HIGH})
    reading = Reader(encoder, by_margin()).read("What was it?", [passage], most_answers=9)
    assert len(encoder.seen) > 3
    at = passage.index("swordfish")
    assert (reading.answers[0].start, reading.answers[0].end) == (at, at + len("swordfish"))
    assert [a.text for a in reading.answers].count("swordfish") == 1


def test_windows_overlap_cover_everything_and_fit(tokenizer):
    passage = "Incomprehensibilities of counterrevolutionaries persist. " * 40
    windows = make_windows(tokenizer, "Why?", [passage], 160)
    total = len(tokenizer.encode(passage, add_special_tokens=False).ids)
    assert windows[0].offsets[0][0] == 0
    assert windows[-1].offsets[-1][1] == len(passage.rstrip())
    for before, after in pairwise(windows):
        assert after.offsets[0][0] < before.offsets[-1][0]
        shared = before.offsets[-1][1] - after.offsets[0][0]
        assert shared > 0
        start = after.offsets[0][0]
        assert not (passage[start - 1].isalnum() and passage[start].isalnum())
    assert all(len(w.ids) == len(w.types) <= 160 for w in windows)
    assert sum(len(w.offsets) for w in windows) <= total + OVERLAP * (len(windows) - 1)


def test_layout_is_passage_then_question(tokenizer):
    (window,) = make_windows(tokenizer, "Who ran?", ["Anna ran."], 256)
    whole = tokenizer.encode("Anna ran.", "Who ran?")
    assert window.ids == whole.ids
    assert window.types == whole.type_ids
    assert len(window.offsets) == window.types.count(0) - 2


def test_long_questions_are_cut(tokenizer):
    (window,) = make_windows(tokenizer, "why " * 500, ["Because."], 256)
    assert window.types.count(1) == MAX_QUESTION_TOKENS + 1


def test_answers_are_at_most_thirty_tokens(tokenizer):
    text = "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 2
    (window,) = make_windows(tokenizer, "What?", [text], 256)
    start = np.full(len(window.ids), -9.0, dtype=np.float32)
    end = start.copy()
    start[1], end[len(window.offsets)] = 9.0, 9.0
    found = candidates(window, text, (start, end))
    assert found
    assert all(c.end - c.start <= 2 * 30 for c in found)


def test_span_may_not_end_before_it_starts(tokenizer):
    text = "first second third"
    (window,) = make_windows(tokenizer, "What?", [text], 256)
    start = np.zeros(len(window.ids), dtype=np.float32)
    end = start.copy()
    start[3], end[1] = 9.0, 9.0
    assert all(c.start < c.end for c in candidates(window, text, (start, end)))


def test_better_candidate_pushes_out_what_it_overlaps():
    def candidate(start, end, margin, passage=0):
        return Candidate(passage, start, end, margin, -1.0, -1.0, 0)

    kept = without_overlaps(
        [candidate(0, 5, 1.0), candidate(4, 8, 2.0), candidate(8, 9, 0.5), candidate(4, 8, 0.1, 1)]
    )
    assert [(c.passage_index, c.start) for c in kept] == [(0, 4), (0, 8), (1, 4)]


def test_nothing_to_read(tokenizer):
    for passages in ([], [""], ["", "   "]):
        reading = read(tokenizer, "Who?", passages, {"x": HIGH})
        assert reading.answers == ()
        assert reading.answerable == 0.0


def test_stopping(tokenizer):
    with pytest.raises(Cancelled):
        read(tokenizer, "Who?", ["Anna."], {}, work=Work(is_gone=lambda: True))


def test_features_say_what_is_missing():
    best = Candidate(0, 0, 4, 2.0, -0.5, -3.0, 0)
    second = Candidate(0, 9, 12, 1.5, -2.0, -3.0, 0)
    question = "When did Anna Smith visit Rome in 1950?"
    near = dict(
        zip(
            FEATURE_NAMES,
            answerability_features(
                question,
                [best, second],
                "Anna Smith visited Rome in May 1950.",
                heads=Heads(-0.1, -3.0, -5.0, -6.0),
                windows=1,
            ),
            strict=True,
        )
    )
    far = dict(
        zip(
            FEATURE_NAMES,
            answerability_features(
                question,
                [best],
                "Bertha Jones visited Rome in May 1960.",
                heads=Heads(-3.0, -0.1, 2.0, 1.0),
                windows=4,
            ),
            strict=True,
        )
    )
    assert near["lead"] == pytest.approx(0.5)
    assert far["lead"] == 10.0
    assert (near["log_windows"], far["log_windows"]) == (0.0, pytest.approx(np.log(4)))
    assert near["terms_found"] > far["terms_found"]
    assert near["numbers_missing"] == 0.0 < far["numbers_missing"]
    assert near["names_missing"] == 0.0 < far["names_missing"]
    assert (near["support"], near["contradiction"]) == (-0.1, -3.0)
    assert (far["doubted_word"], far["doubted_words"]) == (2.0, 1.0)


def test_heads_are_read_on_the_side_of_the_question(tokenizer):
    (window,) = make_windows(tokenizer, "Who ran home?", ["Anna ran."], 256)
    words = np.where(np.array(window.types) == 1, 0.0, 50.0).astype(np.float32)
    first = window.types.index(1)
    words[first : first + 4] = (1.0, 4.0, 2.0, 3.0)
    words[-1] = 60.0  # [SEP]
    zeros = np.zeros(len(window.ids), dtype=np.float32)
    logits = SpanLogits(zeros, zeros, np.array([2.0, 0.0, 0.0], dtype=np.float32), words)
    heads = Heads.of_window(window, logits)
    assert (heads.doubted_word, heads.doubted_words) == (4.0, 3.0)
    assert heads.support > heads.contradiction
    assert np.exp(heads.support) + 2 * np.exp(heads.contradiction) == pytest.approx(1.0)


def test_calibration_of_another_version_is_refused(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('{"features": ["margin"], "weights": [1.0], "bias": 0.0}')
    with pytest.raises(FailedPrecondition, match="fit the calibration again"):
        load_answerability(path)


ECHO = """
<ir_version: 8, opset_import: ["" : 17]>
echo (int64[b, n] input_ids, int64[b, n] attention_mask, int64[b, n] token_type_ids)
  => (float[b, n] word_logits, float[b, n] logits, float[b, n] end_logits, float[b, n] start_logits)
{
  start_logits = Cast <to = 1> (input_ids)
  seen = Mul (token_type_ids, attention_mask)
  end_logits = Cast <to = 1> (seen)
  word_logits = Neg (start_logits)
  logits = Add (start_logits, end_logits)
}
"""


@pytest.fixture
def echo_folder(tmp_path):
    """A model whose start logits are the token ids and whose end logits are the token types."""
    onnx.save(parser.parse_model(ECHO), str(tmp_path / "model.onnx"))
    source = EMBEDDED_WEIGHTS / "cross_encoder" / "tokenizer.json"
    (tmp_path / "tokenizer.json").write_bytes(source.read_bytes())
    files = {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    spec = {"name": "echo", "version": "1", "files": files, "max_tokens": 160}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    return tmp_path


def test_model_gives_each_window_its_own_logits(echo_folder):
    model = ReaderModel(echo_folder, workers=2)
    windows = make_windows(model.tokenizer, "Who?", ["Anna " * 300, "Bertha"], model.max_tokens)
    logits = model.run_spans(windows)
    assert len(logits) == len(windows) > 3
    for window, heads in zip(windows, logits, strict=True):
        assert heads.start.tolist() == window.ids
        assert heads.end.tolist() == window.types
        assert heads.words.tolist() == [-i for i in window.ids]
        assert heads.classes.tolist() == np.add(window.ids, window.types).tolist()


def test_closed_model_refuses(echo_folder):
    model = ReaderModel(echo_folder, workers=1)
    windows = make_windows(model.tokenizer, "Who?", ["Anna"], model.max_tokens)
    model.close()
    with pytest.raises(Unavailable):
        model.run_spans(windows)


def test_altered_weights_are_refused(echo_folder):
    with (echo_folder / "model.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(FailedPrecondition, match="SHA-256"):
        ReaderModel(echo_folder)
