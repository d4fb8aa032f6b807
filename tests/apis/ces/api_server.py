"""A real HTTP server with a small API, and its OpenAPI description."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.patience import POLL_S


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.seen.append(("GET", self.path, dict(self.headers), b""))
        if self.path.startswith("/v1/parcels/slow"):
            time.sleep(3)
        if self.path.startswith("/v1/parcels/none"):
            return self._answer(404, {"message": "no such parcel"})
        if self.path.startswith("/v1/parcels/big"):
            return self._answer(200, {"text": "x" * 2_000_000})
        return self._answer(200, {"place": "Kiel", "weight": 3})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(("POST", self.path, dict(self.headers), body))
        self._answer(200, {"booked": json.loads(body)})

    def _answer(self, status, value):
        content = json.dumps(value).encode()
        with contextlib.suppress(OSError):  # who asked may be gone
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve_api():
    """Yield a server; its `seen` are the requests, as (method, path, headers, body)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def description(port):
    """Return the description of that API as JSON."""
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "Parcels", "version": "1"},
            "servers": [{"url": f"http://127.0.0.1:{port}/v1"}],
            "paths": {
                "/parcels/{parcel_id}": {
                    "parameters": [{"$ref": "#/components/parameters/id"}],
                    "get": {
                        "operationId": "findParcel",
                        "summary": "Says where a parcel is.",
                        "parameters": [
                            {"name": "lang", "in": "query", "schema": {"type": "string"}},
                            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                        ],
                    },
                },
                "/pickups": {
                    "post": {
                        "operationId": "bookPickup",
                        "description": "Books the day on which a parcel is fetched.",
                        "requestBody": {
                            "content": {
                                "application/json": {
                                    "schema": {"$ref": "#/components/schemas/Pickup"}
                                }
                            }
                        },
                    }
                },
            },
            "components": {
                "parameters": {
                    "id": {
                        "name": "parcel_id",
                        "in": "path",
                        "required": True,
                        "description": "Number of the parcel",
                        "schema": {"type": "string"},
                    }
                },
                "schemas": {
                    "Pickup": {
                        "type": "object",
                        "required": ["day"],
                        "properties": {
                            "day": {"type": "string", "enum": ["Monday", "Friday"]},
                            "pieces": {"type": "integer"},
                        },
                    }
                },
            },
        }
    )
