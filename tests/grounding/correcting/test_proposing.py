"""What a claim could have been, without a model: every word of it is its own or a fact's."""

import pytest

from toulmin.domain import Fact, FactChunk
from toulmin.grounding.correcting.proposing import MAX_PROPOSALS, propose

BRIDGE = (
    "The Elbe Bridge opened on 4 May 1998 and is 312 metres long. It was designed by Anna Meier. "
    "The bridge is not open to lorries."
)
FILM = "Titanic is a 1997 film directed by James Cameron. It stars Leonardo DiCaprio and Kate."


def proposals(claim, *facts):
    texts = [Fact(text) for text in facts]
    chunks = [FactChunk(i, 0, len(text), text) for i, text in enumerate(facts)]
    found = propose(claim, chunks, texts)
    for proposal in found:
        position = 0
        for change in proposal.replacements:
            assert position <= change.start <= change.end <= len(claim)
            position = change.end
            words = facts[change.fact_index][change.fact_start : change.fact_end]
            assert change.text.strip().casefold() == words.casefold()
    return [proposal.text for proposal in found]


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("The Elbe Bridge opened in 1973.", "The Elbe Bridge opened in 1998."),
        ("The Elbe Bridge is 500 metres long.", "The Elbe Bridge is 312 metres long."),
        ("The Elbe Bridge opened on 4 June 1998.", "The Elbe Bridge opened on 4 May 1998."),
        ("The Elbe Bridge opened on 6 June 1998.", "The Elbe Bridge opened on 4 May 1998."),
        ("The Elbe Bridge is 312 miles long.", "The Elbe Bridge is 312 metres long."),
        ("The bridge is open to lorries.", "The bridge is not open to lorries."),
        ("The bridge is not open to cars.", "The bridge is not open to lorries."),
        ("The Elbe Bridge was designed by Karl Schmidt.", "The Elbe Bridge was designed by Anna Meier."),
    ],
)  # fmt: skip
def test_a_small_detail_is_taken_from_the_fact(claim, wanted):
    assert wanted in proposals(claim, BRIDGE)


def test_a_name_is_replaced_as_a_whole():
    found = proposals("Titanic stars Brad Pitt and Kate.", FILM)
    assert "Titanic stars Leonardo DiCaprio and Kate." in found


def test_two_details_are_replaced_together_and_one_by_one():
    found = proposals("The Elbe Bridge opened on 4 June 1998 and is 321 metres long.", BRIDGE)
    assert {
        "The Elbe Bridge opened on 4 May 1998 and is 321 metres long.",
        "The Elbe Bridge opened on 4 June 1998 and is 312 metres long.",
        "The Elbe Bridge opened on 4 May 1998 and is 312 metres long.",
    } <= set(found)


def test_two_names_are_exchanged():
    fact = "Mr Lavelle voted against the raft and Mr Quirke abstained."
    claim = "Mr Quirke voted against the raft and Mr Lavelle abstained."
    assert fact in proposals(claim, fact)


def test_two_numbers_are_not_made_one():
    fact = "Stocks at San Mateus are low: 96,000 tonnes, against 140,000 last year."
    claim = "Stocks at San Mateus stand at 140,000 tonnes, against 96,000 last year."
    found = proposals(claim, fact)
    assert "Stocks at San Mateus stand at 96,000 tonnes, against 140,000 last year." in found
    assert not any(text.count("96,000") > 1 or text.count("140,000") > 1 for text in found)


def test_a_negation_that_the_fact_lacks_goes_with_its_auxiliary():
    fact = "The ticket allows one change of trains."
    claim = "The ticket does not allow one change of trains."
    assert fact in proposals(claim, fact)


@pytest.mark.parametrize(
    "claim",
    [
        "The Eiffel Tower is 312 metres long.",
        "Bus 3 is 312 metres long.",
        "The red bridge is not open to lorries.",
    ],
)
def test_what_a_claim_is_about_is_never_replaced(claim):
    start = claim.split(" is ")[0]
    assert all(text.startswith(start) for text in proposals(claim, BRIDGE))


def test_a_claim_that_shares_hardly_a_word_gets_no_proposal():
    assert proposals("Ticket offices close at noon on Sundays.", BRIDGE) == []


def test_proposals_are_few_and_the_same_every_time():
    fact = " ".join(f"Room {n} seats {n + 40} guests and {n + 3} staff." for n in range(30))
    claim = "Room 7 seats 999 guests and 888 staff."
    assert len(proposals(claim, fact)) <= MAX_PROPOSALS
    assert proposals(claim, fact) == proposals(claim, fact)


def test_japanese_names_are_replaced():
    fact = "タイタニックの監督はジェームズ・キャメロンである。"
    assert fact in proposals("タイタニックの監督は山田太郎である。", fact)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("less", "more"), ("before", "after"), ("all", "some"), ("with", "without")],
)
def test_words_that_turn_a_statement_round_are_replaced(wrong, right):
    fact = f"The Halo 2 is sold {right} hooks than the old Halo."
    assert fact in proposals(fact.replace(right, wrong), fact)


def test_long_claims_are_not_laid_beside_anything():
    fact = " ".join(f"word{n}" for n in range(100)) + " costs 5 euros."
    assert proposals(fact.replace("5 euros", "6 euros"), fact)
    fact = " ".join(f"word{n}" for n in range(200)) + " costs 5 euros."
    assert proposals(fact.replace("5 euros", "6 euros"), fact) == []


def test_a_claim_of_numbers_alone_ends():
    fact = " ".join(str(n) for n in range(2000, 2100)) + " rooms."
    claim = " ".join(str(n) for n in range(3000, 3090)) + " rooms 2050."
    assert len(proposals(claim, fact)) <= MAX_PROPOSALS


@pytest.mark.parametrize("claim", ["", "?", "1998", "…", "not", "É", "\u200b", "a" * 20_000])
def test_odd_claims_end_without_an_error(claim):
    proposals(claim, BRIDGE)
    proposals(BRIDGE, claim or " ")


def test_japanese_numbers_are_replaced():
    fact = "この橋は1998年に開通し、長さは312メートルである。"
    found = proposals("この橋は1973年に開通した。", fact)
    assert "この橋は1998年に開通した。" in found
