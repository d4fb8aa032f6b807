"""Answers through the official clients: every field, in every version, over REST and gRPC."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from google.api_core.exceptions import InvalidArgument, NotFound

from tests.apis.discoveryengine.answer_backend import (
    FALLBACK,
    as_json,
    ask,
    cited,
    request_of,
    skipped,
)
from tests.ingestion.files import PNG
from tests.patience import wait_for

pytestmark = pytest.mark.client

OPENED = "The Varn Tower was opened by Queen Ingrid on 3 May 1932."
WITH_CITATIONS = {"answer_generation_spec": {"include_citations": True}}
SUPPORTS = {"grounding_spec": {"include_grounding_supports": True}}
CHUNKS = {"search_spec": {"search_params": {"search_result_mode": "CHUNKS"}}}
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z")


def has_supports(clients):
    return clients.version != "v1alpha"


def test_an_answer_with_its_citation_and_reference(readers, library):
    answer, response = ask(
        readers, library.guides, "When was the Varn Tower opened?", **WITH_CITATIONS
    )
    assert answer["answerText"] == OPENED
    assert answer["state"] == "SUCCEEDED"
    assert cited(answer) == [OPENED]
    assert answer["citations"][0]["sources"] == [{"referenceId": "0"}]
    (reference,) = answer["references"]
    info = reference["unstructuredDocumentInfo"]
    assert info["document"] == f"{library.guides}/branches/0/documents/tower"
    assert info["title"] == "The Varn Tower"
    assert info["structData"] == {"kind": "sight"}
    (content,) = info["chunkContents"]
    assert "Queen Ingrid" in content["content"]
    assert 0 < content["relevanceScore"] <= 1
    assert not skipped(answer)
    assert RFC_3339.fullmatch(answer["createTime"])
    assert RFC_3339.fullmatch(answer["completeTime"])
    assert answer["createTime"] <= answer["completeTime"]
    assert len(response.answer_query_token) == 32
    assert not answer.get("name")
    assert not response.session.name


def test_steps_say_what_was_searched_and_found(reader, library):
    answer, _ = ask(reader, library.guides, "When was the Varn Tower opened?")
    steps = {step["description"]: step for step in answer["steps"]}
    assert list(steps) == [
        "Search for passages.",
        "Read the passages.",
        "Check the answer as a statement.",
        "Compose the answer.",
        "Check the answer against the passages.",
    ]
    assert all(step["state"] == "SUCCEEDED" and step["thought"] for step in steps.values())
    (action,) = steps["Search for passages."]["actions"]
    assert action["searchAction"] == {"query": "When was the Varn Tower opened?"}
    first = action["observation"]["searchResults"][0]
    assert first["document"].endswith("/documents/tower")
    assert first["snippetInfo"][0]["snippetStatus"] == "SUCCESS"
    assert "Varn Tower" in first["snippetInfo"][0]["snippet"]


@pytest.mark.parametrize(
    "question", ["富士見橋の全長と設計者を教えてください。", "What does the café serve?"]
)
def test_offsets_are_bytes_of_utf_8(readers, library, question):
    answer, _ = ask(readers, library.guides, question, **WITH_CITATIONS)
    text = answer["answerText"]
    assert not text.isascii()
    parts = cited(answer)  # cuts bytes, so a wrong offset breaks a character or moves a stretch
    assert len(parts) > 1
    assert parts[-1] in (
        "設計者は田中一郎である。",
        "It serves crème brûlée 🍮 and Käsekuchen until midnight.",
    )
    assert int(answer["citations"][-1]["endIndex"]) == len(text.encode()) > len(text)


def test_supports_cover_the_text_and_are_in_bytes(readers, library):
    if not has_supports(readers):
        pytest.skip("v1alpha has no grounding_spec")
    answer, _ = ask(readers, library.guides, "What does the café serve?", **SUPPORTS)
    text = answer["answerText"].encode()
    supports = answer["groundingSupports"]
    said = [text[int(s.get("startIndex", 0)) : int(s["endIndex"])].decode() for s in supports]
    assert " ".join(said) == answer["answerText"]
    assert all(s["groundingCheckRequired"] and s["groundingScore"] > 0.8 for s in supports)
    assert all(s["sources"] == [{"referenceId": "0"}] for s in supports)
    mean = sum(s["groundingScore"] for s in supports) / len(supports)
    assert answer["groundingScore"] == pytest.approx(mean, abs=1e-4)
    assert "citations" not in answer


def test_nothing_that_was_not_asked_for(reader, library):
    answer, _ = ask(reader, library.guides, "When was the Varn Tower opened?")
    asked_for = {
        "citations",
        "groundingSupports",
        "groundingScore",
        "relatedQuestions",
        "queryUnderstandingInfo",
        "safetyRatings",
        "blobAttachments",
    }
    assert not asked_for & set(answer)
    assert answer["references"]


def test_a_yes_is_cited_and_its_sentence_is_what_is_checked(reader, library):
    answer, _ = ask(
        reader, library.guides, "Is the tower made of steel?", **WITH_CITATIONS, **SUPPORTS
    )
    assert answer["answerText"].startswith("Yes. ")
    assert cited(answer)[0] == "Yes."
    yes, rest = answer["groundingSupports"]
    assert not yes.get("groundingCheckRequired")
    assert "groundingScore" not in yes
    assert rest["groundingCheckRequired"]
    assert answer["groundingScore"] == pytest.approx(rest["groundingScore"])


def test_chunks_are_cited_as_chunks(readers, library):
    answer, _ = ask(readers, library.guides, "How tall is the Varn Tower?", **CHUNKS)
    info = answer["references"][0]["chunkInfo"]
    assert info["chunk"] == f"{library.guides}/branches/0/documents/tower/chunks/c1"
    assert "214 metres" in info["content"]
    assert 0 < info["relevanceScore"] <= 1
    metadata = info["documentMetadata"]
    assert metadata["document"] == f"{library.guides}/branches/0/documents/tower"
    assert metadata["title"] == "The Varn Tower"
    assert metadata["structData"] == {"kind": "sight"}
    found = answer["steps"][0]["actions"][0]["observation"]["searchResults"][0]
    assert found["chunkInfo"][0]["chunk"] == info["chunk"]
    assert "snippetInfo" not in found


def test_documents_of_data_are_cited_with_their_data(readers, library):
    answer, _ = ask(readers, library.records, "Within how many days can goods be returned?")
    assert "thirty days" in answer["answerText"]
    info = answer["references"][0]["structuredDocumentInfo"]
    assert info["document"] == f"{library.records}/branches/0/documents/returns"
    assert info["structData"]["title"] == "Returning goods"
    if has_supports(readers):  # v1alpha has neither field
        assert info["title"] == "Returning goods"
        assert info["uri"] == "https://shop.example/returns"


def test_an_engine_answers_from_all_its_data_stores(reader, library):
    for question, document in (
        ("When was the Varn Tower opened?", "guides/branches/0/documents/tower"),
        ("Within how many days can goods be returned?", "records/branches/0/documents/returns"),
    ):
        answer, _ = ask(reader, library.engine, question)
        assert json.dumps(answer["references"]).count(document) == 1


def test_images_of_a_document_are_attached(library):
    spec = {"answer_generation_spec": {"multimodal_spec": {"image_source": "CORPUS_IMAGE_ONLY"}}}
    question = "How much water does the garden pump lift?"
    for transport in ("rest", "grpc"):
        clients = library.connect("v1beta", transport)
        _, response = ask(clients, library.guides, question, **spec)
        (attachment,) = response.answer.blob_attachments
        assert attachment.data.mime_type == "image/png"
        assert attachment.data.data == PNG
        assert attachment.attribution_type.name == "CORPUS"
        (content,) = response.answer.references[0].unstructured_document_info.chunk_contents
        assert list(content.blob_attachment_indexes) == [0]
    _, response = ask(clients, library.guides, question)
    assert not response.answer.blob_attachments


def test_related_questions(reader, library):
    question = "When was the Varn Tower opened?"
    answer, _ = ask(reader, library.guides, question, related_questions_spec={"enable": True})
    related = answer["relatedQuestions"]
    assert 1 <= len(related) <= 5
    assert question not in related
    assert all(one.endswith(("?", "？")) for one in related)


def test_classes_are_reported_as_asked(reader, library):
    understanding = {
        "query_classification_spec": {"types": ["ADVERSARIAL_QUERY", "NON_ANSWER_SEEKING_QUERY"]}
    }
    answer, _ = ask(
        reader,
        library.guides,
        "When was the Varn Tower opened?",
        query_understanding_spec=understanding,
    )
    assert answer["queryUnderstandingInfo"] == {
        "queryClassificationInfo": [
            {"type": "ADVERSARIAL_QUERY"},
            {"type": "NON_ANSWER_SEEKING_QUERY"},
        ]
    }
    assert answer["answerText"] == OPENED


def test_safety_is_rated_by_category(library):
    settings = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}]
    for version in ("v1", "v1beta"):
        answer, _ = ask(
            library.connect(version, "rest"),
            library.guides,
            "When was the Varn Tower opened?",
            safety_spec={"enable": True, "safety_settings": settings},
        )
        assert answer["answerText"] == OPENED
        assert {rating["category"] for rating in answer["safetyRatings"]} == {
            "HARM_CATEGORY_HATE_SPEECH",
            "HARM_CATEGORY_DANGEROUS_CONTENT",
            "HARM_CATEGORY_HARASSMENT",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT",
        }
        assert not any(rating.get("blocked") for rating in answer["safetyRatings"])
        assert {rating["probability"] for rating in answer["safetyRatings"]} <= {
            "NEGLIGIBLE",
            "LOW",
        }


def test_results_that_the_caller_brings_take_the_place_of_a_search(reader, library):
    results = [
        {
            "unstructured_document_info": {
                "document": "projects/p/mine",
                "title": "Bridges",
                "document_contexts": [
                    {"content": "The Oda Bridge was finished in 1877.", "page_identifier": "7"}
                ],
            }
        },
        {"chunk_info": {"chunk": "projects/p/other/chunks/c1", "content": "Oda is a small town."}},
    ]
    answer, _ = ask(
        reader,
        library.guides,
        "When was the Oda Bridge finished?",
        search_spec={"search_result_list": {"search_results": results}},
        **WITH_CITATIONS,
    )
    assert answer["answerText"] == "The Oda Bridge was finished in 1877."
    info = answer["references"][0]["unstructuredDocumentInfo"]
    assert (info["document"], info["title"]) == ("projects/p/mine", "Bridges")
    assert info["chunkContents"][0]["pageIdentifier"] == "7"


def test_what_the_caller_knows_of_the_user_is_read(library):
    note = {"chunk_info": {"content": "Your invoice number is 4711, due on 2 June."}}
    answer, _ = ask(
        library.connect("v1", "rest"),
        library.guides,
        "What is my invoice number?",
        end_user_spec={"end_user_metadata": [note]},
        **WITH_CITATIONS,
    )
    assert "4711" in answer["answerText"]
    assert cited(answer)
    info = answer["references"][0]["unstructuredDocumentInfo"]
    assert info["chunkContents"][0]["content"].startswith("Your invoice number")


def test_filters_and_result_counts_hold(reader, library):
    params = {"filter": 'kind: ANY("kitchen")', "max_return_results": 3}
    answer, _ = ask(
        reader,
        library.guides,
        "When was the Varn Tower opened?",
        search_spec={"search_params": params},
    )
    assert skipped(answer) == ["OUT_OF_DOMAIN_QUERY_IGNORED"]
    found = answer["steps"][0]["actions"][0]["observation"]["searchResults"]
    assert {item["document"].rpartition("/")[2] for item in found} == {"kettle"}


def test_controls_of_the_serving_config_hold_for_answers(reader, library):
    control = reader.make_control(
        library.engine,
        filter_action={"data_store": library.guides, "filter": 'kind: ANY("kitchen")'},
        use_cases=["SEARCH_USE_CASE_SEARCH"],
    )
    name = f"{library.engine}/servingConfigs/default_config"
    ids = {"name": name, "filter_control_ids": [control.name.rpartition("/")[2]]}
    reader.serving_config.update_serving_config(
        serving_config=ids, update_mask={"paths": ["filter_control_ids"]}
    )
    answer, _ = ask(reader, name, "When was the Varn Tower opened?")
    assert skipped(answer)
    answer, _ = ask(reader, library.engine, "When was the Varn Tower opened?")
    assert answer["answerText"] == OPENED


def test_the_same_question_has_the_same_answer(reader, library):
    def once(_):
        answer, response = ask(
            reader, library.guides, "What does the café serve?", **WITH_CITATIONS, **SUPPORTS
        )
        return {**answer, "createTime": "", "completeTime": ""}, response.answer_query_token

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(once, range(8))
    assert all(other == first for other in others)


def test_an_answer_comes_later_and_is_fetched_by_name(readers, library):
    response = readers.conversational_search.answer_query(
        request_of(
            library.guides,
            "When was the Varn Tower opened?",
            session=f"{library.guides}/sessions/-",
            asynchronous_mode=True,
            **WITH_CITATIONS,
        )
    )
    assert response.answer.state.name == "IN_PROGRESS"
    assert not response.answer.answer_text

    def finished():
        answer = readers.conversational_search.get_answer(name=response.answer.name)
        return answer if answer.state.name == "SUCCEEDED" else None

    answer = as_json(wait_for(finished))
    assert answer["name"] == response.answer.name
    assert answer["answerText"] == OPENED
    assert cited(answer) == [OPENED]
    assert RFC_3339.fullmatch(answer["completeTime"])


def test_an_answer_that_comes_later_needs_a_session(reader, library):
    with pytest.raises(InvalidArgument, match="session"):
        ask(reader, library.guides, "When?", asynchronous_mode=True)


def test_a_kept_answer_is_what_was_answered(readers, library):
    answer, response = ask(
        readers,
        library.guides,
        "What does the café serve?",
        session=f"{library.guides}/sessions/-",
        related_questions_spec={"enable": True},
        **WITH_CITATIONS,
    )
    assert answer["name"].startswith(f"{response.session.name}/answers/")
    kept = as_json(readers.conversational_search.get_answer(name=answer["name"]))
    assert kept == answer


def test_an_answer_that_is_not_there(readers, library):
    with pytest.raises(NotFound):
        readers.conversational_search.get_answer(name=f"{library.guides}/sessions/none/answers/a")


def test_curl_gets_times_and_enums_as_text(library):
    url = f"http://127.0.0.1:{library.server.port}/v1/{library.guides}"
    body = {"query": {"text": "Who is the king of Ruritania?"}}
    answer = requests.post(
        f"{url}/servingConfigs/default_search:answer", json=body, timeout=20
    ).json()["answer"]
    assert answer["answerText"] == FALLBACK
    assert answer["state"] == "SUCCEEDED"
    assert RFC_3339.fullmatch(answer["createTime"])
