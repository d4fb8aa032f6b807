"""Clients that write, import, talk, ask and read, whatever they are answered, and what they got.

What was answered with success is kept by number, and looked for in the end.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from benchmarks.conversations.apps import DATA
from benchmarks.conversations.rest import Rest
from benchmarks.conversations.scripted import make_app
from benchmarks.reliability.attacked import CHECK, SMALL
from benchmarks.reliability.documents import BRANCH, STORE, data, document_id, words
from benchmarks.reliability.processes import HOST, ServerProcess

GONE = "no answer"
HURRIED_S = 2.0
_IMPORTED = 40
_LONGEST_S = 90.0
_ANSWER = f"{STORE}/servingConfigs/default_search:answer"


@dataclass(frozen=True, slots=True)
class Call:
    """One call and its answer.

    Attributes:
        kind: Which client made it.
        began: When, by the monotonic clock.
        took: Seconds.
        said: "OK", the name of an error's code, or `GONE`.
        retries: Whether the error says when to try again (`Retry-After`).
    """

    kind: str
    began: float
    took: float
    said: str
    retries: bool


class Load:
    """Clients of a server that may be killed and started again; each is a thread.

    Args:
        is_hurried: Whether one of them waits no longer than `HURRIED_S`, and says so.

    Attributes:
        calls: What was called, in the order of the answers.
        documents: Numbers of the documents that are acknowledged.
        doubtful: Numbers of those whose calls failed: they may be there or not.
        operations: Imports that are acknowledged, with the numbers of their documents.
        turns: What was said in turns that were answered, by session.
        answers: Names of answers in a session.
    """

    def __init__(self, *, is_hurried: bool = False) -> None:
        self._is_hurried = is_hurried
        self._numbers = count()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._server: ServerProcess | None = None
        self._app = self._session = ""
        self.calls: list[Call] = []
        self.documents: list[int] = []
        self.doubtful: list[int] = []
        self.operations: dict[str, list[int]] = {}
        self.turns: dict[str, list[str]] = {}
        self.answers: list[str] = []

    def prepare(self, server: ServerProcess) -> None:
        """Make the data store, the app and the session that the clients use."""
        server.create_store()
        content = json.loads((DATA / "scripts.json").read_text(encoding="utf-8"))
        content["tools"] = {}  # every turn is answered at once, and none waits for a response
        content["agents"] = {"root": {"displayName": "Clerk"}}
        self._app = make_app(Rest(server.port), content, "talks")
        status, session = server.call("POST", f"{STORE}/sessions", {"userPseudoId": "u"})
        if status != http.HTTPStatus.OK:
            raise RuntimeError(f"{status} {session}")
        self._session = str(session["name"])

    def start(self, server: ServerProcess) -> None:
        """Let all clients begin on a server that is up."""
        self._server = server
        self._stopping.clear()
        clients: list[tuple[Callable[[], None], float]] = [
            (self._write, 0.05),
            (self._write, 0.05),
            (self._import, 0.5),
            (self._talk, 0.2),
            (self._talk, 0.2),
            (self._ask, 1.0),
            (self._read, 0.2),
            (self._check, 0.5),
        ]
        if self._is_hurried:
            clients.append((self._hurry, 0.3))
        self._threads = [
            threading.Thread(target=self._repeat, args=client, name=f"client-{number}")
            for number, client in enumerate(clients)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let all clients end what they are at."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def since(self, moment: float) -> list[Call]:
        """Return the calls that began after a moment and have been answered."""
        with self._lock:
            return [call for call in self.calls if call.began >= moment]

    def ended_since(self, moment: float) -> list[Call]:
        """Return the calls that were answered after a moment, also those that began before."""
        with self._lock:
            return [call for call in self.calls if call.began + call.took >= moment]

    def first_successes(self, moment: float) -> dict[str, float]:
        """Return for each kind the seconds from a moment to the first success that began after."""
        found: dict[str, float] = {}
        for call in self.since(moment):
            if call.said == "OK":
                end = call.began + call.took - moment
                found[call.kind] = min(end, found.get(call.kind, end))
        return found

    def answered(self, kind: str = "") -> dict[str, int]:
        """Return how many calls were answered how, of one kind or of all."""
        return dict(Counter(call.said for call in self.calls if kind in ("", call.kind)))

    def _repeat(self, client: Callable[[], None], pause_s: float) -> None:
        while not self._stopping.wait(pause_s):
            client()

    def _write(self) -> None:
        number = self._number()
        path = f"{BRANCH}/documents?documentId={document_id(number)}"
        said, _ = self._call("write", "POST", path, {"structData": data(number)})
        (self.documents if said == "OK" else self.doubtful).append(number)

    def _import(self) -> None:
        """Import some documents and wait for the end as clients do, by asking."""
        numbers = [self._number() for _ in range(_IMPORTED)]
        items = [{"id": document_id(n), "structData": data(n)} for n in numbers]
        body = {"inlineSource": {"documents": items}}
        said, operation = self._call("import", "POST", f"{BRANCH}/documents:import", body)
        if said != "OK":
            self.doubtful += numbers
            return
        self.operations[operation["name"]] = numbers
        while not operation.get("done") and said != GONE and not self._stopping.wait(0.2):
            said, found = self._call("operation", "GET", operation["name"])
            operation = found if said == "OK" else operation

    def _talk(self) -> None:
        session = threading.current_thread().name
        name = f"{self._app}/sessions/{session}"
        words_ = f"number {self._number()} of {session}: who are you and what can you do"
        body = {"config": {"session": name}, "inputs": [{"text": words_}]}
        said, _ = self._call("turn", "POST", f"{name}:runSession", body, version="v1beta")
        if said == "OK":
            self.turns.setdefault(session, []).append(words_)

    def _ask(self) -> None:
        body = {"query": {"text": f"What has {words(1)[0]}?"}, "session": self._session}
        said, answer = self._call("answer", "POST", _ANSWER, body)
        if said == "OK":
            self.answers.append(answer["answer"]["name"])

    def _read(self) -> None:
        if self.documents:
            self._call("read", "GET", f"{BRANCH}/documents/{document_id(self.documents[-1])}")

    def _hurry(self) -> None:
        """Ask for what one query of the database answers, and wait for it for two seconds."""
        self._call("hurried", "GET", STORE, timeout_s=HURRIED_S)

    def _check(self) -> None:
        self._call("check", "POST", CHECK, SMALL)

    def _number(self) -> int:
        with self._lock:
            return next(self._numbers)

    def _call(
        self,
        kind: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        version: str = "v1",
        timeout_s: float = 0.0,
    ) -> tuple[str, dict[str, Any]]:
        assert self._server is not None
        connection = http.client.HTTPConnection(HOST, self._server.port, timeout=_LONGEST_S)
        began, said, retries = time.monotonic(), GONE, False
        answer: dict[str, Any] = {}
        try:
            content = None if body is None else json.dumps(body)
            headers = {"Content-Type": "application/json"}
            if timeout_s:
                headers["X-Server-Timeout"] = str(timeout_s)
            connection.request(method, f"/{version}/{path}", content, headers)
            response = connection.getresponse()
            answer = json.loads(response.read() or b"{}")
            said = "OK" if response.status == http.HTTPStatus.OK else answer["error"]["status"]
            retries = response.getheader("Retry-After") is not None
        except (OSError, http.client.HTTPException, ValueError):
            self._stopping.wait(0.05)
        finally:
            connection.close()
        with self._lock:
            self.calls.append(Call(kind, began, time.monotonic() - began, said, retries))
        return said, answer

    def lost(self, server: ServerProcess) -> Iterator[str]:
        """Yield what of the acknowledged is missing, twice there or wrong; call it in the end."""
        for name, numbers in self.operations.items():
            ended = server.wait_for_operation(name, timeout_s=300)
            counted = int(ended.get("metadata", {}).get("successCount", 0))
            if "error" in ended or counted != len(numbers):
                yield f"{name} counts {counted} of {len(numbers)}: {ended.get('error')}"
        for number in self.expected(server):
            status, found = server.call("GET", f"{BRANCH}/documents/{document_id(number)}")
            if status != http.HTTPStatus.OK or found.get("structData") != data(number):
                yield f"document {number} was acknowledged: {status}"
        yield from self._lost_turns(server)
        for name in self.answers:
            status, _ = server.call("GET", name)
            if status != http.HTTPStatus.OK:
                yield f"answer {name} was acknowledged: {status}"

    def _lost_turns(self, server: ServerProcess) -> Iterator[str]:
        rest = Rest(server.port)
        for session, said in self.turns.items():
            kept = [
                chunk["text"]
                for turn in rest.call("GET", f"{self._app}/conversations/{session}")["turns"]
                for message in turn["messages"]
                for chunk in message["chunks"]
                if message["role"] == "user" and "text" in chunk
            ]
            if len(set(kept)) != len(kept):
                yield f"session {session}: a turn is there twice"
            order = [kept.index(words_) for words_ in said if words_ in kept]
            if len(order) != len(said) or order != sorted(order):
                yield f"session {session}: of {len(said)} turns {len(order)} are there"

    def expected(self, server: ServerProcess) -> list[int]:
        """Return the numbers of all documents that must be there, the doubtful that are with."""
        known = [*self.documents, *(n for numbers in self.operations.values() for n in numbers)]
        for number in self.doubtful:
            status, _ = server.call("GET", f"{BRANCH}/documents/{document_id(number)}")
            if status == http.HTTPStatus.OK:
                known.append(number)
        return known


class Health:
    """Asks `/healthz` twice a second until it is stopped.

    Attributes:
        longest_s: The longest that an answer took.
        wrong: Answers that were not 200.
    """

    def __init__(self, server: ServerProcess) -> None:
        self.longest_s = 0.0
        self.wrong: list[str] = []
        self._server = server
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def stop(self) -> None:
        """Ask no more."""
        self._stopping.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._stopping.wait(0.5):
            began = time.monotonic()
            try:
                status, _ = self._server.call("GET", "/healthz", raw=True, timeout_s=_LONGEST_S)
                said = "" if status == http.HTTPStatus.OK else str(status)
            except (OSError, http.client.HTTPException) as error:
                said = type(error).__name__
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if said:
                self.wrong.append(said)
