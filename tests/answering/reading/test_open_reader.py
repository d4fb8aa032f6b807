"""Reading in several languages, with the multilingual model that is shipped."""

from dataclasses import replace

import numpy as np
import pytest

from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.reading.open_reader import OPEN_FEATURES, OpenReader
from toulmin.answering.reading.reader import Reading
from toulmin.errors import Cancelled, FailedPrecondition
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.models.spec import packaged_weights
from toulmin.work import Work

pytestmark = pytest.mark.model

BY_ODDS = Answerability(np.eye(len(OPEN_FEATURES))[0], 0.0)
SPANISH = (
    "El museo abre de martes a domingo, de 9 a 14 horas. La entrada cuesta 7 euros. "
    "La directora, Inés Roldán, dejará el cargo en junio."
)
JAPANESE = "港の食堂は朝六時に開き、午後二時に閉まります。店主の名前は大野さんです。"


@pytest.fixture(scope="module")
def reader():
    encoder = GroundingEncoder(packaged_weights("multilingual"), workers=2)
    yield OpenReader(encoder, BY_ODDS)
    encoder.close()


@pytest.mark.parametrize(
    ("question", "passages", "place", "held"),
    [
        ("¿Cuánto cuesta la entrada?", [SPANISH], 0, "7 euros"),
        ("店主の名前は何ですか。", [SPANISH, JAPANESE], 1, "大野"),
        ("How much is the entrance fee of the museum?", [JAPANESE, SPANISH], 1, "7 euros"),
    ],
)
def test_the_answer_is_found_and_is_a_stretch_of_its_passage(
    reader, question, passages, place, held
):
    best = reader.read(question, passages).answers[0]
    assert best.passage_index == place
    assert held in best.text
    assert best.text == best.text.strip()
    assert passages[place][best.start : best.end] == best.text
    assert 0 <= best.probability <= 1


def test_an_answer_far_down_a_text_without_spaces_is_found(reader):
    filler = "この町には川が流れ、春には桜が咲き、秋には祭りが開かれます。" * 60
    best = reader.read("店主の名前は何ですか。", [filler + JAPANESE]).answers[0]
    assert best.start > len(filler)


def test_what_is_in_the_text_is_likelier_answered_than_what_is_not(reader):
    asked = reader.read("¿Cuánto cuesta la entrada?", [SPANISH]).answerable
    strange = reader.read("¿Quién pintó el retrato del alcalde de Lima?", [JAPANESE]).answerable
    assert asked > strange


def test_nothing_to_read(reader):
    assert reader.read("¿Quién?", []) == Reading((), 0.0)
    assert reader.read("¿Quién?", ["", "  "]) == Reading((), 0.0)


def test_no_question_is_read_like_any(reader):
    reading = reader.read("", [SPANISH])
    assert 0 <= reading.answerable <= 1


def test_a_caller_who_is_gone_ends_the_work(reader):
    with pytest.raises(Cancelled):
        reader.read("¿Quién?", [SPANISH], work=Work(is_gone=lambda: True))


def test_every_passage_has_the_odds_of_its_best_window(reader):
    long = SPANISH + " En la plaza hay un mercado y una fuente." * 80
    odds = reader.read("¿Cuánto cuesta la entrada?", [SPANISH, "", JAPANESE, long]).odds
    assert sorted(odds) == [0, 2, 3]
    assert min(odds[0], odds[3]) > odds[2]


def test_a_model_that_only_judges_claims_is_refused():
    encoder = GroundingEncoder(packaged_weights("multilingual"), workers=1)
    run = encoder.run
    encoder.run = lambda packs, **given: [replace(x, ends=None) for x in run(packs, **given)]
    with pytest.raises(FailedPrecondition, match="does not read questions"):
        OpenReader(encoder, BY_ODDS).read("Who?", ["It was Ann."])
    encoder.close()


def test_an_answer_does_not_begin_in_one_sentence_and_end_in_the_next():
    """Of two dates, the first token of one and the last of the other were the likeliest ends."""
    encoder = GroundingEncoder(packaged_weights("grounding"), workers=1)
    house = "Albatross House was built in 1911 for a shipping company."
    lift = "The lift of Albatross House was added in 1934 by a Swedish firm."
    found = OpenReader(encoder, BY_ODDS).read(
        "When was the lift of Albatross House added?", [f"{house} {lift}"]
    )
    encoder.close()
    assert {"1911", "1934"} <= {answer.text for answer in found.answers}


def test_across_languages_only_numbers_are_looked_for(reader):
    def words_of(question: str, passage: str) -> dict[str, float]:
        found = reader.examine(question, [passage]).features
        return dict(zip(OPEN_FEATURES, found.tolist(), strict=True))

    here = words_of("¿Cuánto cuesta la entrada de 8 euros de Lima?", SPANISH)
    there = words_of("How much is the ticket of 8 euros of Lima?", SPANISH)
    assert (here["across"], there["across"]) == (0, 1)
    assert here["names_missing"] > 0
    assert here["numbers_missing"] == there["numbers_missing"] > 0
    assert there["names_missing"] == there["terms_found"] == there["heaviest_missing"] == 0
