"""Many sessions at once, and how long a turn takes without a language model.

    python -m benchmarks.conversations.crowd [--sessions 64] [--rounds 3]

First one session alone, then all at once, each with the same turns: a function tool and its
response, a transfer, an answer from documents, something that nobody is for.
"""

from __future__ import annotations

import argparse
import http.client
import json
import threading
import time
from typing import Any

from benchmarks.conversations.apps import DATA
from benchmarks.conversations.rest import RefusedError, Rest
from benchmarks.conversations.scripted import make_app, make_documents
from benchmarks.live_server import LiveServer
from benchmarks.measurement import circumstances, summary, write_result

TURNS = {
    "function tool": "where is order 4711",
    "its response": {"output": {"status": "shipped", "arrival": "Friday"}},
    "documents": "how tall is the Varn Tower",
    "transfer": "I want my money back",
    "argument": "order 4711",
    "second argument": "because it leaks",
    "its response again": {"output": {"amount": "30 euros"}},
    "nowhere": "what is the capital of Peru",
}


class Crowd:
    """Sessions that talk.

    Attributes:
        times: Milliseconds of each turn, by its kind.
        errors: What went wrong.
    """

    def __init__(self, port: int, app: str) -> None:
        self._port = port
        self._app = app
        self._lock = threading.Lock()
        self.times: dict[str, list[float]] = {kind: [] for kind in TURNS}
        self.errors: list[str] = []

    def run(self, names: list[str]) -> None:
        """Let all sessions talk at once."""
        threads = [threading.Thread(target=self._talk, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _talk(self, session: str) -> None:
        rest, name = Rest(self._port, timeout_s=300.0), f"{self._app}/sessions/{session}"
        call = ""
        for kind, given in TURNS.items():
            item: dict[str, Any] = {"text": given}
            if isinstance(given, dict):
                item = {"toolResponses": {"toolResponses": [{"id": call, "response": given}]}}
            body = {"config": {"session": name}, "inputs": [item]}
            started = time.perf_counter()
            try:
                outputs = rest.call("POST", f"{name}:runSession", body)["outputs"]
            except (RefusedError, OSError, http.client.HTTPException) as error:
                with self._lock:
                    self.errors.append(f"{session}, {kind}: {error}")
                return
            taken = (time.perf_counter() - started) * 1000
            for output in outputs:
                for found in output.get("toolCalls", {}).get("toolCalls", ()):
                    call = found["id"]
            with self._lock:
                self.times[kind].append(taken)


def main() -> None:
    """Measure and write `results/crowd.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=64, help="(default: 64)")
    parser.add_argument("--rounds", type=int, default=3, help="sessions alone (default: 3)")
    arguments = parser.parse_args()
    content = json.loads((DATA / "scripts.json").read_text(encoding="utf-8"))
    # Without the question before a refund, so that the turns are those that were measured before.
    with LiveServer("--agent-python", "--agent-confirm", "never") as server:
        rest = Rest(server.port)
        make_documents(rest, content["documents"])
        app = make_app(rest, content)
        Crowd(server.port, app).run(["warm"])
        alone = Crowd(server.port, app)
        for number in range(arguments.rounds):
            alone.run([f"alone-{number}"])
        together = Crowd(server.port, app)
        together.run([f"crowd-{number}" for number in range(arguments.sessions)])
        found = {"alone": _figures(alone), f"{arguments.sessions} at once": _figures(together)}
        found["peak_rss_mib"] = server.peak_rss_mib()
    print(json.dumps(found, indent=1))
    write_result("crowd", {"circumstances": circumstances(), **found})


def _figures(crowd: Crowd) -> dict[str, Any]:
    times = {kind: summary(values, digits=0) for kind, values in crowd.times.items() if values}
    everything = [value for values in crowd.times.values() for value in values]
    return {"errors": crowd.errors, "all_ms": summary(everything, digits=0), "ms": times}


if __name__ == "__main__":
    main()
