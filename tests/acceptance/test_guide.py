"""The examples of the guide to checking grounding, and the rules it states, as tests.

Numbers of rules are those of the acceptance page (docs): 1 claims, 2 support scores, 3 citations,
4 contradiction, 5 helpfulness, 6 attributes and partial truth, 7 limits, 9 thresholds,
10 determinism. Rule 8, latency, is measured by benchmarks/.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.acceptance.judging import anti_cited_facts, cited_facts, load
from toulmin import Fact, check_grounding
from toulmin.errors import InvalidArgument
from toulmin.grounding.pack_scorer import PackScorer
from toulmin.grounding.support import PairScore

pytestmark = pytest.mark.model

GUIDE = load("guide.json")
EXAMPLES = {example["id"]: example for example in GUIDE["examples"]}
TRANSLATIONS = {example["id"]: example for example in GUIDE["translations"]}
APOSTROPHES = ("character", "entity")
WITH_SUPPORT = tuple(id_ for id_, example in EXAMPLES.items() if "support" in example)
WITH_TOKENS = tuple(id_ for id_, example in EXAMPLES.items() if "tokens" in example)
LIMITS = GUIDE["limits"]


def guide_facts(apostrophe="character"):
    first, second = GUIDE["facts"]
    text = second["text"] if apostrophe == "character" else GUIDE["fact_1_with_entity"]
    return [Fact(first["text"], first["attributes"]), Fact(text, second["attributes"])]


@cache
def report_on(example_id, apostrophe="character"):
    """Check one example exactly as the guide's request does."""
    example = EXAMPLES[example_id]
    return check_grounding(
        example["answer"],
        guide_facts(apostrophe),
        citation_threshold=GUIDE["citation_threshold"],
        anti_citations=True,
        anti_citation_threshold=GUIDE["anti_citation_threshold"],
        prompt=example.get("prompt"),
    )


def citations(report):
    """Return for each claim the facts it cites."""
    return [cited_facts(report, claim) for claim in report.claims]


# Rule 1: claims, offsets, and which of them need a check


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_claims_are_the_sentences_with_their_offsets(example_id):
    claims = report_on(example_id).claims
    assert [(c.text, c.start, c.end) for c in claims] == [
        (c["text"], c["start"], c["end"]) for c in EXAMPLES[example_id]["claims"]
    ]
    for claim, expected in zip(claims, EXAMPLES[example_id]["claims"], strict=True):
        if "needs_check" in expected:
            assert claim.needs_check == expected["needs_check"], claim.text


@pytest.mark.parametrize("example_id", TRANSLATIONS)
def test_claims_of_the_translations(example_id):
    example = TRANSLATIONS[example_id]
    claims = check_grounding(example["answer"], guide_facts()).claims
    assert [(c.text, c.start, c.end, c.needs_check) for c in claims] == [
        (c["text"], c["start"], c["end"], c["needs_check"]) for c in example["claims"]
    ]


@pytest.mark.parametrize("example_id", [*EXAMPLES, *TRANSLATIONS])
def test_byte_offsets_of_the_data_are_those_of_the_characters(example_id):
    example = (EXAMPLES | TRANSLATIONS)[example_id]
    for claim in example["claims"]:
        text = example["answer"].encode()[claim["start_byte"] : claim["end_byte"]]
        assert text.decode() == claim["text"]
        assert example["answer"][claim["start"] : claim["end"]] == claim["text"]


def test_a_sentence_that_states_nothing_has_no_score_and_no_citations():
    for example_id in ("A1", "D1"):
        opening = report_on(example_id).claims[0]
        assert opening.score is None
        assert opening.citations == ()
        assert opening.anti_citations == ()


# Rule 2: support scores


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
@pytest.mark.parametrize("example_id", WITH_SUPPORT)
def test_support_score_is_in_the_guides_range(example_id, apostrophe):
    bounds = EXAMPLES[example_id]["support"]
    score = report_on(example_id, apostrophe).support_score
    assert bounds["min"] <= score <= bounds.get("max", 1.0)


def test_support_scores_are_in_the_guides_order():
    levels = [
        [report_on(example_id).support_score for example_id in level] for level in GUIDE["order"]
    ]
    for level in levels:
        assert max(level) - min(level) <= GUIDE["order_tolerance"]
    for higher, lower in itertools.pairwise(levels):
        assert min(higher) > max(lower)


def test_claim_scores_of_a_fully_grounded_answer():
    for claim, expected in zip(report_on("D1").claims, EXAMPLES["D1"]["claims"], strict=True):
        if "min_score" in expected:
            assert claim.score >= expected["min_score"], claim.text


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_apostrophe_and_its_entity_give_the_same_result(example_id):
    plain, entity = report_on(example_id), report_on(example_id, "entity")
    assert citations(plain) == citations(entity)
    assert plain.support_score == pytest.approx(entity.support_score, abs=0.02)
    text = GUIDE["fact_1_with_entity"]
    for chunk in entity.cited_chunks:
        if chunk.fact_index == 1:
            assert text[chunk.start : chunk.end] == chunk.text


# Rule 3: citations


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
@pytest.mark.parametrize("example_id", EXAMPLES)
def test_each_claim_cites_the_facts_that_support_it(example_id, apostrophe):
    found = citations(report_on(example_id, apostrophe))
    for cited, expected in zip(found, EXAMPLES[example_id]["claims"], strict=True):
        if "cites" in expected:
            assert cited == set(expected["cites"]), expected["text"]
        assert cited >= set(expected.get("cites_at_least", [])), expected["text"]
        assert not cited & set(expected.get("not_cites", [])), expected["text"]


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_only_what_is_cited_is_listed_and_it_is_verbatim(example_id):
    report = report_on(example_id)
    used = {i for claim in report.claims for i in (*claim.citations, *claim.anti_citations)}
    assert used == set(range(len(report.cited_chunks)))
    for chunk in report.cited_chunks:
        fact = GUIDE["facts"][chunk.fact_index]["text"]
        assert fact[chunk.start : chunk.end] == chunk.text


def test_without_anti_citations_nothing_of_them_is_reported():
    report = check_grounding(EXAMPLES["B1"]["answer"], guide_facts())
    assert report.contradiction_score is None
    assert all(claim.anti_citations == () for claim in report.claims)


# Rule 4: contradiction


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
@pytest.mark.parametrize("example_id", ["A1", "A2", "A3", "B1", "D1"])
def test_contradiction_score_is_in_the_guides_range(example_id, apostrophe):
    bounds = EXAMPLES[example_id]["contradiction"]
    score = report_on(example_id, apostrophe).contradiction_score
    assert bounds.get("min", 0.0) <= score <= bounds["max"]


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
def test_the_wrong_cast_is_anti_cited_to_the_fact_that_names_the_cast(apostrophe):
    report = report_on("B1", apostrophe)
    for claim, expected in zip(report.claims, EXAMPLES["B1"]["claims"], strict=True):
        assert anti_cited_facts(report, claim) == set(expected["anti_cites"]), claim.text


# Rule 5: helpfulness


def test_helpfulness_is_in_the_guides_order():
    scores = [report_on(example_id).helpfulness_score for example_id in GUIDE["helpfulness_order"]]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert all(0 <= score <= 1 for score in scores)


def test_without_a_prompt_there_is_no_helpfulness_score():
    assert report_on("A1").helpfulness_score is None


# Rule 6: attributes are evidence, and partly true is not grounded


def test_attributes_are_evidence():
    rule = GUIDE["attributes"]
    facts = [Fact(rule["fact"]["text"], rule["fact"]["attributes"])]
    grounded = [check_grounding(answer, facts).claims[0] for answer in rule["grounded"]]
    less = check_grounding(rule["less_grounded"], facts).claims[0]
    for claim in grounded:
        assert claim.citations == (0,), claim.text
        assert claim.score > less.score
    assert less.score < rule["less_grounded_below"]
    assert less.citations == ()


def test_a_claim_that_is_true_in_part_is_not_grounded():
    rule = GUIDE["partial"]
    facts = [Fact(rule["fact"]["text"])]
    wrong_year = check_grounding(rule["ungrounded"], facts).claims[0]
    right_year = check_grounding(rule["grounded"], facts).claims[0]
    assert wrong_year.citations == ()
    assert wrong_year.score < 0.5 < right_year.score
    assert right_year.citations == (0,)


# Rule 7: limits


def words(count):
    return " ".join(["Again"] * count)


def assert_refused(limit, value, answer, facts):
    with pytest.raises(InvalidArgument) as caught:
        check_grounding(answer, facts)
    message = str(caught.value).replace(",", "")
    assert str(limit) in message
    assert str(value) in message
    assert caught.value.violations


def test_as_many_facts_as_allowed_and_one_more():
    facts = [f"Room {number} has a window." for number in range(LIMITS["facts"] + 1)]
    answer = "Room 7 has a window."
    assert check_grounding(answer, facts[:-1]).claims
    assert_refused(LIMITS["facts"], LIMITS["facts"] + 1, answer, facts)


def test_as_many_characters_as_allowed_and_one_more():
    fact = ("Room 7 has a window. " * 500)[: LIMITS["fact_characters"]]
    assert len(fact) == LIMITS["fact_characters"]
    answer = "Room 7 has a window."
    assert check_grounding(answer, [fact]).claims
    assert_refused(
        LIMITS["fact_characters"], LIMITS["fact_characters"] + 1, answer, ["short", fact + "x"]
    )


def test_characters_are_counted_not_bytes():
    fact = "あ" * LIMITS["fact_characters"]
    assert check_grounding("Room 7 has a window.", [fact]).claims
    assert_refused(
        LIMITS["fact_characters"], LIMITS["fact_characters"] + 1, "Room 7.", [fact + "あ"]
    )


@pytest.fixture
def unread(monkeypatch):
    """The encoder reads nothing: what it says of 4,096 tokens is not asked."""

    def score(self, claims, evidence, facts, **_):
        return [[PairScore(item, 0.5, 0.0, 1.0, None) for item in items] for items in evidence]

    monkeypatch.setattr(PackScorer, "score", score)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("example_id", WITH_TOKENS)
def test_tokens_are_words_and_the_stops_that_end_sentences(example_id):
    """The example's own count shows where the limit is reached."""
    example = EXAMPLES[example_id]
    room = LIMITS["answer_tokens"] - example["tokens"]
    if example["answer"].endswith("."):
        full = f"{example['answer']} {words(room)}"
    else:
        full = f"{words(room)} {example['answer']}"
    facts = guide_facts()
    assert check_grounding(full, facts).claims
    assert_refused(
        LIMITS["answer_tokens"], LIMITS["answer_tokens"] + 1, f"{words(1)} {full}", facts
    )


@pytest.mark.usefixtures("unread")
def test_a_hyphenated_word_is_one_token_and_a_final_stop_another():
    rule = LIMITS["token_rule"][0]
    count, rest = divmod(LIMITS["answer_tokens"], rule["tokens"])
    full = " ".join([rule["text"]] * count + ["Again"] * rest)
    facts = ["They wore clothes from a shop in 2024."]
    assert check_grounding(full, facts).claims
    assert_refused(LIMITS["answer_tokens"], LIMITS["answer_tokens"] + 1, full + ".", facts)


# Rule 9: thresholds


def cited_pairs(report):
    return {
        (number, report.cited_chunks[index].fact_index)
        for number, claim in enumerate(report.claims)
        for index in claim.citations
    }


def anti_cited_pairs(report):
    return {
        (number, report.cited_chunks[index].fact_index)
        for number, claim in enumerate(report.claims)
        for index in claim.anti_citations
    }


@pytest.fixture
def read_once(monkeypatch):
    """Thresholds are applied to scores: the encoder reads a pair for the first of them only."""
    known, score = {}, PackScorer.score

    def remember(self, *pairs, **more):
        key = repr(pairs)
        if key not in known:
            known[key] = score(self, *pairs, **more)
        return known[key]

    monkeypatch.setattr(PackScorer, "score", remember)


@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("example_id", WITH_SUPPORT)
def test_a_higher_citation_threshold_never_adds_a_citation(example_id):
    answer, facts = EXAMPLES[example_id]["answer"], guide_facts()
    reports = [check_grounding(answer, facts, citation_threshold=step / 10) for step in range(11)]
    for lower, higher in itertools.pairwise(reports):
        assert cited_pairs(higher) <= cited_pairs(lower)
        assert [c.score for c in higher.claims] == [c.score for c in lower.claims]
        assert higher.support_score == lower.support_score


@pytest.mark.usefixtures("read_once")
def test_a_higher_anti_citation_threshold_never_adds_an_anti_citation():
    answer, facts = EXAMPLES["B1"]["answer"], guide_facts()
    reports = [
        check_grounding(answer, facts, anti_citations=True, anti_citation_threshold=step / 10)
        for step in range(11)
    ]
    for lower, higher in itertools.pairwise(reports):
        assert anti_cited_pairs(higher) <= anti_cited_pairs(lower)
        assert higher.contradiction_score == lower.contradiction_score


@pytest.mark.parametrize("example_id", WITH_SUPPORT)
def test_thresholds_that_are_not_given_are_the_guides(example_id):
    unset = check_grounding(EXAMPLES[example_id]["answer"], guide_facts(), anti_citations=True)
    assert unset == report_on(example_id)


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["citation_threshold", "anti_citation_threshold"])
def test_a_threshold_outside_its_range_is_refused(name, threshold):
    with pytest.raises(InvalidArgument) as caught:
        check_grounding("A.", ["A."], anti_citations=True, **{name: threshold})
    assert caught.value.violations


# Rule 10: determinism


@pytest.mark.real_runs
@pytest.mark.parametrize("example_id", EXAMPLES)
def test_the_same_request_has_the_same_report(example_id):
    example = EXAMPLES[example_id]
    again = check_grounding(
        example["answer"], guide_facts(), anti_citations=True, prompt=example.get("prompt")
    )
    assert repr(again) == repr(report_on(example_id))


@pytest.mark.slow
@pytest.mark.thorough
def test_another_process_has_the_same_report():
    script = (
        "from tests.acceptance.test_guide import report_on\n"
        "print([repr(report_on(name)) for name in ('A3', 'B1')])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{[repr(report_on(name)) for name in ('A3', 'B1')]}\n"}
