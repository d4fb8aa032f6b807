"""Questions over passages that are near and not theirs: none of these is answered."""

import pytest
from packs import NONE, SPAN, Pack, Query

pytest.importorskip("sklearn", reason="only in the training environment")

from retrieved import retrieved

PACKS = [
    Pack(
        f"The mill of {place} grinds {corn} and was built in 19{year}.",
        [Query(f"When was the mill of {place} built?", "k", answer=SPAN, spans=[(0, 3)])],
        "written_questions",
    )
    for place, corn, year in (
        ("Arden", "oats", 11),
        ("Breck", "rye", 22),
        ("Caldra", "wheat", 33),
        ("Dunmere", "barley", 44),
    )
]


def test_each_question_stands_with_another_passage_and_with_its_own():
    made = retrieved(PACKS, most=4, seed=1)
    assert len(made) == 8
    for other, own in zip(made[::2], made[1::2], strict=True):
        (asked,), (answered,) = other.queries, own.queries
        assert asked.text == answered.text
        assert (asked.answer, answered.answer) == (NONE, SPAN)
        assert other.evidence != own.evidence
        assert own.evidence.split(" grinds")[0].split("of ")[1] in asked.text


def test_the_same_seed_makes_the_same_packs():
    assert retrieved(PACKS, most=3, seed=2) == retrieved(PACKS, most=3, seed=2)
