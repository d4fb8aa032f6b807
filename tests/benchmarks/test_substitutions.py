"""Claims differ from their passage in exactly the words that they say they do."""

import pytest

from tests.benchmarks.modules import load

substitutions = load("quality.substitutions")

PASSAGE = (
    "The old bridge of Dresden was opened on 4 March 1871 by King Albert after seven years of work. "
    "In the following decade, the city built two larger bridges (both of steel) over the river. "
    "The German army was not able to destroy the smaller bridge in the last days of the war. "
    "Today the bridge is used by Wilhelm Tram Company and many thousand people in summer."
)
OTHER = (
    "The ancient harbour of Lisbon was closed on 9 June 1755 by King Joseph after the earthquake. "
    "The French fleet was destroyed by Admiral Nelson in the long battle of the following summer. "
    "The new harbour was designed by Carlos Mardel and cost the kingdom nearly 900 pounds a day."
)


@pytest.fixture(scope="module")
def claims():
    return substitutions.make_claims([PASSAGE, OTHER], 14, seed=3)


def texts(text, spans):
    return [text[start:end] for start, end in spans]


def test_a_changed_claim_is_the_sentence_but_for_the_marked_words(claims):
    changed = [claim for claim in claims if claim.wrong]
    assert len(changed) >= 4
    for claim in changed:
        restored = claim.text
        if claim.kind == "negation inserted":
            restored = restored.replace(" not", "", 1)
        elif claim.kind == "negation removed":
            ((start, end),) = claim.wrong
            restored = restored[:end] + " not" + restored[end:]
        else:
            for (start, end), (a, b) in reversed(
                list(zip(claim.wrong, claim.conflicting, strict=True))
            ):
                restored = restored[:start] + claim.passage[a:b] + restored[end:]
        assert restored in claim.passage


def test_a_new_word_is_not_in_the_passage(claims):
    for claim in claims:
        if claim.wrong and not claim.kind.startswith("negation"):
            for word in texts(claim.text, claim.wrong):
                assert word.lower() not in substitutions.WORD.findall(claim.passage.lower())


def test_an_untouched_claim_has_no_wrong_words(claims):
    for claim in claims:
        assert (claim.kind in substitutions.UNTOUCHED) == (not claim.wrong)


def test_the_same_seed_makes_the_same_claims(claims):
    assert substitutions.make_claims([PASSAGE, OTHER], 14, seed=3) == claims


def test_two_edits_keep_both_places():
    start = PASSAGE.index("The old")
    end = PASSAGE.index(" In the following")
    sentence = PASSAGE[start:end]
    edits = [
        substitutions.Edit(sentence.index("seven"), sentence.index("seven") + 5, "nine"),
        substitutions.Edit(sentence.index("1871"), sentence.index("1871") + 4, "1902"),
    ]
    claim = substitutions.apply_edits("two words", PASSAGE, (start, end), edits)
    assert texts(claim.text, claim.wrong) == ["1902", "nine"]
    assert texts(claim.passage, claim.conflicting) == ["1871", "seven"]


def test_an_inserted_not_is_wrong_and_its_auxiliary_may_be_marked():
    place = substitutions.sentences(PASSAGE)[0]
    edit = next(
        substitutions.SINGLE["negation inserted"](PASSAGE[slice(*place)], PASSAGE, None, None)
    )
    claim = substitutions.apply_edits("negation inserted", PASSAGE, place, [edit])
    assert "was not opened" in claim.text
    assert texts(claim.text, claim.wrong) == ["not"]
    assert texts(claim.text, claim.either) == ["was"]
    assert texts(claim.passage, claim.conflicting) == ["was"]


def test_what_is_dropped_leaves_a_sentence():
    places = substitutions.sentences(PASSAGE)
    shorter = substitutions.untouched_claim("leading phrase dropped", PASSAGE, places[1])
    assert shorter.text.startswith("The city built two larger bridges")
    shorter = substitutions.untouched_claim("adjunct dropped", PASSAGE, places[1])
    assert "(both of steel)" not in shorter.text
    assert substitutions.untouched_claim("adjunct dropped", PASSAGE, places[2]) is None


def test_a_sentence_ends_at_no_decimal_and_one_with_an_abbreviation_is_left_out():
    long = "It is 3.5 miles long according to the older maps of the town."
    assert texts(f"{long} Short one.", substitutions.sentences(f"{long} Short one.")) == [long]
    assert (
        substitutions.sentences("It lies near St. Louis according to most of the older maps.") == []
    )


def test_antonyms_are_pairs_both_ways():
    for word, opposite in substitutions.ANTONYMS.items():
        assert substitutions.ANTONYMS[opposite] == word
