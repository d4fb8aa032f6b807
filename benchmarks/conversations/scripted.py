"""Scripted conversations against a server: does each output, error and kept message come as written.

    python -m benchmarks.conversations.scripted [--only WORDS]

`data/scripts.json` has an app, documents, and conversations of steps: what is sent, and what is
expected of the answer. Each conversation is a session of its own. Toolsets are in apps of their
own: a toolset at a host that is not allowed refuses every turn of its app.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.conversations.apps import DATA
from benchmarks.conversations.elsewhere import description, serve_elsewhere
from benchmarks.conversations.rest import RefusedError, Rest
from benchmarks.live_server import LiveServer
from benchmarks.measurement import circumstances, write_result

LOCATION = "projects/p/locations/us"
COLLECTION = "projects/p/locations/global/collections/default_collection"
_LONGEST_WAIT_S = 60.0


def main() -> None:
    """Run them and write `results/scripted_conversations.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="those with these words; nothing is written")
    only = parser.parse_args().only
    content = json.loads((DATA / "scripts.json").read_text(encoding="utf-8"))
    wrong: dict[str, list[str]] = {}
    kinds: Counter[str] = Counter()
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(serve_elsewhere())
        hosts = f"127.0.0.1:{port}"
        server = stack.enter_context(LiveServer("--agent-python", "--agent-hosts", hosts))
        rest = Rest(server.port)
        make_documents(rest, content["documents"])
        apps = {"": make_app(rest, content)}
        for id_, other in content["other_apps"].items():
            apps[id_] = make_app(rest, other, id_, elsewhere=port)
        for number, item in enumerate(content["conversations"]):
            name = f"{item['kind']}: {item['name']}"
            if only in name:
                kinds[item["kind"]] += 1
                app = apps[item.get("app", "")]
                if found := list(Conversation(rest, app, item, str(number)).run()):
                    wrong[name] = found
                    print(name, *found, sep="\n    ")
    print(f"{sum(kinds.values()) - len(wrong)} of {sum(kinds.values())} as written")
    if not only:
        result = {"conversations": sum(kinds.values()), "kinds": kinds, "wrong": wrong}
        write_result("scripted_conversations", {"circumstances": circumstances(), **result})


def make_documents(rest: Rest, documents: list[dict[str, str]]) -> None:
    """Create the data store `guides`; its documents can be found when it returns."""
    rest.call(
        "POST",
        f"{COLLECTION}/dataStores?dataStoreId=guides",
        {
            "displayName": "Guides",
            "industryVertical": "GENERIC",
            "contentConfig": "CONTENT_REQUIRED",
        },
        version="v1",
    )
    items = [
        {
            "id": item["id"],
            "content": {
                "mimeType": "text/markdown",
                "rawBytes": base64.b64encode(item["text"].encode()).decode(),
            },
        }
        for item in documents
    ]
    operation = rest.call(
        "POST",
        f"{COLLECTION}/dataStores/guides/branches/0/documents:import",
        {"inlineSource": {"documents": items}},
        version="v1",
    )
    end = time.monotonic() + _LONGEST_WAIT_S
    while not operation.get("done"):
        if time.monotonic() > end:
            raise TimeoutError(operation["name"])
        time.sleep(0.05)
        operation = rest.call("GET", operation["name"], version="v1")


def make_app(
    rest: Rest, content: Mapping[str, Any], id_: str = "scripted", *, elsewhere: int = 9
) -> str:
    """Create the app with its tools, toolsets and agents, children first, and return its name.

    Args:
        rest: The API.
        content: The app, its tools, toolsets and agents.
        id_: Id of the app.
        elsewhere: Port of the server that its toolsets are about.
    """
    app = f"{LOCATION}/apps/{id_}"
    whole = json.loads(json.dumps(content).replace("{app}", app))
    for toolset in whole.get("toolsets", {}).values():
        if "openApiToolset" in toolset:
            toolset["openApiToolset"]["openApiSchema"] = description(elsewhere)
        else:
            mcp = toolset["mcpToolset"]
            mcp["serverAddress"] = mcp["serverAddress"].replace(
                "{elsewhere}", f"http://127.0.0.1:{elsewhere}"
            )
    root = whole["app"].pop("rootAgent")
    rest.call("POST", f"{LOCATION}/apps?appId={id_}", whole["app"])
    for name, tool in whole["tools"].items():
        rest.call("POST", f"{app}/tools?toolId={name}", tool)
    for name, toolset in whole.get("toolsets", {}).items():
        rest.call("POST", f"{app}/toolsets?toolsetId={name}", toolset)
    for name, agent in reversed(whole["agents"].items()):
        rest.call("POST", f"{app}/agents?agentId={name}", agent)
    rest.call("PATCH", f"{app}?updateMask=rootAgent", {"rootAgent": root})
    return app


class Conversation:
    """One conversation.

    Args:
        rest: The API.
        app: Name of the app.
        item: The script.
        session: Id of the session.
    """

    def __init__(self, rest: Rest, app: str, item: Mapping[str, Any], session: str) -> None:
        self._rest = rest
        self._item = json.loads(json.dumps(item).replace("{app}", app))
        self._session = self._item.get("session") or f"{app}/sessions/{session}"
        self._calls: list[dict[str, Any]] = []

    def run(self) -> Iterator[str]:
        """Yield what is other than written."""
        for number, step in enumerate(self._item["steps"], 1):
            try:
                outputs, error = self._send(step["send"]), None
            except RefusedError as refused:
                outputs, error = [], refused
            for difference in differences(step["expect"], outputs, error):
                yield f"step {number}: {difference}"

    def _send(self, given: Any) -> list[dict[str, Any]]:
        session = self._session
        if isinstance(given, dict) and "wait" in given:
            given = dict(given)
            time.sleep(given.pop("wait"))
        if isinstance(given, dict) and "other_session" in given:
            session, given = f"{session}-other", given["other_session"]
        items = given if isinstance(given, list) else [given]
        config = {"session": session, **self._item.get("config", {})}
        body = {"config": config, "inputs": [self._input(item) for item in items]}
        path = f"{session.replace(' ', '%20')}:runSession"
        outputs: list[dict[str, Any]] = self._rest.call("POST", path, body).get("outputs", [])
        self._calls += [call for output in outputs for call in _calls(output)]
        return outputs

    def _input(self, item: Any) -> dict[str, Any]:
        """Return the API's input; scripts have short forms for texts, responses and large ones."""
        if isinstance(item, str):
            return {"text": item}
        if "text_large" in item:
            return {"text": "x" * item["text_large"]}
        last = self._calls[-1]["id"] if self._calls else ""
        if "respond" in item:
            pairs = [(last, item["respond"])]
        elif "respond_large" in item:
            pairs = [(last, {"output": "x" * item["respond_large"]})]
        elif "respond_as" in item:
            pairs = item["respond_as"]
        elif "respond_tool" in item:
            response = {"id": last, "tool": item["respond_tool"], "response": {"output": "x"}}
            return {"toolResponses": {"toolResponses": [response]}}
        else:
            found: dict[str, Any] = item
            return found
        responses = [{"id": id_, "response": response} for id_, response in pairs]
        return {"toolResponses": {"toolResponses": responses}}


def differences(
    wanted: Mapping[str, Any], outputs: list[dict[str, Any]], error: RefusedError | None
) -> Iterator[str]:
    """Yield what of the outputs or the error is other than wanted."""
    if error is not None or "error" in wanted:
        yield from _error_differences(wanted, error)
        return
    text = "\n".join(output.get("text", "") for output in outputs)
    for part in wanted.get("text", ()):
        if part not in text:
            yield f'"{part}" is not in "{text[:300]}"'
    for part in wanted.get("not_text", ()):
        if part in text:
            yield f'"{part}" is in "{text[:300]}"'
    calls = [call for output in outputs for call in _calls(output)]
    found = [{"name": call["displayName"], "args": call.get("args", {})} for call in calls]
    if "calls" in wanted and found != wanted["calls"]:
        yield f"calls {found}, not {wanted['calls']}"
    if wanted.get("not_calls") and found:
        yield f"calls {found}"
    yield from _last_differences(wanted, outputs[-1] if outputs else {})
    cited = sum(len(output.get("citations", {}).get("citedChunks", ())) for output in outputs)
    if cited < wanted.get("citations", 0):
        yield f"cites {cited}"
    if wanted.get("ended") and not any("endSession" in output for output in outputs):
        yield "does not end the session"


def _error_differences(wanted: Mapping[str, Any], error: RefusedError | None) -> Iterator[str]:
    if error is None:
        yield f"is answered, not refused with {wanted['error']}"
    elif error.status != wanted.get("error"):
        yield f"is refused: {error}"
    else:
        if wanted.get("field", "") not in ("", *error.fields):
            yield f"blames {error.fields}, not {wanted['field']}"
        if wanted.get("message", "") not in error.message:
            yield f'says "{error.message}"'


def _last_differences(wanted: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    info = last.get("diagnosticInfo", {})
    chunks = [chunk for message in info.get("messages", ()) for chunk in message.get("chunks", ())]
    if "completed" in wanted and last.get("turnCompleted", False) != wanted["completed"]:
        yield f"turnCompleted is not {wanted['completed']}"
    if "turn" in wanted and last.get("turnIndex") != wanted["turn"]:
        yield f"is turn {last.get('turnIndex')}, not {wanted['turn']}"
    attributes = info.get("rootSpan", {}).get("attributes", {})
    if (
        "verdict" in wanted
        and attributes.get("hallucination", {}).get("score") != wanted["verdict"]
    ):
        yield f"verdict {attributes.get('hallucination')}"
    if "undeclared" in wanted and attributes.get("undeclaredVariables") != wanted["undeclared"]:
        yield f"undeclared {attributes.get('undeclaredVariables')}"
    if info:  # else the turn goes on; its messages come with its end
        yield from _chunk_differences(wanted, chunks)


def _chunk_differences(wanted: Mapping[str, Any], chunks: list[dict[str, Any]]) -> Iterator[str]:
    kinds = [next(iter(chunk)) for chunk in chunks]
    if "chunks" in wanted and kinds != wanted["chunks"]:
        yield f"keeps {kinds}"
    for kind in wanted.get("not_kept", ()):
        if kind in kinds:
            yield f"keeps {kind}"
    rest = [[kind, _value(chunk[kind])] for kind, chunk in zip(kinds, chunks, strict=True)]
    for item in wanted.get("kept", ()):
        if item not in rest:
            yield f"does not keep {item} but {rest}"


def _value(inside: Any) -> Any:
    named = isinstance(inside, dict) and "displayName" in inside
    return inside["displayName"] if named else inside


def _calls(output: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = output.get("toolCalls", {}).get("toolCalls", [])
    return found


if __name__ == "__main__":
    main()
