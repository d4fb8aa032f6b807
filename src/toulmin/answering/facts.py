"""Facts for a text out of data stores: what a search finds for each of its claims."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.domain import Fact
from toulmin.grounding.check import MAX_FACT_CHARACTERS, MAX_FACTS
from toulmin.grounding.claims import split_claims
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.search import Searcher
from toulmin.work import UNLIMITED, Work

CHUNKS_PER_CLAIM = 5
_MOST_CLAIMS = MAX_FACTS


def find_facts(
    answer: str,
    scopes: Sequence[Scope],
    searcher: Searcher,
    *,
    work: Work = UNLIMITED,
) -> list[FoundChunk]:
    """Return the chunks that may bear out or contradict `answer`, at most 200, each once.

    Every claim that needs a check is searched for, together with what it leans on; the best chunks
    of all claims come first, then the second best, and so on.

    Args:
        answer: The text to check.
        scopes: Data stores to search.
        searcher: What searches.
        work: Asked and timed step by step.
    """
    claims = [claim for claim in split_claims(answer) if claim.needs_check][:_MOST_CLAIMS]
    found = [
        searcher.search(
            SearchQuery(
                scopes=scopes,
                text=f"{claim.context} {claim.text}".strip(),
                mode=ResultMode.CHUNKS,
                page_size=CHUNKS_PER_CLAIM,
                correct_spelling=False,
            ),
            work=work,
        ).chunks
        for claim in claims
    ]
    chunks: dict[int, FoundChunk] = {}
    for place in range(CHUNKS_PER_CLAIM):
        for ranking in found:
            if place < len(ranking):
                chunks.setdefault(ranking[place].chunk.key, ranking[place])
    return list(chunks.values())[:MAX_FACTS]


def fact_of_chunk(found: FoundChunk) -> Fact:
    """Return a chunk as a fact, its document's title as an attribute."""
    title = str(found.document.derived.get("title") or "")
    headings = " > ".join(found.chunk.headings)
    attributes = {"title": title, "section": headings}
    text = found.chunk.content[:MAX_FACT_CHARACTERS]
    return Fact(text, {key: value for key, value in attributes.items() if value})
