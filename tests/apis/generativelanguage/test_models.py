"""ModelService, embeddings and token counts through the official clients."""

from __future__ import annotations

import numpy as np
import pytest
from google.api_core.exceptions import MethodNotImplemented, NotFound

from tests.apis.generativelanguage.backend import Clients, CountingEmbedder
from tests.apis.generativelanguage.test_corpus import refused
from toulmin.models.embedder import Embedder

pytestmark = pytest.mark.client

EMBEDDER = "models/toulmin-embedder"
ALIASES = ["models/embedding-001", "models/gemini-embedding-001", "models/text-embedding-004"]
NAMES = ["models/aqa", *ALIASES, EMBEDDER]


def content(*texts):
    return {"parts": [{"text": text} for text in texts]}


def embed(clients, text, **more):
    request = {"model": EMBEDDER, "content": content(text), **more}
    return list(clients.generative.embed_content(request=request).embedding.values)


def test_models_are_listed_with_what_they_do(clients):
    listed = list(clients.model.list_models(request={}))
    assert [model.name for model in listed] == NAMES
    aqa, *_, embedder = listed
    assert "generateAnswer" in aqa.supported_generation_methods
    assert (aqa.input_token_limit, aqa.output_token_limit) == (7168, 1024)
    assert "embedContent" in embedder.supported_generation_methods
    assert embedder.version == CountingEmbedder.version
    assert clients.model.get_model(name=EMBEDDER) == embedder
    pages = clients.model.list_models(request={"page_size": 2}).pages
    assert [[model.name for model in page.models] for page in pages] == [
        NAMES[:2],
        NAMES[2:4],
        NAMES[4:],
    ]


@pytest.mark.parametrize("name", ALIASES)
def test_googles_names_mean_the_embedder_and_say_so(clients, name):
    model = clients.model.get_model(name=name)
    assert (model.name, model.base_model_id) == (name, "toulmin-embedder")
    assert model.version == CountingEmbedder.version
    assert EMBEDDER in model.description
    assert embed(clients, "The kettle boils.", model=name) == embed(clients, "The kettle boils.")
    batch = {"model": name, "requests": [{"model": name, "content": content("one")}]}
    made = clients.generative.batch_embed_contents(request=batch).embeddings
    assert list(made[0].values) == embed(clients, "one")
    counted = clients.generative.count_tokens(
        request={"model": name, "contents": [content("one two")]}
    )
    assert counted.total_tokens == 2


def test_an_unknown_model_is_not_found(clients):
    with pytest.raises(NotFound, match="models/other"):
        clients.model.get_model(name="models/other")
    with pytest.raises(NotFound, match=EMBEDDER):
        embed(clients, "x", model="models/text-embedding-other")
    with pytest.raises(NotFound, match="models/aqa is not there or not for embedContent"):
        embed(clients, "x", model="models/aqa")


def test_a_text_gets_the_vector_of_a_chunk(clients, backend):
    values = embed(clients, "The kettle boils.")
    assert values == pytest.approx(backend.embedder.embed(["The kettle boils."])[0], abs=1e-6)
    assert np.linalg.norm(values) == pytest.approx(1, abs=1e-5)
    assert embed(clients, "The kettle boils.", output_dimensionality=5) == values[:5]
    titled = embed(clients, "It boils.", title="Kettle", task_type="RETRIEVAL_DOCUMENT")
    plain = embed(clients, "It boils.", task_type="RETRIEVAL_DOCUMENT")
    kettle = embed(clients, "Kettle", task_type="RETRIEVAL_QUERY")
    assert np.dot(titled, kettle) > np.dot(plain, kettle)


def test_a_batch_is_answered_in_order(clients):
    request = {
        "model": EMBEDDER,
        "requests": [{"model": EMBEDDER, "content": content(text)} for text in ("one", "two")],
    }
    made = clients.generative.batch_embed_contents(request=request).embeddings
    assert [list(item.values) for item in made] == [embed(clients, "one"), embed(clients, "two")]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"model": ""}, ["model"]),
        ({"model": "embedder"}, ["model", "models/{model}"]),
        ({"content": content("")}, ["content", "no text"]),
        ({"content": {}}, ["content", "no text"]),
        ({"content": {"parts": [{"inline_data": {"data": b"x"}}]}}, ["content", "no text"]),
        ({"title": "T"}, ["title", "RETRIEVAL_DOCUMENT"]),
        ({"title": "T", "task_type": "RETRIEVAL_QUERY"}, ["title", "RETRIEVAL_DOCUMENT"]),
        ({"output_dimensionality": 0}, ["output_dimensionality", "0", "384"]),
        ({"output_dimensionality": 385}, ["output_dimensionality", "385", "384"]),
        ({"content": content("word " * 2049)}, ["content", "2,048"]),
        ({"content": content("w" * 300_000)}, ["content", "2,048"]),
    ],
)
def test_what_cannot_be_embedded(beta, more, words):
    refused(lambda: embed(beta, "x", **more), *words)


def test_what_a_batch_cannot_be(beta):
    one = {"content": content("x")}
    for requests, words in (
        ([], ["requests", "at least one"]),
        ([one] * 101, ["requests", "101", "100"]),
        ([one, {**one, "model": "models/aqa"}], ["requests[1].model", "models/aqa"]),
        ([one, {"content": content("")}], ["requests[1].content", "no text"]),
    ):
        refused(
            lambda requests=requests: beta.generative.batch_embed_contents(
                request={"model": EMBEDDER, "requests": requests}
            ),
            *words,
        )


def test_tokens_are_counted(clients):
    for model in (EMBEDDER, "models/aqa"):
        counted = clients.generative.count_tokens(
            request={"model": model, "contents": [content("one two", "three"), content("four")]}
        )
        assert counted.total_tokens == 4
        if clients.version == "v1beta":  # v1alpha has no such field
            assert [item.token_count for item in counted.prompt_tokens_details] == [4]
    whole = {
        "model": EMBEDDER,
        "system_instruction": content("be short"),
        "contents": [content("one two")],
    }
    counted = clients.generative.count_tokens(
        request={"model": EMBEDDER, "generate_content_request": whole}
    )
    assert counted.total_tokens == 4


@pytest.mark.parametrize("transport", ["rest", "grpc"])
def test_v1_has_the_models_too(backend, transport):
    v1 = Clients("v1", transport, backend.server.port)
    try:
        assert v1.model.get_model(name="models/aqa").name == "models/aqa"
        assert len(list(v1.model.list_models(request={}))) == len(NAMES)
        assert len(embed(v1, "The kettle boils.", output_dimensionality=7)) == 7
        batch = {"model": EMBEDDER, "requests": [{"model": EMBEDDER, "content": content("one")}]}
        assert len(v1.generative.batch_embed_contents(request=batch).embeddings) == 1
        counted = v1.generative.count_tokens(
            request={"model": EMBEDDER, "contents": [content("one two")]}
        )
        assert counted.total_tokens == 2
    finally:
        v1.close()


def test_what_cannot_be_counted(beta):
    def count(**more):
        return beta.generative.count_tokens(request={"model": EMBEDDER, **more})

    refused(lambda: count(), "contents")
    refused(
        lambda: count(
            contents=[content("x")],
            generate_content_request={"model": EMBEDDER, "contents": [content("x")]},
        ),
        "exclude each other",
    )
    refused(lambda: count(contents=[content("x" * 3_999_999, "yy")]), "4,000,001", "4,000,000")
    with pytest.raises(MethodNotImplemented, match="inline_data"):
        count(contents=[{"parts": [{"inline_data": {"mime_type": "image/png", "data": b"x"}}]}])


def test_the_real_encoder_counts_what_it_does_not_read():
    embedder = Embedder(workers=1)
    try:
        one = embedder.count_tokens("The quick brown fox jumps over the lazy dogs. ")
        assert one == 10
        assert embedder.count_tokens("The quick brown fox jumps over the lazy dogs. " * 200) == 2000
        assert embedder.count_tokens("") == 0
    finally:
        embedder.close()
