"""LlamaIndex: `ToulminRetriever` finds nodes, `GroundingEvaluator` says whether they bear out.

Needs `llama-index-core`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from toulmin.integrations.service import Passage, Service

_GROUNDED = "grounded"


class ToulminRetriever(BaseRetriever):
    """Passages of a data store as nodes, best first.

    Args:
        server: Address of the server.
        store: Id of the data store.
        k: Most nodes, 1 to 100.
        filter_: As the API takes it; empty: none.
        api_key: One of the server's keys, where it asks for one.
        project: Project of the data store.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        store: str = "default",
        *,
        k: int = 5,
        filter_: str = "",
        api_key: str = "",
        project: str = "default",
    ) -> None:
        super().__init__()
        self._service = Service(server, api_key=api_key, project=project)
        self._store = store
        self._k = k
        self._filter = filter_

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the nodes; their metadata say name, title, address and page.

        Raises:
            ToulminError: As the API answers.
        """
        found = self._service.search(
            self._store, query_bundle.query_str, limit=self._k, filter_=self._filter
        )
        return [_node(passage) for passage in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class GroundingEvaluator(BaseEvaluator):
    """Says whether the contexts bear out every sentence of a response; the query is not read.

    Args:
        server: Address of the server.
        min_support: Least support of each sentence, in [0, 1].
        api_key: One of the server's keys, where it asks for one.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        min_support: float = 0.6,
        api_key: str = "",
    ) -> None:
        self._service = Service(server, api_key=api_key)
        self._min_support = min_support

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        """Do nothing: there is no prompt."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Return `passing`, the support score as `score`, and the weak sentences as `feedback`.

        Args:
            query: Goes into the result as it is.
            response: At most 4,096 tokens.
            contexts: 1 to 200.
            kwargs: None are known.

        Raises:
            ValueError: There is no response or no context.
            ToulminError: As the API answers; nothing passes that was not checked.
        """
        del kwargs
        if response is None or not contexts:
            raise ValueError("response and contexts must be given: a text, and 1 to 200 contexts")
        verdict = await asyncio.to_thread(self._service.check, response, list(contexts))
        fault = verdict.fault(self._min_support)
        return EvaluationResult(
            query=query,
            response=response,
            contexts=list(contexts),
            passing=not fault,
            score=verdict.support,
            feedback=f"not grounded: {fault}" if fault else _GROUNDED,
        )


def _node(passage: Passage) -> NodeWithScore:
    name = str(passage.source.get("name", ""))
    identity = {"id_": name} if name else {}
    node = TextNode(text=passage.text, metadata=dict(passage.source), **identity)
    # What the language model is shown of a node is its text and title; names are for people.
    node.excluded_llm_metadata_keys = ["name", "uri", "page"]
    return NodeWithScore(node=node, score=passage.score)
