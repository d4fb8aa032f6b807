"""QueryCorpus and QueryDocument through the official clients of both versions."""

from __future__ import annotations

import math

import pytest

from tests.apis.generativelanguage.backend import chunk, metadata_of
from tests.apis.generativelanguage.test_corpus import refused

pytestmark = pytest.mark.client

FILMS = [
    chunk("A film about a ship.", genre="drama", year=1997, tags=["sea", "ice"]),
    chunk("A film about a shark.", genre="thriller", year=1975, tags=["sea"]),
    chunk("A film about a farm.", genre="comedy", year=1995),
]


@pytest.fixture(scope="module")
def corpus(beta):
    """Two documents: films with metadata, and a manual without; made through one version."""
    name = beta.make_corpus()
    films = beta.make_document(
        name,
        name=f"{name}/documents/films",
        display_name="Films",
        custom_metadata=metadata_of({"lang": "en", "pages": 3}),
    )
    beta.make_chunks(films, *FILMS)
    manual = beta.make_document(name, name=f"{name}/documents/manual")
    beta.make_chunks(manual, "The kettle boils water.", "The lamp of the film room glows.")
    return name


def ask(clients, name, query="film", filters=(), **more):
    request = {"name": name, "query": query, "metadata_filters": list(filters), **more}
    method = "query_document" if "/documents/" in name else "query_corpus"
    return list(getattr(clients.retriever, method)(request=request).relevant_chunks)


def about(found):
    return {item.chunk.data.string_value.rstrip(".").split()[-1] for item in found}


def where(key, *conditions):
    made = []
    for operation, value in conditions:
        kind = "string_value" if isinstance(value, str) else "numeric_value"
        made.append({"operation": operation, kind: value})
    return {"key": key, "conditions": made}


def test_the_best_comes_first_with_its_document(clients, corpus):
    found = ask(clients, corpus, "what boils in the kettle")
    best = found[0]
    assert best.chunk.data.string_value == "The kettle boils water."
    assert best.chunk.name.startswith(f"{corpus}/documents/manual/chunks/")
    assert best.chunk.state == 2
    assert best.chunk.create_time.year > 2000
    scores = [item.chunk_relevance_score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > scores[-1]
    if clients.version == "v1beta":  # v1alpha has no such field
        assert best.document.name == f"{corpus}/documents/manual"
        films = ask(clients, corpus, "shark")[0]
        assert films.document.display_name == "Films"
        assert films.document.custom_metadata[0].string_value == "en"


def test_a_document_is_asked_alone(clients, corpus):
    found = ask(clients, f"{corpus}/documents/films", "kettle lamp water")
    assert about(found) == {"ship", "shark", "farm"}
    assert all(item.chunk.name.startswith(f"{corpus}/documents/films/") for item in found)


CHUNK, DOCUMENT = "chunk.custom_metadata.", "document.custom_metadata."
ALL = {"ship", "shark", "farm", "water", "glows"}


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ([where(f"{CHUNK}year", ("LESS", 1995))], {"shark"}),
        ([where(f"{CHUNK}year", ("LESS_EQUAL", 1995))], {"shark", "farm"}),
        ([where(f"{CHUNK}year", ("EQUAL", 1995))], {"farm"}),
        ([where(f"{CHUNK}year", ("GREATER_EQUAL", 1995))], {"ship", "farm"}),
        ([where(f"{CHUNK}year", ("GREATER", 1995))], {"ship"}),
        ([where(f"{CHUNK}year", ("NOT_EQUAL", 1995))], ALL - {"farm"}),
        ([where(f"{CHUNK}genre", ("EQUAL", "drama"))], {"ship"}),
        ([where(f"{CHUNK}genre", ("NOT_EQUAL", "drama"))], ALL - {"ship"}),
        ([where(f"{CHUNK}tags", ("INCLUDES", "sea"))], {"ship", "shark"}),
        ([where(f"{CHUNK}tags", ("EXCLUDES", "ice"))], ALL - {"ship"}),
        ([where(f"{CHUNK}genre", ("EQUAL", "drama"), ("EQUAL", "comedy"))], {"ship", "farm"}),
        (
            [where(f"{CHUNK}year", ("GREATER", 1975)), where(f"{CHUNK}year", ("LESS", 1997))],
            {"farm"},
        ),
        (
            [
                where(f"{CHUNK}genre", ("EQUAL", "drama"), ("EQUAL", "comedy")),
                where(f"{CHUNK}tags", ("INCLUDES", "sea")),
            ],
            {"ship"},
        ),
        ([where(f"{DOCUMENT}lang", ("EQUAL", "en"))], {"ship", "shark", "farm"}),
        ([where(f"{DOCUMENT}pages", ("GREATER_EQUAL", 3))], {"ship", "shark", "farm"}),
        ([where(f"{DOCUMENT}lang", ("NOT_EQUAL", "en"))], {"water", "glows"}),
        ([where(f"{DOCUMENT}genre", ("EQUAL", "drama"))], set()),
        ([where(f"{CHUNK}lang", ("EQUAL", "en"))], set()),
        ([where("genre", ("EQUAL", "drama"))], {"ship"}),
        ([where("lang", ("EQUAL", "en"))], {"ship", "shark", "farm"}),
        ([where("lang", ("NOT_EQUAL", "en"))], {"water", "glows"}),
        ([where(f"{CHUNK}genre", ("EQUAL", "Drama"))], set()),
    ],
)
def test_filters(beta, corpus, filters, wanted):
    assert about(ask(beta, corpus, "film", filters)) == wanted


def test_a_document_is_filtered_by_its_chunks(clients, corpus):
    films = f"{corpus}/documents/films"
    assert about(ask(clients, films, "film", [where(f"{CHUNK}year", ("LESS", 1990))])) == {"shark"}
    assert about(ask(clients, films, "film", [where("genre", ("EQUAL", "drama"))])) == {"ship"}
    refused(
        lambda: ask(clients, films, "film", [where(f"{DOCUMENT}lang", ("EQUAL", "en"))]),
        "metadata_filters[0].key",
        "chunk.custom_metadata.KEY",
    )


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ([where("", ("EQUAL", "a"))], ["metadata_filters[0].key", "required"]),
        ([where(CHUNK, ("EQUAL", "a"))], ["metadata_filters[0].key"]),
        ([where("chunks.custom_metadata.x", ("EQUAL", "a"))], ["[0].key", "must be"]),
        ([where("x", ("EQUAL", "a")), where("y")], ["metadata_filters[1].conditions", "required"]),
        ([where("x", ("LESS", "a"))], ["conditions[0].operation", "string_value"]),
        ([where("x", ("INCLUDES", 1))], ["conditions[0].operation", "string_value"]),
        ([where("x", ("EXCLUDES", 1))], ["conditions[0].operation"]),
        ([where("x", ("OPERATOR_UNSPECIFIED", "a"))], ["conditions[0].operation", "required"]),
        ([where("x", ("EQUAL", math.nan))], ["conditions[0].numeric_value", "finite"]),
        ([{"key": "x", "conditions": [{"operation": "EQUAL"}]}], ["conditions[0]", "no value"]),
        ([where("x", *[("EQUAL", "a")] * 1001)], ["metadata_filters", "1,000"]),
    ],
)
def test_wrong_filters(beta, corpus, filters, words):
    refused(lambda: ask(beta, corpus, "film", filters), *words)


def test_how_many_are_returned(clients, corpus):
    assert len(ask(clients, corpus, "film", results_count=2)) == 2
    assert len(ask(clients, corpus, "film", results_count=100)) == 5
    many = clients.make_document()
    clients.make_chunks(many, *(f"Film number {n}." for n in range(30)))
    assert len(ask(clients, many)) == 10
    assert len(ask(clients, many, results_count=25)) == 25


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"query": ""}, ["query", "required"]),
        ({"query": " \n"}, ["query", "required"]),
        ({"query": "x" * 10_001}, ["query", "10,001", "10,000"]),
        ({"results_count": 101}, ["results_count", "101", "100"]),
        ({"results_count": -1}, ["results_count", "-1"]),
    ],
)
def test_wrong_queries(beta, corpus, more, words):
    refused(lambda: ask(beta, corpus, **more), *words)
    refused(lambda: ask(beta, f"{corpus}/documents/films", **more), *words)


def test_an_empty_corpus_has_nothing_to_say(clients):
    name = clients.make_corpus()
    assert ask(clients, name) == []
    document = clients.make_document(name)
    assert ask(clients, document) == []


def test_the_same_question_gets_the_same_answer(beta, corpus):
    assert ask(beta, corpus) == ask(beta, corpus)
