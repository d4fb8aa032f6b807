"""LiteLLM: `GroundingGuardrail`, a guardrail of its proxy that holds back what is not grounded.

Needs `litellm[proxy]`. In the proxy's configuration:

    guardrails:
      - guardrail_name: grounded
        litellm_params:
          guardrail: toulmin.integrations.litellm.GroundingGuardrail
          mode: post_call
          default_on: true
          server: http://127.0.0.1:8080
          store: handbook
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks

from toulmin.integrations.service import Service

_FACTS: Final = "facts"
_NO_FACTS: Final = (
    "the request has neither tool messages nor `metadata.facts`, and no `store` is configured"
)


class GroundingGuardrail(CustomGuardrail):
    """Lets an answer through if facts support every sentence of it that states something.

    With `store`, the facts are the passages that this data store has for the last user message,
    whatever the request brings along. Without, they are the request's tool messages and the
    strings in `metadata.facts`. Streams are held until they are checked.

    Args:
        server: Address of the server.
        store: Id of a data store; empty: the request brings the facts.
        min_support: Least support of each sentence, in [0, 1].
        k: Most passages of the data store, 1 to 100.
        api_key: One of the server's keys, where it asks for one.
        project: Project of the data store.
        options: LiteLLM's own: `guardrail_name`, `event_hook`, `default_on` and others.

    Raises:
        InvalidArgument: `server` is no http or https address.
        ValueError: The mode is another than `post_call`.
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        store: str = "",
        min_support: float = 0.6,
        k: int = 10,
        api_key: str = "",
        project: str = "default",
        **options: Any,
    ) -> None:
        super().__init__(supported_event_hooks=[GuardrailEventHooks.post_call], **options)
        self._service = Service(server, api_key=api_key, project=project)
        self._store = store
        self._min_support = min_support
        self._k = k
        # Read by LiteLLM: the beginning of a sentence cannot be judged, nor taken back.
        self.streaming_buffer_until_moderated = True

    async def apply_guardrail(
        self,
        inputs: Any,
        request_data: dict[str, Any],
        input_type: Literal["request", "response"],
        logging_obj: Any = None,
    ) -> Any:
        """Return the inputs as they are; called by LiteLLM.

        Args:
            inputs: `texts` of the answer, one a choice, each at most 4,096 tokens.
            request_data: The request, with `messages` and `metadata`.
            input_type: "request" is let through.
            logging_obj: Is not read.

        Raises:
            GuardrailRaisedException: A sentence has less support than `min_support`, or there are
                no facts to check it by.
            ToulminError: As the API answers; the proxy answers with an error, not with the text.
        """
        del logging_obj
        texts = [text for text in inputs.get("texts") or [] if text.strip()]
        if input_type == "response" and texts:
            facts = await asyncio.to_thread(self._facts, request_data)
            for text in texts:
                await asyncio.to_thread(self._hold_back, text, facts)
        return inputs

    def _hold_back(self, text: str, facts: Sequence[str]) -> None:
        """Raise unless the facts bear out the text."""
        if not facts:
            where = f"data store {self._store!r} has none" if self._store else _NO_FACTS
            raise self._refusal(f"no facts to check the answer by: {where}")
        if fault := self._service.check(text, facts).fault(self._min_support):
            raise self._refusal(f"not grounded: {fault}", is_verdict=True)

    def _refusal(self, why: str, *, is_verdict: bool = False) -> GuardrailRaisedException:
        return GuardrailRaisedException(
            guardrail_name=self.guardrail_name,
            message=why,
            should_wrap_with_default_message=False,
            blocked_content=is_verdict,
        )

    def _facts(self, request: Mapping[str, Any]) -> list[str]:
        messages = request.get("messages") or []
        if self._store:
            asked = [_text(m) for m in messages if m.get("role") == "user"]
            if not asked:
                return []
            found = self._service.search(self._store, asked[-1], limit=self._k)
            return [passage.text for passage in found]
        brought = [_text(message) for message in messages if message.get("role") == "tool"]
        return [fact for fact in [*brought, *_of_metadata(request)] if fact.strip()]


def _of_metadata(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the caller's own facts; the proxy moves his metadata on some routes."""
    for place in ("metadata", "litellm_metadata"):
        metadata = request.get(place) or {}
        for bag in (metadata, metadata.get("requester_metadata") or {}):
            facts = bag.get(_FACTS)
            if isinstance(facts, list):
                yield from (fact for fact in facts if isinstance(fact, str))
                return


def _text(message: Mapping[str, Any]) -> str:
    """Return a message's text; content may be parts, of which only texts are read."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content if isinstance(part, dict))
