"""NeMo Guardrails: `GroundingRail` finds passages, and holds back what they do not bear out.

Needs `nemoguardrails`. In `config.py` of the configuration:

    from toulmin.integrations.nemo_guardrails import GroundingRail

    def init(app):
        GroundingRail("http://127.0.0.1:8080", store="handbook").register(app)

and in its Colang `$checked = execute toulmin_check_grounding`; docs/integrations.md has it whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from nemoguardrails.actions import action
from nemoguardrails.actions.actions import ActionResult
from nemoguardrails.actions.rail_outcome import RailOutcome

from toulmin.errors import InvalidArgument
from toulmin.integrations.service import Service

# NeMo's own names: what the model was shown, and the pieces that this was joined from.
_SHOWN: Final = "relevant_chunks"
_PIECES: Final = "relevant_chunks_sep"


class GroundingRail:
    """Two actions of NeMo Guardrails: one finds passages, one checks the bot's message by them.

    Args:
        server: Address of the server.
        store: Id of the data store in which passages are found; empty: the application, or NeMo's
            own knowledge base, brings them.
        min_support: Least support of each sentence, in [0, 1].
        k: Most passages, 1 to 100.
        api_key: One of the server's keys, where it asks for one.
        project: Project of the data store.

    Raises:
        InvalidArgument: `server` is no http or https address.
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8080",
        *,
        store: str = "",
        min_support: float = 0.6,
        k: int = 5,
        api_key: str = "",
        project: str = "default",
    ) -> None:
        self._service = Service(server, api_key=api_key, project=project)
        self._store = store
        self._min_support = min_support
        self._k = k

    def register(self, app: Any) -> None:
        """Make both actions known to an `LLMRails`, under their names."""
        app.register_action(self.find_passages, "toulmin_find_passages")
        app.register_action(self.check_grounding, "toulmin_check_grounding")

    @action(name="toulmin_find_passages", is_system_action=True)
    async def find_passages(self, context: Mapping[str, Any], **_: Any) -> ActionResult:
        """Put the passages for the user's message where NeMo's prompts and `check_grounding` look.

        Returns:
            The passages as one text, and as `relevant_chunks` and `relevant_chunks_sep` of the
            context; empty where there are none.

        Raises:
            InvalidArgument: There is no `store`.
            ToulminError: As the API answers; NeMo then says that an error occurred.
        """
        if not self._store:
            raise InvalidArgument.of_field("store", "names no data store to find passages in")
        query = context.get("user_message") or context.get("last_user_message") or ""
        found = await asyncio.to_thread(self._service.search, self._store, query, limit=self._k)
        pieces = [passage.text for passage in found]
        shown = "\n".join(pieces)
        return ActionResult(return_value=shown, context_updates={_SHOWN: shown, _PIECES: pieces})

    @action(name="toulmin_check_grounding", is_system_action=True)
    async def check_grounding(self, context: Mapping[str, Any], **_: Any) -> RailOutcome:
        """Say whether the retrieved passages bear out every sentence that states something.

        Args:
            context: `bot_message`, at most 4,096 tokens, and `relevant_chunks`.

        Returns:
            Allow, or block with the weak sentences as the reason; without passages, too. The
            metadata has `support` of the whole text and the `weak` sentences.

        Raises:
            ToulminError: As the API answers; NeMo then says that an error occurred, not the text.
        """
        text = str(context.get("bot_message") or "")
        if not text.strip():
            return RailOutcome.allow(reason="the message is empty")
        facts = _facts(context)
        if not facts:
            return RailOutcome.block(reason=f"no facts to check by: {_SHOWN} is empty")
        verdict = await asyncio.to_thread(self._service.check, text, facts)
        weak = [sentence.text for sentence in verdict.weak(self._min_support)]
        found = {"support": verdict.support, "weak": weak}
        if weak:
            why = f"not grounded: {verdict.fault(self._min_support)}"
            return RailOutcome.block(reason=why, metadata=found)
        return RailOutcome.allow(metadata=found)


def _facts(context: Mapping[str, Any]) -> list[str]:
    """Return what the model was shown, in pieces where these are still the same text.

    They are not when the application sets `relevant_chunks` alone, or a retrieval rail, such as one
    that masks names, has changed it since.
    """
    shown = context.get(_SHOWN) or ""
    pieces = context.get(_PIECES) or []
    facts = pieces if "\n".join(pieces).strip() == shown.strip() else [shown]
    return [fact for fact in facts if fact.strip()]
