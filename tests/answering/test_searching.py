"""What a search finds, as passages; and in which order they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from toulmin.answering.passages import Passage, SourceKind
from toulmin.answering.searching import (
    CHUNKS_OF_DOCUMENT,
    CONTEXT_FIRST,
    MOST_CHUNKS,
    MOST_PASSAGES,
    search_passages,
    with_context,
    with_whole_tables,
)
from toulmin.domain import Chunk, Document, DocumentContent
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.retrieval.results import FoundChunk, FoundDocument, SearchResults

STORE = "projects/p/locations/global/collections/default_collection/dataStores/d"
QUERY = SearchQuery(scopes=(Scope(data_store=STORE),), text="oil")


class Found:
    """A searcher that finds what it is given, and keeps what it was asked."""

    def __init__(self, results: SearchResults) -> None:
        self.results = results
        self.asked: list[SearchQuery] = []

    def search(self, query: SearchQuery, **_: Any) -> SearchResults:
        self.asked.append(query)
        return self.results


def chunk(document: Document, id_: str, score: float) -> FoundChunk:
    return FoundChunk(
        data_store=STORE,
        branch="0",
        document=document,
        document_key=7,
        chunk=Chunk(
            document_id=document.id,
            id=id_,
            content=f"Text of {document.id} {id_}.",
            start=0,
            end=5,
            page_start=3,
            headings=("Oil",),
            blob_ids=("b1",),
        ),
        score=score,
        relevance=score / 2,
    )


def document(id_: str, *, with_content: bool = True) -> Document:
    content = DocumentContent(mime_type="text/plain", uri="file:///a.txt") if with_content else None
    return Document(id=id_, content=content, struct_data={"n": 1}, derived={"title": id_.title()})


def found(document: Document, *chunks: FoundChunk) -> FoundDocument:
    return FoundDocument(
        data_store=STORE,
        branch="0",
        document=document,
        chunks=chunks,
        score=max(item.score for item in chunks),
        relevance=0.5,
    )


def passages(results: SearchResults, mode: ResultMode = ResultMode.DOCUMENTS) -> Sequence[Passage]:
    searcher: Any = Found(results)
    query = SearchQuery(scopes=QUERY.scopes, text="oil", mode=mode)
    made = search_passages(searcher, query).passages
    assert [asked.chunks_per_document for asked in searcher.asked] == [CHUNKS_OF_DOCUMENT]
    return made


def test_the_best_chunks_of_all_documents_come_first() -> None:
    first, second = document("a"), document("b")
    made = passages(
        SearchResults(
            documents=(
                found(first, chunk(first, "c1", 0.9), chunk(first, "c2", 0.2)),
                found(second, chunk(second, "c1", 0.5)),
            )
        )
    )
    assert [passage.text for passage in made] == ["Text of a c1.", "Text of b c1.", "Text of a c2."]


@pytest.mark.parametrize(("correct", "searched"), [(True, "valve oil"), (False, "vavle oil")])
def test_what_was_searched_has_its_misspelt_words_put_right(correct: bool, searched: str) -> None:
    searcher: Any = Found(SearchResults(corrected_text="valve oil"))
    query = SearchQuery(scopes=QUERY.scopes, text="vavle oil", correct_spelling=correct)
    assert search_passages(searcher, query).query == searched


def test_a_passage_knows_where_it_is_from() -> None:
    oil = document("oil")
    (passage,) = passages(SearchResults(documents=(found(oil, chunk(oil, "c4", 0.8)),)))
    assert passage == Passage(
        text="Text of oil c4.",
        kind=SourceKind.DOCUMENT,
        document=f"{STORE}/branches/0/documents/oil",
        chunk=f"{STORE}/branches/0/documents/oil/chunks/c4",
        uri="file:///a.txt",
        title="Oil",
        page="3",
        relevance=0.4,
        struct_data={"n": 1},
        blob_ids=("b1",),
        document_key=7,
        headings=("Oil",),
    )


def test_kinds_of_sources() -> None:
    data = document("a", with_content=False)
    (passage,) = passages(SearchResults(documents=(found(data, chunk(data, "c1", 1.0)),)))
    assert passage.kind is SourceKind.STRUCTURED
    (passage,) = passages(SearchResults(chunks=(chunk(data, "c1", 1.0),)), ResultMode.CHUNKS)
    assert passage.kind is SourceKind.CHUNK


def test_no_more_than_can_be_used() -> None:
    oil = document("oil")
    many = tuple(chunk(oil, f"c{n}", 1 - n / 100) for n in range(MOST_PASSAGES + 5))
    made = passages(SearchResults(chunks=many), ResultMode.CHUNKS)
    assert len(made) == MOST_PASSAGES
    assert made[-1].text == f"Text of oil c{MOST_PASSAGES - 1}."


def test_what_is_known_of_the_user_is_read_first_as_far_as_it_fits_the_question() -> None:
    oil = [Passage(text=f"Oil {n}.", relevance=0.5) for n in range(3)]
    context = [
        Passage(text="Your shoes are size nine.", kind=SourceKind.USER),
        Passage(text="Your invoice is due in June.", kind=SourceKind.USER),
        Passage(text="The number of your invoice is 4711.", kind=SourceKind.USER),
    ]
    made = with_context("What is the number of my invoice?", oil, context)
    assert made[:CONTEXT_FIRST] == [context[2], context[1]]
    assert made[CONTEXT_FIRST:] == [*oil, context[0]]
    assert with_context("What?", oil, ()) == oil


def rows_of(number: int) -> Chunk:
    content = f"| A | B |\n| --- | --- |\n| a{number} | {number} |"
    return Chunk(document_id="doc", id=f"c{number}", content=content, start=0, end=5)


def row_passage(number: int) -> Passage:
    document = f"{STORE}/branches/0/documents/doc"
    text = rows_of(number).content
    return Passage(text=text, document=document, chunk=f"{document}/chunks/c{number}")


def test_the_chunks_of_a_table_are_put_together_in_their_order() -> None:
    prose = Chunk(document_id="doc", id="p", content="Oil is thick.", start=0, end=5)
    chunks = [prose, rows_of(1), rows_of(2), rows_of(3), prose, rows_of(4)]
    other = Passage(text="Water is thin.")
    whole = with_whole_tables([row_passage(3), other, row_passage(2)], lambda _: chunks)
    assert [p.chunk.rpartition("/")[2] for p in whole] == ["c1", "c2", "c3", ""]
    assert whole[0].text == rows_of(1).content
    assert not any(passage.cut for passage in whole)


def test_a_table_that_goes_on_beyond_what_is_looked_at_is_cut() -> None:
    chunks = [rows_of(number) for number in range(MOST_CHUNKS)]
    assert all(p.cut for p in with_whole_tables([row_passage(2)], lambda _: chunks))
    late = row_passage(MOST_CHUNKS + 1)
    assert with_whole_tables([late], lambda _: chunks)[0].cut
    assert with_whole_tables([late], lambda _: ()) == [late]
