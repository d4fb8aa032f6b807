"""Haystack: `ToulminRetriever`, `GroundingCheck` and `GroundednessEvaluator` for its pipelines.

Needs `haystack-ai`.
"""

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from toulmin.integrations.service import Passage, Sentence, Service, Verdict

_SERVER = "http://127.0.0.1:8080"


class _OfServer:
    """What the components share: a server, and how it is written into a pipeline's file."""

    # No `__init__`: `@component` makes the class anew, and `super()` would mean the one before.
    def _connect(self, server: str, api_key: Secret | None, project: str = "default") -> None:
        self.server = server
        self.api_key = api_key
        key = api_key.resolve_value() if api_key else None
        self._service = Service(server, api_key=key or "", project=project)

    def _to_dict(self, **options: Any) -> dict[str, Any]:
        # A secret refuses to be written unless it is the name of an environment variable.
        return default_to_dict(self, server=self.server, api_key=self.api_key, **options)  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Return the component that `to_dict` wrote."""
        return default_from_dict(cls, data)


@component
class ToulminRetriever(_OfServer):
    """Passages of a data store as documents, best first.

    Args:
        server: Address of the server.
        store: Id of the data store.
        top_k: Most documents, 1 to 100.
        filter_: As the API takes it; empty: none.
        api_key: One of the server's keys, where it asks for one.
        project: Project of the data store.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(
        self,
        server: str = _SERVER,
        store: str = "default",
        top_k: int = 5,
        filter_: str = "",
        api_key: Secret | None = None,
        project: str = "default",
    ) -> None:
        self._connect(server, api_key, project)
        self.store = store
        self.top_k = top_k
        self.filter_ = filter_
        self.project = project

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline's file has it."""
        return self._to_dict(
            store=self.store, top_k=self.top_k, filter_=self.filter_, project=self.project
        )

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """Return `documents`; their `meta` says name, title, address and page.

        Args:
            query: Words or a question.
            top_k: In place of the component's own.

        Raises:
            ToulminError: As the API answers.
        """
        limit = self.top_k if top_k is None else top_k
        found = self._service.search(self.store, query, limit=limit, filter_=self.filter_)
        return {"documents": [_document(passage) for passage in found]}


@component
class GroundingCheck(_OfServer):
    """Parts replies that the documents bear out from those that have a weak sentence.

    Args:
        server: Address of the server.
        min_support: Least support of each sentence, in [0, 1].
        api_key: One of the server's keys, where it asks for one.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(
        self, server: str = _SERVER, min_support: float = 0.6, api_key: Secret | None = None
    ) -> None:
        self._connect(server, api_key)
        self.min_support = min_support

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline's file has it."""
        return self._to_dict(min_support=self.min_support)

    @component.output_types(grounded=list[str], ungrounded=list[str], faults=list[str])
    def run(
        self, replies: list[str] | list[ChatMessage], documents: list[Document]
    ) -> dict[str, Any]:
        """Return `grounded`, `ungrounded`, and of each of the latter in `faults` what is weak.

        Args:
            replies: Texts, or messages that have one; each at most 4,096 tokens.
            documents: 1 to 200 with a text.

        Raises:
            ToulminError: As the API answers; nothing is grounded that was not checked.
        """
        facts = [document.content for document in documents if document.content]
        grounded, ungrounded, faults = [], [], []
        for reply in replies:
            text = reply if isinstance(reply, str) else reply.text or ""
            fault = self._service.check(text, facts).fault(self.min_support)
            if fault:
                ungrounded.append(text)
                faults.append(fault)
            else:
                grounded.append(text)
        return {"grounded": grounded, "ungrounded": ungrounded, "faults": faults}


@component
class GroundednessEvaluator(_OfServer):
    """In the place of `FaithfulnessEvaluator`, with its inputs and outputs and no language model.

    Args:
        server: Address of the server.
        api_key: One of the server's keys, where it asks for one.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(self, server: str = _SERVER, api_key: Secret | None = None) -> None:
        self._connect(server, api_key)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline's file has it."""
        return self._to_dict()

    @component.output_types(
        individual_scores=list[float], score=float, results=list[dict[str, Any]]
    )
    def run(
        self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """Return the mean support score, each answer's, and the support of each statement.

        Args:
            questions: Are not read.
            contexts: 1 to 200 for each answer.
            predicted_answers: Each at most 4,096 tokens.

        Raises:
            ValueError: The lists differ in length, or are empty.
            ToulminError: As the API answers.
        """
        counts = {len(questions), len(contexts), len(predicted_answers)}
        if len(counts) > 1 or not predicted_answers:
            raise ValueError(
                f"{len(questions)} questions, {len(contexts)} contexts and "
                f"{len(predicted_answers)} predicted_answers; there must be as many of each, "
                "and at least one"
            )
        verdicts = [
            self._service.check(answer, facts)
            for answer, facts in zip(predicted_answers, contexts, strict=True)
        ]
        scores = [verdict.support for verdict in verdicts]
        return {
            "score": sum(scores) / len(scores),
            "individual_scores": scores,
            "results": [_result(verdict) for verdict in verdicts],
        }


def _result(verdict: Verdict) -> dict[str, Any]:
    checked: list[Sentence] = [s for s in verdict.sentences if s.support is not None]
    return {
        "statements": [sentence.text for sentence in checked],
        "statement_scores": [sentence.support for sentence in checked],
        "score": verdict.support,
        "status": "evaluated",
    }


def _document(passage: Passage) -> Document:
    identity = {"id": str(passage.source["name"])} if passage.source.get("name") else {}
    return Document(
        content=passage.text, meta=dict(passage.source), score=passage.score, **identity
    )
