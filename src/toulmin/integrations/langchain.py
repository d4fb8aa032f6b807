"""LangChain: `ToulminRetriever` finds documents, `GroundingCheck` lets only grounded text through.

Needs `langchain-core`.
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.exceptions import OutputParserException
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, RunnableSerializable
from pydantic import SecretStr

from toulmin.integrations.service import Sentence, Service, Verdict


class ToulminRetriever(BaseRetriever):
    """Passages of a data store as LangChain's documents, best first.

    Attributes:
        server: Address of the server.
        store: Id of the data store.
        k: Most documents, 1 to 100.
        filter: As the API takes it; empty: none.
        api_key: One of the server's keys, where it asks for one.
        project: Project of the data store.
    """

    server: str = "http://127.0.0.1:8080"
    store: str = "default"
    k: int = 5
    filter: str = ""
    api_key: SecretStr = SecretStr("")
    project: str = "default"

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        """Return the documents; their metadata say name, title, address, page and score."""
        del run_manager
        service = Service(
            self.server, api_key=self.api_key.get_secret_value(), project=self.project
        )
        found = service.search(self.store, query, limit=self.k, filter_=self.filter)
        return [
            Document(page_content=p.text, metadata={**p.source, "score": p.score}) for p in found
        ]


class NotGrounded(OutputParserException):
    """A text has sentences that the documents do not bear out.

    LangChain's `with_retry` and `with_fallbacks` take it as an output that could not be used.

    Attributes:
        weak: These sentences.
        verdict: The whole check.
    """

    def __init__(self, verdict: Verdict, least: float, text: str) -> None:
        super().__init__(f"not grounded: {verdict.fault(least)}", llm_output=text)
        self.verdict = verdict
        self.weak: list[Sentence] = verdict.weak(least)


class GroundingCheck(RunnableSerializable[dict[str, Any], str]):
    """Takes `{"text": ..., "documents": [...]}` and returns the text if the documents bear it out.

    Attributes:
        server: Address of the server.
        min_support: Least support of each sentence, in [0, 1].
        api_key: One of the server's keys, where it asks for one.
    """

    server: str = "http://127.0.0.1:8080"
    min_support: float = 0.6
    api_key: SecretStr = SecretStr("")

    def invoke(
        self,
        input: dict[str, Any],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """Return the text.

        Args:
            input: `text`, a string or a message; `documents`, LangChain's documents or strings.
            config: LangChain's; callbacks in it see the run.
            kwargs: None are known.

        Raises:
            NotGrounded: A sentence has less support than `min_support`.
            ToulminError: As the API answers.
        """
        result: str = self._call_with_config(self._checked, input, config, **kwargs)
        return result

    def verdict(self, text: str, documents: list[Any]) -> Verdict:
        """Return what the check finds, whatever it is."""
        facts = [getattr(item, "page_content", item) for item in documents]
        return Service(self.server, api_key=self.api_key.get_secret_value()).check(text, facts)

    def _checked(self, given: dict[str, Any]) -> str:
        text = str(getattr(given["text"], "content", given["text"]))
        verdict = self.verdict(text, given["documents"])
        if verdict.weak(self.min_support):
            raise NotGrounded(verdict, self.min_support, text)
        return text
