"""300 written turns over ten small apps: where they lead, and with which arguments.

    python -m benchmarks.conversations.routed [--half tuning] [--wrong]

Each turn is the first of a session of its own and goes through the whole runtime. The turns of
the half `kept` were not looked at while anything was tuned; `--wrong` prints no turn of it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.conversations.apps import DATA, small_apps
from benchmarks.measurement import circumstances, write_result
from toulmin.conversation.definition import AppSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.services import build_services
from toulmin.settings import load_settings

HALVES = ("tuning", "kept")


@dataclass(frozen=True)
class Went:
    """Where a turn went: name of the tool or agent ("": nowhere), and the arguments found."""

    target: str
    args: dict[str, Any]


def main() -> None:
    """Measure and write `results/routed_turns.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, help="only this one; nothing is written then")
    parser.add_argument("--wrong", action="store_true", help="print wrong turns of `tuning`")
    arguments = parser.parse_args()
    apps = small_apps()
    turns = [json.loads(line) for line in (DATA / "turns.jsonl").open(encoding="utf-8")]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        services = build_services(load_settings(flags={"data_dir": folder}, environment={}))
        rooms = services.conversation_rooms()
        for half in [arguments.half] if arguments.half else HALVES:
            chosen = [turn for turn in turns if turn["half"] == half]
            went = [first_turn(apps[turn["app"]], turn["said"], rooms) for turn in chosen]
            found[half] = figures(chosen, went)
            print(half, json.dumps(found[half]))
            if arguments.wrong and half == "tuning":
                _print_wrong(chosen, went)
        services.close()
    if not arguments.half:
        write_result("routed_turns", {"circumstances": circumstances(), **found})


def first_turn(app: AppSpec, said: str, rooms: Rooms) -> Went:
    """Return where the first turn of a new session goes."""
    state = SessionState()
    turn = Turn(app, state, Inputs(text=said), rooms=rooms, now=datetime(2026, 1, 1, tzinfo=UTC))
    list(turn.run())
    if state.asking is not None:
        return Went(app.tools[state.asking.tool].display_name, state.asking.args)
    if state.confirming is not None:  # the tool was found, and only the user's yes is awaited
        return Went(app.tools[state.confirming.tool].display_name, state.confirming.args)
    for message in turn.log.messages:
        for chunk in message["chunks"]:
            if "toolCall" in chunk:
                return Went(chunk["toolCall"]["displayName"], chunk["toolCall"]["args"])
            if "agentTransfer" in chunk:
                return Went(chunk["agentTransfer"]["displayName"], {})
    return Went("", {})


def figures(turns: list[dict[str, Any]], went: list[Went]) -> dict[str, Any]:
    """Return accuracy, and precision, recall and F1 of arguments over all turns.

    An argument is right when the turn went to the right tool and the values are equal without
    regard to case; those of a wrong tool are all wrong, and those that were wanted are missed.
    """
    kinds: dict[str, list[bool]] = {"all": []}
    hits = given = wanted = 0
    for turn, at in zip(turns, went, strict=True):
        right = turn["target"] == at.target
        kind = (
            "nowhere" if not turn["target"] else "agent" if turn["target"][0].isupper() else "tool"
        )
        for key in ("all", kind):
            kinds.setdefault(key, []).append(right)
        given += len(at.args)
        wanted += len(turn["args"])
        if right:
            hits += sum(_same(at.args.get(name), value) for name, value in turn["args"].items())
    accuracy = {
        kind: {
            "right": sum(values),
            "of": len(values),
            "share": round(sum(values) / len(values), 3),
        }
        for kind, values in kinds.items()
    }
    return {
        "accuracy": accuracy,
        "arguments": {
            "wanted": wanted,
            "given": given,
            "right": hits,
            "precision": round(hits / max(1, given), 3),
            "recall": round(hits / max(1, wanted), 3),
            "f1": round(2 * hits / max(1, given + wanted), 3),
        },
    }


def _same(found: Any, wanted: Any) -> bool:
    return str(found).casefold() == str(wanted).casefold()


def _print_wrong(turns: list[dict[str, Any]], went: list[Went]) -> None:
    for turn, at in zip(turns, went, strict=True):
        if (turn["target"], turn["args"]) != (at.target, at.args):
            wanted = f"{turn['target'] or '-'} {turn['args'] or ''}"
            print(
                f"  {turn['app']}: {turn['said']}\n    {wanted}\n    {at.target or '-'} {at.args or ''}"
            )


if __name__ == "__main__":
    main()
