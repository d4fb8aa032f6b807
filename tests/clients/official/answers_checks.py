"""Answers, sessions, conversations and summaries, as one user of Google's client meets them.

The checks of one version over one transport build on each other: run them in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import documents
from checks import expect, expect_equal, expect_words
from google.api_core import exceptions
from google.protobuf import field_mask_pb2

TRANSPORTS = ("rest", "grpc", "environment")
LOCATION = "projects/demo/locations/global"
USER = "visitor-7"
WHEN = "When was the lighthouse built?"
HOW_HIGH = "How high is it?"
OFF_TOPIC = "Which enzyme copies messenger RNA?"
FALLBACK = "A summary could not be generated for your search query. Here are some search results."
CITED = {"include_citations": True, "ignore_low_relevant_content": True}


class Talk:
    """What one version over one transport is asked; the names are its own."""

    def __init__(self, module: Any, version: str, transport: str, make_client: Any) -> None:
        self.module = module
        self.version = version
        self.transport = transport
        self.id = f"talk-{version}-{transport}"
        self.store = f"{documents.COLLECTION}/dataStores/{self.id}"
        self._make_client = lambda service: make_client(module, service, transport)
        self._clients: dict[str, Any] = {}
        self._session = ""
        self._answer: Any = None

    def client(self, service: str = "ConversationalSearchService") -> Any:
        """Return the client of a service, always the same one."""
        if service not in self._clients:
            self._clients[service] = self._make_client(service)
        return self._clients[service]

    def close(self) -> None:
        """Close all clients."""
        for client in self._clients.values():
            client.transport.close()

    def import_documents(self) -> None:
        """Make the data store."""
        documents.make_data_store(self.module, self.client, self.id, documents.texts())

    def request(self, question: str, **fields: Any) -> Any:
        """Return an AnswerQueryRequest."""
        return self.module.AnswerQueryRequest(
            serving_config=f"{self.store}/servingConfigs/default_search",
            query={"text": question},
            user_pseudo_id=USER,
            **{"answer_generation_spec": CITED, **fields},
        )

    def ask(self, question: str, **fields: Any) -> Any:
        """Return the response to a question."""
        return self.client().answer_query(request=self.request(question, **fields))

    def answer(self) -> None:
        """An answer in a new session: text, citations, references, steps."""
        response = self.ask(WHEN, session=f"{self.store}/sessions/-")
        answer = response.answer
        expect("1872" in answer.answer_text, answer)
        expect_equal(answer.state.name, "SUCCEEDED", "state")
        expect(len(answer.citations) >= 1, answer)
        first = answer.citations[0]
        cited = answer.answer_text.encode()[first.start_index : first.end_index].decode()
        expect("1872" in cited, cited)
        reference = answer.references[int(first.sources[0].reference_id)]
        info = reference.unstructured_document_info
        expect_equal(info.document, f"{self.store}/branches/0/documents/towers", "document")
        expect_equal(info.uri, "https://example.org/towers", "URI")
        expect("1872" in info.chunk_contents[0].content, info)
        queries = [action.search_action.query for step in answer.steps for action in step.actions]
        expect_equal(queries, [WHEN], "queries of the steps")
        expect(response.session.name.startswith(f"{self.store}/sessions/"), response.session)
        expect_equal(response.session.turns[0].answer, answer.name, "answer of the turn")
        self._session, self._answer = response.session.name, answer

    def get_answer(self) -> None:
        """The answer is kept under its name."""
        kept = self.client().get_answer(name=self._answer.name)
        expect_equal(kept.answer_text, self._answer.answer_text, "text")
        expect_equal(kept.citations, self._answer.citations, "citations")
        expect_equal(kept.references, self._answer.references, "references")

    def follow_up(self) -> None:
        """A question that leans on the one before it."""
        response = self.ask(HOW_HIGH, session=self._session)
        expect("forty metres" in response.answer.answer_text, response.answer)
        expect_equal(response.session.name, self._session, "session")
        asked = [turn.query.text for turn in response.session.turns]
        expect_equal(asked, [WHEN, HOW_HIGH], "turns")

    def stream(self) -> None:
        """The parts of a stream make up the answer that is kept, which its last part repeats."""
        if self.version == "v1alpha":  # it has no such method
            return
        request = self.request(WHEN, session=self._session)
        parts = list(self.client().stream_answer_query(request=request))
        text = "".join(part.answer.answer_text for part in parts[:-1])
        expect("1872" in text, text)
        expect_equal(parts[-1].answer.answer_text, text, "text of the last part")
        kept = self.client().get_answer(name=parts[-1].answer.name)
        expect_equal(kept.answer_text, text, "text that is kept")
        citations = [citation for part in parts[:-1] for citation in part.answer.citations]
        expect_equal(parts[-1].answer.citations, kept.citations, "citations of the last part")
        expect_equal(citations, list(kept.citations), "citations")

    def skipped(self) -> None:
        """A question that nothing answers gets the reason and the usual sentence."""
        answer = self.ask(OFF_TOPIC).answer
        expect_equal(answer.answer_text, FALLBACK, "text")
        reasons = {reason.name for reason in answer.answer_skipped_reasons}
        expect(reasons & {"NO_RELEVANT_CONTENT", "OUT_OF_DOMAIN_QUERY_IGNORED"}, reasons)
        expect(not answer.references, answer.references)

    def sessions(self) -> None:
        """Get, list, create, update and delete sessions, through both services that have them."""
        for service in ("ConversationalSearchService", "SessionService"):
            client = self.client(service)
            turns = 2 if self.version == "v1alpha" else 3
            expect_equal(len(client.get_session(name=self._session).turns), turns, "turns")
            made = client.create_session(
                parent=self.store,
                session=self.module.Session(user_pseudo_id="guide", display_name="Tour"),
            )
            request = {"parent": self.store, "filter": 'user_pseudo_id = "guide"'}
            names = [session.name for session in client.list_sessions(request=request)]
            expect_equal(names, [made.name], "filtered sessions")
            request = {"parent": self.store, "order_by": "create_time desc", "page_size": 1}
            names = [session.name for session in client.list_sessions(request=request)]
            expect_equal(names[0], made.name, "first session")
            expect(self._session in names, names)
            changed = self.module.Session(name=made.name, display_name="Tour of the port")
            mask = field_mask_pb2.FieldMask(paths=["display_name"])
            updated = client.update_session(session=changed, update_mask=mask)
            expect_equal(updated.display_name, "Tour of the port", "display name")
            expect_equal(updated.user_pseudo_id, "guide", "user")
            client.delete_session(name=made.name)
            try:
                client.get_session(name=made.name)
            except exceptions.NotFound as error:
                expect_words(error.message, made.name)
            else:
                raise AssertionError("a deleted session is there")

    def answer_details(self) -> None:
        """A session shows its answers when it is asked to."""
        request = self.module.GetSessionRequest(name=self._session, include_answer_details=True)
        session = self.client().get_session(request=request)
        expect_equal(
            session.turns[0].detailed_answer.answer_text, self._answer.answer_text, "answer"
        )

    def converse(self) -> None:
        """A conversation of the older kind, with a follow-up and a summary."""
        client = self.client()
        spec = {"summary_result_count": 3, "include_citations": True}
        first = client.converse_conversation(
            request=self.module.ConverseConversationRequest(
                name=f"{self.store}/conversations/-", query={"input": WHEN}, summary_spec=spec
            )
        )
        expect_equal(first.search_results[0].id, "towers", "first result")
        expect("1872" in first.reply.summary.summary_text, first.reply)
        name = first.conversation.name
        second = client.converse_conversation(
            request=self.module.ConverseConversationRequest(
                name=name, query={"input": HOW_HIGH}, summary_spec=spec
            )
        )
        expect("forty metres" in second.reply.summary.summary_text, second.reply)
        expect_equal(len(second.conversation.messages), 4, "messages")
        expect_equal(client.get_conversation(name=name), second.conversation, "conversation")
        names = [item.name for item in client.list_conversations(parent=self.store)]
        expect_equal(names, [name], "conversations")
        client.delete_conversation(name=name)
        expect_equal(list(client.list_conversations(parent=self.store)), [], "after the deletion")

    def summary(self) -> None:
        """A search with a summary; its numbers are those of the results."""
        request = self.module.SearchRequest(
            serving_config=f"{self.store}/servingConfigs/default_search",
            query=WHEN,
            content_search_spec={
                "summary_spec": {"summary_result_count": 2, "include_citations": True}
            },
        )
        page = next(iter(self.client("SearchService").search(request=request).pages))
        expect_equal(page.results[0].id, "towers", "first result")
        expect("1872" in page.summary.summary_text, page.summary)
        expect("[1]" in page.summary.summary_text, page.summary)
        shown = page.summary.summary_with_metadata
        expect("[1]" not in shown.summary, shown)
        expect_equal(shown.references[0].document, page.results[0].document.name, "reference")

    def grounded_content(self) -> None:
        """Content from facts and from the data store, at once and as a stream."""
        if self.version == "v1alpha":  # it has no such method
            return
        client = self.client("GroundedGenerationService")
        facts = [{"fact_text": "The crane lifts ninety tonnes.", "attributes": {"title": "Crane"}}]
        inline = {"inline_source": {"grounding_facts": facts}}
        config = f"{self.store}/servingConfigs/default_search"
        search = {"search_source": {"serving_config": config}}
        for question, source, wanted in (
            ("How much does the crane lift?", inline, "ninety tonnes"),
            (WHEN, search, "1872"),
        ):
            request = self.module.GenerateGroundedContentRequest(
                location=LOCATION,
                contents=[{"role": "user", "parts": [{"text": question}]}],
                grounding_spec={"grounding_sources": [source]},
            )
            whole = client.generate_grounded_content(request=request).candidates[0]
            expect(wanted in whole.content.parts[0].text, whole)
            expect(whole.grounding_score >= 0.6, whole)
            expect(whole.grounding_metadata.support_chunks, whole)
            if self.transport == "rest":  # the client streams this one over gRPC only
                continue
            parts = list(client.stream_generate_grounded_content(requests=self._once(request)))
            text = "".join(part.candidates[0].content.parts[0].text for part in parts)
            expect_equal(text, whole.content.parts[0].text, "text of the stream")

    @staticmethod
    def _once(request: Any) -> Iterator[Any]:
        yield request

    def refusals(self) -> None:
        """What is wrong is said with its field, and the session is unharmed."""
        client = self.client()
        before = client.get_session(name=self._session)
        for request, word in (
            (self.request("", session=self._session), "query.text"),
            (self.request("x" * 100_000, session=self._session), "query.text"),
            (
                self.request(
                    WHEN,
                    session=self._session,
                    search_spec={"search_params": {"filter": "kind ANY"}},
                ),
                "filter",
            ),
            (self.request(WHEN, session=f"{self.store}-other/sessions/-"), "session"),
        ):
            try:
                client.answer_query(request=request)
            except (exceptions.BadRequest, exceptions.InvalidArgument) as error:
                expect_words(error.message, word)
            else:
                raise AssertionError(f"{word} was taken")
        expect_equal(client.get_session(name=self._session), before, "session")

    def delete(self) -> None:
        """Sessions and answers go with their data store."""
        stores = self.client("DataStoreService")
        stores.delete_data_store(name=self.store).result(timeout=documents.TIMEOUT_S)
        for call in (
            lambda: self.client().get_session(name=self._session),
            lambda: self.client().get_answer(name=self._answer.name),
            lambda: self.ask(WHEN),
        ):
            try:
                call()
            except exceptions.NotFound:
                continue
            raise AssertionError("it is still there")

    def checks(self) -> dict[str, Callable[[], None]]:
        """Return the steps by name, in order."""
        return {
            "import documents": self.import_documents,
            "answer": self.answer,
            "get answer": self.get_answer,
            "follow-up": self.follow_up,
            "stream": self.stream,
            "skipped": self.skipped,
            "sessions": self.sessions,
            "answer details": self.answer_details,
            "converse": self.converse,
            "summary": self.summary,
            "grounded content": self.grounded_content,
            "refusals": self.refusals,
            "delete": self.delete,
        }
