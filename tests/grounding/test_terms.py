import pytest

from toulmin.grounding.terms import is_number, prior_weight, to_term


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("movies", "movie"),
        ("companies", "company"),
        ("released", "release"),
        ("releasing", "release"),
        ("stopped", "stop"),
        ("making", "made"),
        ("wrote", "written"),
        ("directed", "directs"),
        ("studied", "studies"),
        ("boxes", "box"),
        ("children", "child"),
        ("december", "dec"),
        ("1,500", "1500"),
        ("1.500", "1500"),
        ("1.500.000", "1,500,000"),
        ("2,5", "2.5"),
        ("3.50", "3.5"),
        ("12.0", "twelve"),
        ("eleven", "11"),
        ("fifty", "50"),
        ("third", "3rd"),
    ],
)
def test_words_that_mean_the_same_have_one_term(one: str, other: str) -> None:
    assert to_term(one) == to_term(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mario", "maria"),
        ("data", "date"),
        ("1997", "1998"),
        ("1.5", "15"),
        ("0.125", "125"),
        ("1,500", "1,5"),
        ("bus", "bu"),
        ("king", "k"),
        ("glass", "glas"),
    ],
)
def test_words_that_differ_keep_different_terms(one: str, other: str) -> None:
    assert to_term(one) != to_term(other)


def test_rare_words_tell_more_than_frequent_ones_and_grammar_tells_nearly_nothing() -> None:
    assert 0 < prior_weight("the") < prior_weight(to_term("film")) < prior_weight("zyzzyva") == 1.0
    assert prior_weight(to_term("because")) == prior_weight("the")
    assert prior_weight("ました", unspaced=True) < prior_weight("塚治", unspaced=True)


def test_numbers_are_known_by_their_first_digit() -> None:
    assert is_number(to_term("twelve"))
    assert is_number("1990s")
    assert not is_number(to_term("ship"))
