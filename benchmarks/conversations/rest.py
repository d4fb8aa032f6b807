"""The API over REST, with the standard library: a connection of its own for each thread."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

HOST = "127.0.0.1"


class RefusedError(Exception):
    """The server answered with an error.

    Attributes:
        status: The google.rpc code's name.
        message: What it says.
        fields: Paths of the fields that are wrong.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        error = body.get("error", {})
        self.status = str(error.get("status", ""))
        self.message = str(error.get("message", ""))
        self.fields = [
            violation["field"]
            for detail in error.get("details", ())
            for violation in detail.get("fieldViolations", ())
        ]
        super().__init__(f"{self.status}: {self.message} {self.fields}")


class Rest:
    """A server's API; threads may share it.

    Args:
        port: Where it listens on 127.0.0.1.
        timeout_s: Longest wait for an answer.
    """

    def __init__(self, port: int, *, timeout_s: float = 120.0) -> None:
        self._port = port
        self._timeout_s = timeout_s
        self._own = threading.local()

    def call(
        self, method: str, path: str, body: Any = None, *, version: str = "v1beta"
    ) -> dict[str, Any]:
        """Return the answer as JSON.

        Raises:
            RefusedError: It is an error.
            OSError: The server does not answer.
        """
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(HOST, self._port, timeout=self._timeout_s)
            self._own.connection = connection
        headers = {"Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, f"/{version}/{path}", body=content, headers=headers)
            response = connection.getresponse()
            answer: dict[str, Any] = json.loads(response.read() or b"{}")
        except BaseException:
            connection.close()
            self._own.connection = None
            raise
        if response.status != http.HTTPStatus.OK:
            raise RefusedError(answer)
        return answer
