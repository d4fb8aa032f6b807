"""The multilingual embedder with its real weights: what is found across languages."""

import json

import numpy as np
import pytest

from toulmin.models.embedder import Embedder
from toulmin.models.spec import packaged_weights

pytestmark = pytest.mark.real_runs

FOLDER = packaged_weights("multilingual") / "embedder"
PASSAGES = [
    "The warranty of the coffee machine lasts two years from the date of purchase.",
    "Our office in Lisbon is closed on public holidays.",
    "La piscina del hotel está abierta de mayo a septiembre.",
    "青葉図書館は毎週月曜日が休館日です。",
    "Der Filter muss alle drei Monate gewechselt werden.",
]
QUESTIONS = {
    "¿Cuánto dura la garantía de la cafetera?": 0,
    "Quanto dura la garanzia della macchina da caffè?": 0,
    "コーヒーメーカーの保証期間はどのくらいですか。": 0,
    "Combien de temps dure la garantie de la machine à café ?": 0,
    "Wie lange gilt die Garantie der Kaffeemaschine?": 0,
    "In which months can guests swim at the hotel?": 2,
    "On which day of the week is the Aoba library closed?": 3,
    "¿Cada cuánto hay que cambiar el filtro?": 4,
}


@pytest.fixture(scope="module")
def embedder():
    one = Embedder(FOLDER, workers=1)
    yield one
    one.close()


@pytest.fixture(scope="module")
def passages(embedder):
    return embedder.embed(PASSAGES)


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_passage_that_answers_is_nearest_in_whatever_language(embedder, passages, number):
    question, right = list(QUESTIONS.items())[number]
    (asked,) = embedder.embed_queries([question])
    assert int(np.argmax(passages @ asked)) == right


def test_rows_are_unit_vectors_and_a_text_has_its_own(embedder, passages):
    assert passages.shape == (len(PASSAGES), embedder.dim)
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-5)
    assert embedder.embed(PASSAGES[::-1])[::-1].tobytes() == passages.tobytes()


def test_queries_and_passages_are_read_differently(embedder, passages):
    (as_query,) = embedder.embed_queries([PASSAGES[0]])
    assert as_query.tobytes() != passages[0].tobytes()
    (prefixed,) = Embedder(FOLDER, workers=1).embed_queries(["passage: " + PASSAGES[0]])
    assert prefixed.tobytes() != passages[0].tobytes()


def test_the_english_embedder_makes_no_difference():
    english = Embedder(workers=1)
    assert english.embed(["kettle"]).tobytes() == english.embed_queries(["kettle"]).tobytes()
    english.close()


def test_prefixes_do_not_count_as_tokens(embedder):
    assert embedder.count_tokens("") == 0
    assert 1 <= embedder.count_tokens("kettle") <= 3


def test_what_it_shares_with_the_grounding_model_is_named_with_its_hash():
    spec = json.loads((FOLDER / "spec.json").read_text())
    assert spec["version"].startswith("multilingual-")
    for shared in (spec["tokenizer"], spec["words"], spec["word_scales"]):
        assert shared in spec["files"]
        assert (FOLDER / shared).is_file()
