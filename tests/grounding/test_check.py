"""The check through its public Python function, with the real weights."""

import pytest

from toulmin import Fact, check_grounding
from toulmin.errors import InvalidArgument
from toulmin.grounding.check import CheckSpec
from toulmin.services import build_services
from toulmin.settings import Settings

pytestmark = pytest.mark.model

FACTS = [
    Fact("The Orion pump ships with a 24-month warranty.", {"title": "Orion handbook"}),
    Fact("The Vega pump ships with a 12-month warranty.", {"title": "Vega handbook"}),
]


def test_the_same_request_gives_the_same_report():
    answer = "The Orion pump has a 24-month warranty. The Vega pump has a 36-month warranty."
    assert check_grounding(answer, FACTS) == check_grounding(answer, FACTS)


def test_statements_are_checked_each_by_itself():
    services = build_services(Settings())
    try:
        checker = services.checker()
        statements = [
            "The Orion pump has a 24-month warranty.",
            "It has no warranty. Thank you.",
            "The Vega pump has a 36-month warranty.",
        ]
        spec = CheckSpec(anti_citations=True)
        together = checker.check_each(statements, FACTS, spec)
        for statement, report in zip(statements, together, strict=True):
            alone = checker.check(statement, FACTS, spec)
            assert [(claim.text, claim.start) for claim in report.claims] == [
                (claim.text, claim.start) for claim in alone.claims
            ]
            assert report.support_score == pytest.approx(alone.support_score, abs=0.05)
            assert set(report.cited_chunks) == set(alone.cited_chunks)
        with pytest.raises(InvalidArgument, match="answer"):
            checker.check_each(["The pump is new.", " "], FACTS, spec)
    finally:
        services.close()


def test_what_an_answer_would_state_is_read_by_one_model():
    long = Fact(" ".join(f"Pump {n} was sold in {1900 + n} and has {n} valves." for n in range(40)))
    claim, spec = "In 1912 a pump with twelve valves was sold.", CheckSpec()
    services = build_services(Settings())
    try:
        told, asked = services.checker(), services.statement_checker()
        both = [checker.check(claim, [long], spec).support_score for checker in (told, asked)]
        assert both[0] != both[1]
        short = [checker.check(claim, FACTS, spec).support_score for checker in (told, asked)]
        assert short[0] == short[1]
    finally:
        services.close()


def test_quotes_may_be_trusted_unread():
    class Reads:
        def __init__(self, scorer):
            self.scorer, self.read = scorer, []

        def score(self, claims, evidence, facts, *, work):
            self.read += [claim.text for claim in claims]
            return self.scorer.score(claims, evidence, facts, work=work)

    quote, other = FACTS[0].text, "The Vega pump is guaranteed for twelve months."
    services = build_services(Settings())
    try:
        reads = Reads(services.checker()._scorer)
        checker = services.checker().with_scorer(reads)
        answer = f"{quote} {other}"
        trusting = checker.check(answer, FACTS, CheckSpec(trusts_quotes=True))
        assert reads.read == [other]
        plain = checker.check(answer, FACTS, CheckSpec())
        assert reads.read == [other, quote, other]
    finally:
        services.close()
    assert trusting.claims[0].score == 0.97
    assert trusting.claims[1].score == pytest.approx(plain.claims[1].score, abs=0.05)
    cited = [trusting.cited_chunks[place].text for place in trusting.claims[0].citations]
    assert cited == [quote]


def test_chunks_are_verbatim_parts_of_the_facts_they_name():
    report = check_grounding("The Orion pump ships with a 24-month warranty.", FACTS)
    assert report.cited_chunks
    for chunk in report.cited_chunks:
        assert FACTS[chunk.fact_index].text[chunk.start : chunk.end] == chunk.text


def test_raising_the_citation_threshold_never_adds_a_citation():
    answer = "The Orion pump has a 24-month warranty. The Vega pump comes with a warranty."
    before = None
    for threshold in [0.0, 0.3, 0.6, 0.9, 1.0]:
        report = check_grounding(answer, FACTS, citation_threshold=threshold)
        cited = [{report.cited_chunks[i] for i in claim.citations} for claim in report.claims]
        if before is not None:
            assert all(now <= then for now, then in zip(cited, before, strict=True))
        before = cited


def test_explanations_point_at_words_of_the_answer_and_of_the_fact():
    answer = "The Orion pump ships with a 36-month warranty."
    report = check_grounding(answer, FACTS, anti_citations=True, explanations=True)
    (claim,) = report.claims
    assert claim.spans
    wrong = [answer[s.start : s.end] for s in claim.spans if not s.supported]
    assert any("36" in words for words in wrong)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The Elbe Bridge opened in 1973.", "The Elbe Bridge opened in 1998."),
        ("The Elbe Bridge was designed by Karl Schmidt.", "The Elbe Bridge was designed by Anna Meier."),
        ("The bridge is open to lorries.", "The bridge is not open to lorries."),
    ],
)  # fmt: skip
def test_a_wrong_detail_is_corrected_and_the_check_bears_it_out(wrong, right):
    fact = (
        "The Elbe Bridge opened on 4 May 1998. It was designed by Anna Meier. "
        "The bridge is not open to lorries."
    )
    (claim,) = check_grounding(wrong, [fact], corrections=True).claims
    assert claim.correction.text == right
    again = check_grounding(right, [fact])
    assert again.support_score == claim.correction.score >= 0.6
    (claim,) = check_grounding(wrong, [fact]).claims
    assert claim.correction is None, "only when asked for"


def test_what_is_true_or_made_up_is_not_corrected():
    fact = "The Elbe Bridge opened on 4 May 1998 and is 312 metres long."
    for text in ("The Elbe Bridge opened in 1998.", "The Eiffel Tower is 312 metres long."):
        (claim,) = check_grounding(text, [fact], corrections=True).claims
        assert claim.correction is None


def test_facts_may_be_strings_mappings_or_facts():
    text = "The Orion pump ships with a 24-month warranty."
    reports = [
        check_grounding(text, [fact])
        for fact in (text, {"text": text}, {"factText": text}, Fact(text))
    ]
    assert all(report == reports[0] for report in reports)


@pytest.mark.parametrize(
    ("answer", "facts", "options", "field", "words"),
    [
        ("", FACTS, {}, "answer", "empty"),
        (" \n", FACTS, {}, "answer", "empty"),
        ("A claim.", [], {}, "facts", "empty"),
        ("A claim.", ["x"] * 201, {}, "facts", "201"),
        ("A claim.", ["x" * 10_001], {}, "facts[0].text", "10,001"),
        ("A claim.", ["ok", " "], {}, "facts[1].text", "empty"),
        ("A \ud800 claim.", FACTS, {}, "answer", "surrogate at character 2"),
        ("A claim.", ["\udfff"], {}, "facts[0].text", "surrogate"),
        ("word " * 4097, FACTS, {}, "answer", "4,097"),
        ("A claim.", FACTS, {"citation_threshold": 1.01}, "citation_threshold", "1.01"),
        ("A claim.", FACTS, {"citation_threshold": float("nan")}, "citation_threshold", "nan"),
        ("A claim.", FACTS, {"anti_citation_threshold": -0.1}, "anti_citation_threshold", "-0.1"),
        ("A claim.", FACTS, {"prompt": ""}, "prompt", "empty"),
        ("A claim.", [3], {}, "facts[0]", "int"),
        ("A claim.", [{"text": "a", "attributes": {"n": 1}}], {}, "facts[0].attributes", "string"),
    ],
)
def test_a_limit_exceeded_names_field_limit_and_value(answer, facts, options, field, words):
    with pytest.raises(InvalidArgument) as caught:
        check_grounding(answer, facts, **options)
    (violation,) = caught.value.violations
    assert violation.field == field
    assert words in violation.description


def test_the_limits_themselves_are_allowed():
    report = check_grounding("word " * 4096, ["x" * 10_000] * 200)
    assert 0 <= report.support_score <= 1


@pytest.mark.parametrize("answer", ["\x00", "😀😀", "—", "1."])
def test_odd_answers_are_answered(answer):
    assert 0 <= check_grounding(answer, FACTS).support_score <= 1
