"""MCP servers for the tests: one of the official package, and one that does what it is told."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.patience import POLL_S

WAIT_S = 30


@contextlib.contextmanager
def serve_official(**options):
    """Yield the port of a server made with the official package; options are of its HTTP app."""
    import uvicorn
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("parcels")

    @server.tool(description="Says where a parcel is.")
    def find_parcel(parcel_id: str, pieces: int | None = None) -> dict[str, str]:
        if parcel_id == "none":
            raise ToolError("no such parcel")
        return {"place": "Kiel", "pieces": str(pieces or 1)}

    @server.tool(description="Tells the opening hours of the post office.")
    def opening_hours() -> str:
        return "The post office is open from 9 to 17."

    app = server.streamable_http_app(**options)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="on")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    started = threading.Event()
    while not running.started and thread.is_alive():
        started.wait(0.02)
    try:
        yield running.servers[0].sockets[0].getsockname()[1]
    finally:
        running.should_exit = True
        thread.join(WAIT_S)


class Scripted(ThreadingHTTPServer):
    """A server whose answers are functions of the message by its method.

    Attributes:
        seen: The requests, as (method, headers, message).
        answers: By JSON-RPC method, what is answered: (status, headers, body) or a function of the
            message that returns that.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen = []
        self.released = threading.Event()
        self.answers = {
            "initialize": lambda message: result(message, {"protocolVersion": "2025-06-18"}),
            "notifications/initialized": (202, {}, b""),
            "tools/list": lambda message: result(message, {"tools": [tool("look_up")]}),
            "tools/call": lambda message: result(message, {"content": words("done")}),
        }

    @property
    def methods(self):
        return [message["method"] for _, _, message in self.seen]

    def handle_error(self, *_):
        pass  # who asked is gone


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(("POST", dict(self.headers), message))
        answer = self.server.answers[message["method"]]
        status, headers, body = answer(message) if callable(answer) else answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if isinstance(body, bytes):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for piece in [body] if isinstance(body, bytes) else body:
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve_scripted():
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def result(message, value, **headers):
    """Return an answer with a result as JSON."""
    body = {"jsonrpc": "2.0", "id": message["id"], "result": value}
    return 200, {"Content-Type": "application/json", **headers}, json.dumps(body).encode()


def events(*messages):
    """Return an answer that is a stream of events."""
    pieces = [f"event: message\r\ndata: {json.dumps(item)}\r\n\r\n".encode() for item in messages]
    return 200, {"Content-Type": "text/event-stream"}, pieces


def tool(name, **schema):
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema}


def words(*texts):
    return [{"type": "text", "text": text} for text in texts]
