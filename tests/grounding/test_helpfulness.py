"""How well an answer serves its prompt: orders written before the scorer, and what holds always.

The orders in `data/helpfulness.json` and the check-grounding guide's rows C1 to C3 are tests only:
nothing is fitted on them.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toulmin.errors import FailedPrecondition
from toulmin.grounding.helpfulness import WEIGHTS_FILE, helpfulness, load_weights
from toulmin.grounding.helpfulness_features import FEATURES, describe
from toulmin.grounding.prompt_intent import read_intent
from toulmin.models.static_embedder import StaticEmbedder

pytestmark = pytest.mark.model

CASES = json.loads(
    (Path(__file__).parent / "data" / "helpfulness.json").read_text(encoding="utf-8")
)["cases"]
GUIDE = json.loads(
    (Path(__file__).parents[1] / "acceptance" / "data" / "guide.json").read_text(encoding="utf-8")
)
GUIDE_ROWS = [e for e in GUIDE["examples"] if "helpfulness" in e]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_orders_answers_from_most_to_least_helpful(case, embedder):
    scores = [helpfulness(case["prompt"], a, embedder=embedder) for a in case["order"]]
    assert all(a > b for a, b in itertools.pairwise(scores)), scores


def test_orders_the_guide_rows(embedder):
    scores = {e["id"]: helpfulness(e["prompt"], e["answer"], embedder=embedder) for e in GUIDE_ROWS}
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    assert ranked == GUIDE["helpfulness_order"], scores


@pytest.mark.parametrize("row", GUIDE_ROWS, ids=[e["id"] for e in GUIDE_ROWS])
def test_is_within_a_tenth_of_the_guide(row, embedder):
    score = helpfulness(row["prompt"], row["answer"], embedder=embedder)
    assert score == pytest.approx(row["helpfulness"]["guide"], abs=row["helpfulness"]["tolerance"])


def test_forms_of_the_guide_rows_hold_on_another_subject(embedder):
    """The same two forms about something else: nothing is known by heart."""
    prompt = "Who wrote and illustrated the book Corduroy?"
    full = "Corduroy was written by Don Freeman. It was illustrated by Lydia Freeman and Anna Poe."
    bare = "Freeman, Freeman and Poe."
    scores = [helpfulness(prompt, a, embedder=embedder) for a in (full, bare)]
    assert scores[0] > scores[1] > 0.8


@given(st.text(max_size=200), st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_gets_a_score_in_range_and_always_the_same(prompt, answer):
    embedder = _shared()
    score = helpfulness(prompt, answer, embedder=embedder)
    assert 0.0 <= score <= 1.0
    assert score == round(score, 4) == helpfulness(prompt, answer, embedder=embedder)


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", "\x00", "?", "...", "\U0001f600", "a" * 5000, "\u202e", "ﷺ", "١٩٩٧"]
)
def test_odd_texts_do_not_raise(text, embedder):
    for prompt, answer in [(text, "Paris."), ("Where is it?", text), (text, text)]:
        assert 0.0 <= helpfulness(prompt, answer, embedder=embedder) <= 1.0


@pytest.mark.parametrize("answer", ["", "   ", "...", "?!", "\n"])
def test_no_words_is_no_help(answer, embedder):
    assert helpfulness("Who founded the company?", answer, embedder=embedder) < 0.15


@given(st.text(max_size=120), st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_features_are_shares(prompt, answer):
    values = describe(prompt, answer, embedder=_shared())
    assert values.shape == (len(FEATURES),)
    assert np.isfinite(values).all()
    assert values.min() >= 0.0
    assert values.max() <= 1.0


def test_more_of_the_same_never_helps(embedder):
    prompt, sentence = "Who painted Guernica?", "Pablo Picasso painted Guernica. "
    scores = [helpfulness(prompt, sentence * n, embedder=embedder) for n in (1, 2, 4, 8, 16)]
    assert scores == sorted(scores, reverse=True)


def test_every_weight_counts_a_defect():
    weights, bias = load_weights()
    assert (weights <= 0).all()
    assert bias > 0


def test_weights_of_other_features_are_refused(tmp_path):
    raw = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    raw["weights"]["another"] = raw["weights"].pop(FEATURES[0])
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(FailedPrecondition, match="another"):
        load_weights(file)


@pytest.mark.parametrize(
    ("prompt", "language", "kinds"),
    [
        ("Who designed the logo?", "en", ("person",)),
        ("In what year did the shop open?", "en", ("time",)),
        ("How many rooms does the hotel have?", "en", ("number",)),
        ("How do I reset my password?", "en", ("manner",)),
        ("Is the museum open on Mondays?", "en", ("yes_no",)),
        ("Explain how rainbows form.", "en", ("open",)),
        ("Where was she born and when did she die?", "en", ("place", "time")),
        ("Who wrote and sang the song?", "en", ("person", "person")),
        ("¿Cuántos habitantes tiene Lima?", "es", ("number",)),
        ("Perché il mare è salato?", "it", ("reason",)),
        ("Où se trouve le Louvre ?", "fr", ("place",)),
        ("Wann beginnt das Konzert?", "de", ("time",)),
        ("Quem pintou este quadro?", "pt", ("person",)),
        ("会議はいつ始まりますか？", "ja", ("time",)),
        ("这座桥有多长？", "zh", ("number",)),
        ("이 노래는 누가 불렀어요?", "ko", ("person",)),
    ],
)
def test_reads_what_is_asked(prompt, language, kinds):
    intent = read_intent(prompt)
    assert (intent.language, intent.kinds) == (language, kinds)


def test_a_stated_length_sets_the_room():
    assert read_intent("Summarise the report in 200 words.").room == 200
    assert read_intent("Explain gravity briefly.").room < read_intent("Explain gravity.").room


_EMBEDDERS: list[StaticEmbedder] = []


def _shared() -> StaticEmbedder:
    """One embedder for the property tests, which cannot take a fixture per example."""
    if not _EMBEDDERS:
        _EMBEDDERS.append(StaticEmbedder())
    return _EMBEDDERS[0]
