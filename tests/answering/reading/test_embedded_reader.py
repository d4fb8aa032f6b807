"""The reader with the embedded weights, on passages of our own."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.answering.reading.answerability import load_answerability
from toulmin.answering.reading.reader import Reader
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS

pytestmark = pytest.mark.model

LIGHTHOUSE = (
    "The lighthouse on Gull Rock was built in 1874 by the engineer Marta Lindqvist. It is 41 "
    "metres high and was lit with whale oil until 1906, when an electric lamp was put in."
)
BRIDGE = (
    "The Varn Bridge crosses the river Osk near the town of Pellow. It was opened by Queen Ingrid "
    "on 3 May 1932 and carries about 12,000 cars a day."
)
BAKERY = "Thomas Okoye opened his bakery in Leeds with a loan of 5,000 pounds from his aunt."

ANSWERED = [
    ("When was the lighthouse on Gull Rock built?", LIGHTHOUSE, "1874"),
    ("Who built the lighthouse?", LIGHTHOUSE, "Marta Lindqvist"),
    ("How high is the lighthouse?", LIGHTHOUSE, "41"),
    ("Which river does the Varn Bridge cross?", BRIDGE, "Osk"),
    ("Who opened the Varn Bridge?", BRIDGE, "Queen Ingrid"),
    ("In what city did Thomas Okoye open his bakery?", BAKERY, "Leeds"),
]
UNANSWERED = [
    ("Who painted the ceiling of the cathedral?", LIGHTHOUSE),
    ("What is the capital of Australia?", BRIDGE),
    ("How many students attend the school?", BAKERY),
    ("When was the bakery in Leeds sold?", LIGHTHOUSE),
]


@pytest.fixture(scope="module")
def reader():
    model = ReaderModel(EMBEDDED_WEIGHTS / "reader", workers=1)
    yield Reader(model, load_answerability())
    model.close()


def test_finds_answers_in_plain_passages(reader):
    found = [
        answer in reader.read(question, [passage]).answers[0].text
        for question, passage, answer in ANSWERED
    ]
    assert sum(found) >= 5, found


def test_picks_the_passage_that_answers(reader):
    passages = [LIGHTHOUSE, BRIDGE, BAKERY]
    right = [
        passages[reader.read(question, passages).answers[0].passage_index] == passage
        for question, passage, _ in ANSWERED
    ]
    assert sum(right) >= 5, right


def test_answerable_questions_get_more(reader):
    yes = [reader.read(question, [passage]).answerable for question, passage, _ in ANSWERED]
    no = [reader.read(question, [passage]).answerable for question, passage in UNANSWERED]
    assert np.mean(yes) > np.mean(no) + 0.3
    assert max(no) < np.median(yes)


def test_same_input_same_answer_and_exact_offsets(reader):
    first = reader.read("Who opened it?", [LIGHTHOUSE, BRIDGE], most_answers=5)
    assert first == reader.read("Who opened it?", [LIGHTHOUSE, BRIDGE], most_answers=5)
    for answer in first.answers:
        passage = [LIGHTHOUSE, BRIDGE][answer.passage_index]
        assert passage[answer.start : answer.end] == answer.text
    assert 0.0 <= sum(a.probability for a in first.answers) <= first.answerable + 1e-9
