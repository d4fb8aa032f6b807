"""Clients that check, search, ask, write, import and delete, each over REST or over gRPC."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
import numpy as np
from google.protobuf import json_format

from benchmarks.reliability.attacked import CHECK, SMALL
from benchmarks.reliability.documents import BRANCH, STORE, data, document_id, words
from benchmarks.reliability.processes import HOST, ServerProcess
from toulmin.apis.schema import load_schema

STORED = 500
"""Documents that are there all the time; those of the clients have numbers from here on."""
TIMEOUT_S = 120.0
"""How long a client waits for an answer."""
_IMPORTED = 20
_POLL_S = 0.5
_SERVICES = "/google.cloud.discoveryengine.v1."
_CONFIG = f"{STORE}/servingConfigs/default_search"
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """One call, in the words of both transports.

    Attributes:
        rpc: The path of gRPC.
        message: What gRPC sends, as JSON.
        verb: The method of HTTP.
        path: The path of REST behind the version.
        body: What REST sends; None: nothing.
    """

    rpc: str
    message: dict[str, Any]
    verb: str
    path: str
    body: dict[str, Any] | None = None


class Transport(Protocol):
    """Sends requests of one client."""

    name: str

    def call(self, request: Request) -> tuple[str, dict[str, Any]]:
        """Return "OK" or the name of the error's code, and the answer."""

    def close(self) -> None:
        """Hang up."""


class Rest:
    """One connection over HTTP/1.1, opened anew when it breaks."""

    name = "REST"

    def __init__(self, server: ServerProcess) -> None:
        self._connection = server.connection(TIMEOUT_S)

    def call(self, request: Request) -> tuple[str, dict[str, Any]]:
        """Return "OK", a code or the name of what went wrong with the connection; the answer."""
        body = None if request.body is None else json.dumps(request.body)
        headers = {"Content-Type": "application/json"}
        try:
            self._connection.request(request.verb, f"/v1/{request.path}", body, headers)
            response = self._connection.getresponse()
            answer = json.loads(response.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._connection.close()
            return type(error).__name__, {"message": str(error)}
        if response.status == http.HTTPStatus.OK:
            return "OK", answer
        return str(answer["error"]["status"]), {"message": answer["error"]["message"]}

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Grpc:
    """One channel with a connection of its own."""

    name = "gRPC"

    def __init__(self, server: ServerProcess) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.insecure_channel(f"{HOST}:{server.port}", options=options)
        self._schema = load_schema()

    def call(self, request: Request) -> tuple[str, dict[str, Any]]:
        """Return "OK" or a code, and the answer as JSON."""
        rpc = self._schema.rpcs[request.rpc]
        message = self._schema.message_class(rpc.input_type)()
        json_format.ParseDict(request.message, message)
        try:
            reply = self._channel.unary_unary(request.rpc)(
                message.SerializeToString(), timeout=TIMEOUT_S
            )
        except grpc.RpcError as error:
            return str(error.code().name), {"message": error.details()}
        if "Operation" not in rpc.output_type:
            return "OK", {}  # nobody looks into it, and to write it as JSON takes time
        answer = self._schema.message_class(rpc.output_type).FromString(reply)
        return "OK", {"name": answer.name, "done": answer.done, "error": answer.error.message}

    def close(self) -> None:
        """Hang up."""
        self._channel.close()


@dataclass(slots=True)
class Calls:
    """What was called and answered, together for all clients.

    Attributes:
        began: When the clients began, by the monotonic clock.
        said: How often which code came, by kind and transport.
        minutes: Seconds that the calls took, by the minute in which they ended.
        kinds: The same by kind.
        messages: The last message of each code but OK.
    """

    began: float = field(default_factory=time.monotonic)
    said: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    minutes: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    kinds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    messages: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, transport: str, code: str, took: float) -> None:
        """Note one."""
        minute = int((time.monotonic() - self.began) / _MINUTE_S)
        with self._lock:
            self.said[kind, transport, code] += 1
            self.minutes[minute].append(took)
            self.kinds[kind].append(took)

    def errors(self) -> dict[str, int]:
        """Return how often which code but OK came, by kind and transport."""
        return {
            f"{kind} over {transport}: {code}": count
            for (kind, transport, code), count in sorted(self.said.items())
            if code != "OK"
        }


def latency(times: list[float]) -> dict[str, float]:
    """Return the number of calls, their median and 95th percentile in milliseconds."""
    middle, late = np.percentile(times, (50, 95)) * 1000
    return {"calls": len(times), "p50_ms": round(float(middle)), "p95_ms": round(float(late))}


class Client:
    """One that does the same again and again until its time is over."""

    def __init__(self, number: int, transport: Transport, calls: Calls, end: float) -> None:
        self._number = number
        self._transport = transport
        self._calls = calls
        self._end = end
        self._turn = 0

    def run(self, what: Callable[[Client], None]) -> None:
        """Do it until the time is over, then hang up."""
        try:
            while time.monotonic() < self._end:
                self._turn += 1
                what(self)
        finally:
            self._transport.close()

    def check(self) -> None:
        """Check a small answer, another each time."""
        answer = f"{SMALL['answerCandidate']} It weighs {self._turn} kg at site {self._number}."
        body = {**SMALL, "answerCandidate": answer}
        config = CHECK.removesuffix(":check")
        rpc = "GroundedGenerationService/CheckGrounding"
        self._call("check", rpc, {"groundingConfig": config, **body}, "POST", CHECK, body)

    def search(self) -> None:
        """Search for the words of a stored document."""
        body = {"query": " ".join(words(self._some())[:3]), "pageSize": 5}
        message = {"servingConfig": _CONFIG, **body}
        self._call("search", "SearchService/Search", message, "POST", f"{_CONFIG}:search", body)

    def ask(self) -> None:
        """Ask about a stored document."""
        body = {"query": {"text": f"What colour has the record with {words(self._some())[0]}?"}}
        rpc = "ConversationalSearchService/AnswerQuery"
        message = {"servingConfig": _CONFIG, **body}
        self._call("ask", rpc, message, "POST", f"{_CONFIG}:answer", body)

    def write(self) -> None:
        """Create a document and delete it."""
        number = self._own()
        document = {"structData": data(number)}
        message = {"parent": BRANCH, "documentId": document_id(number), "document": document}
        path = f"{BRANCH}/documents?documentId={document_id(number)}"
        self._call("write", "DocumentService/CreateDocument", message, "POST", path, document)
        self._delete(number)

    def take_in(self) -> None:
        """Import documents, wait until they are there by asking, delete each."""
        numbers = [self._own() + at for at in range(_IMPORTED)]
        items = [{"id": document_id(n), "structData": data(n)} for n in numbers]
        body = {"inlineSource": {"documents": items}}
        rpc, path = "DocumentService/ImportDocuments", f"{BRANCH}/documents:import"
        message = {"parent": BRANCH, **body}
        code, operation = self._call("import", rpc, message, "POST", path, body)
        if code != "OK":
            return
        name = operation["name"]
        while code == "OK" and not operation.get("done"):
            time.sleep(_POLL_S)
            rpc = "/google.longrunning.Operations/GetOperation"
            code, operation = self._call("operation", rpc, {"name": name}, "GET", name)
        if operation.get("error"):
            self._calls.add("operation", self._transport.name, "FAILED", 0.0)
        for number in numbers:
            self._delete(number)

    def _delete(self, number: int) -> None:
        name = f"{BRANCH}/documents/{document_id(number)}"
        self._call("delete", "DocumentService/DeleteDocument", {"name": name}, "DELETE", name)

    def _call(
        self,
        kind: str,
        rpc: str,
        message: dict[str, Any],
        verb: str,
        path: str,
        body: dict[str, Any] | None = None,
    ) -> tuple[str, dict[str, Any]]:
        began = time.monotonic()
        rpc = rpc if rpc.startswith("/") else _SERVICES + rpc
        code, answer = self._transport.call(Request(rpc, message, verb, path, body))
        self._calls.add(kind, self._transport.name, code, time.monotonic() - began)
        if code != "OK":
            self._calls.messages[code] = str(answer["message"])[:500]
        return code, answer

    def _some(self) -> int:
        return (self._number * 7919 + self._turn) % STORED

    def _own(self) -> int:
        """Return a number that no other client uses, from which on twenty are free."""
        return STORED + self._number * 10_000 + (self._turn * _IMPORTED) % 10_000
