"""A session with an app, over the public API."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from toulmin.cli.access import Api


class Talk:
    """A session.

    Args:
        api: Where the app is.
        app: Its name.
        agent: Id of the agent to begin with; empty: the root agent.
    """

    def __init__(self, api: Api, app: str, *, agent: str = "") -> None:
        self._api = api
        self._config = {"session": f"{app}/sessions/{secrets.token_hex(8)}"}
        if agent:
            self._config["entryAgent"] = f"{app}/agents/{agent}"
        self.has_ended = False

    def send(self, *inputs: dict[str, Any]) -> list[dict[str, Any]]:
        """Send inputs and return the outputs, as the API's JSON.

        Raises:
            ToulminError: As the API answers.
        """
        body = {"config": self._config, "inputs": list(inputs)}
        answer = self._api.call("POST", f"{self._config['session']}:runSession", body)
        outputs: list[dict[str, Any]] = answer.get("outputs", [])
        self.has_ended = self.has_ended or any("endSession" in output for output in outputs)
        return outputs

    def respond(self, call: dict[str, Any], response: dict[str, Any]) -> list[dict[str, Any]]:
        """Answer a tool call and return the outputs."""
        answer = {"id": call["id"], "response": response}
        return self.send({"toolResponses": {"toolResponses": [answer]}})

    @staticmethod
    def waiting(outputs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the tool call that the outputs ask for; None: none."""
        for output in outputs:
            for call in output.get("toolCalls", {}).get("toolCalls", ()):
                found: dict[str, Any] = call
                return found
        return None


def told(outputs: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield outputs as lines for the terminal."""
    for output in outputs:
        if "text" in output:
            yield output["text"]
        for call in output.get("toolCalls", {}).get("toolCalls", ()):
            args = json.dumps(call.get("args", {}), sort_keys=True)
            yield f"[calls {call['displayName']} {args}]"
        for number, chunk in enumerate(output.get("citations", {}).get("citedChunks", ()), 1):
            yield f"  [{number}] {chunk.get('title') or chunk.get('uri', '')}"
        if "endSession" in output:
            yield "[the session has ended]"
        yield from _noted(output.get("diagnosticInfo", {}))


def _noted(info: dict[str, Any]) -> Iterator[str]:
    for message in info.get("messages", ()):
        for chunk in message.get("chunks", ()):
            if "agentTransfer" in chunk:
                yield f"[{chunk['agentTransfer']['displayName']} took over]"
    attributes = info.get("rootSpan", {}).get("attributes", {})
    if undeclared := attributes.get("undeclaredVariables"):
        yield f"[not declared by the app, so not set: {', '.join(undeclared)}]"
    verdict = attributes.get("hallucination", {})
    if verdict.get("score") == 0:
        yield f"[{verdict['explanation']}]"
