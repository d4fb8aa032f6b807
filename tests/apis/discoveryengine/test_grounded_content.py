"""GenerateGroundedContent: what is said from facts and data stores, at once and as a stream."""

from __future__ import annotations

import json
import queue
import urllib.request

import pytest
from google.api_core import exceptions

from tests.apis.discoveryengine.answer_backend import FALLBACK, AnswerBackend, as_json
from tests.apis.discoveryengine.clients import LOCATION
from tests.apis.discoveryengine.refusals import violation_of
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.model, pytest.mark.client]

FACTS = [
    {
        "fact_text": "The Orla dam was finished in 1958.",
        "attributes": {"title": "Dams", "uri": "https://dams.example/orla", "author": "K. Beck"},
    },
    {"fact_text": "The Orla dam holds back forty million cubic metres of water."},
    {"fact_text": "Trout live in the lake behind it."},
]
WHEN = "When was the Orla dam finished?"


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("grounded"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def beta(backend):
    return backend.clients


def inline(*facts, **fields):
    return {"inline_source": {"grounding_facts": list(facts or FACTS), **fields}}


def searched(name, **fields):
    config = f"{name}/servingConfigs/default_search"
    return {"search_source": {"serving_config": config, **fields}}


def request_of(question, *sources, **fields):
    contents = question if isinstance(question, list) else [said(question)]
    return {
        "location": LOCATION,
        "contents": contents,
        "grounding_spec": {"grounding_sources": list(sources)},
        **fields,
    }


def said(words, role="user"):
    return {"role": role, "parts": [{"text": words}]}


def generate(clients, *args, **fields):
    """Return the candidate as JSON."""
    request = request_of(*args, **fields)
    (candidate,) = as_json(clients.grounded_generation.generate_grounded_content(request))[
        "candidates"
    ]
    return candidate


def text_of(candidate):
    return "".join(part.get("text", "") for part in candidate["content"]["parts"])


@pytest.mark.parametrize("transport", ["rest", "grpc"])
@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_facts_of_the_request(backend, version, transport):
    candidate = generate(backend.connect(version, transport), WHEN, inline())
    assert "1958" in text_of(candidate)
    assert candidate["content"]["role"] == "model"
    assert candidate["groundingScore"] >= 0.8
    metadata = candidate["groundingMetadata"]
    assert metadata["retrievalMetadata"] == [{"source": "INLINE_CONTENT"}]
    first = metadata["supportChunks"][0]
    assert first == {
        "chunkText": FACTS[0]["fact_text"],
        "source": "0",
        "uri": "https://dams.example/orla",
        "title": "Dams",
        "sourceMetadata": FACTS[0]["attributes"],
    }
    support = metadata["groundingSupport"][0]
    assert "1958" in support["claimText"]
    assert support["supportChunkIndices"] == [0]
    assert support["supportScore"] >= 0.8


def test_facts_are_numbered_through_all_sources(beta):
    candidate = generate(
        beta,
        WHEN,
        inline(FACTS[2], attributes={"source": "park"}),
        inline(*FACTS[:2], attributes={"author": "nobody", "source": "board"}),
    )
    first = candidate["groundingMetadata"]["supportChunks"][0]
    assert first["source"] == "1"
    assert first["sourceMetadata"]["author"] == "K. Beck"  # a fact's own attribute counts
    assert first["sourceMetadata"]["source"] == "board"


def test_a_data_store_is_searched(backend, beta):
    candidate = generate(
        beta, "When was the Varn Tower opened?", searched(backend.engine, max_result_count=2)
    )
    assert "1932" in text_of(candidate)
    metadata = candidate["groundingMetadata"]
    assert metadata["retrievalMetadata"] == [{"source": "VERTEX_AI_SEARCH"}]
    document = f"{backend.guides}/branches/0/documents/tower"
    first = metadata["supportChunks"][0]
    assert first["source"].startswith(f"{document}/chunks/")
    assert first["sourceMetadata"]["document_name"] == document
    assert first["title"] == "The Varn Tower"


def test_the_search_is_filtered(backend, beta):
    only = searched(backend.guides, filter='kind: ANY("none")')
    candidate = generate(beta, "When was the Varn Tower opened?", only)
    assert text_of(candidate) == FALLBACK
    assert "groundingMetadata" not in candidate
    assert "groundingScore" not in candidate


def test_facts_beside_a_search(backend, beta):
    sources = (searched(backend.guides), inline())
    for question, words, source in (
        (WHEN, "1958", "0"),
        ("When was the Varn Tower opened?", "1932", f"{backend.guides}/"),
    ):
        candidate = generate(beta, question, *sources)
        assert words in text_of(candidate)
        first = candidate["groundingMetadata"]["supportChunks"][0]
        assert first["source"].startswith(source)


def test_earlier_contents_are_understood(beta):
    contents = [
        said("When was the Orla dam finished?"),
        said("The Orla dam was finished in 1958.", "model"),
        said("How much water does it hold back?"),
    ]
    candidate = generate(beta, contents, inline())
    assert "forty million" in text_of(candidate)


def test_an_instruction_and_a_language_are_taken(beta):
    fields = {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "generation_spec": {"language_code": "ja", "temperature": 0.5, "model_id": "any"},
    }
    assert "1958" in text_of(generate(beta, WHEN, inline(), **fields))
    nothing = inline({"fact_text": " . "})
    assert "検索" in text_of(generate(beta, "Who built the moon?", nothing, **fields))


def test_the_same_request_has_the_same_bytes(beta):
    first, second = (
        beta.grounded_generation.generate_grounded_content(request_of(WHEN, inline()))
        for _ in range(2)
    )
    assert type(first).serialize(first) == type(second).serialize(second)


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_the_stream_says_the_same(backend, version):
    clients = backend.connect(version, "grpc")
    module = clients.api
    questions = [WHEN, "Which fish live in the lake behind it?"]
    requests = [
        module.GenerateGroundedContentRequest(request_of(question, inline()))
        for question in questions
    ]
    parts = [
        as_json(part)["candidates"][0]
        for part in clients.grounded_generation.stream_generate_grounded_content(iter(requests))
    ]
    wholes = [generate(clients, question, inline()) for question in questions]
    assert "".join(map(text_of, parts)) == "".join(map(text_of, wholes))
    ends = [part["groundingMetadata"] for part in parts if "groundingMetadata" in part]
    assert ends == [whole["groundingMetadata"] for whole in wholes]


def test_an_empty_stream_is_answered_by_nothing(beta):
    service = beta.grounded_generation
    assert list(service.stream_generate_grounded_content(iter(()))) == []


def test_an_error_ends_the_stream(beta):
    module = beta.api
    requests = [
        module.GenerateGroundedContentRequest(request_of(WHEN, inline())),
        module.GenerateGroundedContentRequest(request_of(WHEN)),
    ]
    stream = beta.grounded_generation.stream_generate_grounded_content(iter(requests))
    with pytest.raises(exceptions.InvalidArgument, match="grounding_sources"):
        list(stream)


def post(backend, version, body, query=""):
    url = (
        f"http://127.0.0.1:{backend.server.port}/{version}/{LOCATION}"
        f":streamGenerateGroundedContent{query}"
    )
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
        return reply.headers["Content-Type"], reply.read()


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_one_request_as_json_is_answered_by_an_array(backend, version):
    body = request_of(WHEN, inline())
    del body["location"]
    kind, content = post(backend, version, body)
    assert kind.startswith("application/json")
    assert content[:1] == b"["
    assert content[-1:] == b"]"
    parts = [part["candidates"][0] for part in json.loads(content)]
    assert "1958" in "".join(map(text_of, parts))
    assert "groundingMetadata" in parts[-1]
    kind, events = post(backend, version, body, "?alt=sse")
    assert kind.startswith("text/event-stream")
    assert events.startswith(b"data: {")


TOO_LONG = "x" * 10_001
BAD = [
    ({"location": "projects/p"}, "location"),
    ({"contents": []}, "contents"),
    ({"contents": [said("x")] * 101}, "contents"),
    ({"contents": [said(" ")]}, "contents[0].parts"),
    ({"contents": [said("x"), said(TOO_LONG)]}, "contents[1].parts"),
    ({"contents": [said(TOO_LONG), said("x")]}, "contents[0].parts"),
    ({"contents": [said("x", "system")]}, "contents[0].role"),
    ({"contents": [said("x"), said("y", "model")]}, "contents[1].role"),
    ({"system_instruction": {"parts": [{"text": "x" * 20_001}]}}, "system_instruction"),
    ({"generation_spec": {"temperature": 2.5}}, "generation_spec.temperature"),
    ({"generation_spec": {"temperature": float("nan")}}, "generation_spec.temperature"),
    ({"user_labels": {"Team": "a"}}, "user_labels"),
]
SOURCES = "grounding_spec.grounding_sources"
NO_CONFIG = {"search_source": {"serving_config": "servingConfigs/x"}}
BAD_SOURCES = [
    ([], SOURCES),
    ([{}], f"{SOURCES}[0]"),
    ([{"inline_source": {}}], f"{SOURCES}[0].inline_source.grounding_facts"),
    (
        [inline(*FACTS), inline(*[FACTS[2]] * 198)],
        f"{SOURCES}[1].inline_source.grounding_facts",
    ),
    (
        [inline(FACTS[0], {"fact_text": " "})],
        f"{SOURCES}[0].inline_source.grounding_facts[1].fact_text",
    ),
    (
        [inline({"fact_text": TOO_LONG})],
        f"{SOURCES}[0].inline_source.grounding_facts[0].fact_text",
    ),
    ([NO_CONFIG], f"{SOURCES}[0].search_source.serving_config"),
]


@pytest.mark.parametrize(("fields", "field"), BAD)
def test_a_bad_request_names_its_field(beta, fields, field):
    request = request_of(WHEN, inline()) | fields
    service = beta.grounded_generation
    assert violation_of(lambda: service.generate_grounded_content(request))[0] == field


@pytest.mark.parametrize(("sources", "field"), BAD_SOURCES)
def test_a_bad_source_names_its_field(beta, sources, field):
    assert violation_of(lambda: generate(beta, WHEN, *sources))[0] == field


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"max_result_count": 11}, "max_result_count"),
        ({"max_result_count": -1}, "max_result_count"),
        ({"filter": "kind ANY"}, "filter"),
    ],
)
def test_a_bad_search_names_its_field(backend, beta, fields, field):
    source = searched(backend.guides, **fields)
    wanted = f"{SOURCES}[0].search_source.{field}"
    assert violation_of(lambda: generate(beta, WHEN, source))[0] == wanted


def test_a_data_store_that_is_not_there(backend, beta):
    with pytest.raises(exceptions.NotFound, match="dataStores/none"):
        generate(beta, WHEN, searched(backend.guides.replace("/guides", "/none")))


@pytest.mark.parametrize("kind", ["google_search_source", "enterprise_web_retrieval_source"])
def test_the_web_is_not_searched(beta, kind):
    with pytest.raises(exceptions.MethodNotImplemented, match=kind):
        generate(beta, WHEN, inline(), {kind: {}})


def test_a_second_search_is_refused(backend, beta):
    with pytest.raises(exceptions.MethodNotImplemented, match="second search source"):
        generate(beta, WHEN, searched(backend.guides), searched(backend.records))


def test_a_question_is_answered_before_the_next_one_comes(beta):
    asked = [(WHEN, "1958"), ("How much water does the Orla dam hold back?", "forty million")]
    requests = [
        beta.api.GenerateGroundedContentRequest(request_of(question, inline()))
        for question, _ in asked
    ]
    waiting = queue.Queue()
    waiting.put(requests[0])  # the client waits for the first response
    stream = beta.grounded_generation.stream_generate_grounded_content(
        iter(waiting.get, None), timeout=30
    )
    for following, (_, words) in zip([requests[1], None], asked, strict=True):
        said_so_far = ""
        for part in stream:
            candidate = as_json(part)["candidates"][0]
            said_so_far += text_of(candidate)
            if "groundingMetadata" in candidate:
                break
        assert words in said_so_far
        waiting.put(following)
    assert list(stream) == []
