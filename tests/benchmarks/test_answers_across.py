"""Questions across languages: what lacks its paragraph, and what counts as right."""

import random

from tests.benchmarks.modules import load
from toulmin.answering.answer import Answer, SkippedReason

across = load("quality.answers_across")

ROWS = [({"answers": [{"text": str(n)}]}, f"Opened in {n}, page {n // 2}.") for n in range(40)]
UNTOLD = ({"answers": [{"text": "clay"}]}, "Made of arcilla.")


def test_only_what_can_be_looked_for_is_asked_and_no_paragraph_is_there_and_lacking():
    asked = across.chosen([*ROWS, UNTOLD], 20, random.Random(1))
    assert len(asked) == 20
    assert sum(answerable for *_, answerable in asked) == 12
    assert all(text != UNTOLD[1] for _, text, _ in asked)
    there = {text for _, text, answerable in asked if answerable}
    assert not there & {text for _, text, answerable in asked if not answerable}


def test_what_comes_of_a_question():
    row = {"answers": [{"text": "84"}]}
    said, other = Answer(text="It has 84 rooms."), Answer(text="It has a pool.")
    declined = Answer(text="-", skipped=(SkippedReason.NO_RELEVANT_CONTENT,))
    assert across.outcome(row, said, answerable=True) == "right"
    assert across.outcome(row, other, answerable=True) == "wrong"
    assert across.outcome(row, other, answerable=False) == "should_have_declined"
    assert across.outcome(row, declined, answerable=True) == "wrongly_declined"
    assert across.outcome(row, declined, answerable=False) == "rightly_declined"
