"""What one callback costs: processor time of its process and of what starts it.

    python -m benchmarks.conversations.callbacks [--calls 30]

Processor time says on a busy machine, too, what is spent; how long it takes there is not said.
"""

from __future__ import annotations

import argparse
import json
import resource

from benchmarks.measurement import circumstances, write_result
from toulmin.conversation.python_runner import PythonCall, PythonRunner

_CODE = "def before_model_callback(callback_context, llm_request):\n    callback_context.state['seen'] = 'x'\n"


def main() -> None:
    """Measure it and write `results/callbacks.json`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=30, help="(default: 30)")
    calls = parser.parse_args().calls
    runner = PythonRunner(allowed=True)
    _ask(runner)
    before = _processor_s()
    for _ in range(calls):
        _ask(runner)
    found = {"calls": calls, "processor_ms": round((_processor_s() - before) / calls * 1e3, 1)}
    print(json.dumps(found))
    write_result("callbacks", {"circumstances": circumstances(), **found})


def _ask(runner: PythonRunner) -> None:
    kind = "before_model"
    told = {"session_id": "s", "turn_index": 1, "agent_name": "a", "tools": {}, "events": []}
    result = runner.run(
        PythonCall(
            code=_CODE,
            file="callback",
            functions=(f"{kind}_callback",),
            args={},
            variables={"seen": ""},
            callback={**told, "kind": kind, "contents": []},
        )
    )
    if result.variables != {"seen": "x"}:
        raise AssertionError(result)


def _processor_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


if __name__ == "__main__":
    main()
