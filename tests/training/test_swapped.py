"""True claims and the same with another number."""

from __future__ import annotations

import random

from packs import CONTRADICTION, SUPPORT, Pack, Query
from swapped import sentence_packs, swapped, twin_of

FEES = "Admission is 12 euros. The tower is 214 metres tall and opens at 10:30 on Sundays in June."


def twin(claim: str) -> Query | None:
    return twin_of(Query(claim, "x", label=SUPPORT), FEES, random.Random(1))


def test_a_number_is_changed_and_the_place_is_known():
    found = twin("Admission costs 12 euros.")
    assert found is not None
    assert found.label == CONTRADICTION
    ((start, end),) = found.wrong
    assert found.text == f"Admission costs {found.text[start:end]} euros."
    assert found.text[start:end] != "12"
    assert [FEES[a:b] for a, b in found.conflict] == ["12"]


def test_what_may_hold_with_another_number_is_left_out():
    assert twin("Admission costs at least 12 euros.") is None
    assert twin("Admission costs 13 euros.") is None
    assert twin("The tower is in the north.") is None


def test_times_days_and_months_stay_what_they_are():
    assert twin("The tower opens at 10:30.").text.endswith(":30.")
    assert "days" in twin("The tower opens on Sundays.").text
    assert twin("The tower is closed but in June.").text.split()[-1] != "June."


def test_the_true_claim_stands_beside_its_twin():
    queries = [Query("Admission costs 12 euros.", "x", label=SUPPORT)]
    (made,) = swapped([Pack(FEES, queries, "x")], most=5, seed=1)
    assert [query.label for query in made.queries] == [SUPPORT, CONTRADICTION]


def test_sentences_that_lean_on_others_are_no_claims():
    text = "The bridge was built in 1932 by two brothers. It is 214 metres long and made of steel."
    (pack,) = sentence_packs([Pack(text, [], "squad1_part")])
    assert [query.text for query in pack.queries] == [
        "The bridge was built in 1932 by two brothers."
    ]
