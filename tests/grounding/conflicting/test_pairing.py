"""Which sentences of two facts say two things of one, before the check is asked."""

import pytest

from toulmin.domain import Fact
from toulmin.errors import Cancelled
from toulmin.grounding.conflicting.pairing import pairs_of
from toulmin.grounding.conflicting.sayings import sayings_of
from toulmin.work import UNLIMITED, Work


def found(*facts):
    made = [fact if isinstance(fact, Fact) else Fact(fact) for fact in facts]
    pairs = pairs_of(sayings_of(made, work=UNLIMITED))
    return [
        tuple(
            made[saying.sentence.fact_index].text[slice(*saying.place_of(value))]
            for saying, value in ((pair.one, pair.mine), (pair.other, pair.its))
        )
        for pair in pairs
    ]


@pytest.mark.parametrize(
    ("one", "other", "differing"),
    [
        (
            "The Elbe Bridge opened in 1998.",
            "In 1973 the Elbe Bridge was opened.",
            ("1998", "1973"),
        ),
        ("The Nova phone costs €890.", "The Nova phone costs 910 euros.", ("€890", "910 euros")),
        (
            "Titan Hall is old. It opened in 1998.",
            "Titan Hall opened in 1973.",
            ("1998", "1973"),
        ),
        (
            "The capital of Australia is Sydney.",
            "Canberra is the capital of Australia.",
            ("Sydney", "Canberra"),
        ),
        ("橋は1973年に開通した。", "橋は1998年に開通した。", ("1973年", "1998年")),
    ],
)
def test_one_value_that_differs_is_found_in_its_place(one, other, differing):
    assert found(one, other) == [differing]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 2019 Acme sold 5 million cars.", "In 2020 Acme sold 6 million cars."),
        ("Ann visited Paris with Bob.", "Ann visited London with Bob."),
        ("Two men are walking in snow.", "Three men are walking in snow."),
        ("A man is walking with 2 dogs.", "A man is walking with 3 dogs."),
        ("I have lived in Rome since 1998.", "I have lived in Rome since 2003."),
        ("The Elbe Bridge opened in 1998.", "The Elbe Bridge did not open in 1973."),
        ("The Elbe Bridge opened before 1998.", "The Elbe Bridge opened after 1973."),
        ("The Elbe Bridge opened in 1998.", "The Oder Bridge opened in 1973."),
        ("A 1996 study by Perotti counted shops.", "A 2016 study by Perotti counted shops."),
        ("The 1996 study by Perotti was long.", "The 2016 study by Perotti was long."),
        ("Nerva, the gall wasp, wrote nothing.", "Tilia, the gall wasp, wrote nothing."),
        ("Two men in Paris have a dog.", "Three men in Paris have a dog."),
        ("Carbs in Bread: 25 g", "Carbs in Bread: 26 g"),
        ("Line 9 opened in 1998.", "Line 8 opened in 1973."),
    ],
)
def test_two_statements_are_no_conflict(one, other):
    assert found(one, other) == []


def test_things_without_a_name_are_told_apart_by_the_titles_of_their_facts():
    texts = "The whole repair costs 60 euros here.", "The whole repair costs 75 euros here."
    assert found(*texts) == [("60 euros", "75 euros")]
    apart = [
        Fact(text, {"title": title}) for text, title in zip(texts, ("Bikes", "Cars"), strict=True)
    ]
    assert found(*apart) == []


def test_lines_of_a_list_are_no_conflicts():
    lines = [f"The Tessel train leaves platform {n} daily." for n in range(1, 6)]
    assert found(lines[0], lines[1]) == [("1", "2")]
    assert found(*lines) == []
    assert found(f"{lines[0]} {lines[1]}", lines[2]) == []


def test_nothing_is_read_for_a_caller_who_is_gone():
    with pytest.raises(Cancelled):
        sayings_of([Fact("The Elbe Bridge opened in 1998.")], work=Work(is_gone=lambda: True))


def test_facts_that_are_all_nearly_the_same_are_compared_up_to_a_limit(monkeypatch):
    monkeypatch.setattr("toulmin.grounding.conflicting.pairing.MAX_COMPARED", 2)
    facts = [f"Tessel Hall number {name} opened in {year}." for name, year in
             (("A", 1998), ("A", 1973), ("B", 1950), ("B", 1960))]  # fmt: skip
    assert found(*facts) == [("1998", "1973")]
