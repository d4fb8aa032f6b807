import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from toulmin.grounding.lexical import FEATURE_NAMES, ClaimTerms, lexical_features
from toulmin.grounding.terms import to_term
from toulmin.text.words import scan_words

EVIDENCE = (
    "author: Film Weekly | Harbour Lights is a 2003 drama. It was directed by Maria Lindqvist and "
    "stars Tomas Ek. It did not win an award. About 1,500 people worked on it, for $2.5 million."
)


def features(claim: str, evidence: str = EVIDENCE) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, lexical_features(claim, evidence).tolist(), strict=True))


def test_a_claim_in_the_evidence_word_for_word_is_wholly_found() -> None:
    found = features("It was directed by Maria Lindqvist and stars Tomas Ek.")
    assert found["terms_found"] == found["pairs_found"] == found["names_found"] == 1.0
    assert found["longest_run"] == found["tightness"] == 1.0
    assert found["heaviest_missing"] == found["negation_differs"] == 0.0


def test_a_changed_name_is_missing() -> None:
    right = features("It starred Tomas Ek.")
    wrong = features("It starred Oskar Ek.")
    assert right["names_found"] == 1.0
    assert wrong["names_found"] == 0.5
    assert wrong["names_missing"] == 0.25
    assert wrong["terms_found"] < right["terms_found"]
    assert wrong["heaviest_missing"] > right["heaviest_missing"]


def test_a_changed_number_is_missing_and_a_rewritten_one_is_not() -> None:
    for same in ("1500 people worked", "1.500 people worked", "It cost 2,500,000 dollars"):
        assert features(same)["numbers_found"] == 1.0, same
    assert features("It came out in 2004.")["numbers_found"] == 0.0
    assert features("It came out in 2004, with 1500 people.")["numbers_found"] == 0.5
    assert features("It came out in 2004.")["numbers_missing"] == 0.25


def test_attributes_count_as_evidence() -> None:
    assert features("Film Weekly says so")["names_found"] == 1.0


def test_negation_is_compared_where_the_claim_is_talked_about() -> None:
    assert features("It won an award.")["negation_differs"] == 1.0
    assert features("It didn't win an award.")["negation_differs"] == 0.0
    assert features("It was directed by Maria Lindqvist.")["negation_differs"] == 0.0
    assert features("It was not directed by Maria Lindqvist.")["negation_differs"] == 1.0


def test_a_capital_at_the_start_of_a_sentence_is_no_name() -> None:
    assert features("Drama is what it is.")["names_missing"] == 0.0
    assert features("Many people like Drama.", "People like it.")["names_missing"] == 0.25


def test_japanese_is_matched_by_pairs_of_characters() -> None:
    evidence = "手塚治虫は兵庫県宝塚市出身の漫画家である。"
    assert features("手塚治虫は漫画家である。", evidence)["terms_found"] > 0.85
    assert features("手塚治虫は政治家である。", evidence)["terms_found"] < 0.8
    assert features("ガンダムを作った。", evidence)["names_missing"] > 0.0


def test_an_empty_claim_misses_nothing_and_empty_evidence_holds_nothing() -> None:
    assert features("")["terms_found"] == 1.0
    assert features("Maria Lindqvist sailed.", "")["terms_found"] == 0.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_features_lie_between_0_and_1(claim: str, evidence: str) -> None:
    values = lexical_features(claim, evidence)
    assert values.shape == (len(FEATURE_NAMES),)
    assert ((values >= -1e-9) & (values <= 1 + 1e-9)).all()


@given(st.text(alphabet="ab c1,.東京", max_size=40))
def test_a_text_supports_itself(text: str) -> None:
    found = features(text, text)
    assert found["terms_found"] == pytest.approx(1.0)
    assert found["longest_run"] == 1.0


def test_a_pair_costs_the_length_of_its_texts() -> None:
    claim = "Harbour Lights was directed by Maria Lindqvist."
    assert_linear(lambda text: lexical_features(claim, text), lambda size: EVIDENCE * size, 400)


@given(st.text(alphabet="abes 19,.東京タ", max_size=40), st.text(alphabet="abes 19,.東京タ"))
def test_matching_finds_exactly_the_words_with_a_claims_term(claim: str, text: str) -> None:
    terms = ClaimTerms([claim])
    known = set(terms.terms)
    matched = terms.match(scan_words(text))
    stream = scan_words(text)
    for at, word in enumerate(stream.words()):
        term = word if stream.unspaced[at] else to_term(word)
        expected = terms.terms.index(term) if term in known else -1
        assert matched[at] == expected, word


def test_irregular_forms_and_numbers_are_matched_too() -> None:
    terms = ClaimTerms(["She wins twelve races in December"])
    stream = scan_words("won 12 race dec. lost")
    matched = terms.match(stream)
    assert (matched >= 0).tolist() == [True, True, True, True, False]
    assert np.array_equal(terms.texts[0][[1, 2, 3, 5]], matched[:4])
