"""kill -9 in the middle of turns: every turn that was acknowledged is there, whole and in order.

    python -m benchmarks.conversations.kills [--turns 50] [--kills 10]

Four clients talk, each in a session of its own. After every few acknowledged turns the server is
killed while the others are at work, started again on the same folder, and each session is read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.conversations.apps import DATA
from benchmarks.conversations.rest import RefusedError, Rest
from benchmarks.conversations.scripted import make_app
from benchmarks.measurement import circumstances, write_result
from benchmarks.reliability.processes import ServerProcess

CLIENTS = 4
_SEED = 13


def main() -> None:
    """Try it and write `results/killed_turns.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=50, help="acknowledged turns (default: 50)")
    parser.add_argument("--kills", type=int, default=10, help="(default: 10)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="toulmin-kills-") as place:
        trial = Trial(Path(place) / "data", turns=arguments.turns, kills=arguments.kills)
        trial.run()
    found = {
        "acknowledged": sum(len(said) for said in trial.acknowledged.values()),
        "kills": trial.kills,
        "unanswered_when_killed": trial.broken,
        "kept_though_unanswered": trial.kept_unanswered,
        "wrong": trial.wrong,
    }
    print(json.dumps(found))
    write_result("killed_turns", {"circumstances": circumstances(), **found})


class Trial:
    """One trial.

    Attributes:
        acknowledged: What was said in turns that were answered, by session, in order.
        broken: Turns that were under way when the server was killed.
        kept_unanswered: Those of them that were kept; each at most once.
        kills: How often it was killed.
        wrong: Everything that is not as it must be.
    """

    def __init__(self, folder: Path, *, turns: int, kills: int) -> None:
        self._folder = folder
        self._turns = turns
        self._wanted_kills = kills
        self._lock = threading.Lock()
        self.acknowledged: dict[str, list[str]] = {str(n): [] for n in range(CLIENTS)}
        self.unanswered: dict[str, list[str]] = {session: [] for session in self.acknowledged}
        self.broken = self.kept_unanswered = self.kills = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Talk, kill, start and read until enough is acknowledged."""
        chosen = random.Random(_SEED)
        content = json.loads((DATA / "scripts.json").read_text(encoding="utf-8"))
        content["tools"] = {}  # every turn is answered at once, and none waits for a response
        content["agents"] = {"root": {"displayName": "Clerk"}}
        app = ""
        while self.kills < self._wanted_kills or self._count() < self._turns:
            if self.wrong:
                break
            with ServerProcess(self._folder) as server:
                server.wait_until_up()
                rest = Rest(server.port)
                app = app or make_app(rest, content, "killed")
                self.wrong += self._read(rest, app)
                goal = self._count() + max(1, self._turns // max(1, self._wanted_kills))
                talkers = [
                    threading.Thread(target=self._talk, args=(Rest(server.port), app, session))
                    for session in self.acknowledged
                ]
                for talker in talkers:
                    talker.start()
                while self._count() < goal and any(talker.is_alive() for talker in talkers):
                    time.sleep(0.005)
                time.sleep(chosen.uniform(0, 0.1))
                server.kill()
                self.kills += 1
                for talker in talkers:
                    talker.join()
        with ServerProcess(self._folder) as server:
            server.wait_until_up()
            self.wrong += self._read(Rest(server.port), app)
            self.kept_unanswered = sum(
                len(set(self._said(Rest(server.port), app, session)) & set(words))
                for session, words in self.unanswered.items()
            )

    def _count(self) -> int:
        with self._lock:
            return sum(len(said) for said in self.acknowledged.values())

    def _talk(self, rest: Rest, app: str, session: str) -> None:
        """Say one thing after the other until the server is gone."""
        name = f"{app}/sessions/{session}"
        while True:
            with self._lock:
                number = len(self.acknowledged[session]) + len(self.unanswered[session])
            said = f"number {number} of session {session}: who are you and what can you do"
            body = {"config": {"session": name}, "inputs": [{"text": said}]}
            try:
                rest.call("POST", f"{name}:runSession", body)
            except RefusedError as error:
                self.wrong.append(f"refused: {error}")
                return
            except (OSError, http.client.HTTPException, ValueError):
                with self._lock:
                    self.broken += 1
                    self.unanswered[session].append(said)
                return
            with self._lock:
                self.acknowledged[session].append(said)

    def _read(self, rest: Rest, app: str) -> Iterator[str]:
        """Yield what of the acknowledged turns is missing, twice there or out of order."""
        for session, said in self.acknowledged.items():
            kept = self._said(rest, app, session)
            if len(set(kept)) != len(kept):
                yield f"session {session}: a turn is there twice"
            order = [kept.index(words) for words in said if words in kept]
            if order != sorted(order):
                yield f"session {session}: out of order"
            missing = [words for words in said if words not in kept]
            if missing:
                yield f"session {session}: {len(missing)} acknowledged turns are missing"

    @staticmethod
    def _said(rest: Rest, app: str, session: str) -> list[str]:
        """Return what the user said in the kept turns; each has an answer, too."""
        try:
            kept = rest.call("GET", f"{app}/conversations/{session}")
        except RefusedError:
            return []
        found = []
        for turn in kept.get("turns", ()):
            texts = [
                (message["role"], chunk["text"])
                for message in turn["messages"]
                for chunk in message["chunks"]
                if "text" in chunk
            ]
            roles = [role for role, _ in texts]
            found.append(texts[0][1] if roles[:1] == ["user"] and len(roles) > 1 else "half a turn")
        return found


if __name__ == "__main__":
    main()
