"""What the servers hold when the browser's tests begin: documents, an app and a talk with it."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
_STORE = "projects/default/locations/global/collections/default_collection/dataStores/sample"
_PLACE = "projects/default/locations/us"

_TYPES = {
    ".md": "text/markdown",
    ".html": "text/html",
    ".txt": "text/plain",
    ".csv": "text/csv",
}

Call = Callable[..., Any]


def fill(call: Call) -> None:
    """Make the data store `sample` of the example library, and an app with one conversation."""
    call(
        "POST",
        f"{_STORE.removesuffix('/sample')}?dataStoreId=sample",
        {
            "displayName": "sample",
            "industryVertical": "GENERIC",
            "solutionTypes": ["SOLUTION_TYPE_SEARCH"],
            "contentConfig": "CONTENT_REQUIRED",
        },
    )
    files = sorted(LIBRARY.iterdir())
    documents = [
        {
            "id": path.stem,
            "structData": {"uri": f"library/{path.name}"},
            "content": {
                "mimeType": _TYPES[path.suffix],
                "rawBytes": base64.b64encode(path.read_bytes()).decode(),
            },
        }
        for path in files
    ]
    parent = f"{_STORE}/branches/0/documents:import"
    _wait(call, call("POST", parent, {"inlineSource": {"documents": documents}}))
    _talk(call)


def _wait(call: Call, operation: Any) -> None:
    limit = time.monotonic() + 300
    while not operation.get("done"):
        if time.monotonic() > limit:
            raise TimeoutError(operation["name"])
        time.sleep(0.2)
        operation = call("GET", operation["name"])


def _talk(call: Call) -> None:
    app = f"{_PLACE}/apps/shop"
    _wait(call, call("POST", f"{_PLACE}/apps?appId=shop", {"displayName": "Shop"}))
    parameters = {
        "type": "OBJECT",
        "properties": {"order_id": {"type": "STRING", "description": "The order number"}},
        "required": ["order_id"],
    }
    function = {
        "name": "find_order",
        "description": "Says where an order is and when it arrives.",
        "parameters": parameters,
    }
    call("POST", f"{app}/tools?toolId=find_order", {"clientFunction": function})
    tools = [f"{app}/tools/find_order", f"{app}/tools/end_session"]
    call("POST", f"{app}/agents?agentId=clerk", {"displayName": "Clerk", "tools": tools})
    call("PATCH", f"{app}?updateMask=rootAgent", {"rootAgent": f"{app}/agents/clerk"})
    session = f"{app}/sessions/parcel"

    def say(*inputs: Any) -> Any:
        body = {"config": {"session": session}, "inputs": list(inputs)}
        return call("POST", f"{session}:runSession", body)["outputs"]

    say({"text": "Where is my parcel?"})
    (tool_call,) = say({"text": "it is number 4711"})[0]["toolCalls"]["toolCalls"]
    output = {"output": {"status": "shipped", "arrival": "Friday"}}
    response = {"id": tool_call["id"], "response": output}
    say({"toolResponses": {"toolResponses": [response]}})
