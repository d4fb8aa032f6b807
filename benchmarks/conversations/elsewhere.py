"""A server that tools of scripted conversations call: parcels over OpenAPI, opening hours over MCP."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_LATE_S = 3
_LARGE = 10_000_000


@contextlib.contextmanager
def serve_elsewhere() -> Iterator[int]:
    """Yield the port of the server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def description(port: int) -> str:
    """Return the OpenAPI description of the parcels."""
    number = {"name": "parcel_id", "in": "path", "required": True, "schema": {"type": "string"}}
    found = {"operationId": "find_parcel", "summary": "Says where a parcel is."}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Parcels", "version": "1"},
            "servers": [{"url": f"http://127.0.0.1:{port}"}],
            "paths": {"/parcels/{parcel_id}": {"parameters": [number], "get": found}},
        }
    )


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        parcel = self.path.rpartition("/")[2]
        if parcel == "404":
            self._answer(404, {"message": "no such parcel"})
        elif parcel == "3000":
            time.sleep(_LATE_S)
            self._answer(200, {"place": "Bonn"})
        else:
            large = {"text": "x" * _LARGE} if parcel == "10000000" else {}
            self._answer(200, {"place": "Kiel", **large})

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            self._answer(202, None)
            return
        result = _mcp_result(message["method"], message.get("params", {}))
        self._answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _answer(self, status: int, value: Any) -> None:
        content = b"" if value is None else json.dumps(value).encode()
        with contextlib.suppress(OSError):  # who asked may be gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


def _mcp_result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {
            "tools": [_tool("opening_hours", "Tells the opening hours of the post office."), *_MORE]
        }
    name = params.get("name")
    if name == "opening_hours":
        return {"content": [{"type": "text", "text": "The post office is open from 9 to 17."}]}
    if name == "price_of_stamp":
        return {"content": [], "structuredContent": {"price": "95 cents"}}
    if name == "strike_notice":
        time.sleep(_LATE_S)
    return {"isError": True, "content": [{"type": "text", "text": "the counter is closed"}]}


def _tool(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "description": text, "inputSchema": {"type": "object", "properties": {}}}


_MORE = (
    _tool("price_of_stamp", "Says what a stamp for a letter costs."),
    _tool("lost_and_found", "Lists lost umbrellas that were found."),
    _tool("strike_notice", "Announces whether postal workers are on strike."),
)
