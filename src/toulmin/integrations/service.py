"""What a framework wants of a Toulmin server: passages for a query, a verdict on a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.cli.addresses import COLLECTION
from toulmin.cli.server_client import ServerApi

_LOCATION: Final = "global"


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found.

    Attributes:
        text: Its text.
        score: How relevant it is, in [0, 1].
        source: Where it is from: name of the chunk, title, address and page, as far as they are
            known.
    """

    text: str
    score: float
    source: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text that was checked.

    Attributes:
        text: As it stands there.
        support: How well the facts support it, in [0, 1]; None: it states nothing to be checked.
        cited: Indices of the facts that support it.
        against: Indices of the facts that contradict it.
    """

    text: str
    support: float | None
    cited: tuple[int, ...]
    against: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found.

    Attributes:
        support: Of the whole text, in [0, 1].
        sentences: In their order.
    """

    support: float
    sentences: tuple[Sentence, ...]

    def weak(self, least: float) -> list[Sentence]:
        """Return the sentences that state something and have less support than `least`."""
        return [s for s in self.sentences if s.support is not None and s.support < least]

    def fault(self, least: float) -> str:
        """Return the weak sentences with their support in one line; empty: there are none."""
        return "; ".join(f"{s.support or 0.0:.2f} {s.text!r}" for s in self.weak(least))


class Service:
    """A running server, asked over REST.

    Args:
        url: Its address, such as "http://127.0.0.1:8080".
        api_key: One of its keys, where it asks for one.
        project: Project whose data stores are searched.

    Raises:
        InvalidArgument: `url` is no http or https address.
    """

    def __init__(self, url: str, *, api_key: str = "", project: str = "default") -> None:
        self._api = ServerApi(url, api_key=api_key, flag="server")
        self._collection = COLLECTION.format(project=project, location=_LOCATION)

    def search(self, store: str, query: str, *, limit: int, filter_: str = "") -> list[Passage]:
        """Return the passages of a data store that matter for a query, best first.

        Args:
            store: Id of the data store.
            query: Words or a question.
            limit: Most passages.
            filter_: As the API takes it, such as `kind: ANY("manual")`; empty: none.

        Raises:
            ToulminError: As the API answers: no such data store, a filter that cannot be read.
        """
        body = {
            "query": query,
            "pageSize": limit,
            "filter": filter_,
            "contentSearchSpec": {"searchResultMode": "CHUNKS"},
        }
        path = f"{self._collection}/dataStores/{store}/servingConfigs/default_search:search"
        results = self._api.call("POST", path, body).get("results", [])
        return [_passage(result.get("chunk", {})) for result in results[:limit]]

    def check(self, text: str, facts: Sequence[str]) -> Verdict:
        """Say for every sentence of a text how well facts support or contradict it.

        Args:
            text: At most 4,096 tokens.
            facts: 1 to 200.

        Raises:
            ToulminError: As the API answers.
        """
        body = {
            "answerCandidate": text,
            "facts": [{"factText": fact} for fact in facts],
            "groundingSpec": {"enableClaimLevelScore": True, "enableAntiCitations": True},
        }
        place = self._collection.partition("/collections/")[0]
        path = f"{place}/groundingConfigs/default_grounding_config:check"
        response = self._api.call("POST", path, body)
        facts_of = [int(chunk["source"]) for chunk in response.get("citedChunks", [])]
        return Verdict(
            support=float(response.get("supportScore", 0.0)),
            sentences=tuple(_sentence(claim, facts_of) for claim in response.get("claims", [])),
        )


def _sentence(claim: Mapping[str, Any], facts_of: Sequence[int]) -> Sentence:
    def facts(key: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(facts_of[chunk] for chunk in claim.get(key, [])))

    is_checked = claim.get("groundingCheckRequired", False)
    return Sentence(
        text=claim.get("claimText", ""),
        support=float(claim.get("score", 0.0)) if is_checked else None,
        cited=facts("citationIndices"),
        against=facts("antiCitationIndices"),
    )


def _passage(chunk: Mapping[str, Any]) -> Passage:
    about = chunk.get("documentMetadata", {})
    found = {
        "name": chunk.get("name", ""),
        "title": about.get("title", ""),
        "uri": about.get("uri", ""),
        "page": chunk.get("pageSpan", {}).get("pageStart", 0),
    }
    return Passage(
        text=chunk.get("content", ""),
        score=float(chunk.get("relevanceScore", 0.0)),
        source={key: value for key, value in found.items() if value},
    )
