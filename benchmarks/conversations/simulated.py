"""Conversations with simulated users: is what they want called, and nothing else?

    python -m benchmarks.conversations.simulated [--part dialogues_2] [--half tuning] [--wrong]

A user says what they want, answers when an argument is asked for, corrects what is about to be
done, and then says yes; some back out. The texts are of other hands than the rules, and were
written without a look at them: 60 over four apps, then 40, 40 and 60 more by a writer each over
other apps (`dialogues_2` to `_4`), and 20 of hurried ones over tools of those (`dialogues_5`), half
of whom agree, hedge, refuse or change a value in a way of their own. Dialogues of the halves `kept`
were not looked at while anything was tuned; `--wrong` prints none of them. `docs/decisions/0057`
and `0066` have the figures.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.conversations.apps import DATA, app_of
from benchmarks.measurement import circumstances, write_result
from toulmin.conversation.definition import AppSpec
from toulmin.conversation.inputs import Inputs
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.state import SessionState
from toulmin.conversation.turn import Turn
from toulmin.services import build_services
from toulmin.settings import load_settings

HALVES: Final = ("tuning", "kept")
PARTS: Final = ("dialogues", "dialogues_2", "dialogues_3", "dialogues_4", "dialogues_5")
MOST_TURNS: Final = 12
_ALREADY: Final = "I have told you everything I know"
"""Said where something is asked for that the dialogue has no answer to."""


def main() -> None:
    """Measure and write `results/simulated_users.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS, help="only this one; nothing is written then")
    parser.add_argument("--half", choices=HALVES, help="only this one; nothing is written then")
    parser.add_argument("--wrong", action="store_true", help="print wrong ones of `tuning`")
    arguments = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        services = build_services(load_settings(flags={"data_dir": folder}, environment={}))
        rooms = services.conversation_rooms()
        for part in [arguments.part] if arguments.part else PARTS:
            material = json.loads((DATA / f"{part}.json").read_text(encoding="utf-8"))
            apps = {app["name"]: app_of(app) for app in material["apps"]}
            found[part] = {}
            for half in [arguments.half] if arguments.half else HALVES:
                chosen = material["dialogues"][HALVES.index(half) :: 2]
                went = [hold(apps[one["app"]], one, rooms) for one in chosen]
                found[part][half] = figures(chosen, [calls for calls, _ in went])
                print(part, half, json.dumps(found[part][half]), flush=True)
                if arguments.wrong and half == "tuning":
                    _print_wrong(chosen, went)
        services.close()
    if not (arguments.part or arguments.half):
        write_result("simulated_users", {"circumstances": circumstances(), **found})


def hold(app: AppSpec, dialogue: Mapping[str, Any], rooms: Rooms) -> tuple[list[Any], list[str]]:
    """Return the calls of a conversation, and what was said in it."""
    state, lines, calls = SessionState(), [], []
    corrections, said = list(dialogue["at_confirmation"]), dialogue["first"]
    for _ in range(MOST_TURNS):
        lines.append(f"> {said}")
        inputs = Inputs(text=said)
        turn = Turn(app, state, inputs, rooms=rooms, now=datetime(2026, 1, 1, tzinfo=UTC))
        for output in turn.run():
            lines += [output["text"]] if "text" in output else []
            made = output.get("toolCalls", {}).get("toolCalls", ())
            calls += [(call["displayName"], call["args"]) for call in made]
        if state.confirming is not None:
            said = corrections.pop(0) if corrections else "yes"
        elif state.asking is not None:
            said = dialogue["answers"].get(state.asking.missing, _ALREADY)
        else:
            break
        state = SessionState.from_json(state.to_json())
    return calls, lines


def figures(dialogues: Sequence[Mapping[str, Any]], went: Sequence[list[Any]]) -> dict[str, Any]:
    """Return how many conversations ended as they should."""
    acting = [
        (one["expect"], calls)
        for one, calls in zip(dialogues, went, strict=True)
        if one["expect"]["tool"]
    ]
    backing = [
        calls for one, calls in zip(dialogues, went, strict=True) if not one["expect"]["tool"]
    ]
    return {
        "dialogues": len(dialogues),
        "called as wanted": {"right": sum(is_right(*one) for one in acting), "of": len(acting)},
        "called with something else": sum(bool(c) and not is_right(w, c) for w, c in acting),
        "nothing called": sum(not calls for _, calls in acting),
        "backed out, nothing called": {
            "right": sum(not calls for calls in backing),
            "of": len(backing),
        },
    }


def is_right(expected: Mapping[str, Any], calls: Sequence[Any]) -> bool:
    """Return whether just the call that is wanted was made, its values equal but for case."""
    if len(calls) != 1 or calls[0][0] != expected["tool"]:
        return False
    args = calls[0][1]
    return set(args) == set(expected["args"]) and all(
        _plain(args[name]) in [_plain(one) for one in _listed(value)]
        for name, value in expected["args"].items()
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    return str(value).lower().strip(" .!")


def _print_wrong(dialogues: Sequence[Mapping[str, Any]], went: Sequence[Any]) -> None:
    for one, (calls, lines) in zip(dialogues, went, strict=True):
        right = is_right(one["expect"], calls) if one["expect"]["tool"] else not calls
        if not right:
            print("", *lines, f"wanted {one['expect']}", f"called {calls}", sep="\n  ")


if __name__ == "__main__":
    main()
