"""A question as it is searched -> the passages that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from toulmin.answering.passages import Passage, SourceKind
from toulmin.domain import Branch, Chunk, Document
from toulmin.retrieval.coverage import QueryWords
from toulmin.retrieval.query import ResultMode, SearchQuery
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.search import Searcher
from toulmin.work import UNLIMITED, Work

CHUNKS_OF_DOCUMENT = 2
"""Chunks of each document that are read, in a search for documents."""
MOST_PASSAGES = 20
MOST_CHUNKS = 64
"""Chunks of a document among which the rest of a table is looked for."""
CONTEXT_FIRST = 2
"""Passages of the caller's that are read before what was found."""


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """What a search found.

    Attributes:
        passages: The best one first.
        query: What was searched: the query with its misspelt words put right.
    """

    passages: list[Passage]
    query: str


def search_passages(
    searcher: Searcher,
    query: SearchQuery,
    *,
    work: Work = UNLIMITED,
) -> FoundPassages:
    """Return what a search finds as passages, the best one first, and for which words.

    In a search for documents each gives its best chunks; a document's data make it structured when
    it has no content.

    Args:
        searcher: What searches.
        query: What to look for.
        work: Asked and timed step by step.
    """
    asked = replace(query, chunks_per_document=CHUNKS_OF_DOCUMENT)
    results = searcher.search(asked, work=work)
    chunks = list(results.chunks)
    for document in results.documents:
        chunks += document.chunks
    chunks.sort(key=lambda chunk: -chunk.score)
    passages = [passage_of(chunk, mode=query.mode) for chunk in chunks[:MOST_PASSAGES]]
    corrected = results.corrected_text if query.correct_spelling else ""
    return FoundPassages(passages, corrected or query.text)


def with_whole_tables(
    found: Sequence[Passage], chunks_of: Callable[[Passage], Sequence[Chunk]]
) -> list[Passage]:
    """Return the passages; where a table goes over several chunks, all of them in their order.

    A passage whose table goes on where it cannot be followed is marked as cut.

    Args:
        found: What was found.
        chunks_of: Returns the chunks of a passage's document in its order, `MOST_CHUNKS` at most;
            none of one that is in no data store.
    """
    by_chunk = {passage.chunk: passage for passage in found if passage.chunk}
    whole: list[Passage] = []
    placed: set[str] = set()
    for passage in found:
        lines = passage.text.strip().splitlines()
        if passage.chunk in placed:
            continue
        if not passage.chunk or not lines or "|" not in {lines[0][:1], lines[-1][:1]}:
            whole.append(passage)
            continue
        chunks = list(chunks_of(passage))
        own = passage.chunk.rpartition("/chunks/")[2]
        place = next((at for at, chunk in enumerate(chunks) if chunk.id == own), None)
        if place is None:
            whole.append(replace(passage, cut=len(chunks) >= MOST_CHUNKS))
            continue
        first, last = _table_around(chunks, place)
        for chunk in chunks[first : last + 1]:
            name = f"{passage.document}/chunks/{chunk.id}"
            one = by_chunk.get(name) or _of_same_document(passage, chunk, name)
            whole.append(replace(one, cut=last == MOST_CHUNKS - 1))
            placed.add(name)
    return whole


def _table_around(chunks: Sequence[Chunk], place: int) -> tuple[int, int]:
    """Return the first and the last of the chunks over which the table of one goes."""
    first = last = place
    while first and _goes_on(chunks[first - 1], chunks[first]):
        first -= 1
    while last + 1 < len(chunks) and _goes_on(chunks[last], chunks[last + 1]):
        last += 1
    return first, last


def _goes_on(chunk: Chunk, following: Chunk) -> bool:
    """Return whether one chunk ends with a row and the next one begins with one."""
    return chunk.content.strip().rpartition("\n")[2][:1] == "|" == following.content.lstrip()[:1]


def _of_same_document(passage: Passage, chunk: Chunk, name: str) -> Passage:
    """Return a chunk as a passage; it was not found, its relevance is the table's."""
    return replace(
        passage,
        text=chunk.content,
        chunk=name,
        page="" if chunk.page_start is None else str(chunk.page_start),
        later_pages=tuple((start, str(page)) for start, page in chunk.later_pages),
        blob_ids=chunk.blob_ids,
        headings=chunk.headings,
    )


def with_context(query: str, found: Sequence[Passage], context: Sequence[Passage]) -> list[Passage]:
    """Return what was found and what the caller knows of the user, in the order of reading.

    Only the first few passages are read, so those of the caller's that have most of the question's
    words come before what was found, and the others after it.
    """
    if not context:
        return list(found)
    words = QueryWords(query).coverage([passage.text for passage in context]).tolist()
    order = sorted(range(len(context)), key=lambda place: (-round(words[place], 9), place))
    ordered = [context[place] for place in order]
    return [*ordered[:CONTEXT_FIRST], *found, *ordered[CONTEXT_FIRST:]]


def only_extends(query: str, asked: str) -> bool:
    """Return whether a topic was put behind a question, which may have one of its own."""
    return len(query) > len(asked) and query.startswith(asked.rstrip("?\uff1f "))


def passage_of(found: FoundChunk, *, mode: ResultMode) -> Passage:
    """Return a chunk as a passage."""
    document, chunk = found.document, found.chunk
    name = f"{Branch(found.data_store, found.branch).name}/documents/{document.id}"
    if mode is ResultMode.CHUNKS:
        kind = SourceKind.CHUNK
    elif document.content is None:
        kind = SourceKind.STRUCTURED
    else:
        kind = SourceKind.DOCUMENT
    return Passage(
        text=chunk.content,
        kind=kind,
        document=name,
        chunk=f"{name}/chunks/{chunk.id}",
        uri=_uri(document),
        title=str(document.derived.get("title") or ""),
        page="" if chunk.page_start is None else str(chunk.page_start),
        relevance=found.relevance,
        later_pages=tuple((start, str(page)) for start, page in chunk.later_pages),
        struct_data=document.data,
        blob_ids=chunk.blob_ids,
        document_key=found.document_key,
        headings=chunk.headings,
    )


def _uri(document: Document) -> str:
    return str(document.derived.get("link") or (document.content and document.content.uri) or "")
