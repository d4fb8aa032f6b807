"""A claim's quantities as the evidence writes them, and the way back."""

import pytest

from toulmin.grounding.quantities.rewriting import as_written

BREAD = "Mix 750 g of rye flour with 0.6 litres of water. Let it rise for 150 minutes."
FERRY = (
    "The ferry takes 50 to 70 minutes. It is 0.09 km long and carries two thirds of the traffic."
)
RENT = (
    "The rent is EUR 480 a month for one and a half years; a third of tenants pay less than 12 %."
)


@pytest.mark.parametrize(
    ("claim", "evidence", "read"),
    [
        # equal, written otherwise
        ("Take 0.75 kg of flour.", BREAD, "Take 750 g of flour."),
        ("Take three quarters of a kilogram.", BREAD, "Take 750 g."),
        ("It needs 600 ml of water.", BREAD, "It needs 0.6 litres of water."),
        ("It rises for two and a half hours.", BREAD, "It rises for 150 minutes."),
        ("It rises for 2 hours 30 minutes.", BREAD, "It rises for 150 minutes."),
        ("The two-and-a-half-hour rise.", BREAD, "The two-and-a-half-hour rise."),
        ("It is 90 metres long.", FERRY, "It is 0.09 km long."),
        ("It runs for 18 months.", RENT, "It runs for one and a half years."),
        ("The rent is 480 euros a month.", RENT, "The rent is EUR 480 a month."),
        ("Twelve per cent or less.", RENT, "12 % or less."),
        ("The 90-minute film.", "A film of 1.5 hours.", "The 1.5-hour film."),
        ("The film lasts 1.5 hours.", "A 90-minute film.", "The film lasts 90 minutes."),
        ("Two dozen rolls were sold.", "They sold 24 rolls.", "24 rolls were sold."),
        ("They took 20 grams.", "Twenty grams are enough.", "They took twenty grams."),
        # equal to none: the evidence's unit
        ("Take 2 kg of flour.", BREAD, "Take 2,000 g of flour."),
        ("It needs 900 ml of water.", BREAD, "It needs 0.9 litres of water."),
        ("It rises for about four hours.", BREAD, "It rises for about 240 minutes."),
        ("It takes no more than an hour.", FERRY, "It takes no more than 60 minutes."),
        ("It takes one to two hours.", FERRY, "It takes 60 to 120 minutes."),
        # as it is
        ("Take 750 g of flour.", BREAD, "Take 750 g of flour."),
        ("It costs 3 euros.", BREAD, "It costs 3 euros."),
        ("It is 48 metres long.", "It is 12 km away.", "It is 48 metres long."),
        ("It takes 2 hours.", "One takes 30 minutes, one 3 days.", "It takes 2 hours."),
        ("A 30-year-old may join.", "It ran for 7 months.", "A 30-year-old may join."),
        ("It takes 20 minutes a day.", "It takes a third of an hour.", "It takes 20 minutes a day."),
        ("A tenth of it is forest.", FERRY, "A tenth of it is forest."),
        ("No quantities.", BREAD, "No quantities."),
    ],
)  # fmt: skip
def test_a_claim_is_read_as_the_evidence_writes_it(claim, evidence, read):
    assert as_written(claim, evidence).text == read


def test_ranges_lead_back_to_the_claim():
    claim = "Take 0.75 kg of flour for two and a half hours, he said."
    read = as_written(claim, BREAD)
    assert read.text == "Take 750 g of flour for 150 minutes, he said."

    def back(words):
        at = read.text.index(words)
        return claim[slice(*read.original(at, at + len(words)))]

    assert back("Take") == "Take"
    assert back("750") == back("g") == back("750 g") == "0.75 kg"
    assert back("of flour for") == "of flour for"
    assert back("150") == back("minutes") == "two and a half hours"
    assert back("g of") == "0.75 kg of"
    assert back(", he said.") == ", he said."
    assert read.original(0, len(read.text)) == (0, len(claim))


def test_a_number_that_stands_in_a_cell_without_its_unit_stays():
    evidence = "Worker bees live for six weeks. Bee: Worker, Days from egg to bee: 21."
    claim = "A worker needs 21 days to develop."
    assert as_written(claim, evidence).text == claim
    assert as_written("A worker needs 28 days.", evidence).text == "A worker needs 4 weeks."
