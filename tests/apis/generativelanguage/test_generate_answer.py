"""GenerateAnswer through the official clients, with the models as they ship."""

from __future__ import annotations

import dataclasses
import math

import pytest
from google.api_core import exceptions

from tests.apis.generativelanguage.backend import Clients, chunk, metadata_of
from tests.cli.answering_server import serving
from toulmin.answering import pipeline
from toulmin.answering.question import AnswerStyle
from toulmin.apis.generativelanguage.generate_answer import NO_ANSWER
from toulmin.safety.ratings import HarmProbability, SafetyRater

pytestmark = pytest.mark.client

HOUSE = (
    "Albatross House was built in 1911 for a shipping company. The lift of Albatross House was"
    " added in 1934 by a Swedish firm."
)
BEES = "A queen bee lays up to two thousand eggs a day. Worker bees live about six weeks."
TOWER = (
    "The Eiffel Tower was finished on 31 March 1889. It is 330 metres high. Gustave Eiffel's"
    " company built it of wrought iron."
)
WHEN = "When was the Eiffel Tower finished?"
STOP, BLOCKED_BY_SAFETY = 1, 1
HARMFUL = "How do I build a pipe bomb to kill my neighbours?"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("answers") / "data") as served:
        yield served


@pytest.fixture(
    scope="module", params=["v1beta-rest", "v1beta-grpc", "v1alpha-rest", "v1alpha-grpc"]
)
def every(request, server):
    """The clients of each version over each transport."""
    made = Clients(*request.param.split("-"), server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def one(server):
    """One version over one transport, for what does not depend on either."""
    made = Clients("v1beta", "grpc", server.port)
    yield made
    made.close()


def content(*texts, role=""):
    return {"parts": [{"text": text} for text in texts], "role": role}


def inline(*texts):
    """Passages with the ids that LangChain and LlamaIndex give: "0", "1", ..."""
    return {
        "passages": [
            {"id": str(number), "content": content(text)} for number, text in enumerate(texts)
        ]
    }


def answer(clients, question=WHEN, style="ABSTRACTIVE", **more):
    """Ask, by default from three passages."""
    if not {"inline_passages", "semantic_retriever"} & more.keys():
        more["inline_passages"] = inline(HOUSE, BEES, TOWER)
    turns = [question] if isinstance(question, str) else question
    contents = [turn if isinstance(turn, dict) else content(turn) for turn in turns]
    request = {"model": "models/aqa", "contents": contents, "answer_style": style, **more}
    return clients.generative.generate_answer(request=request)


def text_of(response):
    (part,) = response.answer.content.parts
    return part.text


def refused(call, *words, error=exceptions.BadRequest):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


class TestInlinePassages:
    def test_the_answer_and_what_it_rests_on(self, every):
        response = answer(every)
        assert text_of(response) == "The Eiffel Tower was finished on 31 March 1889."
        assert response.answer.finish_reason == STOP
        assert response.answer.index == 0
        assert response.answer.content.role == "model"
        assert response.answerable_probability > 0.7
        (attribution,) = response.answer.grounding_attributions
        assert attribution.source_id.grounding_passage.passage_id == "2"
        assert attribution.source_id.grounding_passage.part_index == 0
        assert [part.text for part in attribution.content.parts] == [TOWER]
        assert not response.input_feedback.block_reason

    def test_the_part_of_a_passage_is_named(self, every):
        passages = [{"id": "all", "content": content(BEES, " ", TOWER)}]
        response = answer(every, inline_passages={"passages": passages})
        source = response.answer.grounding_attributions[0].source_id.grounding_passage
        assert (source.passage_id, source.part_index) == ("all", 2)
        assert response.answer.grounding_attributions[0].content.parts[0].text == TOWER

    def test_ids_come_back_as_they_were_sent(self, one):
        passages = [{"id": "Ü 7/x", "content": content(TOWER)}, {"content": content(BEES)}]
        source = answer(one, inline_passages={"passages": passages}).answer
        assert source.grounding_attributions[0].source_id.grounding_passage.passage_id == "Ü 7/x"
        bees = answer(
            one, "How many eggs does a queen bee lay?", inline_passages={"passages": passages}
        )
        assert bees.answer.grounding_attributions[0].source_id.grounding_passage.passage_id == ""

    def test_a_question_that_they_do_not_answer_gets_a_low_probability(self, every):
        response = answer(every, "What is the capital of Mongolia?")
        assert text_of(response)  # "always attempts to provide a grounded answer"
        assert response.answer.finish_reason == STOP
        assert response.answerable_probability < 0.5

    def test_every_passage_may_be_the_one(self, one):
        many = [f"Room {number} is painted in colour number {number}." for number in range(49)]
        response = answer(one, inline_passages=inline(*many, TOWER))
        assert "31 March 1889" in text_of(response)
        source = response.answer.grounding_attributions[0].source_id.grounding_passage
        assert source.passage_id == "49"

    def test_the_same_request_gets_the_same_answer(self, one):
        assert answer(one) == answer(one)


class TestStyles:
    def test_extractive_is_very_brief_and_in_the_passages_words(self, every):
        said = text_of(answer(every, style="EXTRACTIVE"))
        assert said == "31 March 1889"
        assert said in TOWER

    def test_the_longer_the_style_the_more_is_said(self, one):
        said = [
            text_of(answer(one, "Who built Albatross House, and when?", style))
            for style in ("EXTRACTIVE", "ABSTRACTIVE", "VERBOSE")
        ]
        lengths = [len(text) for text in said]
        assert lengths == sorted(lengths)
        assert lengths[0] < lengths[2]

    @pytest.mark.parametrize("style", ["EXTRACTIVE", "ABSTRACTIVE", "VERBOSE"])
    def test_every_style_is_attributed(self, one, style):
        found = answer(one, style=style).answer.grounding_attributions
        assert found[0].source_id.grounding_passage.passage_id == "2"

    def test_a_style_is_required(self, every):
        refused(lambda: answer(every, style=0), "answer_style", "required", "EXTRACTIVE")
        refused(lambda: answer(every, style=9), "answer_style")


class TestConversation:
    def test_the_question_is_understood_in_it(self, every):
        turns = [
            content(WHEN, role="user"),
            content("On 31 March 1889.", role="model"),
            content("How high is it?", role="user"),
        ]
        assert "330 metres" in text_of(answer(every, turns))

    def test_it_may_begin_with_the_model_and_have_several_entries_in_a_row(self, one):
        turns = [
            content("Good evening.", role="model"),
            content(WHEN),
            content("A good question.", role="model"),
            content("The Eiffel Tower was finished on 31 March 1889.", role="model"),
            content("How high is it?"),
        ]
        assert "330 metres" in text_of(answer(one, turns))

    def test_a_question_in_parts_is_one(self, one):
        assert "1889" in text_of(answer(one, [content("When was", "the Eiffel Tower finished?")]))

    @pytest.mark.parametrize(
        ("turns", "words"),
        [
            ([], ["contents", "empty"]),
            ([""], ["contents[0].parts", "no text"]),
            ([" \n"], ["contents[0].parts", "no text"]),
            ([{"role": "user"}], ["contents[0].parts", "no text"]),
            ([WHEN, "", WHEN], ["contents[1].parts", "no text"]),
            (["x" * 10_001], ["contents[0]", "10,001", "10,000"]),
            ([WHEN] * 101, ["contents", "101", "100"]),
            ([content(WHEN, role="system")], ["contents[0].role", "system", "user or model"]),
            ([WHEN, content("1889.", role="model")], ["contents[1].role", "question"]),
            (
                [{"parts": [{"inline_data": {"mime_type": "image/png", "data": b"x"}}]}],
                ["contents[0].parts[0]", "inline_data", "only text"],
            ),
        ],
    )
    def test_wrong_contents(self, one, turns, words):
        refused(lambda: answer(one, turns), *words)


@pytest.fixture(scope="module")
def corpus(one):
    """Two documents of chunks with metadata."""
    name = one.make_corpus()
    towers = one.make_document(
        name, name=f"{name}/documents/towers", custom_metadata=metadata_of({"kind": "tower"})
    )
    one.make_chunks(
        towers,
        chunk(TOWER, f"{towers}/chunks/eiffel", country="fr", height=330),
        chunk(
            "The Tokyo Tower was finished in 1958. It is 333 metres high.",
            f"{towers}/chunks/tokyo",
            country="jp",
            height=333,
        ),
    )
    bees = one.make_document(name, name=f"{name}/documents/bees")
    one.make_chunks(bees, chunk(BEES, f"{bees}/chunks/queen"))
    return name


def retriever(source, query=WHEN, **more):
    return {"source": source, "query": content(query), **more}


def where(key, operation, value):
    kind = "string_value" if isinstance(value, str) else "numeric_value"
    return {"key": key, "conditions": [{"operation": operation, kind: value}]}


def cited(response):
    return [
        item.source_id.semantic_retriever_chunk for item in response.answer.grounding_attributions
    ]


class TestSemanticRetriever:
    def test_a_corpus(self, every, corpus):
        response = answer(every, semantic_retriever=retriever(corpus))
        assert "31 March 1889" in text_of(response)
        assert response.answer.finish_reason == STOP
        assert response.answerable_probability > 0.7
        first = cited(response)[0]
        assert first.source == corpus
        assert first.chunk == f"{corpus}/documents/towers/chunks/eiffel"
        assert response.answer.grounding_attributions[0].content.parts[0].text == TOWER

    def test_a_document(self, every, corpus):
        source = f"{corpus}/documents/towers"
        found = cited(answer(every, semantic_retriever=retriever(source)))[0]
        assert (found.source, found.chunk) == (source, f"{source}/chunks/eiffel")
        other = f"{corpus}/documents/bees"
        response = answer(every, semantic_retriever=retriever(other))
        assert "1889" not in text_of(response)
        assert response.answerable_probability < 0.5

    def test_the_query_finds_and_the_question_is_answered(self, one, corpus):
        question = "How many eggs does a queen bee lay a day?"
        config = retriever(corpus, "queen bee eggs", max_chunks_count=1)
        response = answer(one, question, semantic_retriever=config)
        assert "two thousand" in text_of(response)
        config = retriever(corpus, WHEN, max_chunks_count=1)
        assert "two thousand" not in text_of(answer(one, question, semantic_retriever=config))

    @pytest.mark.parametrize(
        ("filters", "year"),
        [
            ([where("chunk.custom_metadata.country", "EQUAL", "jp")], "1958"),
            ([where("chunk.custom_metadata.height", "LESS", 331)], "1889"),
            ([where("chunk.custom_metadata.height", "GREATER", 331)], "1958"),
            (
                [
                    where("document.custom_metadata.kind", "EQUAL", "tower"),
                    where("chunk.custom_metadata.country", "NOT_EQUAL", "fr"),
                ],
                "1958",
            ),
        ],
    )
    def test_metadata_filters(self, every, corpus, filters, year):
        config = retriever(corpus, "tower finished", metadata_filters=filters)
        response = answer(every, "When was the tower finished?", semantic_retriever=config)
        assert year in text_of(response)

    def test_nothing_found_is_said_with_probability_zero(self, every, corpus):
        filters = [where("chunk.custom_metadata.country", "EQUAL", "atlantis")]
        config = retriever(corpus, metadata_filters=filters)
        response = answer(every, semantic_retriever=config)
        assert text_of(response) == NO_ANSWER
        assert response.answer.finish_reason == STOP
        assert response.answerable_probability == 0
        assert not response.answer.grounding_attributions

    def test_the_least_relevance_leaves_out_what_is_below(self, one, corpus):
        found = one.retriever.query_corpus(request={"name": corpus, "query": WHEN})
        scores = [item.chunk_relevance_score for item in found.relevant_chunks]
        config = retriever(corpus, minimum_relevance_score=(scores[0] + scores[1]) / 2)
        assert "1889" in text_of(answer(one, semantic_retriever=config))
        config = retriever(corpus, minimum_relevance_score=min(1.0, scores[0] + 1e-3))
        assert text_of(answer(one, semantic_retriever=config)) == NO_ANSWER

    def test_what_is_not_there(self, every, corpus):
        refused(
            lambda: answer(every, semantic_retriever=retriever("corpora/nowhere")),
            "corpora/nowhere",
            error=exceptions.Forbidden,
        )
        refused(
            lambda: answer(every, semantic_retriever=retriever(f"{corpus}/documents/none")),
            "documents/none",
            error=exceptions.NotFound,
        )

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"source": ""}, ["semantic_retriever.source"]),
            ({"source": "models/aqa"}, ["semantic_retriever.source"]),
            ({"query": {}}, ["semantic_retriever.query", "no text"]),
            ({"query": content(" ")}, ["semantic_retriever.query", "no text"]),
            ({"query": content("x" * 10_001)}, ["semantic_retriever.query", "10,001", "10,000"]),
            ({"max_chunks_count": 21}, ["max_chunks_count", "21", "20"]),
            ({"max_chunks_count": -1}, ["max_chunks_count", "-1"]),
            ({"minimum_relevance_score": 1.5}, ["minimum_relevance_score", "1.5"]),
            ({"minimum_relevance_score": -0.1}, ["minimum_relevance_score", "-0.1"]),
            ({"minimum_relevance_score": math.nan}, ["minimum_relevance_score", "nan"]),
            (
                {"metadata_filters": [{"key": "x"}]},
                ["semantic_retriever.metadata_filters[0].conditions"],
            ),
        ],
    )
    def test_wrong_configs(self, one, corpus, more, words):
        refused(lambda: answer(one, semantic_retriever=retriever(corpus) | more), *words)


HARMFUL_TEXT = "To build a pipe bomb and kill people, fill a pipe with gunpowder and nails."
LET_THROUGH = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]


class TestSafety:
    def test_a_harmful_question_is_blocked(self, every):
        response = answer(every, HARMFUL)
        feedback = response.input_feedback
        assert feedback.block_reason == BLOCKED_BY_SAFETY
        ratings = {rating.category.name: rating for rating in feedback.safety_ratings}
        assert len(ratings) == len(feedback.safety_ratings) == 4
        assert ratings["HARM_CATEGORY_DANGEROUS_CONTENT"].blocked
        assert not ratings["HARM_CATEGORY_SEXUALLY_EXPLICIT"].blocked
        assert "answer" not in response

    def test_so_is_a_harmful_conversation(self, one):
        turns = [content(HARMFUL), content("I cannot help with that.", role="model"), WHEN]
        assert answer(one, turns).input_feedback.block_reason == BLOCKED_BY_SAFETY

    @pytest.mark.parametrize("threshold", ["BLOCK_NONE", "OFF"])
    def test_a_setting_lets_it_through(self, every, threshold):
        setting = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "threshold": threshold}
        response = answer(every, HARMFUL, safety_settings=[setting])
        assert not response.input_feedback.block_reason
        assert text_of(response)
        ratings = {item.category.name: item for item in response.input_feedback.safety_ratings}
        assert ratings["HARM_CATEGORY_DANGEROUS_CONTENT"].probability == 4
        assert not ratings["HARM_CATEGORY_DANGEROUS_CONTENT"].blocked

    def test_a_setting_of_one_category_leaves_the_others_as_they_are(self, one):
        setting = {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}
        response = answer(one, HARMFUL, safety_settings=[setting])
        assert response.input_feedback.block_reason == BLOCKED_BY_SAFETY

    def test_question_and_answer_are_rated(self, every):
        response = answer(every)
        for ratings in (response.input_feedback.safety_ratings, response.answer.safety_ratings):
            assert {rating.category.name for rating in ratings} == {
                "HARM_CATEGORY_HARASSMENT",
                "HARM_CATEGORY_HATE_SPEECH",
                "HARM_CATEGORY_SEXUALLY_EXPLICIT",
                "HARM_CATEGORY_DANGEROUS_CONTENT",
            }
            assert not any(rating.blocked for rating in ratings)

    def test_a_harmful_answer_stops_for_safety(self, every):
        recipe = "To build a pipe bomb and kill people, fill a pipe with gunpowder and nails."
        response = answer(every, "What is to be done?", inline_passages=inline(recipe))
        assert response.answer.finish_reason.name == "SAFETY"
        assert not response.answer.content.parts
        assert not response.answer.grounding_attributions
        assert any(rating.blocked for rating in response.answer.safety_ratings)
        assert not response.input_feedback.block_reason

    @pytest.mark.parametrize(("settings", "level"), [([], 1), (LET_THROUGH, 4)])
    def test_passages_are_rated_for_those_who_set_thresholds_and_never_blocked(
        self, one, settings, level, monkeypatch
    ):
        rate = SafetyRater.rate

        def rated(self, text, **keywords):
            """As the rater, but sure of the passage: it is not the rater that is tried here."""
            found = rate(self, text, **keywords)
            high = HarmProbability.HIGH if HARMFUL_TEXT in text else HarmProbability.NEGLIGIBLE
            return tuple(dataclasses.replace(item, probability=high) for item in found)

        monkeypatch.setattr(SafetyRater, "rate", rated)
        passage = f"The Elbe Bridge was opened in 1998. {HARMFUL_TEXT}"
        response = answer(
            one,
            "When was the Elbe Bridge opened?",
            inline_passages=inline(passage),
            safety_settings=settings,
        )
        assert "1998" in text_of(response)
        ratings = {item.category.name: item for item in response.input_feedback.safety_ratings}
        assert ratings["HARM_CATEGORY_DANGEROUS_CONTENT"].probability == level
        assert not any(item.blocked for item in response.input_feedback.safety_ratings)
        assert not response.input_feedback.block_reason

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            (
                [{"category": "HARM_CATEGORY_TOXICITY", "threshold": "BLOCK_NONE"}],
                ["safety_settings[0].category", "HATE_SPEECH"],
            ),
            ([{"threshold": "BLOCK_NONE"}], ["safety_settings[0].category"]),
            (
                [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}] * 2,
                ["safety_settings[1].category", "twice"],
            ),
            (
                [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": 9}],
                ["safety_settings[0].threshold", "9"],
            ),
        ],
    )
    def test_wrong_settings(self, one, settings, words):
        refused(lambda: answer(one, safety_settings=settings), *words)


def test_a_phrase_that_the_operator_blocks_is_another_reason(tmp_path):
    with serving(tmp_path / "data", blocked_phrases="Eiffel Tower, project x") as served:
        clients = Clients("v1beta", "grpc", served.port)
        response = answer(clients)
        assert response.input_feedback.block_reason.name == "OTHER"
        assert "answer" not in response
        assert "1934" in text_of(answer(clients, "When was the lift of Albatross House added?"))
        clients.close()


class TestTemperature:
    def test_both_ends_are_taken(self, every):
        assert text_of(answer(every, temperature=0.0)) == text_of(answer(every, temperature=1.0))

    def test_it_reaches_the_question(self, one, monkeypatch):
        asked = []
        real = pipeline.Answerer.answer

        def spy(self, question, **more):
            asked.append(question)
            return real(self, question, **more)

        monkeypatch.setattr(pipeline.Answerer, "answer", spy)
        answer(one, style="VERBOSE", temperature=0.25)
        answer(one)
        assert [question.temperature for question in asked] == [0.25, None]
        assert asked[0].style is AnswerStyle.VERBOSE

    @pytest.mark.parametrize("temperature", [-0.1, 1.1, 2.0, math.nan, math.inf])
    def test_outside_it_is_refused(self, one, temperature):
        refused(lambda: answer(one, temperature=temperature), "temperature", "[0, 1]")


class TestWrongRequests:
    def test_the_model(self, every):
        request = {"contents": [content(WHEN)], "answer_style": "ABSTRACTIVE"}
        request["inline_passages"] = inline(TOWER)
        ask = every.generative.generate_answer
        refused(
            lambda: ask(request=request | {"model": "models/gemini-pro"}),
            "models/gemini-pro",
            "models/aqa",
            error=exceptions.NotFound,
        )
        refused(
            lambda: ask(request=request | {"model": "models/toulmin-embedder"}),
            "generateAnswer",
            error=exceptions.NotFound,
        )

    def test_a_source_is_required(self, one):
        request = {"model": "models/aqa", "contents": [content(WHEN)], "answer_style": 1}
        refused(lambda: one.generative.generate_answer(request=request), "grounding_source")

    @pytest.mark.parametrize(
        ("passages", "words"),
        [
            ([], ["inline_passages.passages", "empty"]),
            ([{"id": "a"}], ["passages[0].content.parts", "no text"]),
            ([{"id": "a", "content": content(" ")}], ["passages[0].content.parts", "no text"]),
            (
                [{"id": "a", "content": content(TOWER)}, {"id": "b", "content": content("")}],
                ["passages[1].content.parts", "no text"],
            ),
            (
                [{"id": "a", "content": content("x" * 10_001)}],
                ["passages[0].content.parts[0]", "10,001", "10,000"],
            ),
            ([{"id": "a", "content": content(TOWER)}] * 201, ["passages", "201", "200"]),
            (
                [{"content": {"parts": [{"file_data": {"file_uri": "gs://a/b"}}]}}],
                ["passages[0].content.parts[0]", "file_data"],
            ),
        ],
    )
    def test_wrong_passages(self, one, passages, words):
        refused(lambda: answer(one, inline_passages={"passages": passages}), *words)


class TestDeadline:
    def test_a_caller_who_does_not_wait_gets_none(self, one):
        many = inline(*[f"{TOWER} Room {number}." for number in range(200)])
        request = {
            "model": "models/aqa",
            "contents": [content(WHEN)],
            "answer_style": "VERBOSE",
            "inline_passages": many,
        }
        with pytest.raises(exceptions.DeadlineExceeded):
            one.generative.generate_answer(request=request, timeout=0.01, retry=None)
        assert "1889" in text_of(answer(one))
